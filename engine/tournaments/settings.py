"""A tournament's settings from its YAML, fully checked before any language model is called."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import (
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from engine.config import (
    differences,
    known_settings,
    names_in,
    read_config,
    redact,
    refuse_wording,
)
from engine.game import Game
from engine.games import GAMES, read_game
from engine.prompting import MOST_WORDINGS
from engine.ratings import TARGETS, Results
from engine.spending.validity import VALID_FROM
from engine.tournaments.anchors import AnchorScale, check_anchors, read_scales, scales_by_hand
from engine.tournaments.schedule import SCHEDULES
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.schedule.draw import Schedule as AnySchedule
from engine.tournaments.schedule.wordings import deal_wordings
from engine.tournaments.terms import (
    LONGEST_NAME,
    Covariate,
    Cup,
    Rate,
    SettingsPart,
    StopRule,
    TournamentBudgets,
    check_boundary,
    refuse_twins,
)
from protocol.names import refuse_lookalikes
from protocol.suggest import explain, one_of
from protocol.text import compose, list_names
from providers import PROVIDERS

AWAY = "-offline"
HOLDS = "name:, game:, table:, entrants: and games"
# Settings that may change during a tournament, because none of them changes a game.
FREE = ("budgets", "rates", "concurrency", "rated_from", "anchors", "title", "license")


class ScheduleChoice(SettingsPart):
    """The options of each schedule, or None if it is neither chosen nor the default."""

    @property
    def chosen(self) -> AnySchedule:
        """The chosen schedule, or else the default one."""
        usual, *others = (getattr(self, name) for name in SCHEDULES)
        chosen: AnySchedule = next((schedule for schedule in others if schedule is not None), usual)
        return chosen

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        usual, *others = SCHEDULES
        names = [name for name in others if getattr(self, name) is not None]
        names += getattr(self, usual).model_dump(exclude_defaults=True)
        if len(names) > 1 and names[0] in others:
            raise ValueError(f"expected either {names[0]} or {names[1]}: got both")
        return self


def all_schedules() -> type[ScheduleChoice]:
    """Return the class with a field for each schedule; the default schedule has default options.

    A dump omits schedules that are not chosen, so a new schedule changes no fingerprint.
    """
    absent: Any = Field(default=None, exclude_if=lambda options: options is None)
    fields: dict[str, Any] = {name: (options | None, absent) for name, options in SCHEDULES.items()}
    usual, options = next(iter(SCHEDULES.items()))
    fields[usual] = options, options()
    return create_model("Schedule", __base__=ScheduleChoice, __module__=__name__, **fields)


if TYPE_CHECKING:
    Schedule = ScheduleChoice
else:
    Schedule = all_schedules()


class TournamentSettings(Cup):
    """A tournament as its YAML describes it.

    - `game`: a game's name and all its settings, as plain data; `table`: the number of seats.
    - `entrants`: the competitors by name, each a player config whose id is that name.
    - `wordings`: how many wordings of the rules are spread evenly over the games.
    - `games`: the maximum number of games; `stop` ends play earlier, once enough is known.
    - `targets`, `direction`, `covariates`, `lots`, `anchor`, `min_games`: how to rate, as in
      `engine.ratings.fit`; the game's own values by default.
    - `anchors`: ratings that set the scale, by entrant or from another tournament's `ratings.json`.
    - `rated_from`: the share of its questions that an entrant must have answered to be rated.
    - `names`: "anonymous" (Player 1, Player 2 ...) or "own" (the entrants' names).
    - `budgets`, `rates`, `concurrency`: limits on spending, calls per minute and concurrent games.
    - `title`, `license`: the heading of a report, and the license of a data set.
    """

    title: str = ""
    license: str = ""
    # Omitted by default, so that older tournaments keep their fingerprints.
    wordings: int = Field(default=1, ge=1, le=MOST_WORDINGS, exclude_if=lambda number: number == 1)
    stop: StopRule | None = None
    schedule: Schedule = Schedule()
    covariates: tuple[Covariate, ...] = Field(default=None, validate_default=True)
    lots: Literal["played", "tie"] = "played"
    anchor: str | None = None
    anchors: dict[str, AnchorScale] = Field(default={}, exclude_if=lambda scales: not scales)
    min_games: int = Field(default=20, ge=1)
    rated_from: float = Field(default=VALID_FROM, ge=0, le=1)
    names: Literal["anonymous", "own"] = "anonymous"
    budgets: TournamentBudgets = TournamentBudgets()
    rates: dict[str, Rate] = Field(default={})

    @field_validator("game", mode="before")
    @classmethod
    def _read_game(cls, value: object) -> dict[str, Any]:
        settings = {"name": value} if isinstance(value, str) else value
        if not isinstance(settings, dict) or "name" not in settings:
            raise ValueError(f"expected game to be a mapping with a name: got {value!r:.60}")
        rest = settings | read_game(str(settings["name"]))
        name = rest.pop("name")
        if not GAMES[name].targets:
            others = ", ".join(rated for rated, game in GAMES.items() if game.targets)
            raise ValueError(
                f"expected a game with a winner: {name} has none; games with a winner are {others}"
            )
        return {"name": name, **GAMES[name].model_validate(rest).model_dump(mode="json")}

    @field_validator("entrants", mode="before")
    @classmethod
    def _name_entrants(cls, value: object) -> object:
        """Set each entrant's player id to its name."""
        if not isinstance(value, dict):
            raise ValueError(
                "expected entrants to be a mapping from names to a provider and a model each"
            )
        refuse_lookalikes(map(str, value))
        entrants = {compose(str(key)): entrant for key, entrant in value.items()}
        for name, entrant in entrants.items():
            if isinstance(entrant, dict):
                entrants[name] = entrant | {"player_id": name}
        return entrants

    _read_anchors = field_validator("anchors", mode="before")(scales_by_hand)

    @field_validator("schedule", mode="before")
    @classmethod
    def _read_schedule(cls, value: object) -> object:
        return {value: {}} if value == next(iter(SCHEDULES)) else value

    @field_validator("targets", "direction", "covariates", mode="before")
    @classmethod
    def _take_usual(cls, value: object, info: ValidationInfo) -> object:
        """Return the game's own targets, direction or covariates if none are set."""
        if value is not None or "game" not in info.data:
            return value or ()
        game = GAMES[info.data["game"]["name"]]
        if info.field_name == "covariates":
            return ("seat",) if game.rotates else ()
        return getattr(game, str(info.field_name))

    @field_validator("rates")
    @classmethod
    def _check_rates(cls, rates: dict[str, Rate]) -> dict[str, Rate]:
        for provider in rates:
            one_of(provider, PROVIDERS, "provider")
        return rates

    @model_validator(mode="after")
    def _check(self) -> Self:
        game = self.new_game()
        # Each script gets its canonical name, in place because the settings are frozen.
        for name, entrant in self.entrants.items():
            model = entrant.kind.check(entrant.model, game)
            self.entrants[name] = entrant.model_copy(update={"model": model})
        check_entrants(self)
        check_combinations(self)
        return self

    def new_game(self, changed: Mapping[str, Any] = MappingProxyType({})) -> Game[Any]:
        """Return the game to play, with `changed` replacing some of its settings."""
        settings = {**self.game, **changed}
        return GAMES[settings.pop("name")].model_validate(settings)

    def draw(self, draws: Sequence[Draw] = (), results: Results | None = None) -> Iterator[Draw]:
        """Yield the games after `draws` (see `Schedule.draw`), with their wordings."""
        fresh = self.schedule.chosen.draw(self, draws, results)
        return deal_wordings(self.wordings, self.seed, draws, fresh)

    @property
    def sha256(self) -> str:
        """The fingerprint of the settings that a resumed tournament must keep, except `games`."""
        kept = without_free(self.public())
        del kept["games"]
        text = json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()

    def public(self) -> dict[str, Any]:
        """Return the settings, without possible secrets, as plain data that can be read back."""
        public: dict[str, Any] = redact(self.model_dump(mode="json"))
        for entrant in public["entrants"].values():
            del entrant["player_id"]
        return public


def read_tournament(path: Path) -> TournamentSettings:
    """Return the settings in a YAML file; if they are invalid, raise ValueError saying why."""
    config = read_config(path, HOLDS, "configs/cups")
    anchors = config.pop("anchors") if isinstance(config.get("anchors"), str) else None
    try:
        settings = TournamentSettings.model_validate(config)
    except ValidationError as error:
        raise ValueError(f"{path}: {explain(error, setting_names(config))}") from None
    if anchors is not None:
        settings = _with_anchors(settings, Path(anchors))
    # Checked only here, so that a ledger older than this rule can still be read.
    refuse_targets(str(settings.game["name"]), settings.targets, by_payoff=False)
    return settings


def _with_anchors(settings: TournamentSettings, path: Path) -> TournamentSettings:
    game, public = str(settings.game["name"]), settings.public()
    scales = read_scales(path, settings.entrants, game, settings.targets, public)
    settings = settings.model_copy(update={"anchors": scales})
    check_anchors(settings.anchor, settings.anchors, settings.entrants, settings.targets)
    return settings


def setting_names(found: Mapping[str, Any]) -> list[str]:
    """Return every name allowed in a tournament's settings, including its entrants' names."""
    entrants = found.get("entrants")
    names = map(str, entrants if isinstance(entrants, dict) else ())
    return [*dict.fromkeys([*names_in(TournamentSettings), *known_settings(), *names])]


def check_entrants(settings: TournamentSettings) -> None:
    """Raise ValueError for too few or duplicate entrants, a person, or an impossible table."""
    entrants = settings.entrants
    settings.schedule.chosen.check_table(settings)
    people = ", ".join(name for name, each in entrants.items() if each.kind.asks == "person")
    if people:
        raise ValueError(
            f"expected no person among the entrants: {people} cannot sit at several tables at once"
        )
    if settings.schedule.chosen.compares:
        refuse_twins(entrants)
    seats = [f"Player {seat}" for seat in range(1, settings.table + 1)]
    settings.new_game().start(seats, Random(0))


def check_combinations(settings: TournamentSettings) -> None:
    """Raise ValueError for settings that conflict or name an unknown entrant."""
    stop = settings.stop
    if stop is not None:
        check_boundary("stop", stop.top, stop.separated, settings.entrants)
    settings.schedule.chosen.check(settings)
    for wording in range(2, settings.wordings + 1):
        refuse_wording(settings.new_game(), wording)
    for changed in settings.schedule.chosen.variants():
        settings.new_game(changed)
    check_anchors(settings.anchor, settings.anchors, settings.entrants, settings.targets)
    refuse_targets(settings.game["name"], settings.targets, by_payoff=True)
    for target in settings.targets:
        rule = TARGETS[target].rule
        if rule is not None and rule.table not in {None, settings.table}:
            raise ValueError(
                f"expected table: {rule.table} for the target {target}: got {settings.table}"
            )
    if "name" in settings.covariates and settings.names == "anonymous":
        raise ValueError(
            "expected names: own for the covariate name: anonymous players have no name to judge by"
        )


def refuse_targets(game: str, targets: Collection[str], *, by_payoff: bool) -> None:
    """Raise ValueError, saying why the first target is wrong, if `wrong_targets` finds any."""
    wrong = wrong_targets(game, targets, by_payoff=by_payoff)
    if wrong:
        why = f"players share most of their payoff, so {wrong[0]} would rank only the rest"
        if by_payoff:
            why = f"it pays by place, so it has no {wrong[0]} of its own"
        usual = list_names(GAMES[game].targets)
        raise ValueError(f"expected targets of {game} such as {usual}: {why}")


def wrong_targets(game: str, targets: Collection[str], *, by_payoff: bool) -> list[str]:
    """Return the targets by payoff, or else by place, if a known game has none of these."""
    rated = {name for name, target in TARGETS.items() if (target.rule is None) == by_payoff}
    if game not in GAMES or rated.intersection(GAMES[game].targets):
        return []
    return [target for target in targets if target in rated]


def changes_between(
    old: TournamentSettings, new: TournamentSettings, *, allow_changed: bool = False
) -> list[str]:
    """Return a description of each change that prevents the tournament from being resumed.

    Settings in FREE and a seat's concurrency may change, and so may targets that are no longer
    accepted. `games` may grow, and `allow_changed` permits more entrants. A redacted value counts
    as equal to any other.
    """
    before, now = (without_free(settings.public()) for settings in (old, new))
    if new.games > old.games:
        before["games"] = new.games
    if wrong_targets(old.game["name"], old.targets, by_payoff=False):
        before["targets"] = now["targets"]
    if allow_changed:
        for name in now["entrants"].keys() - before["entrants"]:
            del now["entrants"][name]
    return differences(before, now)


def without_free(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without those that may change during a tournament."""
    kept = {name: value for name, value in public.items() if name not in FREE}
    entrants = {}
    for name, seat in public["entrants"].items():
        kwargs = dict(seat["client_kwargs"])
        kwargs.pop("concurrency", None)
        entrants[name] = seat | {"client_kwargs": kwargs}
    return kept | {"entrants": entrants}


def offline(settings: TournamentSettings) -> tuple[TournamentSettings, str]:
    """Return the settings without entrants that call a model, and a sentence that names them.

    The sentence is "" if only scripts and policies play. Otherwise, the tournament is renamed
    NAME-offline. Raise ValueError if too few entrants remain.
    """
    asked = [name for name, entrant in settings.entrants.items() if not entrant.computed]
    if not asked:
        return settings, ""
    away = f"--offline leaves out {list_names(asked)}, which would be called"
    rest = [name for name in settings.entrants if name not in asked]
    if len(rest) < settings.table:
        raise ValueError(
            f"{away}, so only {len(rest)} of {settings.table} are left for a table; play without "
            "--offline"
        )
    left = _offline_among(settings, rest)
    return left, f"{away}: this is {left.name}"


def _offline_among(settings: TournamentSettings, rest: Sequence[str]) -> TournamentSettings:
    public = settings.public()
    scales = {target: scale.among(rest) for target, scale in settings.anchors.items()}
    changed = {
        "name": settings.name[: LONGEST_NAME - len(AWAY)] + AWAY,
        "entrants": {name: public["entrants"][name] for name in rest},
        "anchor": settings.anchor if settings.anchor in rest else None,
        "anchors": {target: scale for target, scale in scales.items() if scale.ratings},
    }
    return TournamentSettings.model_validate(public | changed)
