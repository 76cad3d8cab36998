"""Many games in the terminal: a live table, or plain lines where no terminal is; then a summary."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid

from engine.history import History, Seat
from engine.report.tables import Cell, Sentence, Table
from engine.spending.costs import dollars, plus
from engine.statistics import mean
from engine.views.terminal import grid_of, safe_text

COLUMNS = ("game", "round", "state", "tokens", "cost", "seconds", "ETA")
SUMMARY_COLUMNS = ("player", "who", "games", "first places", "mean place", "mean score")
REFRESHES = 4
SHOWN = 20
OVER = {"finished", "stopped", "failed", "interrupted"}


class Spent(Protocol):
    """What a game has spent so far; a `cost` of None is unknown."""

    tokens: int
    cost: float | None


class Watched(Protocol):
    """A game of a batch, as far as a board shows it."""

    @property
    def history(self) -> History:
        """What the game wrote so far."""

    @property
    def state(self) -> str:
        """Where the game is: "waiting", "interrupted", or the status of its history."""

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
        """Print a line for a game that is over, unless the table shows that."""
        if game.state not in OVER or self.live.is_started:
            return
        done = sum(one.state in OVER for one in self.games)
        line = f"{done} of {len(self.games)}  {line_of(game)}"
        self.console.print(safe_text(line), soft_wrap=True)

    def grid(self) -> Grid:
        """Return the table as it is now."""
        return grid_of(board(self.games), safe_text)


def line_of(game: Watched) -> str:
    """Return a game that is over as one line."""
    history = game.history
    end = history.reason if history.outcome is None else history.outcome.summary
    took = f"{game.spent.tokens} tokens, {dollars(game.spent.cost)}, {game.seconds:.1f} s"
    return f"{history.game_id}: {game.state} after round {len(history.rounds)}; {took}; {end}"


def board(games: Sequence[Watched]) -> Table:
    """Return a row for each game under way, at most 20, and a row that counts all."""
    over = [game.seconds for game in games if game.state in OVER]
    usual = mean(over) if over else None
    running = [game for game in games if game.state == "running"]
    rows = [running_row(game, usual) for game in running[:SHOWN]]
    at_once = max(1, len(running))
    return Table("", COLUMNS, (*rows, total_row(games, usual, at_once)))


def running_row(game: Watched, usual: float | None) -> tuple[Cell, ...]:
    """Return the row of a game under way; `usual` is how many seconds a game takes."""
    return (
        game.history.game_id,
        len(game.history.rounds),
        game.state,
        game.spent.tokens,
        dollars(game.spent.cost),
        round(game.seconds),
        eta_in_words(None if usual is None else seconds_left(game, usual)),
    )


def total_row(games: Sequence[Watched], usual: float | None, at_once: int) -> tuple[Cell, ...]:
    """Return the row of all games, of which `at_once` are under way."""
    states = Counter(game.state for game in games)
    tokens = 0
    cost: float | None = 0.0
    longest = 0.0
    left = 0.0
    for game in games:
        tokens += game.spent.tokens
        cost = plus(cost, game.spent.cost)
        longest = max(longest, game.seconds)
        if usual is not None and game.state not in OVER:
            left += seconds_left(game, usual)
    return (
        f"all {len(games)}",
        None,
        ", ".join(f"{count} {state}" for state, count in states.items()),
        tokens,
        dollars(cost),
        round(longest),
        eta_in_words(None if usual is None else left / at_once),
    )


def seconds_left(game: Watched, usual: float) -> float:
    """Return how long a game still takes if it takes as long as usual."""
    return max(0.0, usual - game.seconds)


def eta_in_words(seconds: float | None) -> str:
    """Return how long something still takes, "?" before anybody can know."""
    return "?" if seconds is None else f"{seconds:.0f} s"


class Results(NamedTuple):
    """How a player did in the games of a batch: its places, the first being 1, and its scores."""

    places: list[int]
    scores: list[float]


def batch_summary(histories: Sequence[History]) -> list[Table | Sentence]:
    """Return how all games ended: a row for each player, and one sentence."""
    results = results_by_player(histories)
    by_place = sorted(results.items(), key=lambda item: mean(item[1].places))
    rows = [summary_row(name, who, own) for (name, who), own in by_place]
    states = Counter(history.status for history in histories)
    ends = ", ".join(f"{count} {state}" for state, count in states.items())
    games = "1 game" if len(histories) == 1 else f"{len(histories)} games"
    sentence = Sentence(f"{games}: {ends}.")
    if not rows:
        return [sentence]
    return [Table("All games", SUMMARY_COLUMNS, tuple(rows)), sentence]


def results_by_player(histories: Sequence[History]) -> dict[tuple[str, str], Results]:
    """Return the results of each player, by its name and by who played it."""
    results: dict[tuple[str, str], Results] = defaultdict(lambda: Results([], []))
    for history in histories:
        outcome = history.outcome
        if outcome is None:
            continue
        for seat in history.players:
            own = results[own_name(history, seat.player_id), who_plays(seat)]
            own.places.append(outcome.placements[seat.player_id])
            own.scores.append(outcome.scores.get(seat.player_id, 0.0))
    return results


def summary_row(name: str, who: str, own: Results) -> tuple[Cell, ...]:
    """Return the row of one player."""
    return (
        name,
        who,
        len(own.places),
        own.places.count(1),
        mean(own.places),
        mean(own.scores),
    )


def who_plays(seat: Seat) -> str:
    """Return who plays a seat, as PROVIDER:MODEL."""
    return f"{seat.provider}:{seat.model}".rstrip(":")


def own_name(history: History, player_id: str) -> str:
    """Return the player's own name, where an anonymous game gave it another one."""
    names = (history.config.get("game") or {}).get("names") or {}
    return str(names.get(player_id, player_id))
