"""Play one game of a tournament on any machine: read its log, resume it or begin it."""

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History, history_from_json
from engine.record.files import read_regular
from engine.record.journal import JournalTaken, is_taken
from engine.runs.check import check_log
from engine.runs.seat_rows import GameStatus, Rows, seat_rows, status_of_game
from engine.spending.budget import Meter
from engine.spending.costs import total_cost
from engine.spending.validity import void_words
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import config_of, entrants_of
from player import Console

GAMES = "games"
# How many times a journal locked by another process is tried again, and the seconds in between.
LOOKS = 50
BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class Done:
    """The outcome of one game, as plain data to send between processes and machines.

    `status` is "running" for an interrupted game that can be resumed later. `sha256` is the
    fingerprint of the whole log, or "" if there is no log. `cost` is in dollars, or None if
    unknown. Only a game with an outcome has `rows`.
    """

    number: int
    status: GameStatus
    reason: str = ""
    sha256: str = ""
    cost: float | None = 0.0
    calls: int = 0
    tokens: int = 0
    rows: Rows = field(default_factory=list)


async def play_draw(
    settings: TournamentSettings,
    draw: Draw,
    folder: Path,
    *,
    factory: ClientFactory,
    whole: Meter,
    under_way: dict[int, GameEngine] | None = None,
    allow_changed: bool = False,
) -> Done:
    """Play one scheduled game of the tournament in `folder`, and return its outcome.

    If a log exists, it is read; if a journal exists, the game is resumed without repeating any
    recorded call. So it is safe to call this again after the process was killed, in any process
    that can access `folder`. Raise JournalTaken if another process is playing the game. Raise
    JournalError if rules or prompts changed since the game began, unless `allow_changed` is set.

    `whole` counts the spending of all games and must already include the calls in journals. During
    play, `under_way` maps the game's number to its engine, so that other code can show or interrupt
    the game.
    """
    config = config_of(settings, draw, folder)
    log = folder / GAMES / f"{config.game_id}.json"
    journal = log.with_suffix(".jsonl")
    if log.exists():
        return await take_in_log(log, draw, settings)

    more = {"factory": factory, "whole": whole, "console": Console(news=False)}
    engine = await seat_game(config, journal, allow_changed=allow_changed, **more)
    games = {} if under_way is None else under_way
    games[draw.number] = engine
    try:
        history = await engine.play()
    finally:
        del games[draw.number]
    if history.status == "finished":
        return done_from_log(log, draw, settings, history)
    return Done(
        draw.number,
        status_of_game(history),
        history.reason,
        cost=engine.meter.cost,
        calls=engine.meter.calls,
        tokens=engine.meter.tokens,
    )


async def seat_game(
    config: GameEngineConfig, journal: Path, *, allow_changed: bool, **more: Any
) -> GameEngine:
    """Return a game's engine, new or resumed; wait if a dying process still locks the journal."""
    for _ in range(LOOKS):
        if not is_begun(journal):
            return GameEngine(config, **more)
        try:
            return GameEngine.resume(journal, config, allow_changed=allow_changed, **more)
        except JournalTaken:
            await asyncio.sleep(BETWEEN_LOOKS)
    return GameEngine.resume(journal, config, allow_changed=allow_changed, **more)


async def take_in_log(log: Path, draw: Draw, settings: TournamentSettings) -> Done:
    """Return the outcome of a log not yet in a ledger; raise ValueError if its replay differs."""
    done = done_from_log(log, draw, settings)
    breach = await asyncio.to_thread(broken_rule, log)
    if breach:
        raise ValueError(f"{breach}; move that log away to play the game again")
    journal = log.with_suffix(".jsonl")
    if journal.exists() and not is_taken(journal):
        journal.unlink(missing_ok=True)
    return done


def broken_rule(log: Path) -> str:
    """Return the first difference between a log and a replay of its answers, or "" if none."""
    try:
        breach = check_log(history_from_json(read_regular(log)))
    except ValueError as error:
        breach = str(error)
    return f"{log}: {breach}" if breach else ""


def done_from_log(
    log: Path, draw: Draw, settings: TournamentSettings, history: History | None = None
) -> Done:
    """Return the outcome in a game's log or `history`; raise ValueError for another game's log."""
    content = read_regular(log)
    if history is None:
        try:
            history = history_from_json(content)
        except ValueError as error:
            raise ValueError(
                f"{log} cannot be read: {error}; move it away to play it again"
            ) from None
        refuse_other_draw(history, draw, settings, log)
    rows = seat_rows(history, entrants_of(settings, draw), draw.block)
    # If an entrant has several seats, each of its rows contains the cost of all its seats.
    costs_by_entrant = {row["entrant"]: row["cost"] for row in rows}
    return Done(
        draw.number,
        status=status_of_game(history),
        reason=void_words(history),
        sha256=sha256(content).hexdigest(),
        cost=total_cost(costs_by_entrant.values()),
        calls=sum(used.attempts for used in history.usage.values()),
        tokens=sum(row["tokens"] for row in rows),
        rows=rows,
    )


def refuse_other_draw(
    history: History, draw: Draw, settings: TournamentSettings, log: Path
) -> None:
    """Raise ValueError if a log's game is from another tournament of the same name."""
    identity = attrgetter("provider", "model", "character_prompt")
    sitting = entrants_of(settings, draw).items()
    wanted = {player_id: identity(settings.entrants[name]) for player_id, name in sitting}
    seats = {seat.player_id: identity(seat) for seat in history.players}
    logged = history.game, history.seed, history.wording, seats
    if logged != (settings.game["name"], draw.seed, draw.wording, wanted):
        raise ValueError(
            f"{log} is the log of another game, with other players, seed or wording: move it away "
            "to play this one, or give this tournament another name"
        )


def is_begun(journal: Path) -> bool:
    """Return whether a game was begun in a journal; remove a journal without a complete line."""
    if not journal.exists():
        return False
    if b"\n" in read_regular(journal) or is_taken(journal):
        return True
    journal.unlink()
    return False
