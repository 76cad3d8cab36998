"""Ask each client one tiny question, to check the key, model and settings before a game."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig
from engine.report.tables import Table, TableRow
from engine.spending.budget import seat_of
from engine.spending.costs import SeatData, dollars, price, total_cost
from engine.views.screen import Screen, safe_text
from protocol.forms import SeatForm
from providers import (
    PROVIDERS,
    CompletionRequest,
    FatalError,
    Message,
    ProviderError,
    RequestError,
    Usage,
)

# The Responses API accepts no lower limit.
FEWEST = 16
COLUMNS = ("client", "players", "state", "seconds", "tokens", "cost")
# Only a model held to the schema would answer this.
QUITE = {"type": "string", "enum": ["quite"]}
READY = {
    "type": "object",
    "properties": {"ready": QUITE},
    "required": ["ready"],
    "additionalProperties": False,
}
IGNORES = "answers, but ignores the schema: add ?structured=false to its seat"
REFUSES = "answers, but refuses the schema: structured: false skips its trial in each game"
PROBE = CompletionRequest(
    "Answer as JSON.",
    (Message("user", ("Are you ready?",)),),
    schema=READY,
    schema_name="Ready",
    max_tokens=FEWEST,
    may_think=False,
)


@dataclass(frozen=True)
class Probe:
    """How one client answered: the players that use it, the time and cost, and any fault.

    `cost` is in dollars, or None if unknown. `obeys` is whether the answer fits its schema or needs
    none, and `refuses` is whether the endpoint rejects schemas.
    """

    who: str
    players: tuple[str, ...]
    seconds: float
    usage: Usage
    cost: float | None
    fault: ProviderError | None = None
    obeys: bool = True
    refuses: bool = False

    @property
    def state(self) -> str:
        """The result: "answers", "no schema" (the client ignores it), "refused" or "failed"."""
        if self.fault is None:
            return "answers" if self.obeys else "no schema"
        return "refused" if isinstance(self.fault, RequestError | FatalError) else "failed"

    @property
    def doubt(self) -> str:
        """The fault, or the reason why the client's answers may be unusable, or "" if neither."""
        if self.fault is not None:
            return str(self.fault)
        return "" if self.obeys else f"{self.who} {REFUSES if self.refuses else IGNORES}"


async def probe_all(config: GameEngineConfig, factory: ClientFactory) -> list[Probe]:
    """Probe all distinct clients of the players in `config` concurrently, each once."""
    clients: dict[str, tuple[ClientConfig, SeatData, list[str]]] = {}
    for player in config.player_configs:
        if player.provider in PROVIDERS:
            client_config = ClientConfig.for_player(
                player.provider, player.model, player.api_key, player.client_kwargs
            )
            # The client makes no second attempt.
            client = client_config.model_copy(update={"max_attempts": 1})
            _, _, players = clients.setdefault(client.identity, (client, seat_of(player), []))
            players.append(player.player_id)
    for client, *_ in clients.values():
        factory.get(client)
    try:
        return [*await asyncio.gather(*(probe(factory, *key) for key in clients.values()))]
    finally:
        await factory.aclose()


async def probe(
    factory: ClientFactory, client: ClientConfig, seat: SeatData, players: Sequence[str]
) -> Probe:
    """Probe one client; any answer counts, even one that is truncated or ignores the schema."""
    who = f"{client.provider}:{client.model}"
    began = time.monotonic()
    form = SeatForm()
    try:
        completion = await form.ask(PROBE, factory.get(client))
    except ProviderError as error:
        return Probe(who, tuple(players), time.monotonic() - began, Usage(), 0.0, error)
    seconds = time.monotonic() - began
    usage = completion.usage
    # With structured: false, a client is not held to the form.
    free = client.settings.get("structured") is False
    refuses = completion.form != ""
    obeys = free or not (refuses or completion.finish == "ignored")
    return Probe(who, tuple(players), seconds, usage, price(seat, usage), None, obeys, refuses)


def show_probes(config: GameEngineConfig, screen: Screen, errors: Screen) -> list[Probe]:
    """Probe all clients; print a line for each, the faults, and the cost."""
    with errors.status("Asking each client once ..."):
        probes = asyncio.run(probe_all(config, ClientFactory()))
    if not probes:
        screen.print("No player at this table is a model: no client to call.", highlight=False)
        return []
    screen.show(Table("", COLUMNS, tuple(map(_row_of, probes))))
    for probe_result in probes:
        if probe_result.doubt:
            line = f"{', '.join(probe_result.players)}: {probe_result.doubt}"
            errors.print(safe_text(line), soft_wrap=True)
    screen.print(took_in_words(probes), highlight=False, soft_wrap=True)
    return probes


def _row_of(answered: Probe) -> TableRow:
    return (
        answered.who,
        ", ".join(answered.players),
        answered.state,
        round(answered.seconds, 1),
        answered.usage.prompt_tokens + answered.usage.completion_tokens,
        dollars(answered.cost),
    )


def took_in_words(probes: Sequence[Probe]) -> str:
    """Return a sentence with the number of clients that answer, and the total tokens and cost."""
    tokens = sum(result.usage.prompt_tokens + result.usage.completion_tokens for result in probes)
    cost = total_cost(result.cost for result in probes)
    answering = sum(result.fault is None for result in probes)
    answer = "client answers" if answering == 1 else "clients answer"
    others = len(probes) - answering
    silent = f", {others} not" if others else ""
    return f"{answering} {answer}{silent}; it took {tokens} tokens and cost {dollars(cost)}."
