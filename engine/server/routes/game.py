"""One game: read its facts, log and prompts, or stop, resume or fork it."""

import asyncio
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from engine.games import GAMES
from engine.history import Event, History
from engine.runs.game_row import UNFINISHED
from engine.server.keys import Caller
from engine.server.routes.exports import charts_in
from engine.server.web.admission import admit_players
from engine.server.web.desk import Asking, AtDesk, Desk, GameName, HostChanging, Site, whole_number
from engine.server.web.opening import seat_links
from engine.server.web.page_files import is_cached
from engine.server.web.refusal import Refusal
from engine.server.web.rights import (
    VIEW_ABOUT,
    AsView,
    allowed_view,
    seats_of,
    sees_all,
    usual_view,
)
from engine.spending.costs import costs
from engine.spending.validity import void_seats_words, void_words
from engine.views.exports import EXPORTS
from engine.views.naming import who_line
from engine.views.perspective import EVERYTHING, PUBLIC, Shown, events_of, history_in
from protocol.answer import Plain

router = APIRouter()
LARGEST_INDEX = 10**9
# A log ends with its 16-digit checksum, a quote, a newline and a brace.
CHECKSUM = slice(-19, -3)
JSON = "application/json"
# Columns in the list of games that are shown elsewhere or not at all.
HIDDEN = ("spent", "cost", "tokens", "models", "players", "file", "who")
# In limited views, these columns would reveal how much of a game is hidden.
OF_THE_FILE = ("mtime_ns", "size", "took")
ANY = TypeAdapter(Any)


class Budgets(BaseModel):
    """New budgets for a resumed game; omitted budgets stay unchanged."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"max_cost": 2.5}]})

    max_cost: float | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, gt=0)
    max_time: float | None = Field(default=None, gt=0)


class Fork(BaseModel):
    """The event after which the new game continues, and the new game's players."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "at": 12,
                    "players": [
                        {"player_id": "Ada", "provider": "scripted", "model": "tit_for_tat"}
                    ],
                }
            ]
        },
    )

    at: int = Field(description="the number of an event in the view `as`")
    view: str = Field(default=EVERYTHING, alias="as", description=VIEW_ABOUT)
    players: list[Plain] = Field(max_length=100)


@router.get("/games/{name}", summary="A game, and what you may do there")
async def show_game(name: GameName, caller: Asking, desk: AtDesk, site: Site) -> Response:
    """Return a game's summary, players, settings, outcome, charts, and the caller's rights.

    Usage and costs are shown only to callers who may see everything.
    """
    # Read this before the history, so that a game shown as finished is shown in full.
    standing = desk.hall.status(name)
    history = await desk.history(name)
    view = usual_view(caller, name, history)
    row = await asyncio.to_thread(row_of, name, view, desk)
    seen = await asyncio.to_thread(history_in, history, view)
    about = row | about_of(seen, name)
    if view == EVERYTHING:
        about |= await asyncio.to_thread(extras_of, history)
    if standing is not None:
        about["status"] = standing["status"]
    elif history.status == "running":
        # As in the list of games: the game is not being played here.
        about["status"] = UNFINISHED
    about["views"] = views_for(caller, name, history)
    about["may"] = rights_of(caller, name, history, desk)
    about["files"] = [
        {"name": export.file, "title": export.title} for export in EXPORTS.values() if export.title
    ]
    if caller.host:
        about["seats"] = seat_links(name, history.players, site, desk)
        about["watch"] = desk.keys.watch_links(site, name)
    return Response(ANY.dump_json(about), media_type=JSON)


def extras_of(history: History) -> Plain:
    """Return the fields that only callers with the omniscient view see."""
    charts = [{"stem": stem, "title": chart.title} for stem, chart in charts_in(history).items()]
    turns = [turn._asdict() for turn in Shown(game=GAMES.get(history.game)).turns_of(history)]
    return {"usage": history.usage, "costs": costs(history), "charts": charts, "turns": turns}


def row_of(name: str, view: str, desk: Desk) -> Plain:
    """Return the columns in the list of games that a view shows, or {} if not indexed yet."""
    try:
        row = desk.hall.index.row(name).as_data()
    except KeyError:
        return {}
    hidden = HIDDEN if view == EVERYTHING else HIDDEN + OF_THE_FILE
    return {field: value for field, value in row.items() if field not in hidden}


def about_of(seen: History, name: str) -> Plain:
    """Return facts about the game as a whole, from the history that a view shows."""
    fields = ("player_id", "provider", "model", "small")
    shown = Shown(game=GAMES.get(seen.game))
    return {
        "name": name,
        "title": shown.title_of(seen),
        "who": who_line(seen.players),
        "result": shown.result_of(seen),
        "game_id": seen.game_id,
        "game": seen.game,
        "game_version": seen.game_version,
        "status": seen.status,
        "reason": seen.reason,
        "seed": seen.seed,
        "config": seen.config,
        "players": [{field: getattr(seat, field) for field in fields} for seat in seen.players],
        "events": len(seen.events),
        "rounds": len(seen.rounds),
        "outcome": seen.outcome,
        "void": void_words(seen),
        "void_seats": void_seats_words(seen),
        "charts": [],
    }


