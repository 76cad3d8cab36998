"""The parts of a tournament's settings: its schedule, when it stops, what it may spend."""

from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.ratings import TARGETS
from engine.ratings.covariates import COVARIATES
from engine.spending.budget import Limits

Direction = Literal["top", "bottom", "auto"]
Pair = tuple[str, str]
if TYPE_CHECKING:
    Target = str
    Covariate = str
else:
    Target = Literal[tuple(TARGETS)]
    Covariate = Literal[tuple(COVARIATES)]


class SettingsPart(BaseModel):
    """A part of the settings: frozen, and without any setting that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class OneOf(SettingsPart):
    """Settings of which exactly one is given."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        given = [name for name, value in self if value is not None]
        if len(given) != 1:
            known = " or ".join(type(self).model_fields)
            got = " and ".join(given) or "neither"
            raise ValueError(f"expected either {known}: got {got}")
        return self


class StopRule(OneOf):
    """When enough is known: the best `top` are told from all others, or two from each other."""

    top: int | None = Field(default=None, ge=1)
    separated: Pair | None = None


class Balanced(SettingsPart):
    """Everybody plays as often; with `mirror` each table in all rotations of its seats."""

    mirror: bool = False


class Adaptive(OneOf):
    """Half of the games go to those near a boundary: below the best `top`, or between a pair."""

    top: int | None = Field(default=None, ge=1)
    pair: Pair | None = None


class Schedule(SettingsPart):
    """Who meets whom: balanced, unless it is adaptive."""

    balanced: Balanced = Balanced()
    adaptive: Adaptive | None = None

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if self.adaptive and self.balanced.mirror:
            raise ValueError("expected either adaptive or mirror: got both")
        return self


class TournamentBudgets(SettingsPart):
    """What all games together may spend, as `engine.spending.budget.Limits` has it for one."""

    max_cost: float | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=0)
    max_time: float | None = Field(default=None, gt=0)

    @property
    def limits(self) -> Limits:
        """These budgets as the limits of a meter."""
        return Limits.model_validate(self.model_dump())


class Rate(SettingsPart):
    """What a provider allows in a minute; None is no bound."""

    calls_per_minute: int | None = Field(default=None, gt=0)
    tokens_per_minute: int | None = Field(default=None, gt=0)
