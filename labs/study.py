"""A study: a seeded grid of games, the measurements of each game, and the report on all games."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, isnan
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from engine.ratings.intervals import t_quantile
from engine.report.charts import Bars, Chart, Lines
from engine.report.tables import Cell, Table

# The maximum number of games, moves, players or steps in a study; more would never finish.
MOST = 100_000
# The joint significance level of the tests behind a sentence about the leader.
LEVEL = 0.05
Task = TypeVar("Task")
Result = TypeVar("Result")
# Means with their standard errors or deviations, by name: one pair per name, or one per level.
Spreads = Mapping[str, tuple[float, float]]
Courses = Mapping[str, Sequence[tuple[float, float]]]


def split_values(value: object) -> object:
    """Return text like "a, b", a list or a number as a tuple of values; leave others unchanged."""
    if isinstance(value, str):
        return tuple(filter(None, map(str.strip, value.split(","))))
    if isinstance(value, int | float):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


Count = Annotated[int, Field(ge=1, le=MOST)]
Names = Annotated[tuple[str, ...], BeforeValidator(split_values)]
Numbers = Annotated[tuple[float, ...], BeforeValidator(split_values)]


class StudyError(RuntimeError):
    """A study cannot run here; the message says why and what to do next."""


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a study; `sheets` are tables that are too wide for a terminal."""

    title: str
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()
    findings: tuple[str, ...] = ()
    sheets: tuple[Table, ...] = ()


class Study(BaseModel, Generic[Task, Result]):
    """A study: a frozen Pydantic model whose fields are the options that determine its report.

    `work` is called on each of `tasks()`, in any order and in any process. `report` receives the
    results in the order of their tasks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    seed: int = Field(default=0, description="random seed")

    @abstractmethod
    def tasks(self) -> Sequence[Task]:
        """Return the independent tasks; raise ValueError if any options are invalid."""

    @staticmethod
    @abstractmethod
    def work(task: Task, /) -> Result:
        """Run one task; the task and its result must be picklable."""

    @abstractmethod
    def report(self, results: Sequence[Result]) -> Report:
        """Return the report on all results."""


class LogStudy(Study[str, Result]):
    """A study that reads files in `folders` and plays no games; its tables answer `questions`."""

    questions: ClassVar[Mapping[str, str]]
    folders: tuple[str, ...] = ()


AnyStudy = Study[Any, Any]
AnyLogStudy = LogStudy[Any]


def leader_in_words(figures: Spreads, samples: int, decimals: int = 2) -> str:
    """Return a sentence on the leader, or on the best and its rivals if no test finds a leader.

    `figures` maps each name to a mean over `samples` samples and its standard error.
    """
    best = max(figures, key=lambda name: figures[name][0])
    mean, error = figures[best]
    amount = f"{mean:.{decimals}f} ({error_text(error, decimals)})"
    rivals = rivals_in_words(figures, samples)
    return f"{best} has {amount}{rivals}" if rivals else f"{best} leads with {amount}"


def rivals_in_words(figures: Spreads, samples: int) -> str:
    """Return a clause on the number of rivals that are not significantly below the best.

    Returns "" if there are none. If nothing can be compared, the clause says so. The t-tests have a
    joint level of 5 % over all pairs (Bonferroni).
    """
    (mean, error), *others = sorted(figures.values(), reverse=True)
    if samples < 2 or not others:
        return "; nothing is compared"
    pairs = len(figures) * len(others) / 2
    critical = t_quantile(1 - LEVEL / (2 * pairs), samples - 1)
    close = sum(mean - rival <= critical * hypot(error, spread) for rival, spread in others)
    clause = f", and {close} of {len(others)} others do not differ significantly from it"
    return clause if close else ""


def error_text(error: float, decimals: int) -> str:
    """Return an error as text, or "-" if it is unknown, for example for a single game."""
    return "-" if isnan(error) else f"± {error:.{decimals}f}"


def table_of_rows(
    heading: str, columns: Sequence[str], rows: Mapping[str, Sequence[Cell]]
) -> Table:
    """Return a table in which each row begins with its name."""
    return Table(heading, tuple(columns), tuple((name, *row) for name, row in rows.items()))


def course_tables(headings: Sequence[str], columns: Sequence[str], courses: Courses) -> list[Table]:
    """Return two tables of `courses`: the means, and their errors or deviations."""
    tables = []
    for part, heading in enumerate(headings):
        rows = {name: [pair[part] for pair in course] for name, course in courses.items()}
        tables.append(table_of_rows(heading, columns, rows))
    return tables


def course_lines(
    labels: tuple[str, str, str], x: Sequence[float], courses: Courses, *, log_x: bool = False
) -> Lines:
    """Return a line chart of courses; `labels` contains the title, x label and y label."""
    means = {}
    spreads = {}
    for name, course in courses.items():
        means[name] = [mean for mean, _ in course]
        spreads[name] = [spread for _, spread in course]
    return Lines(*labels, x, means, spreads, log_x=log_x)


def spread_bars(title: str, x_label: str, spreads: Spreads) -> Bars:
    """Return a chart with a bar for each name, in the given order."""
    values = [mean for mean, _ in spreads.values()]
    return Bars(title, x_label, [*spreads], values, [spread for _, spread in spreads.values()])
