"""A game's budget: its limits, the meter of its spending, and a client that stops at a limit."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.record.journal import Clock, Stopwatch
from engine.spending.costs import SeatData, dollars, has_no_price, plus, price
from engine.spending.validity import VALID_FROM
from player import ASKS
from protocol.answer import Plain
from providers import (
    PROVIDERS,
    Client,
    Completion,
    CompletionRequest,
    FatalError,
    FormError,
    ProviderError,
    SettingError,
    UnreachableError,
    Usage,
)

MEND = "fix model or client_kwargs, then test them with --check"
HURRY = "is the address right? If so, set a longer timeout in client_kwargs"


class Limits(BaseModel):
    """A game's limits: attempts at each question, budgets, and the share of answers required.

    After `asks` attempts, the fallback counts as the answer. `valid_from` is the share of questions
    that a seat must have answered itself (see `engine.spending.validity`); it does not affect play,
    so a resumed game can change it. `max_cost` is in dollars, and `max_tokens` counts prompts and
    answers. `max_calls` counts attempts at answers, but not the client's retries after transient
    faults. `max_time` is in seconds per run. Budgets are not part of a game's settings: dumps omit
    them, and a stopped game can be resumed with larger ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: int = Field(default=ASKS, ge=1, le=10)
    # Omitted by default, so that replaying older logs reproduces their bytes.
    valid_from: float = Field(
        default=VALID_FROM, ge=0, le=1, exclude_if=lambda share: share == VALID_FROM
    )
    max_cost: float | None = Field(
        default=None, gt=0, exclude=True, description="maximum cost of all calls, in dollars"
    )
    max_tokens: int | None = Field(
        default=None, gt=0, exclude=True, description="maximum tokens for all calls"
    )
    max_calls: int | None = Field(
        default=None, ge=0, exclude=True, description="maximum number of model calls"
    )
    max_time: float | None = Field(
        default=None, gt=0, exclude=True, description="maximum duration of this run, in seconds"
    )

    @property
    def budgets(self) -> dict[str, float]:
        """The budgets that are set, by name."""
        values = {name: getattr(self, name) for name in BUDGETS}
        return {name: value for name, value in values.items() if value is not None}

    def without_budgets(self) -> "Limits":
        """Return these limits without the budgets."""
        return self.model_copy(update=dict.fromkeys(BUDGETS))


BUDGETS = ("max_cost", "max_tokens", "max_calls", "max_time")


class BudgetReached(Exception):  # noqa: N818 - not a fault: the game stops as requested
    """A budget is used up; the message names it and the amount spent, including calls in flight.

    `untold` names a figure that the endpoint does not report, so the budget cannot be enforced.
    """

    def __init__(self, budget: str, meter: "Meter", untold: str = "") -> None:
        # Another process rebuilds an exception from its arguments.
        super().__init__(budget, meter, untold)
        self.meter = meter
        self.untold = untold

    def __str__(self) -> str:
        why = "is used up"
        if self.untold:
            why = f"cannot be enforced, because an endpoint does not report {self.untold}"
        return f"{self.args[0]} {why}: {self.meter.spent}"


@dataclass
class Contact:
    """Tracks whether a seat has received an answer or a fault from the provider itself."""

    made: bool = False
    under_way: int = 0
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self, call: Awaitable[Completion]) -> Completion:
        """Await `call` and note whether it reached the provider."""
        self.under_way += 1
        self.settled.clear()
        try:
            completion = await call
            self.made = True
            return completion
        except ProviderError as error:
            if not isinstance(error, UnreachableError):
                self.made = True
            raise
        finally:
            self.under_way -= 1
            if self.made or not self.under_way:
                self.settled.set()

    async def was_made(self) -> bool:
        """Return whether the provider was reached; wait while a pending call may still reach it."""
        if not self.made:
            await self.settled.wait()
        return self.made


