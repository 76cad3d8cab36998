"""OpenAI's Chat Completions, as spoken by OpenAI-compatible endpoints and by the embedded model's server."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import httpx2
import openai

from providers import Completion, CompletionRequest, TransientError, Usage
from providers.connection import Endpoint, SdkClient, amount, count, fault_of_status

FINISHES: dict[str, Literal["length", "refusal"]] = {
    "length": "length",
    "content_filter": "refusal",
}


class ChatClient(SdkClient[openai.AsyncOpenAI]):
    """A model behind a chat completions endpoint."""

    sdk: ClassVar[Any] = openai
    thinking_room: ClassVar[int] = 4096

    def connect(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        """Return the SDK's client without what its environment variables tell of an OpenAI account."""
        client = sdk_on(http, self.endpoint, self.headers, self.timeout)
        client.organization = client.project = None
        return client

    def body(self, request: CompletionRequest) -> dict[str, Any]:
        """Return the arguments of the call; its room grows by what a model may think before it answers."""
        told = [{"role": message.role, "content": message.text} for message in request.messages]
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [{"role": "system", "content": request.system}, *told],
            "extra_body": dict(self.settings),
        }
        if "max_completion_tokens" not in self.settings:
            body["max_tokens"] = self.room(request)
        if request.schema is not None:
            schema = {"name": request.schema_name, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    async def send(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
        """Make the call; the schema goes as an extra field: of those it knows the SDK looks at every value."""
        form = {"response_format": body.pop("response_format")} if "response_format" in body else {}
        return await client.chat.completions.create(
            **body | {"extra_body": form | body["extra_body"]}
        )

    def read(self, answer: Any) -> Completion:
        """Return a chat completion in the arena's terms."""
        if not answer.choices:
            raise fault_in(answer)
        choice = answer.choices[0]
        message, extra = choice.message, choice.message.model_extra or {}
        refusal = message.refusal or ""
        if choice.finish_reason == "error" or not (
            message.content or refusal or choice.finish_reason in FINISHES
        ):
            raise TransientError("answered without any text")
        thoughts = extra.get("reasoning_content") or extra.get("reasoning")
        return Completion(
            text=text_of(message.content) or "".join([refusal]),
            reasoning=thoughts if isinstance(thoughts, str) else "",
            usage=usage_of(answer.usage, "prompt", "completion"),
            finish="refusal" if refusal else FINISHES.get(choice.finish_reason, "stop"),
            raw={"id": answer.id, "model": answer.model},
        )


def sdk_on(
    http: httpx2.AsyncClient,
    endpoint: Endpoint,
    headers: Any,
    timeout: httpx2.Timeout,
) -> openai.AsyncOpenAI:
    """Return the SDK's client, which never retries: that is done in one place, for all of them."""
    return openai.AsyncOpenAI(
        api_key=endpoint.key or "none",
        base_url=endpoint.base_url,
        timeout=timeout,
        max_retries=0,
        default_headers=headers,
        http_client=http,
    )


def fault_in(answer: Any) -> Exception:
    """Return the fault that an answer without choices tells of: OpenRouter sends some with a 200."""
    error = (answer.model_extra or {}).get("error")
    status = error.get("code") if isinstance(error, dict) else None
    return (
        fault_of_status(status, error)
        if isinstance(status, int)
        else TransientError("answered without any choice")
    )


def text_of(content: Any) -> str:
    """Return a message's text; Mistral's reasoning models send a list of parts."""
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    return "".join(part.get("text") or "" for part in parts)


def usage_of(usage: Any, asked: str, told: str) -> Usage:
    """Return the tokens of an answer, and its cost where the endpoint tells it; one that counts nothing counts as zero.

    `asked` and `told` are the API's own words for both ways: "prompt" and "completion", or "input"
    and "output".
    """
    before, after = (getattr(usage, f"{way}_tokens_details", None) for way in (asked, told))
    return Usage(
        count(getattr(usage, f"{asked}_tokens", None)),
        count(getattr(before, "cached_tokens", None)),
        count(getattr(usage, f"{told}_tokens", None)),
        count(getattr(after, "reasoning_tokens", None)),
        count(getattr(before, "cache_write_tokens", None)),
        cost_in(getattr(usage, "model_extra", None) or {}),
    )


def cost_in(extra: Mapping[str, Any]) -> float | None:
    """Return what OpenRouter, or an endpoint that does as it does, tells that the call cost, in dollars.

    With a key of one's own at the provider behind it (`is_byok`) that provider's share is charged
    there, and added.
    """
    cost, details = amount(extra.get("cost")), extra.get("cost_details")
    if cost is None or extra.get("is_byok") is not True:
        return cost
    there = amount(details.get("upstream_inference_cost")) if isinstance(details, Mapping) else None
    return None if there is None else cost + there
