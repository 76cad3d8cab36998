"""Reads and checks a suite: tasks that every model plays on the same deals."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from engine import own_folder
from engine.config import read_config
from engine.games import GAMES
from engine.history import History, Outcome
from engine.prompting import MOST_WORDINGS, PEOPLE, template_hashes
from engine.rng import number
from engine.runs.dry_run import Bound, rehearse
from engine.tournaments.measure.references import References, read_references
from engine.tournaments.schedule.draw import SEEDS
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import config_of, first_tables
from engine.tournaments.terms import SettingsPart, TournamentBudgets
from player import PlayerConfig
from protocol.suggest import explain, one_of
from providers import PROVIDERS

SUITES = own_folder("configs") / "suites"
HOLDS = "name:, seed: and tasks:"
# The entrant that is measured.
MODEL = "model"
# Enough deals to distinguish floor from ceiling; a quick measurement uses half of them.
DEALS = 12
# A reference value of a game is the mean over this many streams of the scripts' random draws.
DRAWS = 20
# Folders of prompts that several games share, and the templates in them that every task uses.
SHARED_FOLDERS = ("shared", "openspiel")
SHARED_TEMPLATES = ("system", "as_json", "rules", "move")
Fingerprint = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
# How many games each pair of rungs, one or two steps apart, plays to rate a ladder.
PAIR_GAMES = 2000


class Metric(SettingsPart):
    """A task's metric: a number for the model's own seats, or for the whole table.

    `figure` names a seat's figure in the outcome, and `shared` a figure of the whole table. `own`
    is the score or the wins, where tied winners share one win.
    """

    figure: str = ""
    shared: str = ""
    own: Literal["", "score", "wins"] = ""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if sum(map(bool, (self.figure, self.shared, self.own))) != 1:
            raise ValueError("expected a metric to have exactly one of figure, shared and own")
        return self

    def of(self, history: History, seats: Sequence[str]) -> float:
        """Return a game's metric, averaged over `seats`; raise ValueError if the game lacks it."""
        outcome = history.outcome
        try:
            if outcome is None:
                raise KeyError("outcome")
            if self.shared:
                return float(outcome.shared[self.shared])
            values = [self._of_seat(outcome, player_id) for player_id in seats]
        except KeyError as error:
            raise ValueError(
                f"expected {history.game_id} to contain what its task counts: it lacks {error}"
            ) from None
        return float(sum(values) / len(values))

    def _of_seat(self, outcome: Outcome, player_id: str) -> float:
        if self.figure:
            return outcome.figures[player_id][self.figure]
        if self.own == "score":
            return outcome.scores[player_id]
        first = [name for name, place in outcome.placements.items() if place == 1]
        return (player_id in first) / len(first)


class Task(SettingsPart):
    """One task: a game, its seating, its metric, and the scripts that define 0 and 100 points.

    Deals use the `tables` in turn. At a table, "model" is the measured model, and all other names
    are `rivals`, which are scripts. If `ceiling` lists several scripts, the tables use them in
    turn. With `mirror`, each deal is played from all seats. `idle` is a script that does nothing;
    it is shown next to floor and ceiling. A task with a `ladder` has no tables. The ladder's rungs
    are scripts, from weakest to strongest.
    """

    about: str
    game: dict[str, Any]
    tables: tuple[tuple[str, ...], ...] = ()
    ladder: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    mirror: bool = False
    vary: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    metric: Metric
    floor: str
    ceiling: str | tuple[str, ...]
    idle: str | None = None
    deals: int = Field(default=DEALS, ge=4)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if bool(self.tables) == bool(self.ladder):
            raise ValueError("expected a task to have either tables or a ladder")
        if not self.ladder and len(self.tables) % len(self.ceilings):
            raise ValueError("expected one ceiling, or one for each table")
        return self

    @property
    def ceilings(self) -> tuple[str, ...]:
        """The scripts that define 100 points; the tables use them in turn."""
        return (self.ceiling,) if isinstance(self.ceiling, str) else self.ceiling

    @property
    def scripts(self) -> tuple[str, ...]:
        """The distinct scripts whose results on each deal are stored; a ladder has none."""
        if self.ladder:
            return ()
        scripts = (self.floor, *self.ceilings, self.idle)
        return tuple(dict.fromkeys(filter(None, scripts)))

    @property
    def table(self) -> int:
        """The number of seats at a table."""
        return len(self.tables[0]) if self.tables else 2

    @property
    def games_a_deal(self) -> int:
        """The number of games per deal."""
        return self.table if self.mirror else 1

    def by_deal(self, values: Sequence[float]) -> list[float]:
        """Return the mean of each deal's games, in the order of deals."""
        size = self.games_a_deal
        return [fmean(values[begin : begin + size]) for begin in range(0, len(values), size)]

    def ends(self, scripts: Mapping[str, Sequence[float]]) -> tuple[list[float], list[float]]:
        """Return each deal's floor and ceiling; `scripts` maps scripts to the values of games."""
        floor = self.by_deal(scripts[self.floor])
        ceilings = [self.by_deal(scripts[name]) for name in self.ceilings]
        ceiling = [ceilings[deal % len(ceilings)][deal] for deal in range(self.deals)]
        return floor, ceiling


