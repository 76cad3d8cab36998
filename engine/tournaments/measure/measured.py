"""A model's result in a suite: its points in each task, and the data behind them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from engine.history import History, history_from_json
from engine.history.legality import MoveCounts, move_counts
from engine.ratings.intervals import LEVEL, NORMAL, t_quantile
from engine.ratings.ladder import LadderRating, ladder_rating
from engine.ratings.ratios import RatioInterval, mean_interval, points_interval, ratio_interval
from engine.ratings.wordings import wording_spread
from engine.record.files import read_json, read_regular
from engine.runs.seat_rows import costs_by_seat
from engine.spending.costs import total_cost
from engine.spending.validity import VALID_FROM, SeatAnswers, unrated_entrants
from engine.tournaments.measure.references import PlacedLadder
from engine.tournaments.measure.suite import MODEL, Suite, Task
from engine.tournaments.row_cache import log_of
from engine.tournaments.run import TournamentRun
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.standings.standings import attributes_of, map_parts
from engine.tournaments.table import entrants_of

FILE = "measure.json"


@dataclass(frozen=True)
class GameFigures:
    """The results of a model's seats in one game: the task's metric (`value`), and counts.

    `legal` counts the questions whose first answer was usable, `answered` those with a usable
    answer after any attempt, and `illegal` the illegal moves. `rival` is the opponent on a ladder;
    `wording` is the number of the rules' wording.
    """

    value: float
    asks: int
    answered: int
    legal: int
    tokens: int
    cost: float | None
    illegal: int = 0
    rival: str = ""
    wording: int = 1


@dataclass(frozen=True)
class TaskResult:
    """A task's points with their .95 interval (an open end is None), and the data behind them.

    `missing` is the reason why a task has no points; `idle` is the score of a script that does
    nothing. `error` and `freedom` are the points' standard error and degrees of freedom. `elo` is
    the rating on a ladder, with the floor script at 0. If there were several wordings, `by_wording`
    maps each to its points.
    """

    name: str
    missing: str = ""
    points: float | None = None
    low: float | None = None
    high: float | None = None
    error: float = 0.0
    freedom: int = 0
    idle: float | None = None
    elo: LadderRating | None = None
    by_wording: Mapping[int, float] = field(default_factory=dict)
    games: tuple[GameFigures, ...] = ()

    @property
    def answers(self) -> SeatAnswers:
        """The model's counts of questions asked and answered in the task."""
        asked = sum(game.asks for game in self.games)
        return SeatAnswers(MODEL, sum(game.answered for game in self.games), asked)

    @property
    def legal(self) -> int:
        """The number of questions with a legal first answer."""
        return sum(game.legal for game in self.games)

    @property
    def ratio(self) -> RatioInterval | None:
        """The points with their interval and error, as a ratio, or None if not measured."""
        if self.points is None:
            return None
        return RatioInterval(self.points, self.low, self.high, self.error, self.freedom)


@dataclass(frozen=True)
class Measured:
    """A model measured in a suite, as stored in `measure.json`."""

    suite: str
    frozen: bool
    suite_sha256: str
    model: str
    quick: bool
    versions: Mapping[str, str]
    tasks: tuple[TaskResult, ...]

    @property
    def games(self) -> list[GameFigures]:
        """The games of all tasks."""
        return [game for task in self.tasks for game in task.games]

    @property
    def rated(self) -> list[TaskResult]:
        """The tasks that have points."""
        return [task for task in self.tasks if task.points is not None]

    @property
    def score(self) -> RatioInterval | None:
        """The arena score: the mean of all tasks' points, or None if a task was not measured."""
        ratios = [task.ratio for task in self.tasks]
        known = [ratio for ratio in ratios if ratio is not None]
        return mean_interval(known) if known and known == ratios else None

    @property
    def rules(self) -> RatioInterval | None:
        """The percentage of legal first answers, or None for fewer than two games."""
        games = [game for game in self.games if game.asks]
        if len(games) < 2:
            return None
        legal, asks = [game.legal for game in games], [game.asks for game in games]
        return ratio_interval(legal, asks).times(100)

    @property
    def tokens(self) -> int:
        """The tokens of all calls."""
        return sum(game.tokens for game in self.games)

    @property
    def cost(self) -> float | None:
        """The cost of all calls in dollars, or None if a price is unknown."""
        return total_cost(game.cost for game in self.games)

    def plain(self) -> dict[str, Any]:
        """Return the whole result as plain data, along with its score, tokens and cost."""
        score = plain_ratio(self.score)
        return asdict(self) | {"score": score, "tokens": self.tokens, "cost": self.cost}


def plain_ratio(ratio: RatioInterval | None) -> dict[str, Any] | None:
    """Return points and their interval as plain data."""
    return None if ratio is None else attributes_of(ratio, "value", "low", "high")


def known_score(measured: Measured) -> float:
    """Return the arena score as a sort key; models without a score come last."""
    score = measured.score
    return float("-inf") if score is None else score.value


READER = TypeAdapter(Measured)


def task_figures(run: TournamentRun, task: Task) -> tuple[GameFigures, ...]:
    """Return the figures of a task's finished games, in the order of the deals."""
    state = run.state
    return tuple(_figures_of_draw(run, task, state.draws[each]) for each in state.games_over())


def _figures_of_draw(run: TournamentRun, task: Task, draw: Draw) -> GameFigures:
    log = log_of(run.folder, run.settings, draw.number)
    history = history_from_json(read_regular(log))
    sitting = entrants_of(run.settings, draw)
    player_ids = [player_id for player_id, name in sitting.items() if name == MODEL]
    rival = next(name for name in draw.seats if name != MODEL) if task.ladder else ""
    return replace(game_figures(history, player_ids, task), rival=rival, wording=draw.wording)


