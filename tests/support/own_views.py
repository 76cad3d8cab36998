"""What a game adds to its views, as a test gives it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.history import Event, History, Outcome
from engine.report.charts import Chart
from engine.report.tables import Part
from engine.report.turning_points import TurningPoint


@dataclass
class OwnParts:
    """A game that reports and draws what it is given."""

    parts: Iterable[Part] = ()
    pictures: Mapping[str, Chart] = field(default_factory=dict)

    def title(self, history: History) -> str:
        return history.game

    def result(self, outcome: Outcome) -> str:
        return outcome.summary

    def report(self, history: History) -> Iterable[Part]:
        return self.parts

    def turning_points(self, history: History) -> Iterable[TurningPoint]:
        return ()

    def charts(self, history: History) -> Mapping[str, Chart]:
        return self.pictures

    def facts_of(self, event: Event) -> Mapping[str, Any]:
        return {}

    def explain(self, event: Event) -> Iterable[Part]:
        return ()