class Suite(SettingsPart):
    """A suite of tasks, and the reference results that its points are computed from.

    `versions` maps each game to its version, and `frozen` is the fingerprint at release, or False
    for a draft.
    """

    name: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    frozen: Literal[False] | Fingerprint = False
    seed: int
    versions: dict[str, int]
    tasks: dict[str, Task] = Field(min_length=1)
    references: References = References()

    def settings(
        self,
        name: str,
        model: PlayerConfig,
        *,
        quick: bool = False,
        draws: int = 0,
        wordings: int = 1,
        budgets: TournamentBudgets | None = None,
    ) -> TournamentSettings:
        """Return the tournament that measures a model in the task `name`.

        Its deals depend only on the suite and the task. With a different `draws`, scripts make
        other random choices in the same deals. `wordings` is the number of wordings of the rules,
        which are spread over the deals. Raise ValueError if the model cannot play the task.
        """
        task = self.tasks[one_of(name, self.tasks, "task")]
        deals = task.deals // 2 if quick else task.deals
        return self._cup(
            name,
            entrants={
                MODEL: model.model_dump(exclude={"player_id"})
                | {"client_kwargs": measured_kwargs(model)}
            },
            draws=draws,
            rivals=(*task.rivals, *task.ladder),
            games=deals * task.games_a_deal,
            schedule=self._schedule_of(name, task),
            wordings=wordings,
            budgets=budgets or TournamentBudgets(),
            concurrency=games_at_once(model, task),
        )

    def _schedule_of(self, name: str, task: Task) -> dict[str, Any]:
        if task.ladder:
            elo = self.references.ladders[name].elo_of(task.ladder)
            return {"climb": {"climber": MODEL, "elo": elo}}
        return {"fixed": {"tables": task.tables, "vary": task.vary, "mirror": task.mirror}}

    def ladder_settings(self, name: str) -> TournamentSettings:
        """Return the tournament that rates the floor and the rungs of a task's ladder."""
        task = self.tasks[name]
        rungs = (task.floor, *task.ladder)
        # Rungs one or two steps apart play each other.
        pairs = [*pairwise(rungs), *zip(rungs[:-2], rungs[2:], strict=True)]
        return self._cup(
            name,
            entrants={},
            rivals=rungs,
            games=PAIR_GAMES * len(pairs),
            schedule={"fixed": {"tables": pairs}},
        )

    def _cup(
        self,
        name: str,
        *,
        entrants: Mapping[str, Any],
        rivals: Iterable[str],
        draws: int = 0,
        **settings: Any,
    ) -> TournamentSettings:
        """Return a tournament for a task; `rivals` are scripts, all with the same `draws`."""
        task = self.tasks[name]
        script = {"provider": "scripted", "draws": draws}
        scripts = {rival: {**script, "model": rival} for rival in rivals}
        plain = {
            "name": name,
            "game": task.game,
            "table": task.table,
            "entrants": {**entrants, **scripts},
            "seed": number(self.seed, self.name, name) % SEEDS,
            **settings,
        }
        try:
            return TournamentSettings.model_validate(plain)
        except ValidationError as error:
            raise ValueError(explain(error, ())) from None

    def bound(self, name: str, model: PlayerConfig, *, quick: bool) -> tuple[Bound, int]:
        """Return a task's maximum cost and number of games; both are 0 if an extra is missing."""
        total = Bound()
        if self.missing_extra(name):
            return total, 0
        settings = self.settings(name, model, quick=quick)
        tables = [*first_tables(settings)]
        for place, draw in enumerate(tables):
            bounds = rehearse(config_of(settings, draw, None))
            for _ in range(place, settings.games, len(tables)):
                total = sum(bounds.values(), total)
        return total, settings.games

    def missing_extra(self, name: str) -> str:
        """Return the missing extra (optional packages) that a task's game needs, or ""."""
        return GAMES.missing_extra(str(self.tasks[name].game["name"]))

    @property
    def sha256(self) -> str:
        """The fingerprint of the settings, versions, prompts and references."""
        made_from = {
            "suite": self.model_dump(mode="json", exclude={"frozen", "versions", "references"}),
            "versions": self.versions,
            "templates": self.templates(self.versions),
            "references": self.references.model_dump(mode="json"),
        }
        text = json.dumps(made_from, sort_keys=True, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()

    def templates(self, games: Iterable[str]) -> dict[str, str]:
        """Return, by path, the fingerprint of each template that a measured model may read."""
        used = self._shared_templates()
        templates: dict[str, str] = {}
        for wording in range(1, MOST_WORDINGS + 1):
            for folder in ("shared", *games):
                for path, print_ in template_hashes(folder, wording=wording).items():
                    shared = folder in SHARED_FOLDERS and Path(path).stem not in used
                    if not shared and not path.startswith(f"{PEOPLE}/"):
                        templates[path] = print_
        return templates

    def _shared_templates(self) -> set[str]:
        played = (str(task.game.get("game", "")) for task in self.tasks.values())
        return {*SHARED_TEMPLATES, *(name.partition("(")[0] for name in played)}


def measured_kwargs(model: PlayerConfig) -> dict[str, Any]:
    """Return a model's client settings; the default concurrency is the provider's for measuring."""
    row = PROVIDERS.get(model.provider)
    if row is None or row.measured_concurrency is None:
        return model.client_kwargs
    return {"concurrency": row.measured_concurrency} | model.client_kwargs


def games_at_once(model: PlayerConfig, task: Task) -> int:
    """Return how many concurrent games keep a provider busy without losing its prompt cache."""
    row = PROVIDERS.get(model.provider)
    if row is None:
        return 1
    calls = int(measured_kwargs(model).get("concurrency", row.concurrency))
    model_seats = max((table.count(MODEL) for table in task.tables), default=1)
    return max(1, calls // model_seats)


def read_suite(name: str, *, with_references: bool = True) -> Suite:
    """Return the suite with this name; raise ValueError, listing all names, if there is none."""
    path = SUITES / f"{one_of(name, suite_names(), 'suite')}.yaml"
    try:
        suite = Suite.model_validate(read_config(path, HOLDS))
    except ValidationError as error:
        raise ValueError(f"{path}: {explain(error, ())}") from None
    check_versions(suite)
    if with_references:
        again = f"make them with uv run tournament.py measure --suite {name} --references"
        references = read_references(references_path(name), again)
        check_references(suite, references, again)
        suite = suite.model_copy(update={"references": references})
        check_frozen(suite)
    return suite


def references_path(name: str) -> Path:
    """Return the path of the file with a suite's references."""
    return SUITES / f"{name}.json"


def check_references(suite: Suite, references: References, again: str) -> None:
    """Raise ValueError if references of a task are missing; `again` says how to create them."""
    for name, task in suite.tasks.items():
        scripts = references.scripts.get(name, {})
        lacked = [
            script
            for script in task.scripts
            if len(scripts.get(script, ())) != task.deals * task.games_a_deal
        ]
        if task.ladder:
            placed = references.ladders.get(name)
            lacked = [rung for rung in task.ladder if not placed or rung not in placed.rungs]
        if lacked:
            raise ValueError(f"{suite.name}.json lacks {lacked[0]} in {name}: {again}")


def check_versions(suite: Suite) -> None:
    """Raise ValueError if a game's rules have changed; games with a missing extra are skipped."""
    for name in sorted({str(task.game["name"]) for task in suite.tasks.values()}):
        known = suite.versions.get(name)
        if not GAMES.missing_extra(name) and GAMES[name].version != known:
            raise ValueError(
                f"{suite.name} compares results of {name} {known}: got version "
                f"{GAMES[name].version} of its rules; copy the suite to a new name with that "
                "version"
            )


def check_frozen(suite: Suite) -> None:
    """Raise ValueError if a suite, its prompts or its references changed after its release."""
    if suite.frozen and suite.sha256 != suite.frozen:
        raise ValueError(
            f"expected {suite.name} as it was released, with fingerprint {suite.frozen[:12]}: "
            f"got {suite.sha256[:12]}; undo the change to its settings, prompts or references, "
            "or copy the suite to a new name without frozen:"
        )


def suite_names() -> list[str]:
    """Return the names of all suites."""
    return [path.stem for path in sorted(SUITES.glob("*.yaml"))]
