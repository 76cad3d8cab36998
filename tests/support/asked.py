"""One question, put to a server of our own through each of the adapters."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from client_factory import ClientConfig, ClientFactory
from providers import Client, Completion, CompletionRequest, Message
from providers.anthropic import MessagesClient
from providers.connection import SdkClient
from providers.endpoint import Endpoint
from providers.openai import ResponsesClient
from providers.openai_chat import ChatClient
from tests.support.fake_api import FakeApi, Reply, legal

CANARY = "sk-canary-0123456789abcdef"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "maxLength": 80},
        "vote": {"type": "string", "enum": ["Ann", "Bob"]},
    },
    "required": ["why", "vote"],
    "additionalProperties": False,
}
REQUEST = CompletionRequest(
    system="You play.",
    messages=(
        Message("user", ("Ann: hello\n", "", "Ben: hi\n", "Your vote?")),
        Message("assistant", ("Cleo",)),
        Message("user", ("Ann or Bob.",)),
    ),
    schema=SCHEMA,
    schema_name="Vote",
    max_tokens=200,
    session="Ann",
)
PATHS: dict[type[SdkClient[Any]], str] = {
    ChatClient: "/v1",
    ResponsesClient: "/v1",
    MessagesClient: "",
}
ADAPTERS = pytest.mark.parametrize("adapter", PATHS)


@asynccontextmanager
async def client_of(
    provider: str, model: str = "m", api_key: SecretStr | None = None, **settings: Any
) -> AsyncIterator[Client]:
    """Yield the client of a seat; `settings` are its `client_kwargs`."""
    async with aclosing(ClientFactory()) as factory:
        yield factory.get(ClientConfig.for_player(provider, model, api_key, settings))


async def ask(
    adapter: type[SdkClient[Any]],
    reply: Reply = legal,
    request: CompletionRequest = REQUEST,
    **settings: Any,
) -> tuple[Completion, dict[str, Any], dict[str, str]]:
    """Return the completion, and the body and headers that were sent."""
    async with FakeApi(reply) as api:
        endpoint = Endpoint("m", f"{api.url}{PATHS[adapter]}", CANARY, 5.0, settings)
        async with aclosing(endpoint.pool):
            completion = await adapter(endpoint).complete(request)
        (asked,) = api.requests
        headers = {name.lower(): value for name, value in asked.headers.items()}
        return completion, asked.body, headers
