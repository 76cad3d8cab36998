"""A game in a folder, as a row of the list of games."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any

from engine.spending.validity import SeatAnswers, answers_in_words, is_void_game

UNFINISHED = "unfinished"
UNREADABLE = "unreadable"
# The size recorded for an unreadable file: no file has this size, so each refresh tries again.
UNREAD = -1


@dataclass(frozen=True, slots=True)
class SeatCost:
    """The tokens and cost of one seat's calls; `cost` is in dollars, or None if unknown."""

    tokens: int = 0
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game's entry in a list; None means unknown.

    `kind` is the game within a library, such as chess in openspiel. `file` is the name of the log
    or journal; `mtime_ns` and `size` describe that file. `status` is the status in a log; journals
    are "unfinished", "stopped" or "failed", and other files are "unreadable", with the `reason`.
    `players`, `models` (as provider:model) and `spent` are in seat order. `began` is ISO 8601 in
    UTC. `took` is the number of seconds from the first event to the last, None for a journal.
    `title`, `who` and `result` describe the whole game (see `engine.views.naming`). `void` lists
    the void seats.
    """

    file: str
    mtime_ns: int
    size: int
    name: str
    game: str = ""
    kind: str = ""
    players: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    spent: tuple[SeatCost, ...] = ()
    status: str = UNREADABLE
    reason: str = ""
    rounds: int | None = None
    events: int | None = None
    seed: int | None = None
    began: str = ""
    took: float | None = None
    tokens: int | None = None
    cost: float | None = None
    title: str = ""
    who: str = ""
    result: str = ""
    summary: str = ""
    void: tuple[SeatAnswers, ...] = ()

    @property
    def valid(self) -> bool | None:
        """Whether the game is valid (not void), or None if it is unfinished or unreadable."""
        if self.status in (UNFINISHED, UNREADABLE):
            return None
        return not is_void_game(self.void, len(self.players))

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data; the void seats of a valid game are under `void_seats`."""
        words = answers_in_words(self.void)
        game, seats = ("", words) if self.valid else (words, "")
        return asdict(self) | {"void": game, "void_seats": seats, "valid": self.valid}


TUPLES = ("players", "models", "spent", "void")
NUMBER = int | float
PLAIN = tuple(field for field in fields(GameRow) if field.name not in TUPLES)


def row_from(stored: Mapping[str, Any]) -> GameRow:
    """Return the row with these stored fields; raise TypeError if a value has the wrong type."""
    # Checked by hand, because importing pydantic would take longer than listing the games.
    row = dict(stored)
    for field in PLAIN:
        # A damaged journal may hold a number such as 10.0 where a whole one belongs.
        kind = str if field.type is str else NUMBER
        row[field.name] = of_kind(
            row[field.name], kind if field.default is not None else kind | None
        )
    for listed in ("players", "models"):
        row[listed] = tuple(of_kind(name, str) for name in row[listed])
    row["spent"] = tuple(
        SeatCost(of_kind(seat["tokens"], NUMBER), of_kind(seat["cost"], NUMBER | None))
        for seat in row["spent"]
    )
    row["void"] = tuple(
        SeatAnswers(of_kind(name, str), of_kind(answered, NUMBER), of_kind(asked, NUMBER))
        for name, answered, asked in row["void"]
    )
    return GameRow(**row)


def of_kind(value: Any, kind: Any) -> Any:
    """Return `value`; raise TypeError if it is not of the type `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind}: got {value!r:.60}")
    return value


def utc_time(text: str) -> datetime:
    """Convert an ISO 8601 time (by default UTC) to UTC; raise ValueError or OverflowError."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return time.astimezone(UTC)


def in_utc(time: datetime) -> str:
    """Return a UTC time as ISO 8601 text that sorts chronologically."""
    return time.isoformat(timespec="milliseconds")


def encodable(text: str) -> str:
    r"""Return a file's name as text that UTF-8 can encode.

    >>> encodable("caf\udce9.json")
    'caf\\udce9.json'
    """
    return text.encode("utf-8", "backslashreplace").decode()
