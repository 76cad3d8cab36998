"""What a model came to in a suite: its points in each task, and all that they rest on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from engine.history import History, history_from_json
from engine.ratings.ratios import (
    RatioInterval,
    in_percent,
    mean_interval,
    points_interval,
    ratio_interval,
)
from engine.record.files import read_json, read_regular, write_whole
from engine.runs.seat_rows import costs_by_seat
from engine.spending.costs import total_cost
from engine.spending.validity import VALID_FROM, SeatAnswers, unrated_entrants
from engine.tournaments.ledger import OVER
from engine.tournaments.measure.suite import MODEL, SUITES, Suite, Task
from engine.tournaments.row_cache import log_of
from engine.tournaments.run import TournamentRun
from engine.tournaments.table import entrants_of

FILE = "measure.json"
# The values of each script on each deal, by task and script.
References = Mapping[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class GameFigures:
    """What a model's seats did in one game: the task's metric, and its questions.

    `legal` counts the questions whose first answer could be used; `answered` those with an answer
    of its own in the end.
    """

    value: float
    asks: int
    answered: int
    legal: int
    tokens: int
    cost: float | None


@dataclass(frozen=True)
class TaskResult:
    """A task: points with their .95 interval (None: not measured, or open), and what they rest on.

    `missing` says why a task has no points; `idle` are the points of a script that does nothing.
    `error` and `freedom` are those of the points.
    """

    name: str
    missing: str = ""
    points: float | None = None
    low: float | None = None
    high: float | None = None
    error: float = 0.0
    freedom: int = 0
    idle: float | None = None
    games: tuple[GameFigures, ...] = ()

    @property
    def answers(self) -> SeatAnswers:
        """How many of all its questions the model answered."""
        asked = sum(game.asks for game in self.games)
        return SeatAnswers(MODEL, sum(game.answered for game in self.games), asked)

    @property
    def ratio(self) -> RatioInterval | None:
        """The points as a ratio, None if they were not measured."""
        if self.points is None:
            return None
        return RatioInterval(self.points, self.low, self.high, self.error, self.freedom)


@dataclass(frozen=True)
class Measured:
    """A model measured in a suite, as `measure.json` keeps it.

    `suite_sha256` is that of the suite and its references; a draft may have changed since.
    """

    suite: str
    frozen: bool
    suite_sha256: str
    model: str
    quick: bool
    tasks: tuple[TaskResult, ...]

    @property
    def score(self) -> RatioInterval | None:
        """The arena score: the mean of the points of all tasks; None unless all were measured."""
        found = [task.ratio for task in self.tasks]
        ratios = [ratio for ratio in found if ratio is not None]
        return mean_interval(ratios) if ratios and len(ratios) == len(found) else None

    @property
    def rules(self) -> RatioInterval | None:
        """The percentage of questions whose first answer was legal, by games; None without any."""
        games = [game for task in self.tasks for game in task.games if game.asks]
        if len(games) < 2:
            return None
        legal = [float(game.legal) for game in games]
        return in_percent(ratio_interval(legal, [float(game.asks) for game in games]))

    @property
    def tokens(self) -> int:
        """Tokens of all calls."""
        return sum(game.tokens for task in self.tasks for game in task.games)

    @property
    def cost(self) -> float | None:
        """Dollars of all calls, None if a price is unknown."""
        return total_cost(game.cost for task in self.tasks for game in task.games)

    def plain(self) -> dict[str, Any]:
        """Return all of it as plain data; the figures made of others are there to be read."""
        score = self.score
        found = asdict(self) | {"score": None, "tokens": self.tokens, "cost": self.cost}
        if score is not None:
            found["score"] = {"value": score.value, "low": score.low, "high": score.high}
        return found


READER = TypeAdapter(Measured)
REFERENCES = TypeAdapter(dict[str, dict[str, list[float]]])


def task_figures(run: TournamentRun, task: Task) -> tuple[GameFigures, ...]:
    """Return the figures of each game of a task that is over, in the order of the deals."""
    found = []
    for number, draw in sorted(run.state.draws.items()):
        done = run.state.done.get(number)
        if done is not None and done.status in OVER:
            log = log_of(run.folder, run.settings, number)
            history = history_from_json(read_regular(log))
            sitting = entrants_of(run.settings, draw)
            own = [player_id for player_id, name in sitting.items() if name == MODEL]
            found.append(game_figures(history, own, task))
    return tuple(found)


def game_figures(history: History, own: Sequence[str], task: Task) -> GameFigures:
    """Return what the seats `own` did in a finished game."""
    used = [history.usage[player_id] for player_id in own]
    asks = sum(one.asks for one in used)
    unusable = 0
    for event in history.events:
        if event.player_id in own and event.attempts and event.attempts[0].fault:
            unusable += 1
    spent = costs_by_seat(history)
    return GameFigures(
        value=task.metric.of(history, own),
        asks=asks,
        answered=asks - sum(one.fallbacks for one in used),
        legal=asks - unusable,
        tokens=sum(spent[player_id].tokens for player_id in own),
        cost=total_cost(spent[player_id].cost for player_id in own),
    )


def task_result(
    name: str, task: Task, games: Sequence[GameFigures], scripts: Mapping[str, Sequence[float]]
) -> TaskResult:
    """Return the points of a task's games; `scripts` has the references' values on all deals.

    A model that answered too little (`engine.spending.validity`) is not measured.
    """
    asks = sum(game.asks for game in games)
    answered = SeatAnswers(MODEL, sum(game.answered for game in games), asks)
    refused = unrated_entrants([answered], VALID_FROM)
    if refused:
        return TaskResult(name, refused[MODEL], games=tuple(games))
    floor, ceiling = (scripts[script][: len(games)] for script in (task.floor, task.ceiling))
    found = points_interval([game.value for game in games], floor, ceiling)
    idle = None
    if task.idle is not None:
        idle = points_interval(scripts[task.idle][: len(games)], floor, ceiling).value
    return TaskResult(name, "", *found, idle, tuple(games))


def write_measured(measured: Measured, folder: Path) -> Path:
    """Write `measure.json` into a folder, and return where it is."""
    path = folder / FILE
    text = json.dumps(measured.plain(), ensure_ascii=True, indent=1, sort_keys=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text + "\n")
    return path


def read_measured(path: Path) -> Measured:
    """Return a measured model; ValueError in one sentence for a file that is none."""
    try:
        plain = read_json(read_regular(path))
        for name in ("score", "tokens", "cost"):
            plain.pop(name)
        return READER.validate_python(plain)
    except (ValidationError, KeyError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"expected {path} to be of a measured model: {error!r:.200}") from None


def read_references(suite: Suite) -> References:
    """Return the values of each task's scripts on all deals; ValueError if some are missing."""
    path = SUITES / f"{suite.name}.json"
    again = f"make them with uv run tournament.py measure --suite {suite.name} --references"
    try:
        found = REFERENCES.validate_python(read_json(read_regular(path)))
    except (OSError, ValueError) as error:
        raise ValueError(f"expected {path} to have reference results: {again}") from error
    for name, task in suite.tasks.items():
        for script in task.references:
            if len(found.get(name, {}).get(script, ())) != task.deals:
                raise ValueError(f"{path} lacks {script} in {name}: {again}")
    return found
