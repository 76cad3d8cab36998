"""A study: a seeded grid of games, what is measured in each, and what is made of it."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from engine.report.charts import Chart
from engine.report.tables import Table

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a study: tables, charts, and what they say in sentences.

    `sheets` are tables that are too wide to be shown: they are only written.
    """

    title: str
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()
    findings: tuple[str, ...] = ()
    sheets: tuple[Table, ...] = ()


class Study(BaseModel, Generic[Task, Result]):
    """A study: a frozen model whose fields are its options; the same options give the same report.

    `work` is done for each of `tasks()`, in any order and in any process; `report` makes of the
    results, in the order of their tasks, what is shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    seed: int = Field(default=0, description="fixes every draw")

    @abstractmethod
    def tasks(self) -> Sequence[Task]:
        """Return what there is to do, in parts that know nothing of each other; ValueError says what cannot be."""

    @staticmethod
    @abstractmethod
    def work(task: Task) -> Result:
        """Do one part; task and result can be sent between processes."""

    @abstractmethod
    def report(self, results: Sequence[Result]) -> Report:
        """Return what came of it."""


AnyStudy = Study[Any, Any]


def listed(value: object) -> object:
    """Return what a command line or a config gives for several values as a tuple: "a, b", a list, or one value."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, int | float):
        return (value,)
    return tuple(value) if isinstance(value, list) else value
