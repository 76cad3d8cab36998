"""What a game may spend: its limits, the meter that counts, and the client that makes no call when all is spent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.spending.costs import dollars, plus, price
from player import ASKS
from providers import (
    PROVIDERS,
    Client,
    Completion,
    CompletionRequest,
    FatalError,
    SettingError,
    Usage,
)

ONE_TOKEN = Usage(1, 0, 1, 0)
MEND = "mend model or client_kwargs, and try them with --check"


class Limits(BaseModel):
    """How far a game goes: `asks` attempts at most before the fallback stands, and what all its calls may take.

    `max_cost` is in dollars, `max_tokens` counts prompts and answers, `max_calls` the attempts at
    answers (one that passing faults make its client repeat is still one), `max_time` the seconds of
    one run. The budgets are no part of what a game is made from, so they are left out of dumps: a
    stopped game goes on with larger ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: int = Field(default=ASKS, ge=1, le=10)
    max_cost: float | None = Field(
        default=None, gt=0, exclude=True, description="dollars that all calls may cost"
    )
    max_tokens: int | None = Field(
        default=None, gt=0, exclude=True, description="tokens that all calls may take"
    )
    max_calls: int | None = Field(
        default=None, ge=0, exclude=True, description="calls of models at most"
    )
    max_time: float | None = Field(
        default=None, gt=0, exclude=True, description="seconds that this run may take"
    )

    @property
    def budgets(self) -> dict[str, float]:
        """The budgets that are set, by name."""
        return {name: value for name in BUDGETS if (value := getattr(self, name)) is not None}


BUDGETS = ("max_cost", "max_tokens", "max_calls", "max_time")


class BudgetReached(Exception):  # noqa: N818 - it is no fault: the game stops as it was told to
    """A budget is used up; the message says which, and what was spent by now, the calls in flight included.

    `untold` is what an endpoint does not tell, so that the budget cannot be kept.
    """

    def __init__(self, budget: str, meter: "Meter", untold: str = "") -> None:
        super().__init__(budget)
        self.meter = meter
        self.untold = untold

    def __str__(self) -> str:
        why = (
            f"cannot be kept, since an endpoint does not tell {self.untold}"
            if self.untold
            else "is used up"
        )
        return f"{self.args[0]} {why}: {self.meter.spent}"


@dataclass
class Meter:
    """Counts what one game spends, and for `whole` what all games of a batch spend together.

    A call counts when it begins, its tokens and cost when it is answered: so `max_calls` is never
    passed, the other budgets by the calls in flight at most. `answered` are the players whose model
    has answered anything yet.
    """

    limits: Limits
    clock: Callable[[], datetime]
    whole: "Meter | None" = None
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    uncounted: bool = False
    answered: set[str] = field(default_factory=set)
    began: datetime | None = None

    def start(self) -> None:
        """Begin to measure the time."""
        if self.limits.max_time is not None and self.began is None:
            self.began = self.clock()

    def begin(self) -> None:
        """Count a call that is about to be made; BudgetReached if there is nothing left for it."""
        meters = [meter for meter in (self.whole, self) if meter is not None]
        for meter in meters:
            meter.check()
        for meter in meters:
            meter.calls += 1

    def add(self, seat: Mapping[str, Any], usage: Usage) -> None:
        """Count what an answered call of `seat` took."""
        self.answered.add(seat["player_id"])
        tokens, cost = usage.prompt_tokens + usage.completion_tokens, price(seat, usage)
        for meter in (self.whole, self):
            if meter is not None:
                meter.tokens += tokens
                meter.cost = plus(meter.cost, cost)
                meter.uncounted = meter.uncounted or not tokens

    def check(self) -> None:
        """Raise BudgetReached if no further call may be made."""
        limits = self.limits
        if limits.max_calls is not None and self.calls >= limits.max_calls:
            raise BudgetReached(f"the budget of {limits.max_calls} calls", self)
        if limits.max_tokens is not None and (self.uncounted or self.tokens >= limits.max_tokens):
            untold = "its tokens" if self.uncounted else ""
            raise BudgetReached(f"the budget of {limits.max_tokens} tokens", self, untold)
        if limits.max_cost is not None and (self.cost is None or self.cost >= limits.max_cost):
            untold = "what a call cost" if self.cost is None else ""
            raise BudgetReached(f"the budget of ${limits.max_cost:g}", self, untold)
        self.check_time()

    def check_time(self) -> None:
        """Raise BudgetReached if the time is over."""
        if self.whole is not None:
            self.whole.check_time()
        if self.began is not None and (self.clock() - self.began).total_seconds() >= (
            self.limits.max_time or 0
        ):
            raise BudgetReached(f"the time of {self.limits.max_time:g} s", self)

    @property
    def spent(self) -> str:
        """What was spent, in words."""
        return f"{self.calls} calls, {self.tokens} tokens, cost {dollars(self.cost)}"

    def resume(
        self, recorded: Mapping[Any, Mapping[str, Any]], seats: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Count the recorded calls of the models among `seats`; those of a game that was forked are not this one's."""
        for entry in recorded.values():
            if "asked" in entry and (seat := seats.get(entry["player"])) is not None:
                self.calls += 1
                if "completion" in entry:
                    self.add(seat, Usage(**entry["completion"]["usage"]))


@dataclass(frozen=True)
class MeteredClient:
    """A client whose every call is counted, and refused once the budget is used up.

    Whose very first question the provider refuses for a setting or the model would be refused them
    all: that is fatal, not a fault of this one question.
    """

    client: Client
    meter: Meter
    seat: Mapping[str, Any]

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`; BudgetReached, before any call, if nothing is left for it."""
        self.meter.begin()
        try:
            completion = await self.client.complete(request)
        except SettingError as error:
            if self.seat["player_id"] in self.meter.answered:
                raise
            raise FatalError(f"{str(error).rstrip('.')} ({MEND})") from None
        self.meter.add(self.seat, completion.usage)
        return completion


def seat_of(config: BaseModel) -> dict[str, Any]:
    """Return a player's config as plain data, without its key."""
    return config.model_dump(mode="json")


def check_prices(limits: Limits, seats: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise ValueError for a budget in dollars when a seat's price is unknown, and not told with each answer."""
    if limits.max_cost is None:
        return
    blind = [one for one in seats.values() if not PROVIDERS[one["provider"]].tells_cost]
    unknown = [
        f"{one['provider']}:{one['model']}" for one in blind if price(one, ONE_TOKEN) is None
    ]
    if unknown:
        raise ValueError(
            f"expected known prices for max_cost: that of {', '.join(sorted({*unknown}))} is not in the table; "
            "bound the game by max_tokens or max_calls"
        )