@dataclass
class Meter:
    """Counts one game's spending; `whole` counts the spending of all games in a batch.

    A call is counted when it begins; its tokens and cost are counted when it is answered. So
    `max_calls` is never exceeded, and only calls in flight can exceed other budgets. `answered`
    contains the players whose model has answered; `contacts` records by player whether the provider
    was reached. After `most_events` events, if set, a game asks no more questions.
    """

    limits: Limits
    clock: Clock
    whole: "Meter | None" = None
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    uncounted: bool = False
    answered: set[str] = field(default_factory=set)
    contacts: dict[str, Contact] = field(default_factory=lambda: defaultdict(Contact))
    watch: Stopwatch | None = None
    most_events: int | None = None

    def start(self) -> None:
        """Start measuring the time."""
        if self.limits.max_time is not None and self.watch is None:
            self.watch = Stopwatch(self.clock)

    def begin(self) -> None:
        """Count a call about to be made; raise BudgetReached if no budget is left for it."""
        meters = self._meters
        for meter in meters:
            meter.check()
        for meter in meters:
            meter.calls += 1

    def take_back(self) -> None:
        """Undo the counting of a call by `begin`."""
        for meter in self._meters:
            meter.calls -= 1

    def add(self, seat: SeatData, usage: Usage) -> None:
        """Count the tokens and the cost of an answered call of `seat`."""
        self._count(seat, usage, self._meters)

    def _count(self, seat: SeatData, usage: Usage, meters: Iterable["Meter"]) -> None:
        self.answered.add(seat["player_id"])
        tokens = usage.prompt_tokens + usage.completion_tokens
        cost = price(seat, usage)
        for meter in meters:
            meter.tokens += tokens
            meter.cost = plus(meter.cost, cost)
            meter.uncounted = meter.uncounted or not tokens

    @property
    def _meters(self) -> list["Meter"]:
        return [self] if self.whole is None else [self.whole, self]

    def check(self) -> None:
        """Raise BudgetReached if no further call is allowed."""
        most = self.limits.max_calls
        if most is not None and self.calls >= most:
            raise BudgetReached(f"the budget of {most} calls", self)
        most = self.limits.max_tokens
        if most is not None and (self.uncounted or self.tokens >= most):
            untold = "its tokens" if self.uncounted else ""
            raise BudgetReached(f"the budget of {most} tokens", self, untold)
        bound = self.limits.max_cost
        if bound is not None and (self.cost is None or self.cost >= bound):
            untold = "what a call cost" if self.cost is None else ""
            raise BudgetReached(f"the budget of ${bound:g}", self, untold)
        self.check_time()

    def check_time(self) -> None:
        """Raise BudgetReached if the time is up."""
        if self.whole is not None:
            self.whole.check_time()
        if self.watch is not None and self.watch.seconds() >= (self.limits.max_time or 0):
            raise BudgetReached(f"the time of {self.limits.max_time:g} s", self)

    def check_events(self, events: int) -> None:
        """Raise BudgetReached if a game with this many events may not continue."""
        if self.most_events is not None and events >= self.most_events:
            raise BudgetReached(f"the bound of {self.most_events:,} events", self)

    @property
    def spent(self) -> str:
        """The amounts spent, as text."""
        return f"{self.calls} calls, {self.tokens} tokens, cost {dollars(self.cost)}"

    def resume(
        self, recorded: Mapping[Any, Mapping[str, Any]], seats: Mapping[str, SeatData]
    ) -> None:
        """Count the recorded calls of the models in `seats`, in this meter only.

        `whole` has counted them already. A fork does not count answers copied from its original.
        """
        for entry in recorded.values():
            seat = seats.get(entry["player"])
            if seat is None or "asked" not in entry:
                continue
            self.calls += 1
            self.contacts[entry["player"]].made = True
            if "completion" in entry:
                self._count(seat, Usage(**entry["completion"]["usage"]), [self])


@dataclass(frozen=True)
class MeteredClient:
    """A client that counts every call, and rejects calls once the budget is used up.

    Raises FatalError if a player's first question reaches no server, or if the provider rejects a
    setting or the model, since all the player's questions would fail the same way.
    """

    client: Client
    meter: Meter
    seat: SeatData

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`; raise BudgetReached, without a call, if no budget is left for it."""
        self.meter.begin()
        player_id = self.seat["player_id"]
        contact = self.meter.contacts[player_id]
        try:
            completion = await contact.watch(self.client.complete(request))
        except UnreachableError as error:
            if await contact.was_made():
                raise
            provider = PROVIDERS[self.seat["provider"]]
            remedy = HURRY if error.late else provider.when_away
            raise FatalError(f"{error} ({remedy})") from None
        except FormError:
            # A rejected trial does not count as a call: it is repeated at once, in another form.
            self.meter.take_back()
            raise
        except SettingError as error:
            if player_id in self.meter.answered:
                raise
            raise FatalError(f"{str(error).rstrip('.')} ({MEND})") from None
        self.meter.add(self.seat, completion.usage)
        return completion


def seat_of(config: BaseModel) -> Plain:
    """Return a player's config as plain data, without the API key."""
    return config.model_dump(mode="json")


def check_prices(limits: Limits, seats: Mapping[str, SeatData]) -> None:
    """Raise ValueError if there is a budget in dollars but a model's price is unknown."""
    if limits.max_cost is None:
        return
    unknown = ", ".join(models_without_price(seats.values()))
    if unknown:
        raise ValueError(
            f"expected known prices for max_cost: the price table does not list {unknown}; limit "
            "the game with max_tokens or max_calls"
        )


def models_without_price(seats: Iterable[SeatData]) -> list[str]:
    """Return the models that have no price in the table and whose answers report no cost."""
    return sorted({f"{seat['provider']}:{seat['model']}" for seat in seats if has_no_price(seat)})
