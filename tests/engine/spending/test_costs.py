"""What calls cost: tokens and costs as the APIs tell them, added up, and priced by the table."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest
from aiohttp import web
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice

from engine.history import PlayerUsage, PromptRef, history_from_json
from engine.spending.costs import TokenRates, costs, library_price, price, who_answered
from player import PlayerConfig
from providers import Completion, CompletionRequest, Message, Usage
from providers.connection import SdkClient
from providers.endpoint import Endpoint
from providers.openai import ResponsesClient
from providers.openai_chat import ChatClient
from tests.support.fake_api import FakeApi, chat, responses
from tests.support.histories import small_history
from tests.support.tables import NOON

REQUEST = CompletionRequest("You play.", (Message("user", ("Well?",)),))
# As the fake server counts each call: 100 tokens, of which 60 were cached and 10 put into the
# cache, 20 of an answer.
TOKENS = Usage(100, 60, 20, 5, 10)
# At $0.75, $0.075 (cached) and $4.50 a million tokens; there is no price of its own for putting
# some into the cache.
A_CALL = 40 * 0.75e-6 + 60 * 0.075e-6 + 20 * 4.5e-6


def seat(provider: str, model: str = "m", **more: Any) -> dict[str, Any]:
    return PlayerConfig(player_id="Ada", provider=provider, model=model, **more).model_dump()


async def completion_of(adapter: type[SdkClient[Any]], answer: dict[str, Any]) -> Completion:
    async with FakeApi(lambda body: web.json_response(answer)) as api:
        endpoint = Endpoint("m", f"{api.url}/v1", "key", 5.0)
        try:
            return await adapter(endpoint).complete(REQUEST)
        finally:
            await endpoint.pool.aclose()


@pytest.mark.parametrize(
    ("told", "cost"),
    [
        ({"cost": 0.25}, 0.25),
        ({"cost": 0}, 0.0),
        ({"cost": 0.25, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.25}}, 0.25),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.25}}, 0.26),
        ({"cost": 0.01, "is_byok": True, "cost_details": None}, None),
        *(({"cost": odd}, None) for odd in (None, "0.25", -1, True, nan, inf, [1])),
    ],
)
async def test_the_told_cost_of_a_call_is_kept(told: dict[str, Any], cost: float | None) -> None:
    for adapter, answer in ((ChatClient, chat("yes")), (ResponsesClient, responses("yes"))):
        completion = await completion_of(adapter, answer | {"usage": answer["usage"] | told})
        assert completion.usage == Usage(100, 60, 20, 5, 10, cost)


def test_sums_of_tokens_and_of_costs_that_were_told() -> None:
    one, two, untold = Usage(100, 60, 20, 5, 10, 0.25), Usage(1, 0, 2, 0, 0, 0.5), Usage(7, 0, 1)
    assert one + two == Usage(101, 60, 22, 5, 10, 0.75)
    assert one + untold == untold + one == Usage(107, 60, 21, 5, 10)
    assert sum([one, two], Usage()) == one + two
    assert Usage() + Usage() == Usage()


@pytest.mark.parametrize("adapter", [ChatClient, ResponsesClient])
async def test_counts_that_an_endpoint_leaves_out_are_none(adapter: type[SdkClient[Any]]) -> None:
    shape = chat if adapter is ChatClient else responses
    for usage in (
        {},
        {"prompt_tokens": 3, "input_tokens": 3},
        {"input_tokens_details": {"cached_tokens": 1}},
    ):
        completion = await completion_of(adapter, shape("yes") | {"usage": usage})
        assert completion.usage.completion_tokens == completion.usage.cache_write_tokens == 0


HAIKU = seat("anthropic", "claude-haiku-5-5")
HERE = {"base_url": "http://127.0.0.1:9/v1"}
OPENAI = {"base_url": "https://api.openai.com/v1"}


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (seat("openai", "gpt-5.4-mini"), A_CALL),
        (seat("openai", ""), A_CALL),
        (seat("openai", "gpt-5.4-mini", client_kwargs=HERE), A_CALL),
        # $0.10 a million, $0.01 read from the cache, $0.125 put into it, $0.50 for answers.
        (HAIKU, 30 * 0.1e-6 + 60 * 0.01e-6 + 10 * 0.125e-6 + 20 * 0.5e-6),
        (seat("compatible", "gpt-5.4-mini", client_kwargs=OPENAI), A_CALL),
        (seat("compatible", "gpt-5.4-mini", client_kwargs=HERE), None),
        (seat("openai", "no-such-model"), None),
        (seat("local", "smollm2"), 0.0),
        (seat("ollama", "gpt-5.4-mini"), 0.0),
        (seat("scripted", "greedy"), 0.0),
        (seat("human", ""), 0.0),
    ],
)
def test_prices(one: dict[str, Any], expected: float | None) -> None:
    assert price(one, TOKENS, NOON) == (expected if expected is None else pytest.approx(expected))


def listed_prices() -> Iterator[ModelPrice]:
    for provider in get_snapshot().providers:
        for model in provider.models:
            if isinstance(model.prices, ModelPrice):
                yield model.prices
            else:
                yield from (dated.prices for dated in model.prices)


def test_calls_cost_what_the_library_says() -> None:
    """On both sides of the lengths from which a prompt costs more."""
    draws = random.Random(1)
    tiered = 0
    for prices in draws.sample([*listed_prices()], 400):
        rates = TokenRates.of(prices)
        edges = [rates.longest, rates.longest + 1] if rates.longest < inf else []
        tiered += len(edges)
        for prompt in (0, draws.randrange(10_000), draws.randrange(10**6), *map(int, edges)):
            cached = draws.randint(0, prompt)
            written = draws.randint(0, prompt - cached)
            answered = draws.randrange(10_000)
            found = rates.price_of(Usage(prompt, cached, answered, 0, written))
            assert found == library_price(prices, prompt, cached, written, answered)
    assert tiered > 10


def test_a_price_is_that_of_the_time_of_the_call() -> None:
    """DeepSeek's list: dearer between 0:30 and 16:30 UTC."""
    one, tokens = seat("deepseek", "deepseek-chat"), Usage(1_000_000)
    assert price(one, tokens, NOON) == pytest.approx(0.27)
    assert price(one, tokens, NOON.replace(hour=20)) == pytest.approx(0.135)


