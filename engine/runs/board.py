"""Many games in the terminal: a table that lives while they are played, plain lines elsewhere, and what came of all."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid

from engine.history import History
from engine.report.tables import Cell, Sentence, Table
from engine.spending.costs import dollars, plus
from engine.views.terminal import grid_of, safe_text

COLUMNS = ("game", "round", "state", "tokens", "cost", "seconds", "ETA")
REFRESHES = 4
SHOWN = 20
OVER = {"finished", "stopped", "failed", "interrupted"}


class Spent(Protocol):
    """What a game has spent so far."""

    tokens: int
    cost: float | None


class Watched(Protocol):
    """A game of a batch, as far as a board shows it."""

    @property
    def history(self) -> History:
        """What the game wrote so far."""

    @property
    def state(self) -> str:
        """Either "waiting" or the status of its history."""

    @property
    def seconds(self) -> float:
        """How long it was played."""

    @property
    def spent(self) -> Spent:
        """What its calls took."""


class Board:
    """Shows games while they are played; call it with each game that changed."""

    def __init__(self, console: Console, games: Sequence[Watched]) -> None:
        self.console = console
        self.games = games
        self.live = Live(console=console, refresh_per_second=REFRESHES, get_renderable=self.grid)

    def __enter__(self) -> "Board":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def __call__(self, game: Watched) -> None:
        """Print a line for a game that is over, if there is no table to be watched."""
        if game.state in OVER and not self.live.is_started:
            done = sum(one.state in OVER for one in self.games)
            self.console.print(
                safe_text(f"{done} of {len(self.games)}  {line_of(game)}"), soft_wrap=True
            )

    def grid(self) -> Grid:
        """Return the table as it stands."""
        return grid_of(board(self.games), safe_text)


def line_of(game: Watched) -> str:
    """Return a game that is over as one line."""
    history = game.history
    told = history.outcome.summary if history.outcome is not None else history.reason
    took = f"{game.spent.tokens} tokens, {dollars(game.spent.cost)}, {game.seconds:.1f} s"
    return f"{history.game_id}: {game.state} after round {len(history.rounds)}; {took}; {told}"


def board(games: Sequence[Watched]) -> Table:
    """Return the games under way, at most so many, and a row that counts all."""
    over = [game for game in games if game.state in OVER]
    usual = fmean(game.seconds for game in over) if over else None
    running = [game for game in games if game.state == "running"]
    rows = [row_of(game, usual) for game in running[:SHOWN]]
    at_once = max(1, len(running))
    left = (
        None
        if usual is None
        else sum(max(0.0, usual - game.seconds) for game in games if game not in over) / at_once
    )
    cost: float | None = 0.0
    for game in games:
        cost = plus(cost, game.spent.cost)
    states = ", ".join(f"{count} {state}" for state, count in counted(games).items())
    tokens = sum(game.spent.tokens for game in games)
    longest = max((game.seconds for game in games), default=0.0)
    whole: tuple[Cell, ...] = (
        f"all {len(games)}",
        None,
        states,
        tokens,
        dollars(cost),
        round(longest),
        whole_eta(left),
    )
    return Table("", COLUMNS, (*rows, whole))


def row_of(game: Watched, usual: float | None) -> tuple[Cell, ...]:
    """Return the row of a game under way; its ETA is what games like it took, less what it has taken."""
    left = None if usual is None else max(0.0, usual - game.seconds)
    history, spent = game.history, game.spent
    rounds = len(history.rounds)
    return (
        history.game_id,
        rounds,
        game.state,
        spent.tokens,
        dollars(spent.cost),
        round(game.seconds),
        whole_eta(left),
    )


def whole_eta(seconds: float | None) -> str:
    """Return how long something still takes, "?" before anybody can know."""
    return "?" if seconds is None else f"{seconds:.0f} s"


def counted(games: Sequence[Watched]) -> dict[str, int]:
    """Return how many games are in each state."""
    found: dict[str, int] = defaultdict(int)
    for game in games:
        found[game.state] += 1
    return dict(found)


def summary(histories: Sequence[History]) -> list[Table | Sentence]:
    """Return what came of all games: a row for each player, by name and by who played it, and one sentence."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for history in histories:
        if history.outcome is None:
            continue
        for seat in history.players:
            who = (called(history, seat.player_id), f"{seat.provider}:{seat.model}".rstrip(":"))
            places[who].append(history.outcome.placements[seat.player_id])
            scores[who].append(history.outcome.scores.get(seat.player_id, 0.0))
    rows = [
        (
            name,
            who,
            len(own),
            sum(place == 1 for place in own),
            fmean(own),
            fmean(scores[name, who]),
        )
        for (name, who), own in sorted(places.items(), key=lambda pair: fmean(pair[1]))
    ]
    table = Table(
        "All games",
        ("player", "who", "games", "first places", "mean place", "mean score"),
        tuple(rows),
    )
    ended = [history.status for history in histories]
    told = ", ".join(f"{ended.count(state)} {state}" for state in dict.fromkeys(ended))
    return [*([table] if rows else []), Sentence(f"{len(histories)} games: {told}.")]


def called(history: History, player_id: str) -> str:
    """Return the player's own name, where an anonymous game gave it another for the table."""
    names = (history.config.get("game") or {}).get("names") or {}
    return str(names.get(player_id, player_id))
