"""Anthropic's Messages API."""

from typing import Any

import anthropic

from providers import Completion, CompletionRequest, Message, TransientError, Usage
from providers.connection import Endpoint, told

THINKING_ROOM = 8192
EPHEMERAL = {"type": "ephemeral"}


class MessagesClient:
    """A model behind the Messages API."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError."""
        return await told(self.endpoint, lambda: self._complete(request))

    async def _complete(self, request: CompletionRequest) -> Completion:
        answer = await sdk_of(self.endpoint).messages.create(**body_of(request, self.endpoint))
        if getattr(answer, "content", None) is None:
            raise TransientError(f"{self.endpoint.model}: the answer held no content: {str(answer)[:80]!r}")
        return read(answer)


def sdk_of(endpoint: Endpoint) -> anthropic.AsyncAnthropic:
    """Return the SDK's client: one for each address, with shared connections, that never retries and waits as told."""

    def make() -> anthropic.AsyncAnthropic:
        return anthropic.AsyncAnthropic(
            api_key=endpoint.key or "none",
            base_url=endpoint.base_url,
            timeout=endpoint.timeout,
            max_retries=0,
            http_client=endpoint.pool.once(anthropic.DefaultAioHttpClient, anthropic.DefaultAioHttpClient),
        )

    return endpoint.pool.once((anthropic.AsyncAnthropic, endpoint.base_url, endpoint.key, endpoint.timeout), make)


def body_of(request: CompletionRequest, endpoint: Endpoint) -> dict[str, Any]:
    """Return the call's arguments; a setting that this SDK has no name for belongs into `extra_body`."""
    settings = dict(endpoint.settings)
    body: dict[str, Any] = {
        "model": endpoint.model,
        "system": [{"type": "text", "text": request.system, "cache_control": EPHEMERAL}],
        "messages": [{"role": message.role, "content": blocks_of(message)} for message in request.messages],
        "max_tokens": request.max_tokens + THINKING_ROOM,
    }
    if request.schema is not None:
        form = {"type": "json_schema", "schema": anthropic.transform_schema(dict(request.schema))}
        body["output_config"] = {"format": form, **settings.pop("output_config", {})}
    return body | settings


def blocks_of(message: Message) -> list[dict[str, Any]]:
    """Return a message's parts as blocks; behind the last part that other questions share stands a cache breakpoint."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": part} for part in message.parts if part]
    if len(blocks) > 1:
        blocks[-2]["cache_control"] = EPHEMERAL
    return blocks


def read(answer: Any) -> Completion:
    """Return a message in the arena's terms."""
    ends = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
    return Completion(
        text="".join(block.text for block in answer.content if block.type == "text"),
        reasoning="\n".join(block.thinking for block in answer.content if block.type == "thinking"),
        usage=usage_of(answer.usage),
        finish=ends.get(answer.stop_reason, "stop"),  # type: ignore[arg-type]
        raw={"id": answer.id, "model": answer.model},
    )


def usage_of(usage: Any) -> Usage:
    """Return the tokens of a message; the API's own input tokens leave out what was read from or put into the cache."""
    read_from, put_into = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    thought = usage.output_tokens_details
    return Usage(
        usage.input_tokens + read_from + put_into,
        read_from,
        usage.output_tokens,
        (thought and thought.thinking_tokens) or 0,
    )
