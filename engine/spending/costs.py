"""The price of calls: from the provider's report, or else from a dated table of token prices.

The table is genai-prices: the providers' list prices in US dollars on the day of the call, with
separate prices for cache reads and writes. A price missing from the table is unknown (None), never
0. Scripts, people and local models cost nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from math import inf
from typing import TYPE_CHECKING, Any

from engine.history import Event, History
from protocol.seats import seat_kind
from providers import PROVIDERS, Provider, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

# The fields of a PlayerConfig.
SeatData = Mapping[str, Any]
# Dollars by player; None if unknown.
Costs = dict[str, float | None]
UNKNOWN_PROVIDER = Provider(client="")
ONE_TOKEN = Usage(1, 0, 1, 0)
# Clouds behind LiteLLM's proxy: from LiteLLM's name to the name in the price table.
CLOUDS = {"azure": "azure", "bedrock": "aws", "vertex_ai": "google"}


def is_free(provider: str) -> bool:
    """Return whether the calls of a seat with this `provider` cost nothing."""
    if provider in PROVIDERS:
        return PROVIDERS[provider].free
    return seat_kind(provider).asks != "model"


def price(seat: SeatData, usage: Usage, at: datetime | None = None) -> float | None:
    """Return the cost of one call of `seat` (a PlayerConfig's fields), in dollars.

    `at` is the time of the call (None: now). A cost reported with the answer is used unchanged.
    Returns None if the table lacks the model or no tokens were counted.
    """
    if is_free(seat["provider"]):
        return 0.0
    if usage.cost is not None or usage == Usage():
        return usage.cost
    return _list_price(seat, usage, at)


def has_no_price(seat: SeatData) -> bool:
    """Return whether the table has no price for `seat` and its answers report no cost."""
    row = PROVIDERS.get(seat["provider"], UNKNOWN_PROVIDER)
    return not row.tells_cost and price(seat, ONE_TOKEN) is None


def _list_price(seat: SeatData, usage: Usage, at: datetime | None) -> float | None:
    # Imported only here, since the table takes as long to load as the rest of a scripted game.
    from genai_prices.data_snapshot import get_snapshot

    model, provider_id, address = _model_in_table(seat)
    try:
        _, row = get_snapshot().find_provider_model(model, None, provider_id, address)
    except LookupError:
        return None
    prices = row.get_prices(at or datetime.now(UTC))
    rates = _rates.get(id(prices))
    if rates is None:
        rates = _rates[id(prices)] = TokenRates.of(prices)
    return float(rates.price_of(usage))


@dataclass(frozen=True)
class TokenRates:
    """A model's prices in dollars, per token and per `call`, for prompts of up to `longest` tokens.

    `new`, `cached` and `written` are the prices of prompt tokens that are uncached, read from the
    cache, or written to it; `answered` is the price of an answer's tokens. The library's own
    pricing is slow, but linear up to `longest`.
    """

    prices: "ModelPrice"
    new: Decimal
    cached: Decimal
    written: Decimal
    answered: Decimal
    call: Decimal
    longest: float

    @classmethod
    def of(cls, prices: "ModelPrice") -> "TokenRates":
        """Return the rates at which the library prices short prompts."""
        call = library_price(prices)
        new = library_price(prices, prompt=1) - call
        cached = library_price(prices, prompt=1, cached=1) - call
        written = library_price(prices, prompt=1, written=1) - call
        answered = library_price(prices, answered=1) - call
        tiers = [tier for price in vars(prices).values() for tier in getattr(price, "tiers", ())]
        longest = min((tier.start for tier in tiers), default=inf)
        return cls(prices, new, cached, written, answered, call, longest)

    def price_of(self, usage: Usage) -> Decimal:
        """Return a call's price in dollars."""
        prompt = usage.prompt_tokens
        # The table rejects more cached tokens than prompt tokens.
        cached = min(usage.cached_tokens, prompt)
        written = min(usage.cache_write_tokens, prompt - cached)
        if prompt > self.longest:
            return library_price(self.prices, prompt, cached, written, usage.completion_tokens)
        prompt_price = (
            (prompt - cached - written) * self.new + cached * self.cached + written * self.written
        )
        return self.call + prompt_price + usage.completion_tokens * self.answered


# Rates by the id of the library's prices object, which they keep alive.
_rates: dict[int, TokenRates] = {}


def library_price(
    prices: "ModelPrice", prompt: int = 0, cached: int = 0, written: int = 0, answered: int = 0
) -> Decimal:
    """Return the library's price in dollars for a call with these numbers of tokens."""
    from genai_prices import Usage as Tokens

    tokens = Tokens(
        input_tokens=prompt,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=answered,
    )
    return prices.calc_price(tokens)["total_price"]


def _model_in_table(seat: SeatData) -> tuple[str, str | None, str | None]:
    """Return a model's name in the price table, and the provider or the address that lists it."""
    row = PROVIDERS.get(seat["provider"], UNKNOWN_PROVIDER)
    model = seat["model"] or row.default_model
    if not row.needs_base_url:
        return model, row.price_name or seat["provider"], None
    cloud, _, name = model.partition("/")
    if cloud in CLOUDS:
        return name, CLOUDS[cloud], None
    return model, None, str(seat["client_kwargs"].get("base_url"))


def plus(known: float | None, more: float | None) -> float | None:
    """Return the sum of two costs, or None if either is unknown."""
    return None if known is None or more is None else known + more


def times(cost: float | None, count: float) -> float | None:
    """Return `count` times a cost, or None if the cost is unknown."""
    return None if cost is None else count * cost


def costs(history: History) -> Costs:
    """Return each player's cost in dollars; None if it is unknown or some calls are in no event."""
    costs: Costs = dict.fromkeys(history.usage, 0.0)
    counted = dict.fromkeys(history.usage, Usage())
    for event in history.events:
        player_id = event.player_id
        if event.usage is None or player_id not in costs:
            continue
        counted[player_id] += event.usage
        costs[player_id] = plus(costs[player_id], cost_of(history, event))

    for player_id, tokens in counted.items():
        if _is_unknown(history, player_id, tokens):
            costs[player_id] = None
    return costs


def _is_unknown(history: History, player_id: str, counted: Usage) -> bool:
    used = history.usage[player_id]
    # An imported game may not record its players' usage.
    is_told = counted != Usage() or "imported_from" not in history.config
    is_complete = is_told and used.tokens == counted
    seat = asdict(history.seat(player_id))
    # A player with no counted tokens costs nothing, unless the price is unknown.
    is_unpriced = counted == Usage() and used.asks > 0 and has_no_price(seat)
    return not is_free(seat["provider"]) and (is_unpriced or not is_complete)


def cost_of(history: History, event: Event) -> float | None:
    """Return the cost of an event's calls in dollars, or None if it is unknown."""
    seat = who_answered(history, event)
    at = datetime.fromisoformat(event.timestamp)
    used = [attempt.usage for attempt in event.attempts if attempt.usage is not None]
    return total_cost(price(seat, usage, at) for usage in used)


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Return the sum of all costs, or None if any of them is unknown."""
    none: float | None = 0.0
    return reduce(plus, costs, none)


def dollars(cost: float | None) -> str:
    """Return a cost as text with four decimals, since a call may cost less than a cent."""
    return "unknown" if cost is None else f"${cost:.4f}"


def dollar_text(cost: float | None) -> str:
    """Return a cost as text; smaller costs have more decimals.

    >>> [dollar_text(cost) for cost in (None, 0.0, 0.00123, 0.456, 13.6, 1400.2)]
    ['unknown', '$0', '$0.0012', '$0.46', '$14', '$1,400']
    """
    if cost is None:
        return "unknown"
    if cost >= 10:
        return f"${cost:,.0f}"
    if cost >= 0.1:
        return f"${cost:.2f}"
    return f"${cost:.4f}" if cost else "$0"


def who_answered(history: History, event: Event) -> SeatData:
    """Return the config of the player behind an event; a fork may change a seat's player."""
    seats: list[SeatData] = [*history.config.get("player_configs", [])]
    if event.prompt is not None:
        for handover in history.config.get("handovers", []):
            if handover["after"] < event.prompt.upto:
                seats.append(handover["player"])
    matching = [seat for seat in seats if seat["player_id"] == event.player_id]
    return matching[-1] if matching else asdict(history.seat(str(event.player_id)))
