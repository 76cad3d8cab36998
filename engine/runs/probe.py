"""Ask each client once, as briefly as can be, to see that key, model and settings hold before a game needs them."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from rich.console import Console

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig
from engine.report.tables import Table
from engine.spending.budget import seat_of
from engine.spending.costs import dollars, plus, price
from engine.views.terminal import grid_of, safe_text
from providers import PROVIDERS, CompletionRequest, Message, ProviderError, RequestError, Usage

# The Responses API takes no fewer tokens.
FEWEST = 16
READY = {"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"]}
PROBE = CompletionRequest(
    "Answer as JSON.",
    (Message("user", ("Are you ready?",)),),
    schema=READY | {"additionalProperties": False},
    schema_name="Ready",
    max_tokens=FEWEST,
    may_think=False,
)


@dataclass(frozen=True)
class Probe:
    """What came of asking one client: whose it is, how long it took, what it cost (None: unknown), what went wrong."""

    who: str
    players: tuple[str, ...]
    seconds: float
    usage: Usage
    cost: float | None
    fault: ProviderError | None = None

    @property
    def state(self) -> str:
        """Whether it "answers", the provider "refused" the request as it stands, or it "failed" otherwise."""
        return (
            "answers"
            if self.fault is None
            else "refused"
            if isinstance(self.fault, RequestError)
            else "failed"
        )


async def probe_all(config: GameEngineConfig, factory: ClientFactory) -> list[Probe]:
    """Ask each distinct client of the players in `config` at the same time, once; ValueError if one cannot be made."""
    found: dict[str, tuple[ClientConfig, dict[str, Any], list[str]]] = {}
    for player in config.player_configs:
        if player.provider in PROVIDERS:
            own = ClientConfig.for_player(
                player.provider, player.model, player.api_key, player.client_kwargs
            )
            once = own.model_copy(update={"max_attempts": 1})
            found.setdefault(once.identity, (once, seat_of(player), []))[2].append(player.player_id)
    for client, *_ in found.values():
        factory.get(client)
    try:
        return [*await asyncio.gather(*(probe(factory, *one) for one in found.values()))]
    finally:
        await factory.aclose()


async def probe(
    factory: ClientFactory, client: ClientConfig, seat: dict[str, Any], players: Sequence[str]
) -> Probe:
    """Ask one client; whatever it answers, however short it was cut, will do."""
    who, began, fault, usage = f"{client.provider}:{client.model}", time.monotonic(), None, Usage()
    try:
        usage = (await factory.get(client).complete(PROBE)).usage
    except ProviderError as error:
        fault = error
    cost = price(seat, usage) if fault is None else 0.0
    return Probe(who, tuple(players), time.monotonic() - began, usage, cost, fault)


def show_probes(config: GameEngineConfig, screen: Console, errors: Console) -> list[Probe]:
    """Ask all clients and print a line for each, a sentence for each that is amiss, and what the asking took."""
    with errors.status("Asking each client once ..."):
        probes = asyncio.run(probe_all(config, ClientFactory()))
    if not probes:
        screen.print("Nobody at this table is a model: there is no client to ask.", highlight=False)
        return []
    screen.print(grid_of(table_of(probes), safe_text))
    for one in probes:
        if one.fault is not None:
            errors.print(safe_text(f"{', '.join(one.players)}: {one.fault}"), soft_wrap=True)
    answering = sum(one.fault is None for one in probes)
    usage = sum((one.usage for one in probes), Usage())
    tokens, cost = (
        usage.prompt_tokens + usage.completion_tokens,
        reduce(plus, (one.cost for one in probes)),
    )
    told = f"{answering} client{'s answer' if answering != 1 else ' answers'}"
    amiss = f", {len(probes) - answering} not" if answering < len(probes) else ""
    screen.print(
        f"{told}{amiss}; asking took {tokens} tokens, cost {dollars(cost)}.",
        highlight=False,
        soft_wrap=True,
    )
    return probes


def table_of(probes: Sequence[Probe]) -> Table:
    """Return a row for each client."""
    columns = ("client", "players", "state", "seconds", "tokens", "cost")
    rows = (
        (
            one.who,
            ", ".join(one.players),
            one.state,
            round(one.seconds, 1),
            one.usage.prompt_tokens + one.usage.completion_tokens,
            dollars(one.cost),
        )
        for one in probes
    )
    return Table("", columns, tuple(rows))
