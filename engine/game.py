"""What every game offers the engine: its settings, who may sit, how it starts, what comes next, how it ended."""

import json
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from engine.history import Event, History, Outcome
from engine.prompting import render
from engine.report.charts import Chart
from engine.round import RoundPlan
from engine.views.blocks import Part
from player import Script, Scripts

S = TypeVar("S")
Checks = Mapping[str, Callable[[Any], Iterable[str]]]


class Game(BaseModel, Generic[S]):
    """A game: a frozen model whose fields are its settings; everything else is a pure function of a frozen state.

    `name` is its name in configs, its folder in `engine/games/` and in `prompts/`; `version` counts
    changes of its rules; `strategies` are the scripted players, by name; `checks` are the rules
    that a finished log can be held to, by name, each a function of the log as plain data that
    yields a sentence for each breach.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    version: ClassVar[int]
    strategies: ClassVar[Scripts]
    checks: ClassVar[Checks] = {}

    @abstractmethod
    def start(self, player_ids: Sequence[str], rng: random.Random) -> S:
        """Return the first state; ValueError says which setting or player cannot be, before any model is asked."""

    def seats(self) -> tuple[str, ...]:
        """Return the names of the players that the settings call for; empty: whoever sits down plays."""
        return ()

    @abstractmethod
    def plan(self, state: S) -> RoundPlan[S] | None:
        """Return what the next round is, None when the game is over."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome:
        """Return how the game ended."""

    @classmethod
    def trained(cls, path: str) -> Script:
        """Return the player that the policy in the file `path` is; ValueError if it cannot be loaded."""
        raise ValueError(
            f"expected a game that policies are trained for: got {cls.name}, and a seat trained:{path}"
        )

    def rules(self) -> str:
        """Return the rules as players read them."""
        return render(f"{self.name}/rules.j2", game=self)

    @classmethod
    def check(cls, history: History) -> dict[str, list[str]]:
        """Return the breaches of each rule in `checks` that a finished log shows; all empty: the game was fair.

        To the log each prompt is added in full, under `prompts` by the index of its event, as the
        log gives it back.
        """
        evidence = json.loads(history.to_json())
        prompts = {
            event.index: history.prompt_of(event)
            for event in history.events
            if event.prompt is not None
        }
        evidence["prompts"] = {
            index: asdict(prompt) | {"sha256": prompt.sha256}
            for index, prompt in prompts.items()
            if prompt is not None
        }
        return {rule: breaches(check, evidence) for rule, check in cls.checks.items()}

    @classmethod
    def report(cls, history: History) -> Iterator[Part]:
        """Yield what the game itself tells at the end, before places and scores; ValueError if it cannot read that."""
        del history
        yield from ()

    @classmethod
    def explain(cls, event: Event) -> Iterator[Part]:
        """Yield the game's own numbers behind an event, which no player sees."""
        del event
        yield from ()

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return the game's pictures by name; ValueError if it cannot read the history."""
        del history
        return {}


def breaches(check: Callable[[Any], Iterable[str]], evidence: dict[str, Any]) -> list[str]:
    """Return what `check` finds; a log in which it cannot find its way, wherever that log comes from, is a breach."""
    try:
        return [*check(evidence)]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return [f"expected a log that can be read by this rule: {error!r:.200}"]