def views_for(caller: Caller, name: str, history: History) -> list[str]:
    """Return the views that the caller may see."""
    player_ids = history.player_ids
    views = []
    for view in (PUBLIC, EVERYTHING, *player_ids):
        with suppress(Refusal):
            allowed_view(caller, name, history, view)
            views.append(view)
    return views


def rights_of(caller: Caller, name: str, history: History, desk: Desk) -> Plain:
    """Return the caller's current rights in the game."""
    changes = caller.host and not desk.settings.read_only
    is_playing = name in desk.hall.games
    is_finished = history.status == "finished"
    return {
        "stop": changes and is_playing,
        "resume": changes and not is_playing and not is_finished,
        "fork": changes and is_finished,
        "sit": seats_of(caller, name),
        "see_all": sees_all(caller, name),
    }


def log_bytes(history: History, view: str) -> bytes:
    """Return the log that `view` shows, as JSON."""
    seen = history_in(history, view)
    return replace(seen, void=void_words(seen)).to_json().encode()


@router.get("/games/{name}/log", summary="The log, complete or as one view shows it")
async def show_log(
    request: Request, name: GameName, caller: Asking, desk: AtDesk, view: AsView = None
) -> Response:
    """Return the log in its published schema; its ETag is the log's checksum."""
    history = await desk.history(name)
    seen = allowed_view(caller, name, history, view)
    text = await asyncio.to_thread(log_bytes, history, seen)
    etag = f'"{text[CHECKSUM].decode()}"'
    headers = {"etag": etag, "cache-control": "private, no-cache"}
    if is_cached(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(text, headers=headers, media_type=JSON)


@router.get("/games/{name}/events/{index}/prompt", summary="The exact prompt behind an event")
async def show_prompt(
    name: GameName, index: str, caller: Asking, desk: AtDesk, view: AsView = None
) -> JSONResponse:
    """Return the prompt behind an event, and its player's attempts to answer.

    `index` is the event's number in the log. Only the omniscient view, `as=*`, includes prompts.
    """
    history = await desk.history(name)
    if allowed_view(caller, name, history, view) != EVERYTHING:
        raise Refusal(
            403, "prompts and attempts are only in the complete view: request it with as=*"
        )
    number = whole_number(index, "the index of an event", 0, LARGEST_INDEX)
    event = await event_at(number, history, EVERYTHING, 404)
    return JSONResponse(prompt_data(history, event) | {"index": number})


async def event_at(number: int, history: History, view: str, status: int) -> Event:
    """Return the logged event with this number in a view; raise Refusal if the view lacks it."""
    events = await asyncio.to_thread(events_of, history, view)
    place = events.place_of(number)
    if place is None:
        raise Refusal(status, f"there is no event {number} in this view: it has {len(events)}")
    return events.logged[place]


def prompt_data(history: History, event: Event) -> Plain:
    """Return an event's prompt and attempts as JSON; `prompt` is null if there is no prompt."""
    prompt = history.prompt_of(event)
    read = None
    if prompt is not None:
        read = {name: getattr(prompt, name) for name in ("system", "transcript", "question")}
    attempts = [asdict(attempt) for attempt in event.attempts]
    return {"prompt": read, "attempts": attempts}


@router.post("/games/{name}/stop", summary="Stop a game; it can continue later")
async def stop_game(name: GameName, _caller: HostChanging, desk: AtDesk) -> dict[str, str]:
    """Stop asking questions; the game can be resumed."""
    async with desk.refuse_unknown(name):
        await desk.hall.stop(name)
    return {"name": name}


@router.post("/games/{name}/resume", summary="Continue an unfinished game")
async def resume_game(
    name: GameName,
    _caller: HostChanging,
    desk: AtDesk,
    budgets: Budgets | None = None,
) -> dict[str, str]:
    """Continue where the game stopped, optionally with new budgets."""
    raised = budgets.model_dump(exclude_none=True) if budgets is not None else {}
    most = desk.settings.max_cost
    if raised.get("max_cost", 0) > most:
        raise Refusal(
            422,
            f"expected max_cost of at most {most:g} dollars, the budget of this server: got "
            f"{raised['max_cost']:g}",
        )
    async with desk.refuse_unknown(name):
        await desk.hall.resume(name, raised)
    return {"name": name}


@router.post(
    "/games/{name}/fork", summary="Start a game that continues another one", status_code=201
)
async def fork_game(
    site: Site,
    name: GameName,
    caller: HostChanging,
    desk: AtDesk,
    wanted: Fork,
) -> JSONResponse:
    """Begin a game that continues a finished one after a given event, with other players."""
    async with desk.refuse_unknown(name):
        # Check this first: a game that has just begun may not have the named event yet.
        desk.hall.refuse_played(name)
        players = admit_players(wanted.players, desk.settings)
        log = await desk.history(name)
        view = allowed_view(caller, name, log, wanted.view)
        event = await event_at(wanted.at, log, view, 422)
        forked = await desk.hall.fork(name, event.index, players)
        desk.look_again()
        history = await desk.hall.history(forked)
    seats = seat_links(forked, history.players, site, desk)
    return JSONResponse({"name": forked, "seats": seats}, 201)
