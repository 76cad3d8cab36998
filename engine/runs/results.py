"""The results of a batch's games and of their seats, computed only from the games' logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from engine.games import GAMES
from engine.history import History, Outcome, PlayerUsage
from engine.report.averages import Figures
from engine.report.tables import Cell
from engine.runs.rotation import Spot
from engine.spending.costs import costs
from engine.spending.validity import answers_of, void_seats, void_sentence
from engine.views.naming import game_settings

COLUMNS = (
    "game", "game_id", "seed", "deal", "rotation", "player", "provider", "model", "seat", "place",
    "score", "status", "void", "asked", "answered", "fallbacks", "tokens", "dollars", "seconds",
)  # fmt: skip
WHO = attrgetter(*COLUMNS[5:11])
EFFORT = attrgetter(*COLUMNS[13:])


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one player did in one game, in seat number `seat` (from 0).

    `place` (from 1) and `score` are None in a game without an outcome; `dollars` is None if
    unknown. `figures` are the game's own figures by name. A `void` seat answered too few questions.
    """

    player: str
    provider: str
    model: str
    seat: int
    place: int | None
    score: float | None
    asked: int
    answered: int
    fallbacks: int
    tokens: int
    dollars: float | None
    seconds: float
    figures: Mapping[str, float]
    void: bool = False

    @property
    def who(self) -> str:
        """The player of the seat, as PROVIDER:MODEL."""
        return f"{self.provider}:{self.model}".rstrip(":")


@dataclass(frozen=True, slots=True)
class GameResult:
    """How one game of a batch ended, or its state if it has not ended.

    `status` is the status in the log, or "waiting" before the game. `void` is the reason why the
    game is void, or "" if it is valid. `shared` contains the figures of the whole table.
    """

    spot: Spot
    game_id: str
    seed: int
    status: str
    reason: str = ""
    void: str = ""
    seats: tuple[SeatResult, ...] = ()
    shared: Mapping[str, float] = field(default_factory=dict)

    @property
    def has_scores(self) -> bool:
        """Whether the game reached an outcome."""
        return any(seat.score is not None for seat in self.seats)


def result_of(history: History, spot: Spot, status: str = "") -> GameResult:
    """Return a game's result; `status` defaults to the history's status."""
    figures = figures_of(history)
    spent = costs(history)
    outcome = history.outcome or Outcome({}, {})
    # In an anonymous game, the seats' names differ from the players' names.
    names = game_settings(history).get("names") or {}
    void = {seat.player_id for seat in void_seats(history)}
    seats = []
    for place, seat in enumerate(history.players):
        player_id = seat.player_id
        used = history.usage.get(player_id, PlayerUsage())
        of_seat = {name: values.get(player_id, 0.0) for name, values in figures.own.items()}
        result = SeatResult(
            player=str(names.get(player_id, player_id)),
            provider=seat.provider,
            model=seat.model,
            seat=place,
            place=outcome.placements.get(player_id),
            score=outcome.scores.get(player_id),
            asked=used.asks,
            answered=answers_of(used),
            fallbacks=used.fallbacks,
            tokens=used.tokens.prompt_tokens + used.tokens.completion_tokens,
            dollars=spent.get(player_id, 0.0),
            seconds=used.seconds,
            figures=of_seat,
            void=player_id in void,
        )
        seats.append(result)
    return GameResult(
        spot,
        history.game_id,
        history.seed,
        status or history.status,
        history.reason,
        void_sentence(history),
        tuple(seats),
        figures.shared,
    )


def figures_of(history: History) -> Figures:
    """Return the game's own figures, or none if it has no outcome or its log is unreadable."""
    if history.outcome is None or history.game not in GAMES:
        return Figures()
    try:
        return GAMES[history.game].batch_figures(history)
    except ValueError:
        return Figures()


def columns_of(results: Sequence[GameResult]) -> tuple[str, ...]:
    """Return the columns of the table of all games: the usual columns, then the games' figures."""
    columns: dict[str, None] = {}
    for result in results:
        columns |= dict.fromkeys(result.shared)
        for seat in result.seats:
            columns |= dict.fromkeys(seat.figures)
    return (*COLUMNS, *columns)


def rows_of(results: Sequence[GameResult]) -> list[list[Cell]]:
    """Return a row for each game and player, with the columns from `columns_of`."""
    columns = columns_of(results)[len(COLUMNS) :]
    rows: list[list[Cell]] = []
    for result in results:
        spot = result.spot
        place = spot.game, result.game_id, result.seed, spot.deal, spot.rotation
        for seat in result.seats:
            figures = {**result.shared, **seat.figures}
            void = int(bool(result.void) or seat.void)
            ended = result.status, void, *EFFORT(seat), *map(figures.get, columns)
            rows.append([*place, *WHO(seat), *ended])
    return rows
