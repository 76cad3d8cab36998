"""How results are rated: the targets, the options, and the models that play as entrants."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from engine.spending.validity import VALID_FROM
from engine.tournaments.anchors import Scales, one_anchor
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.standings import attributes_of
from engine.tournaments.terms import Pair

# The fields that are also tournament settings.
SETTINGS = ("direction", "covariates", "min_games", "rated_from", "lots", "seed")


@dataclass(frozen=True, slots=True)
class Method:
    """Everything that a rating depends on besides the results.

    `models` maps entrants to provider and model, if known. `settings` are shown and are stored in
    `ratings.json`. `anchors` maps targets to the ratings that set their scale. Play stops before
    all `planned` games are played if the best `stop_top` differ significantly from all others, or
    the two in `stop_pair` from each other. `plan` says whether the plan was followed.
    """

    name: str
    game: str
    targets: tuple[str, ...]
    direction: str = "top"
    covariates: tuple[str, ...] = ()
    min_games: int = 20
    rated_from: float = VALID_FROM
    anchors: Scales = field(default_factory=dict)
    lots: str = "played"
    prior_sd: float | None = 3.0
    seed: int = 0
    against: str | None = None
    planned: int = 0
    stop_top: int = 0
    stop_pair: Pair | None = None
    models: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: TournamentSettings) -> "Method":
        """Return the method in a tournament's settings."""
        stop, entrants = settings.stop, settings.entrants.items()
        return cls(
            name=settings.name,
            game=str(settings.game["name"]),
            anchors=one_anchor(settings.anchor) if settings.anchor else settings.anchors,
            planned=settings.games,
            stop_top=stop.top or 0 if stop else 0,
            stop_pair=stop.separated if stop else None,
            models={name: (seat.provider, seat.model or "") for name, seat in entrants},
            settings=settings.public(),
            **attributes_of(settings, "targets", *SETTINGS),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> "Method":
        """Return the method written by `to_json`; raise ValueError for other data."""
        return TypeAdapter(cls).validate_json(text)

    def to_json(self) -> str:
        """Return the method as JSON without settings; with the rows, it reproduces the ratings."""
        return TypeAdapter(Method).dump_json(replace(self, settings={}), indent=1).decode() + "\n"

    def terms(self) -> dict[str, Any]:
        """Return the options that determine the rating, as plain data."""
        terms = attributes_of(self, *SETTINGS, "prior_sd", "against")
        terms["anchors"] = {name: scale.model_dump() for name, scale in self.anchors.items()}
        return terms | {"targets": list(self.targets), "covariates": list(self.covariates)}
