"""What a provider's cache finds of a growing prompt: all but as few tokens as can be."""

from typing import Any

from pydantic import SecretStr

from engine.engine import GameEngine
from player import Prompt
from tests.support.fake_api import FakeApi
from tests.support.tables import config_for, with_first

KEY = SecretStr("none")


def test_parts_stay_while_a_transcript_grows() -> None:
    lines = [f'{{"event": {number}}}\n' for number in range(30)]
    before: list[str] = []
    for size in range(len(lines)):
        *parts, question = Prompt("rules", "".join(lines[:size]), "Which?").parts
        assert question == "Which?"
        assert "".join(parts) == "".join(lines[:size])
        assert parts[: len(before) - 1] == before[:-1]
        before = parts


async def test_the_messages_api_finds_nine_tenths_of_a_late_prompt_in_its_cache() -> None:
    """The API matches the longest prefix that ended at an earlier breakpoint, within 20 blocks."""
    async with FakeApi() as api:
        config = config_for(
            "conversation", "anthropic:m,scripted:random", settings={"length": 50}, seed=1
        )
        config = with_first(config, client_kwargs={"base_url": api.url}, api_key=KEY)
        await GameEngine(config).play()
    last, prompt = (blocks_of(request.body) for request in api.requests[-2:])
    ends = [number for number, block in enumerate(last, 1) if "cache_control" in block]
    found = max(end for end in ends if texts(last[:end]) == texts(prompt[:end]))
    breakpoints = [number for number, block in enumerate(prompt, 1) if "cache_control" in block]
    assert any(found <= number <= found + 20 for number in breakpoints)
    assert len("".join(texts(prompt[:found]))) >= 0.9 * len("".join(texts(prompt)))


def blocks_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [*body["system"], *body["messages"][0]["content"]]


def texts(blocks: list[dict[str, Any]]) -> list[str]:
    return [block["text"] for block in blocks]
