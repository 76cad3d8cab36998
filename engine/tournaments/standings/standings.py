"""Everything that a tournament shows, as plain data; `ratings.json` is a dump of it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from engine.ratings import TARGETS, PairGap, Rating, Target
from engine.ratings.linking import Link
from engine.ratings.prediction import Prediction
from engine.ratings.wordings import WordingSpread
from engine.spending.costs import times

# How many digits numbers in a file keep, since later digits may differ between machines.
DIGITS = 7
DECIMALS = 9


@dataclass(frozen=True, slots=True)
class GameCounts:
    """Numbers of games: planned, by status, and by status and reason."""

    planned: int | None = None
    statuses: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of a whole, with its Wilson interval; share and ends are None if the whole is 0."""

    part: int
    whole: int
    share: float | None
    low: float | None
    high: float | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of the interval, or None if the whole is 0."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class EntrantRecord:
    """An entrant's record, independent of the target.

    `not_rated` says why the entrant has no rating, or is "" if it has one. Void games also count
    here. `failed_seats` is the share of seats with at least one fallback. `seats` counts the
    entrant's games by seat, from 1. `cost` and `tokens` are per game; None means unknown.
    """

    entrant: str
    provider: str
    model: str
    games: int
    failed_seats: Share
    failed_asks: Share
    cost: float | None
    tokens: float | None
    lots: int
    seats: Mapping[int, int]
    not_rated: str = ""

    @property
    def total_cost(self) -> float | None:
        """The cost of all the entrant's games in dollars, or None if unknown."""
        return times(self.cost, self.games)

    @property
    def who(self) -> str:
        """The player that answers for the entrant, in the form that commands use."""
        return ":".join(filter(None, (self.provider, self.model)))


@dataclass(frozen=True, slots=True)
class EffectRow:
    """A covariate or an instrument of bias: its estimate and interval, in its `unit`.

    `share` (0 to 1, with its interval) is the share of votes or seats that the effect concerns.
    """

    name: str
    estimate: float
    low: float
    high: float
    p_adjusted: float | None = None
    sentence: str = ""
    unit: str = ""
    share: float | None = None
    share_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class MisfitRow:
    """How far games are from the fit: the sum of squared z over its expectation, also by stage."""

    ratio: float | None
    stages: tuple[float, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Answering:
    """An entrant's ratings with and without its play after failures.

    `plain` counts all choices, and `censored` only those before the entrant's first failed answer
    in a game. `price` is how far failures moved the rating. Places are read from the bottom.
    """

    entrant: str
    plain: Rating
    censored: Rating
    price: float


@dataclass(frozen=True, slots=True)
class TargetTable:
    """The table of one target; `rows` is sorted best first, but only ranks show real differences.

    `below` lists the entrants with too few games for a rank, and `first_group` those that may be
    the best. If any seat failed, `answering` lists the entrants with enough choices before their
    failures. `wordings` lists each entrant's spread over wordings, if several were played.
    `against` lists the pairs of one entrant, if requested, with p adjusted for these pairs alone.
    `covariance` is in the order of `entrants`, in fitted units squared. `link` joins the table to
    the scale of anchors, in logits, and `scale` describes the link.
    """

    target: str
    direction: str
    unit: str
    games: int
    blocks: int
    rows: tuple[Rating, ...]
    below: tuple[Rating, ...]
    first_group: tuple[str, ...]
    critical: float
    pairs: tuple[PairGap, ...]
    against: tuple[PairGap, ...]
    covariates: tuple[EffectRow, ...]
    held_out: Mapping[str, float]
    misfit: MisfitRow
    parts: tuple[tuple[str, ...], ...]
    answering: tuple[Answering, ...]
    wordings: tuple[WordingSpread, ...]
    loglik: float
    entrants: tuple[str, ...]
    covariance: tuple[tuple[float, ...], ...]
    notes: tuple[str, ...]
    sentence: str
    link: Link | None = None
    scale: tuple[str, ...] = ()
    prediction: Prediction | None = None

    @property
    def kind(self) -> Target:
        """The target's row in TARGETS."""
        return TARGETS[self.target]

    @property
    def all_rows(self) -> tuple[Rating, ...]:
        """All rows, with those in `below` last."""
        return self.rows + self.below


@dataclass(frozen=True, slots=True)
class Evenness:
    """The (minimum, maximum) of games, games per seat and meetings; `met`: meetings by pair."""

    games: tuple[int, int]
    seats: tuple[int, int]
    meetings: tuple[int, int]
    met: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class RankVariant:
    """Ranks from 1 by the choice `name`, or without the entrant or provider (`left_out`) `name`."""

    name: str
    left_out: str
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Each entrant's rank, by rating alone, in the first table and in the table's variants."""

    target: str
    ranks: Mapping[str, int]
    variants: tuple[RankVariant, ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """Everything that is published about a tournament.

    `settings` has the rating options and a tournament's settings, except keys. `made_with` maps
    software to versions. `lots` is the share of seats placed by a random tie-break, and
    `same_provider` is the share of tables at which two models have the same provider.
    """

    name: str
    game: str
    settings: Mapping[str, Any]
    made_with: Mapping[str, str]
    counts: GameCounts
    entrants: tuple[EntrantRecord, ...]
    targets: tuple[TargetTable, ...]
    exposure: Evenness
    lots: Share
    same_provider: Share
    bias: tuple[EffectRow, ...]
    notes: tuple[str, ...]
    sentence: str
    sensitivity: Sensitivity | None = None
    plan: tuple[str, ...] = ()

    @property
    def unrated(self) -> tuple[EntrantRecord, ...]:
        """The entrants that are not rated."""
        return tuple(record for record in self.entrants if record.not_rated)

    @property
    def title(self) -> str:
        """The heading of a report."""
        return str(self.settings.get("title") or self.name)

    def plain(self) -> dict[str, Any]:
        """Return the standings as JSON data, with numbers rounded as in `short_number`."""
        data: dict[str, Any] = map_parts(short_number, asdict(self))
        return data


def attributes_of(value: object, *names: str) -> dict[str, Any]:
    """Return the attributes with these names, by name."""
    return {name: getattr(value, name) for name in names}


def map_parts(change: Callable[[Any], Any], value: Any) -> Any:
    """Return plain data with `change` applied to each number and text in it."""
    if isinstance(value, Mapping):
        return {str(name): map_parts(change, part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [map_parts(change, part) for part in value]
    return change(value)


def short_number(value: Any) -> Any:
    """Round a float to digits that are the same on every machine; return None if not finite."""
    if not isinstance(value, float):
        return value
    if not isfinite(value):
        return None
    rounded = round(value, DECIMALS)
    # + 0.0 turns -0.0 into 0.0.
    return float(f"{rounded:.{DIGITS}g}") + 0.0