def test_what_a_provider_tells_of_the_cost_stands() -> None:
    known, unknown = seat("openai", "gpt-5.4-mini"), seat("openrouter")
    assert price(known, Usage(100, 60, 20, 5, 10, 0.25)) == price(unknown, Usage(cost=0.25)) == 0.25
    assert price(unknown, Usage(100, 60, 20)) is None
    assert price(seat("ollama"), Usage(1, cost=0.25)) == 0.0


@pytest.mark.parametrize(("upto", "payer"), [(0, "old"), (2, "old"), (3, "old"), (4, "heir")])
def test_a_call_is_paid_by_who_held_the_seat(upto: int, payer: str) -> None:
    """The heir is asked after event 3: the prompts that tell it have at least four events."""
    history = small_history()
    history.config["player_configs"] = [seat("openai", "old")]
    history.config["handovers"] = [{"after": 3, "player": seat("openai", "heir")}]
    event = replace(history.events[0], player_id="Ada", prompt=PromptRef(upto, "", ""))
    assert who_answered(history, event)["model"] == payer


def test_odd_counts_have_a_price_too() -> None:
    """More tokens read from and put into the cache than there were: none is paid for twice."""
    found = price(HAIKU, Usage(100, 60, 0, 0, 70), NOON)
    assert found == pytest.approx(60 * 0.01e-6 + 40 * 0.125e-6)


@pytest.mark.parametrize("cached", [100, 101, 10_000])
def test_no_more_tokens_come_from_the_cache_than_were_in_the_prompt(cached: int) -> None:
    """All 100 at the price of cached ones, $0.075 a million; nothing else is paid for."""
    found = price(seat("openai", "gpt-5.4-mini"), Usage(100, cached, 0), NOON)
    assert found == pytest.approx(100 * 0.075e-6)


@pytest.mark.parametrize(
    ("provider", "model", "asks", "cost"),
    [
        ("openai", "nobody-knows-it", 4, None),
        ("openai", "nobody-knows-it", 0, 0.0),
        ("openai", "gpt-5.4-mini", 4, 0.0),
        ("openrouter", "nobody-knows-it", 4, 0.0),
        ("ollama", "m", 4, 0.0),
        ("scripted", "greedy", 4, 0.0),
    ],
)
def test_a_model_without_a_price_that_answered_nothing_has_no_known_cost(
    provider: str, model: str, asks: int, cost: float | None
) -> None:
    history = small_history()
    history.rounds = []
    history.players[0] = replace(history.players[0], provider=provider, model=model)
    history.usage = {"Ada": PlayerUsage(asks, 3 * asks, asks)}
    assert costs(history) == {"Ada": cost}


def test_a_log_from_before_this_was_counted_is_read() -> None:
    counts = r',\s*"cache_write_tokens": 0,\s*"cost": null'
    text, counted = re.subn(counts, "", small_history().to_json())
    assert counted > 0
    text = re.sub(r'"checksum": "\w+"', '"checksum": ""', text)
    assert history_from_json(text) == small_history()
