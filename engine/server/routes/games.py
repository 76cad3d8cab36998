"""All games: list the games and begin new ones."""

import asyncio
from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from engine.runs.dry_run import Bound
from engine.runs.game_row import GameRow
from engine.runs.query import Query as IndexQuery
from engine.server.keys import Caller
from engine.server.web.desk import AtDesk, Desk, HostAsking, HostChanging, Site, whole_number
from engine.server.web.opening import GameOpening, begin_all, links_to, open_config
from engine.server.web.rights import is_veiled, seats_of
from protocol.answer import Plain

router = APIRouter()
MOST_ROWS = 200
# The statuses of a game that is being played.
PLAYED = {"running", "waiting"}
ROWS = 50
# The columns of a row that a seat must not see before the game ends. With the seed, a player could
# begin a copy of the game and see the other players' secrets there.
UNSEEN: Plain = {
    "seed": None, "reason": "", "models": [], "who": "", "spent": [], "tokens": None, "cost": None,
}  # fmt: skip
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
    """A config as in a YAML file, and the number of games to begin with consecutive seeds."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE]})

    config: Plain
    games: int = Field(default=1, ge=1, le=200)


class GamesAsked(BaseModel):
    """Filters and sorting for the list of games."""

    game: str = Field("", description="only games of this name")
    player: str = Field("", description="only games where this player sits")
    model: str = Field("", description="only games where this model plays")
    status: str = Field("", description="such as finished or unfinished")
    q: str = Field("", description="words in names, games, players, models and summaries")
    since: str = Field("", description="started at this time or later, ISO 8601")
    until: str = Field("", description="started at this time or earlier; a date includes that day")
    sort: str = Field("-began", description="a column; a - before it reverses the order")
    cursor: str = Field("", description="`next` of the previous page")
    limit: str | None = Field(None, description="maximum number of rows, up to 200")


@router.get("/games", summary="A page of all games, newest first")
async def list_games(
    caller: HostAsking, desk: AtDesk, wanted: Annotated[GamesAsked, Query()]
) -> JSONResponse:
    """Return a page of game summaries; `next` is the next page's cursor, null on the last page."""
    filters = {name: value for name, value in wanted if value}
    filters["limit"] = whole_number(wanted.limit, "limit", ROWS, MOST_ROWS, 1)
    with desk.refuse_errors():
        return JSONResponse(await page_of_games(IndexQuery(**filters), caller, desk))


async def page_of_games(query: IndexQuery, caller: Caller, desk: Desk) -> Plain:
    """Return a page of the list, with the current status of games played here.

    A game's file does not record that the game is being played, so a query for games
    being played returns a single page.
    """
    index = await desk.fresh_index()
    rows, following = await asyncio.to_thread(index.page, _query_of_files(query, caller))
    if query.status in PLAYED:
        rows = [row for row in rows if desk.hall.status(row.name) is not None]
        following = ""
    return {"games": [_row_now(row, caller, desk) for row in rows], "next": following or None}


def _query_of_files(query: IndexQuery, caller: Caller) -> IndexQuery:
    sat = tuple(grant.game for grant in caller.grants if seats_of(caller, grant.game))
    query = replace(query, unseen=sat)
    if query.status in PLAYED:
        return replace(query, status="unfinished", limit=MOST_ROWS, cursor="")
    return query


def _row_now(row: GameRow, caller: Caller, desk: Desk) -> Plain:
    # UNSEEN hides some values from a player of the unfinished game.
    data = row.as_data() | (UNSEEN if is_veiled(caller, row) else {})
    standing = desk.hall.status(row.name)
    if standing is not None:
        data["status"] = standing["status"]
    return data


@router.post(
    "/games",
    summary="Start games, or estimate what they would use",
    status_code=201,
    responses={
        200: {"description": "With dry_run=1: the maximum use of each model's seat"},
        201: {"content": {"application/json": {"example": {"games": [{"name": "gameplay_1"}]}}}},
    },
)
async def begin_games(
    site: Site,
    _caller: HostChanging,
    desk: AtDesk,
    wanted: NewGames,
    dry_run: Annotated[str | None, Query(description="1: start nothing")] = None,
) -> JSONResponse:
    """Begin games, and return their names with a link to each person's seat."""
    only_bounds = whole_number(dry_run, "dry_run", 0, 1) == 1
    with desk.refuse_errors():
        opening = await open_config(wanted.config, wanted.games, desk, is_ready=not only_bounds)
        if only_bounds:
            return JSONResponse(bounds_in(opening, wanted.games))
        begun = await begin_all(opening.config, wanted.games, desk, site)
    return JSONResponse({"games": links_to(begun, site, desk)}, 201)


def bounds_in(opening: GameOpening, games: int) -> Plain:
    """Return upper bounds on what the games use, as JSON; an unknown cost is null."""
    bounds = opening.bounds
    limits = opening.config.limits
    return {
        "seats": {player_id: bound_data(bound, games) for player_id, bound in bounds.items()},
        "all": bound_data(sum(bounds.values(), Bound()), games),
        "events": opening.events * games,
        "games": games,
        "limits": limits.model_dump() | limits.budgets,
    }


def bound_data(bound: Bound, games: int) -> Plain:
    """Return one game's bound times `games` as JSON."""
    figures = asdict(bound).items()
    return {name: None if figure is None else games * figure for name, figure in figures}
