"""Parts of a tournament's settings: its games, its rates, its stop rule and its budgets."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.config import MOST_SEED
from engine.games import GAMES
from engine.ratings import TARGETS
from engine.ratings.covariates import COVARIATES
from engine.spending.budget import Limits
from player import PlayerConfig
from protocol.suggest import one_of
from providers.settings import KEY_VARIABLE

MOST_GAMES = 999_999
LONGEST_NAME = 40
Direction = Literal["top", "bottom", "auto"]
Pair = tuple[str, str]
if TYPE_CHECKING:
    Target = str
    Covariate = str
else:
    Target = Literal[tuple(TARGETS)]
    Covariate = Literal[tuple(COVARIATES)]


class SettingsPart(BaseModel):
    """Base class of settings and their parts, which are frozen and reject unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Cup(SettingsPart):
    """The settings of a tournament that its schedule reads; see `TournamentSettings`."""

    name: str = Field(pattern=rf"^[a-z0-9-]{{1,{LONGEST_NAME}}}$")
    game: dict[str, Any]
    table: int = Field(ge=1)
    entrants: dict[str, PlayerConfig]
    games: int = Field(ge=1, le=MOST_GAMES)
    targets: tuple[Target, ...] = Field(default=None, validate_default=True)
    direction: Direction = Field(default=None, validate_default=True)
    seed: int = Field(default=0, ge=-MOST_SEED, le=MOST_SEED)
    concurrency: int = Field(default=8, ge=1)

    @property
    def rotates(self) -> bool:
        """Whether seat order matters."""
        return GAMES[self.game["name"]].rotates


class OneOf(SettingsPart):
    """Settings of which exactly one must be given."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        names = [name for name, value in self if value is not None]
        if len(names) != 1:
            known, got = " or ".join(type(self).model_fields), " and ".join(names)
            raise ValueError(f"expected either {known}: got {got or 'neither'}")
        return self


class StopRule(OneOf):
    """Stop at a significant difference: of the best `top` from the rest, or within `separated`."""

    top: int | None = Field(default=None, ge=1)
    separated: Pair | None = None


def check_boundary(
    where: str, top: int | None, pair: Pair | None, entrants: Collection[str]
) -> None:
    """Raise ValueError if `pair` is not two different entrants, or if `top` covers all entrants."""
    if pair and pair[0] == pair[1]:
        raise ValueError(f"expected {where} to name two entrants: got {pair[0]} twice")
    for name in pair or ():
        one_of(name, entrants, f"entrant in {where}")
    if top is not None and top >= len(entrants):
        raise ValueError(
            f"expected top in {where} to be less than the number of entrants, {len(entrants)}: got "
            f"{top}"
        )


class TournamentBudgets(SettingsPart):
    """The budgets of all games together, like `engine.spending.budget.Limits` for one game."""

    max_cost: float | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=0)
    max_time: float | None = Field(default=None, gt=0)

    @property
    def limits(self) -> Limits:
        """These budgets, as the limits of a meter."""
        return Limits.model_validate(self.model_dump())


class Rate(SettingsPart):
    """A provider's limits per minute; None means unlimited."""

    calls_per_minute: int | None = Field(default=None, gt=0)
    tokens_per_minute: int | None = Field(default=None, gt=0)


def refuse_twins(entrants: Mapping[str, PlayerConfig]) -> None:
    """Raise ValueError if two entrants differ only in their names and keys."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name, entrant in entrants.items():
        made_from = entrant.model_dump(mode="json", exclude={"player_id"})
        made_from["client_kwargs"].pop(KEY_VARIABLE, None)
        alike[json.dumps(made_from, sort_keys=True)].append(name)
    for names in alike.values():
        if len(names) > 1:
            raise ValueError(
                f"expected entrants that differ: {' and '.join(names)} are alike, so they would "
                "be one player; leave out all but one"
            )
