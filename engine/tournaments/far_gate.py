"""The single gate that all machines share, and the clients that use it on each machine."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from client_factory import ClientConfig, ClientFactory
from engine.record.journal import utc_now
from engine.spending.budget import BudgetReached, Limits, Meter
from engine.tournaments.gate import CallNeeds, Gate, Permits
from engine.tournaments.terms import Rate
from providers import Client, Completion, CompletionRequest, FormError, Usage


@dataclass(frozen=True)
class GateState:
    """The gate's state: whether it is open, the spending, the calls begun, and why calls wait.

    `opened` is False until the gate is opened, and again after a restart. `begun` counts the calls
    since the opening.
    """

    opened: bool
    spent: Meter
    begun: int
    waiting: str


class GateActor(Gate):
    """The gate and meter of all nodes; calls wait until the gate is opened or reopened."""

    def __init__(self, rates: Mapping[str, Rate]) -> None:
        super().__init__(rates)
        self.meter = Meter(Limits(), utc_now)
        self.opened = asyncio.Event()
        self.begun = 0

    async def open(self, spent: Meter, idle: float | None) -> None:
        """Let calls begin within the limits of `spent`; the last call was `idle` seconds ago."""
        self.meter = spent
        self.used_at = None if idle is None else self.clock() - idle
        self.meter.start()
        self.opened.set()

    async def begin(self) -> BudgetReached | None:
        """Count a call that is about to begin, or return why it may not begin."""
        await self.opened.wait()
        try:
            self.meter.begin()
        except BudgetReached as error:
            return error
        self.begun += 1
        return None

    async def take_back(self) -> None:
        """Undo the counting of a call whose answer format was rejected."""
        self.meter.take_back()

    async def add(self, seat: dict[str, Any], usage: Usage) -> None:
        """Count the tokens and the cost of an answered call."""
        await self.opened.wait()
        self.meter.add(seat, usage)

    async def permit(self, needs: CallNeeds) -> int:
        """Wait until the call may begin, and return the number of its permit."""
        await self.opened.wait()
        return await super().permit(needs)

    async def state(self) -> GateState:
        """Return the gate's state."""
        return GateState(self.opened.is_set(), self.meter, self.begun, self.waiting())


@dataclass(frozen=True)
class FarPermits(Permits):
    """The permits of a gate on another machine; `settle` does not wait for a reply."""

    gate: Any
    rates: Mapping[str, Rate]

    async def permit(self, needs: CallNeeds) -> int:
        """Wait until the call may begin, and return the number of its permit."""
        number: int = await self.gate.permit.remote(needs)
        return number

    def settle(self, number: int, tokens: int) -> None:
        """Report how many tokens the call with this permit used."""
        self.gate.settle.remote(number, tokens)


@dataclass(frozen=True)
class FarMeteredClient:
    """A client whose calls the gate counts, and rejects once a budget is used up."""

    client: Client
    gate: Any
    seat: dict[str, Any]

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`; raise BudgetReached before the call if no budget is left for it."""
        refusal: BudgetReached | None = await self.gate.begin.remote()
        if refusal is not None:
            raise refusal
        try:
            completion = await self.client.complete(request)
        except FormError:
            self.gate.take_back.remote()
            raise
        self.gate.add.remote(self.seat, completion.usage)
        return completion


class NodeFactory(ClientFactory):
    """Creates the clients of one Ray actor; the gate admits and counts their calls."""

    def __init__(self, gate: Any, rates: Mapping[str, Rate]) -> None:
        super().__init__(gate=FarPermits(gate, rates).client)
        self.gate = gate

    def get(self, config: ClientConfig) -> Client:
        """Return the client of `config`; raise ValueError if it cannot be made."""
        kwargs = {"base_url": config.base_url}
        seat = {"player_id": "", "provider": config.provider, "model": config.model}
        return FarMeteredClient(super().get(config), self.gate, seat | {"client_kwargs": kwargs})
