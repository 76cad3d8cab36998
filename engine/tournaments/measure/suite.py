"""A suite: tasks that every model plays on the same deals, read and checked as a whole."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.config import read_config
from engine.games import GAMES
from engine.history import History
from engine.prompting import template_hashes
from engine.rng import number
from engine.runs.dry_run import Bound, rehearse
from engine.tournaments.schedule.draw import SEEDS
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import config_of, first_tables
from engine.tournaments.terms import SettingsPart, TournamentBudgets
from player import PlayerConfig
from protocol.suggest import explain, one_of

SUITES = Path(__file__).parents[3] / "configs" / "suites"
HOLDS = "name:, seed: and tasks:"
# The entrant that is measured.
MODEL = "model"
# So many deals tell floor from ceiling; half of them are a quick look.
DEALS = 12


class Metric(SettingsPart):
    """What a task counts: a figure of the model's own seats, or one of the whole table."""

    figure: str = ""
    shared: str = ""

    @model_validator(mode="after")
    def _check_one(self) -> "Metric":
        if bool(self.figure) == bool(self.shared):
            raise ValueError("expected a metric to be either a figure or shared")
        return self

    def of(self, history: History, seats: Sequence[str]) -> float:
        """Return the metric of a finished game, as a mean over the player ids in `seats`.

        ValueError for a game without that figure.
        """
        outcome = history.outcome
        try:
            if outcome is None:
                raise KeyError("outcome")
            if self.shared:
                return float(outcome.shared[self.shared])
            figures = [outcome.figures[player_id][self.figure] for player_id in seats]
        except KeyError as error:
            raise ValueError(
                f"expected {history.game_id} to have what its task counts: it lacks {error}"
            ) from None
        return float(sum(figures) / len(figures))


class Task(SettingsPart):
    """One task: a game, who sits where, what counts, and the scripts that are 0 and 100 points.

    Of the `tables` each deal has one, in turn; "model" is who is measured, the others are `rivals`,
    scripts of the game. `idle` is a script that does nothing, shown beside floor and ceiling.
    """

    about: str
    game: dict[str, Any]
    tables: tuple[tuple[str, ...], ...] = Field(min_length=1)
    rivals: tuple[str, ...] = ()
    vary: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    metric: Metric
    floor: str
    ceiling: str
    idle: str | None = None
    deals: int = Field(default=DEALS, ge=4)

    @property
    def references(self) -> tuple[str, ...]:
        """The scripts whose results on each deal are kept, each once."""
        scripts = (self.floor, self.ceiling, self.idle)
        return tuple(dict.fromkeys(script for script in scripts if script is not None))


class Suite(BaseModel):
    """A suite of tasks. While it is not `frozen` it is a draft, and may change."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    frozen: bool
    seed: int
    tasks: dict[str, Task] = Field(min_length=1)

    def settings(
        self,
        name: str,
        model: PlayerConfig,
        *,
        quick: bool = False,
        budgets: TournamentBudgets | None = None,
    ) -> TournamentSettings:
        """Return the tournament that measures a model in the task `name`.

        Its deals follow from the suite and the task alone. ValueError if the model cannot play it.
        """
        task = self.tasks[one_of(name, self.tasks, "task")]
        script = {"provider": "scripted"}
        rivals = {rival: script | {"model": rival} for rival in task.rivals}
        fixed = {"tables": task.tables, "vary": task.vary}
        plain = {
            "name": name,
            "game": task.game,
            "table": len(task.tables[0]),
            "entrants": {MODEL: model.model_dump(exclude={"player_id"})} | rivals,
            "games": task.deals // 2 if quick else task.deals,
            "schedule": {"fixed": fixed},
            "seed": number(self.seed, self.name, name) % SEEDS,
            "budgets": budgets or TournamentBudgets(),
        }
        try:
            return TournamentSettings.model_validate(plain)
        except ValidationError as error:
            raise ValueError(explain(error, ())) from None

    def bound(self, model: PlayerConfig, tasks: Iterable[str], *, quick: bool) -> tuple[Bound, int]:
        """Return what all games of these tasks take at most, and how many there are.

        One game of each table is rehearsed, and stands for those like it. Nobody is asked.
        """
        total = Bound()
        games = 0
        for name in tasks:
            if self.missing_extra(name):
                continue
            settings = self.settings(name, model, quick=quick)
            tables = [*first_tables(settings)]
            for place, draw in enumerate(tables):
                bounds = rehearse(config_of(settings, draw, None))
                for _ in range(place, settings.games, len(tables)):
                    total = sum(bounds.values(), total)
            games += settings.games
        return total, games

    def missing_extra(self, name: str) -> str:
        """Return the extra of the project that a task's game lacks here, "" if none."""
        return GAMES.missing_extra(str(self.tasks[name].game["name"]))

    def sha256(self, references: Mapping[str, Any]) -> str:
        """Return the fingerprint of all that a result rests on.

        That is the settings, the versions and prompts of the games, and the references.
        """
        games = sorted({str(task.game["name"]) for task in self.tasks.values()})
        versions = {name: GAMES[name].version for name in games if name in GAMES}
        made_from = {
            "suite": self.model_dump(mode="json", exclude={"frozen"}),
            "versions": versions,
            "templates": {name: template_hashes("shared", name) for name in versions},
            "references": references,
        }
        text = json.dumps(made_from, sort_keys=True, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()


def read_suite(name: str) -> Suite:
    """Return the suite of that name; ValueError names those that there are."""
    path = SUITES / f"{one_of(name, [*suite_names()], 'suite')}.yaml"
    try:
        return Suite.model_validate(read_config(path, HOLDS))
    except ValidationError as error:
        raise ValueError(f"{path}: {explain(error, ())}") from None


def suite_names() -> Iterator[str]:
    """Yield the names of all suites."""
    for path in sorted(SUITES.glob("*.yaml")):
        yield path.stem
