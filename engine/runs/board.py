"""Show many games during play, as a live table in a terminal or else as plain lines."""

import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import floor
from typing import Self

from rich.console import Console, Group
from rich.live import Live

from engine.engine import GameEngine
from engine.history import History, PlayerUsage
from engine.report.statistics import mean
from engine.report.tables import Table, TableRow
from engine.runs.rotation import Spot
from engine.spending.costs import dollars, total_cost
from engine.spending.validity import answers_of, validity_sentence, void_sentence
from engine.views.screen import grid_of, safe_text

COLUMNS = ("game", "deal", "rotation", "round", "answered", "tokens", "cost", "time", "ETA")
REFRESHES = 4
SHOWN = 20
OVER = {"finished", "stopped", "failed", "interrupted"}


@dataclass
class BatchGame:
    """A game of a batch: its engine, its place (`spot`), and its start and end (monotonic time)."""

    engine: GameEngine
    spot: Spot
    began: float | None = None
    ended: float | None = None

    @property
    def history(self) -> History:
        """The game's history so far."""
        return self.engine.history

    @property
    def state(self) -> str:
        """The state of the game: "waiting" for its turn, "interrupted", or its history's status."""
        if self.began is None:
            return "waiting"
        if self.ended and self.history.status == "running":
            return "interrupted"
        return self.history.status

    @property
    def unfinished(self) -> bool:
        """Whether the game began but did not finish, so that it can be resumed."""
        return self.began is not None and self.history.status != "finished"

    @property
    def seconds(self) -> float:
        """How long the game has run, in seconds."""
        if self.began is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.began


class LiveBoard:
    """Shows games in progress as a live table in a terminal, or else as plain lines."""

    def __init__(self, console: Console, live: Live) -> None:
        self.console = console
        self.live = live

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def say(self, sentence: str) -> None:
        """Print a sentence, above the live table if there is one."""
        self.console.print(safe_text(sentence), highlight=False, soft_wrap=True)


class Board(LiveBoard):
    """Shows games during play; call it with each game that has changed."""

    def __init__(self, console: Console, games: Sequence[BatchGame]) -> None:
        # Live draws the table as soon as it is created.
        self.console = console
        self.games = games
        self.done = 0
        live = Live(console=console, refresh_per_second=REFRESHES, get_renderable=self.look)
        super().__init__(console, live)

    def __call__(self, game: BatchGame) -> None:
        """Print a line for a game that is over, unless there is a live table."""
        if game.state not in OVER or self.live.is_started:
            return
        self.done += 1
        self.say(f"{self.done} of {len(self.games)}  {line_of(game)}")

    def look(self) -> Group:
        """Return the current table, with the number of games in each state below it."""
        grid = grid_of(board(self.games), self.console.width)
        return Group(grid, safe_text(states_of(self.games)))


def line_of(game: BatchGame) -> str:
    """Return a line about a game that is over."""
    history = game.history
    end = history.reason if history.outcome is None else history.outcome.summary
    tokens = game.engine.meter.tokens
    spent = f"{tokens} tokens, {dollars(game.engine.meter.cost)}, " if tokens else ""
    parts = [
        f"{history.game_id} (deal {game.spot.deal}, rotation {game.spot.rotation}): "
        f"{game.state} after round {len(history.rounds)}",
        f"{spent}{game.seconds:.1f} s",
        validity_sentence(history),
        end,
    ]
    return "; ".join(filter(None, parts))


def states_of(games: Sequence[BatchGame]) -> str:
    """Return text with the number of games in each state, and the number of void games."""
    states = Counter(game.state for game in games)
    parts = [f"{count} {state}" for state, count in states.items()]
    void = sum(bool(void_sentence(game.history)) for game in games if game.state in OVER)
    if void:
        parts.append(f"{void} of them void")
    return ", ".join(parts)


def board(games: Sequence[BatchGame]) -> Table:
    """Return a table with a row for each game in progress (at most 20) and a row of totals."""
    over = [game.seconds for game in games if game.state in OVER]
    usual = mean(over) if over else None
    running = [game for game in games if game.state == "running"]
    rows = [
        (
            str(game.spot.game),
            game.spot.deal,
            game.spot.rotation,
            len(game.history.rounds),
            answered_share(game.history.usage.values()),
            game.engine.meter.tokens,
            dollars(game.engine.meter.cost),
            seconds_in_words(game.seconds),
            seconds_in_words(None if usual is None else max(0.0, usual - game.seconds)),
        )
        for game in running[:SHOWN]
    ]
    return Table("", COLUMNS, (*rows, total_row(games, usual, max(1, len(running)))))


def total_row(games: Sequence[BatchGame], usual: float | None, at_once: int) -> TableRow:
    """Return the row of totals; `at_once` games run at a time, each for `usual` seconds."""
    usage = [used for game in games for used in game.history.usage.values()]
    left = None
    if usual is not None:
        waits = [max(0.0, usual - game.seconds) for game in games if game.state not in OVER]
        left = sum(waits) / at_once
    return (
        f"all {len(games)}",
        None,
        None,
        None,
        answered_share(usage),
        sum(game.engine.meter.tokens for game in games),
        dollars(total_cost(game.engine.meter.cost for game in games)),
        seconds_in_words(max(game.seconds for game in games)),
        seconds_in_words(left),
    )


def answered_share(usage: Collection[PlayerUsage]) -> str:
    """Return the share of questions that seats answered themselves, or "" if none were asked."""
    return share_in_words(sum(map(answers_of, usage)), sum(used.asks for used in usage))


def share_in_words(part: int, whole: int) -> str:
    """Return a share in percent, rounded down so that 100 % means all. It is "" if `whole` is 0.

    >>> share_in_words(1999, 2000)
    '99.9 %'
    """
    return f"{floor(1000 * part / whole) / 10:g} %" if whole else ""


def seconds_in_words(seconds: float | None) -> str:
    """Return a duration as text, or "?" if it is unknown."""
    return "?" if seconds is None else f"{seconds:.0f} s"
