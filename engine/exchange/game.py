"""The interface of foreign formats, and the games that they return."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from engine.exchange.foreign import read_foreign
from engine.exchange.makers import maker_of
from engine.history import NARRATOR, Event, History, PlayerUsage, Seat
from engine.runs.seat_rows import seats_outlived
from engine.spending.validity import SeatAnswers, is_void, is_void_game
from protocol.text import SILENT, clean

Row = dict[str, Any]
P = TypeVar("P")
# How many skipped games are described; all others are only counted.
MOST_NAMED = 20
FEWEST = 2
# The time of a game whose log has none; computing a cost requires a valid time.
NO_TIME = "1970-01-01T00:00:00+00:00"


@dataclass(slots=True)
class Skips:
    """Counts a foreign source's unreadable games, and keeps details of the first few."""

    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)

    def add(self, where: str, why: object) -> None:
        """Count a skipped game; for the first few games, also keep the location and the reason."""
        self.count += 1
        if len(self.first) < MOST_NAMED:
            self.first.append((where, str(why)))


@dataclass(slots=True)
class ForeignGame:
    """One game of a foreign source.

    `rows` have the keys of a tournament's rows. If the game cannot be rated, they are empty, and
    `status` says why. `figures` are summed by name over all games of an import.
    """

    name: str
    rows: list[Row]
    history: History | None = None
    status: str = "finished"
    figures: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Reading:
    """The input of a format's reader, and its results other than games.

    `stem` prefixes the ids of games not named after their content. `makers` maps the user's
    model-name prefixes to makers. `unknown` counts unused fields by name. `report` is called after
    each part of a file.
    """

    stem: str = ""
    makers: Mapping[str, str] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    skips: Skips = field(default_factory=Skips)
    report: Callable[[], None] = lambda: None


class Format(ABC):
    """A foreign format; `histories` says whether its games have events."""

    name: ClassVar[str]
    about: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    histories: ClassVar[bool] = False

    @abstractmethod
    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield the games of a file; raise ValueError if it is not in this format."""

    def sentences(self, figures: Counter[str]) -> list[str]:
        """Return the import's summary sentences, from figures summed over its games."""
        del figures
        return []


class LogFormat(Format):
    """A format with one file per game; the file contains all the game's events."""

    histories = True

    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield the file's only game, named after the file's content."""
        content = read_foreign(path)
        digest = sha256(content).hexdigest()
        game = self.read(content, f"{self.name}_{digest[:16]}", reading)
        if game.history is not None:
            game.history.config["sha256"] = digest
        yield game

    @abstractmethod
    def read(self, content: bytes, game_id: str, reading: Reading) -> ForeignGame:
        """Return the game in a log; raise ValueError if it is invalid."""


def read_parts(
    parts: Iterable[tuple[int, P]],
    read: Callable[[P, str, Reading], ForeignGame],
    reading: Reading,
    where: str,
) -> Iterator[ForeignGame]:
    """Yield the game that `read` returns for each numbered part; skip invalid parts."""
    for number, part in parts:
        try:
            yield read(part, f"{reading.stem}_{number:07d}", reading)
        except ValueError as error:
            reading.skips.add(f"{where} {number}", error)
        reading.report()


def open_history(game: str, name: str, config: Mapping[str, Any], seats: Iterable[Seat]) -> History:
    """Return the history of a foreign game before its first round."""
    players = [*seats]
    return History(
        game=game,
        game_version=1,
        game_id=name,
        seed=0,
        config={"imported_from": game, **config},
        players=players,
        usage={seat.player_id: PlayerUsage() for seat in players},
    )


def seat_row(history: History, number: int, entrant: str) -> Row:
    """Return the row of seat `number`, from 1, with its place in the outcome."""
    seat = history.players[number - 1]
    player = seat.player_id
    used = history.usage[player]
    row = plain_row(history.game, history.game_id, number, entrant)
    row |= {"provider": seat.provider, "asks": used.asks, "fallbacks": used.fallbacks}
    row["outlived"] = seats_outlived(history).get(player)
    outcome = history.outcome
    if outcome is not None:
        score = outcome.scores.get(player)
        row |= {"place": outcome.placements.get(player), "score": score, "payoff": score}
    return row


def foreign_event(
    kind: str,
    heading: str,
    player: str | None,
    content: str,
    readers: Iterable[str],
    *,
    index: int = 0,
) -> Event:
    """Return an event of a player or the narrator, without facts or a time."""
    return Event(
        index=index,
        kind=kind,
        heading=heading,
        role=NARRATOR if player is None else f"player {player}",
        player_id=player,
        content=content,
        visibility=tuple(readers),
        data={},
        timestamp="",
    )


def count_answer(history: History, event: Event) -> None:
    """Count a question to a player, its tokens if logged, and any failure to answer it."""
    assert event.player_id is not None
    used = history.usage[event.player_id]
    used.asks += 1
    used.attempts += 1
    used.fallbacks += event.fell_back
    if event.usage is not None:
        used.tokens += event.usage


def plain_row(game: str, game_id: str, number: int | None, entrant: str) -> Row:
    """Return a seat's row with only its entrant and, if known, its number."""
    return {
        "game_id": game_id,
        "block": game_id,
        "game": game,
        "seat": number,
        "entrant": entrant,
        "place": None,
        "score": None,
        "payoff": None,
        "asks": 0,
        "fallbacks": 0,
        "lot": False,
        "provider": "",
        "words": None,
        "cost": None,
        "tokens": None,
        "void": False,
    }


def entrant_rows(
    game: str, game_id: str, entrants: Iterable[str], makers: Mapping[str, str]
) -> list[Row]:
    """Return each entrant's row, with the entrant's maker, in seat order."""
    rows = []
    for seat, entrant in enumerate(entrants, 1):
        row = plain_row(game, game_id, seat, entrant)
        row["provider"] = maker_of(entrant, makers)
        rows.append(row)
    return rows


def refuse_fewer(players: Sized, what: str) -> None:
    """Raise ValueError if there are fewer than two players to compare."""
    if len(players) < FEWEST:
        raise ValueError(f"expected {what} of at least two players: got {len(players)}")


def judge_rows(rows: Sequence[Row]) -> str:
    """Set in each row whether the game is void; return "void" or "finished"."""
    seats = [SeatAnswers.counted(row["entrant"], row["asks"], row["fallbacks"]) for row in rows]
    void = is_void_game([*filter(is_void, seats)], len(rows))
    for row in rows:
        row["void"] = void
    return "void" if void else "finished"


def set_scores(rows: Sequence[Row], scores: Sequence[float]) -> None:
    """Set the rows' scores, and their places by score; equal scores share a place."""
    ordered = sorted(scores, reverse=True)
    for row, score in zip(rows, scores, strict=True):
        row |= {"score": score, "payoff": score, "place": ordered.index(score) + 1}


def foreign_words(text: Any) -> tuple[str, bool]:
    """Return a player's visible words and False, or SILENT and True if the player said nothing."""
    words = str(clean(text)) if isinstance(text, str) else ""
    return (words, False) if words else (SILENT, True)
