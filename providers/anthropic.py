"""Anthropic's Messages API."""

from typing import Any, ClassVar, Literal

import anthropic
import httpx2

from providers import Completion, CompletionRequest, Usage
from providers.connection import SdkClient, count

BREAKPOINTS = 4
EPHEMERAL = {"type": "ephemeral"}
FINISHES: dict[str, Literal["length", "refusal"]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


class MessagesClient(SdkClient[anthropic.AsyncAnthropic]):
    """A model behind the Messages API."""

    sdk: ClassVar[Any] = anthropic
    thinking_room: ClassVar[int] = 8192

    def connect(self, http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
        """Return the SDK's client, which never retries: that is done in one place, for all of them."""
        return anthropic.AsyncAnthropic(
            api_key=self.endpoint.key or "none",
            base_url=self.endpoint.base_url,
            timeout=self.timeout,
            max_retries=0,
            default_headers=self.headers,
            http_client=http,
        )

    def body(self, request: CompletionRequest) -> dict[str, Any]:
        """Return the arguments of the call; its room grows by what a model may think before it answers.

        The setting `reasoning_effort` is told in this API's own words; others that the SDK has no
        name for, such as `temperature`, go into the body as they are.
        """
        settings = dict(self.settings)
        output = dict(settings.pop("output_config", {}))
        if "reasoning_effort" in settings:
            output["effort"] = settings.pop("reasoning_effort")
        if request.schema is not None:
            output["format"] = {
                "type": "json_schema",
                "schema": anthropic.transform_schema(dict(request.schema)),
            }
        budget = count(settings.get("thinking", {}).get("budget_tokens"))
        system = blocks_of([request.system])
        contents = [blocks_of(message.parts) for message in request.messages]
        mark_prefixes(system, contents)
        return {
            "model": self.endpoint.model,
            "max_tokens": settings.pop("max_tokens", self.room(request, at_least=budget)),
            "messages": [
                {"role": message.role, "content": content}
                for message, content in zip(request.messages, contents, strict=True)
            ],
            "extra_body": settings,
            **({"system": system} if system else {}),
            **({"output_config": output} if output else {}),
        }

    async def send(self, client: anthropic.AsyncAnthropic, body: dict[str, Any]) -> Any:
        """Make the call."""
        return await client.messages.create(**body)

    def read(self, answer: Any) -> Completion:
        """Return a message in the arena's terms."""
        return Completion(
            text="".join(block.text for block in answer.content if block.type == "text"),
            reasoning="\n".join(
                block.thinking for block in answer.content if block.type == "thinking"
            ),
            usage=usage_of(answer.usage),
            finish=FINISHES.get(answer.stop_reason, "stop"),
            raw={"id": answer.id, "model": answer.model},
        )


def blocks_of(parts: Any) -> list[dict[str, Any]]:
    """Return texts as blocks, without the empty ones, which the API refuses."""
    return [{"type": "text", "text": part} for part in parts if part.strip()]


def mark_prefixes(system: list[dict[str, Any]], messages: list[list[dict[str, Any]]]) -> None:
    """Set a cache breakpoint behind the system text and each part of a message but its last.

    The API takes four in all; the system's and the latest ones reach furthest.
    """
    prefixes = [block for blocks in messages for block in blocks[:-1]]
    for block in [*system, *prefixes[len(system) - BREAKPOINTS :]]:
        block["cache_control"] = EPHEMERAL


def usage_of(usage: Any) -> Usage:
    """Return the tokens of a message; the API's own input tokens leave out what was read from or put into the cache."""
    if usage is None:
        return Usage()
    cached, written = count(usage.cache_read_input_tokens), count(usage.cache_creation_input_tokens)
    thought = usage.output_tokens_details
    return Usage(
        count(usage.input_tokens) + cached + written,
        cached,
        count(usage.output_tokens),
        count(thought and thought.thinking_tokens),
        written,
    )