def game_figures(history: History, own: Sequence[str], task: Task) -> GameFigures:
    """Return the results of the seats `own` in a finished game."""
    used = [history.usage[player_id] for player_id in own]
    asks = sum(usage.asks for usage in used)
    asked = [event for event in history.events if event.player_id in own and event.attempts]
    unusable = sum(bool(event.attempts[0].fault) for event in asked)
    spent = costs_by_seat(history)
    moves = move_counts(history)
    return GameFigures(
        value=task.metric.of(history, own),
        asks=asks,
        answered=asks - sum(usage.fallbacks for usage in used),
        legal=asks - unusable,
        tokens=sum(spent[player_id].tokens for player_id in own),
        cost=total_cost(spent[player_id].cost for player_id in own),
        illegal=sum(moves.get(player_id, MoveCounts()).illegal for player_id in own),
    )


def task_result(suite: Suite, name: str, games: Sequence[GameFigures]) -> TaskResult:
    """Return a task's result, without points if the model answered too few questions."""
    bare = TaskResult(name, games=tuple(games))
    why = unrated_entrants([bare.answers], VALID_FROM)
    if why:
        return replace(bare, missing=why[MODEL])
    whole = task_points(suite, name, games)
    wordings = sorted({game.wording for game in games})
    if len(wordings) < 2:
        return whole
    parts = {wording: task_points(suite, name, games, wording) for wording in wordings}
    return widen_result(whole, parts)


def task_points(
    suite: Suite, name: str, games: Sequence[GameFigures], wording: int | None = None
) -> TaskResult:
    """Return the points of a task's games, or only of the games with `wording`."""
    task = suite.tasks[name]
    if task.ladder:
        worded = [game for game in games if wording in {None, game.wording}]
        return ladder_result(name, task, suite.references.ladders[name], worded)
    scripts = suite.references.scripts[name]
    size = task.games_a_deal
    deals = range(len(games) // size)
    kept = [deal for deal in deals if wording in {None, games[deal * size].wording}]

    def at_deals(values: Sequence[float]) -> list[float]:
        return [values[deal] for deal in kept]

    values = at_deals(task.by_deal([game.value for game in games]))
    floor, ceiling = map(at_deals, task.ends(scripts))
    interval = points_interval(values, floor, ceiling)
    idle = None
    if task.idle is not None:
        idle = points_interval(at_deals(task.by_deal(scripts[task.idle])), floor, ceiling).value
    return TaskResult(name, "", *interval, idle, games=tuple(games))


def widen_result(whole: TaskResult, parts: Mapping[int, TaskResult]) -> TaskResult:
    """Return the points of all games, with an interval that the wordings' spread may widen."""
    points = {wording: part.points or 0.0 for wording, part in parts.items()}
    spread = wording_spread(MODEL, points, [part.error for part in parts.values()])
    freedom = len(points) - 1
    error = spread.reach / t_quantile(LEVEL, freedom)
    value = whole.points or 0.0
    low = None if whole.low is None else min(whole.low, value - spread.reach)
    high = None if whole.high is None else max(whole.high, value + spread.reach)
    wider = replace(whole, low=low, high=high, by_wording=points)
    if error <= whole.error:
        return wider
    return replace(wider, error=error, freedom=freedom)


def ladder_result(
    name: str, task: Task, placed: PlacedLadder, games: Sequence[GameFigures]
) -> TaskResult:
    """Return the points on a ladder: 0 at the floor's Elo, 100 at the ceiling's."""
    played = [(game.rival, game.value) for game in games]
    rating = ladder_rating(played, placed.ladder())
    ends = placed.elo_of((task.floor, *task.ceilings))
    bottom, top = ends[task.floor], ends[task.ceilings[0]]

    def points(elo: float) -> float:
        return 100 * (elo - bottom) / (top - bottom)

    value = points(rating.elo)
    low, high = (None if end is None else points(end) for end in (rating.low, rating.high))
    reaches = [abs(end - value) for end in (low, high) if end is not None]
    error = sum(reaches) / len(reaches) / NORMAL
    elo = ladder_rating(played, placed.ladder(task.ladder))
    return TaskResult(
        name, "", value, low, high, error, len(games) - 1, elo=elo, games=tuple(games)
    )


def read_measured(path: Path) -> Measured:
    """Return the model's result in a file; raise ValueError if the file contains none."""
    try:
        return READER.validate_python(read_json(read_regular(path)))
    except ValueError as error:
        raise ValueError(
            f"expected {path} to be the file of a measured model: {error!r:.200}"
        ) from None


def measured_folder(suite: str, model: str, logs_dir: Path) -> Path:
    """Return the folder of a measured model, named after the model."""
    name = re.sub(r"[^a-z0-9.]+", "-", model.lower()).strip("-.")
    return logs_dir / "measure" / suite / name


def measured_files(logs_dir: Path) -> list[Path]:
    """Return the files of all measured models, sorted by suite and model."""
    return sorted((logs_dir / "measure").glob(f"*/*/{FILE}"))


def why_not_current(suite: Suite, measured: Measured) -> str:
    """Return why a result is not comparable (old suite or wrong points), or "" if it is."""
    again = "measure it again into another --logs-dir"
    if measured.suite_sha256 != suite.sha256:
        return f"{suite.name} has changed since {measured.model} was measured: {again}"
    for task in measured.tasks:
        result = task_result(suite, task.name, task.games) if task.games else task
        if map_parts(_rounded, asdict(result)) != map_parts(_rounded, asdict(task)):
            return f"the points of {measured.model} in {task.name} do not match its games: {again}"
    return ""


def _rounded(part: Any) -> Any:
    """Round a number to six decimals, because the last digits of sums vary between processors."""
    return round(part, 6) if isinstance(part, float) else part
