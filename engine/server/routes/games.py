"""All games: a page of their list, and new ones."""

import asyncio
import os
import secrets
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from engine.config import MOST_SEED, GameEngineConfig
from engine.runs.dry_run import Bound
from engine.runs.query import Query as IndexQuery
from engine.runs.seating import neutral
from engine.server.web.admission import admit, check_ready, rehearse_within
from engine.server.web.desk import AtDesk, Desk, HostAsking, HostChanging, whole_number
from engine.server.web.links import seat_link, site_of
from engine.server.web.refusal import Refusal

router = APIRouter()
MOST_ROWS = 200
# What the status of a game is while it is played.
PLAYED = {"running", "waiting"}
ROWS = 50
SEEDS = 10_000
EXAMPLE: Any = {
    "config": {
        "game": {"name": "dilemma", "max_rounds": 2},
        "seed": 7,
        "player_configs": [
            {"player_id": "Ada", "provider": "human"},
            {"player_id": "Ben", "provider": "scripted", "model": "tit_for_tat"},
        ],
    },
    "games": 1,
}


class NewGames(BaseModel):
    """New games: a config as in YAML, and how many games of it, each with the next seed."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE]})

    config: dict[str, Any]
    games: int = Field(default=1, ge=1, le=200)


@router.get("/games", summary="A page of all games, the newest first")
async def list_games(
    caller: HostAsking,
    desk: AtDesk,
    *,
    game: Annotated[str, Query(description="only games of this name")] = "",
    player: Annotated[str, Query(description="only games where this player sits")] = "",
    model: Annotated[str, Query(description="only games where this model plays")] = "",
    status: Annotated[str, Query(description="such as finished or unfinished")] = "",
    q: Annotated[str, Query(description="words in names, players, models and summaries")] = "",
    since: Annotated[str, Query(description="begun at this time or later, ISO 8601")] = "",
    until: Annotated[str, Query(description="begun before this time, ISO 8601")] = "",
    sort: Annotated[str, Query(description="a column, - before it turns it round")] = "",
    cursor: Annotated[str, Query(description="`next` of the page before")] = "",
    limit: Annotated[str | None, Query(description="rows at most, up to 200")] = None,
) -> JSONResponse:
    """Return summaries of games, and `next` for the page behind them, null if it is the last."""
    del caller
    wanted = {
        "game": game, "player": player, "model": model, "status": status, "q": q, "since": since,
        "until": until, "sort": sort, "cursor": cursor,
    }  # fmt: skip
    given = {name: value for name, value in wanted.items() if value}
    rows = whole_number(limit, "limit", ROWS, MOST_ROWS, 1)
    with desk.refuse_errors():
        return JSONResponse(await page_of_games(IndexQuery(limit=rows, **given), desk))


async def page_of_games(query: IndexQuery, desk: Desk) -> dict[str, Any]:
    """Return a page of the list; a game that is played here has the status that it has now.

    The files of these do not say that they are played: all of them are one page.
    """
    only_playing = query.status in PLAYED
    if only_playing:
        query = replace(query, status="unfinished", limit=MOST_ROWS, cursor="")
    index = await desk.fresh_index()
    found, following = await asyncio.to_thread(index.page, query)
    listed = []
    for row in found:
        data = row.as_data()
        standing = desk.hall.status(row.name)
        if standing is not None:
            data["status"] = standing["status"]
        if standing is not None or not only_playing:
            listed.append(data)
    return {"games": listed, "next": None if only_playing else following or None}


@router.post(
    "/games",
    summary="Begin games, or ask what they would take",
    status_code=201,
    responses={
        200: {"description": "With dry_run=1: what each model's seat may take at most"},
        201: {"content": {"application/json": {"example": {"games": [{"name": "gameplay_1"}]}}}},
    },
)
async def begin_games(
    request: Request,
    caller: HostChanging,
    desk: AtDesk,
    wanted: Annotated[NewGames, Body()],
    dry_run: Annotated[str | None, Query(description="1: begin nothing")] = None,
) -> JSONResponse:
    """Begin games, and return their names with a link for each seat of a person."""
    del caller
    only_bounds = whole_number(dry_run, "dry_run", 0, 1) == 1
    with desk.refuse_errors():
        config = with_seed(admit(wanted.config, desk.settings), wanted)
        if not only_bounds:
            check_ready(config.player_configs, os.environ)
        async with desk.rehearsals:
            bounds, events = await asyncio.to_thread(rehearse_within, config, wanted.games)
        if only_bounds:
            return JSONResponse(bounds_in(config, bounds, events, wanted.games))
        begun = await begin_all(config, wanted.games, desk, site_of(request))
    return JSONResponse({"games": begun}, 201)


def with_seed(config: GameEngineConfig, wanted: NewGames) -> GameEngineConfig:
    """Return a config with a seed of its own, unless it was given one."""
    if "seed" in wanted.config:
        if config.seed + wanted.games > MOST_SEED:
            raise ValueError(f"expected a seed so that the last game's is below {MOST_SEED}")
        return config
    return config.model_copy(update={"seed": secrets.randbelow(SEEDS)})


async def begin_all(
    config: GameEngineConfig, games: int, desk: Desk, site: str
) -> list[dict[str, Any]]:
    """Begin as many games, each with the next seed; return their names and links."""
    begun: list[dict[str, Any]] = []
    for number in range(games):
        one = neutral(config.model_copy(update={"seed": config.seed + number}))
        try:
            name = await desk.hall.begin(one)
        except (ValueError, OSError) as error:
            if not begun:
                raise
            # Those that are under way are told of: nobody else knows their links.
            raise Refusal(
                409, f"{len(begun)} of {games} games began: {desk.without_paths(str(error))}"
            ) from None
        desk.look_again()
        begun.append({"name": name, "seats": seats_in(one, name, desk, site)})
    return begun


def seats_in(config: GameEngineConfig, name: str, desk: Desk, site: str) -> dict[str, str]:
    """Return the link of each seat where a person sits."""
    links = {}
    for player in config.player_configs:
        if player.kind.asks == "person":
            links[player.player_id] = seat_link(desk.keys, site, name, player.player_id)
    return links


def bounds_in(
    config: GameEngineConfig, bounds: dict[str, Bound], events: int, games: int
) -> dict[str, Any]:
    """Return what the games may take at most, as JSON; dollars of null are unknown."""
    total = sum(bounds.values(), Bound())
    return {
        "seats": {player_id: bound_data(bound, games) for player_id, bound in bounds.items()},
        "all": bound_data(total, games),
        "events": events * games,
        "games": games,
        "limits": config.limits.model_dump() | config.limits.budgets,
    }


def bound_data(bound: Bound, games: int) -> dict[str, Any]:
    """Return the bound of as many games as JSON."""
    return {
        "calls": games * bound.calls,
        "prompt_tokens": games * bound.prompt_tokens,
        "completion_tokens": games * bound.completion_tokens,
        "cost": None if bound.cost is None else games * bound.cost,
        "likely": None if bound.likely is None else games * bound.likely,
    }
