"""Read a game in a folder, from its log or its journal, as a row of the list of games."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.games import GAMES
from engine.history import VERSION, History, Seat, check_version, history_from_json
from engine.record.files import read_regular
from engine.record.journal import Journal
from engine.runs.game_row import UNFINISHED, UNREAD, GameRow, SeatCost, encodable, in_utc, utc_time
from engine.runs.seat_rows import costs_by_seat
from engine.spending.costs import SeatData, plus, price, total_cost
from engine.spending.validity import void_seats
from engine.views.naming import short, who_line
from engine.views.perspective import Shown
from protocol.answer import Plain
from providers import Usage

# Exceptions from reading a foreign file; their text is not meant for users.
FOREIGN = (UnicodeError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
NO_GAME = "expected the log or the journal of a game"
LARGEST = 10**18
BEGAN = re.compile(r"gameplay_(\d{8}_\d{6})_")


def read_row(path: Path, found: os.stat_result) -> GameRow:
    """Return the row of a game; for any other file, the row says why it is not a game."""
    begun = GameRow(
        encodable(path.name),
        found.st_mtime_ns,
        found.st_size,
        encodable(path.stem),
        began=began_by_name(path.stem),
    )
    try:
        if path.name.endswith(".jsonl"):
            return journal_row(begun, Journal.load(path))
        return log_row(begun, history_from_json(read_regular(path)))
    except OSError as error:
        return replace(begun, size=UNREAD, reason=error.strerror or NO_GAME)
    except FOREIGN:
        return replace(begun, reason=NO_GAME)
    except ValueError as error:
        return replace(begun, reason=short(error))


def log_row(begun: GameRow, history: History) -> GameRow:
    """Return the row of a final log."""
    known = replace(
        begun,
        game=short(history.game),
        kind=kind_in(history.config),
        status=history.status,
        reason=short(history.reason),
        rounds=len(history.rounds),
        seed=fitting(history.seed),
        result=shown_of(history).result_of(history),
        summary=short(history.outcome.summary if history.outcome else ""),
        void=tuple(void_seats(history)),
    )
    seats = costs_by_seat(history).values()
    spent = [SeatCost(fitting(seat.tokens) or 0, fitting(seat.cost)) for seat in seats]
    seated = with_seats(known, history.players, history.config, spent)
    return with_times(seated, history)


def shown_of(history: History) -> Shown:
    """Return the omniscient view of a game, even if the game is not installed."""
    return Shown(game=GAMES.get(history.game))


def with_seats(
    row: GameRow, seats: Sequence[Seat], config: Plain, spent: Sequence[SeatCost]
) -> GameRow:
    """Return a row with the players, the title, and each seat's spending."""
    begun = History(row.game, 0, row.name, 0, dict(config), [*seats])
    models = [f"{seat.provider}:{seat.model}" if seat.model else seat.provider for seat in seats]
    return replace(
        row,
        title=shown_of(begun).title_of(begun),
        who=who_line(seats),
        players=tuple(short(seat.player_id) for seat in seats),
        models=tuple(map(short, models)),
        spent=tuple(spent),
        tokens=fitting(sum(seat.tokens for seat in spent)),
        cost=fitting(total_cost(seat.cost for seat in spent)),
    )


def with_times(row: GameRow, history: History) -> GameRow:
    """Return a row with the number of events, the start and the duration."""
    events = history.events
    known = replace(row, events=len(events))
    first, last = [moment(event.timestamp) for event in (*events[:1], *events[-1:])] or [None] * 2
    if first is None or last is None:
        return known
    seconds = max(0.0, (last - first).total_seconds())
    return replace(known, began=in_utc(first), took=seconds)


def journal_row(begun: GameRow, journal: Journal) -> GameRow:
    """Return the row of a game that is in progress, or was in progress when its process ended."""
    check_version("the log format", journal.header.get("version"), VERSION)
    config = journal.header["made_from"]["config"]
    when = moment(journal.header.get("began", ""))
    known = replace(
        begun,
        game=short(config["game"]["name"]),
        kind=kind_in(config),
        status=UNFINISHED if journal.status == "running" else journal.status,
        reason=short(journal.reason),
        rounds=max((round_index for round_index, *_ in journal.recorded), default=None),
        seed=fitting(config.get("seed")),
        began=begun.began if when is None else in_utc(when),
    )
    seats = _current_seats(config)
    sitting = [
        Seat(str(name), str(seat_data["provider"]), str(seat_data["model"]))
        for name, seat_data in seats.items()
    ]
    return with_seats(known, sitting, config, recorded_costs(journal, seats))


def _current_seats(config: Plain) -> dict[str, SeatData]:
    """Return each seat's current player, including players that took over a seat."""
    seats: dict[str, SeatData] = {}
    heirs = [handover["player"] for handover in config.get("handovers", ())]
    for seat in (*config["player_configs"], *heirs):
        seats[seat["player_id"]] = {"model": "", "client_kwargs": {}, **seat}
    return seats


def recorded_costs(journal: Journal, seats: Mapping[str, SeatData]) -> list[SeatCost]:
    """Return each seat's spending so far, excluding answers copied from another game."""
    spent = dict.fromkeys(seats, SeatCost())
    for entry in journal.recorded.values():
        # An answer copied from another game has no fingerprint of its question.
        if "completion" in entry and "asked" in entry:
            player_id = entry["player"]
            before = spent[player_id]
            usage = Usage(**entry["completion"]["usage"])
            tokens = before.tokens + usage.prompt_tokens + usage.completion_tokens
            spent[player_id] = SeatCost(tokens, plus(before.cost, price(seats[player_id], usage)))
    return list(spent.values())


def kind_in(config: Plain) -> str:
    """Return the library game in a config, such as chess, or "" if the config names none."""
    game = config.get("game")
    return short(game.get("game", "")) if isinstance(game, dict) else ""


def began_by_name(name: str) -> str:
    """Return the time at which a game began, as given in its name, or "" if there is none."""
    match = BEGAN.match(name)
    try:
        return in_utc(datetime.strptime(f"{match[1]}+0000", "%Y%m%d_%H%M%S%z")) if match else ""
    except ValueError:
        return ""


def moment(text: str) -> datetime | None:
    """Return the time in `text`, converted to UTC, or None if it is invalid."""
    try:
        return utc_time(text)
    except (ValueError, OverflowError):
        return None


def fitting(number: Any) -> Any:
    """Return a number, or None if it is missing or too large for the table."""
    return number if number is not None and abs(number) <= LARGEST else None
