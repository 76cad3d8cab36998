"""OpenAI's Chat Completions, as spoken by OpenAI-compatible endpoints and by the embedded model's server."""

from typing import Any

import openai

from providers import Completion, CompletionRequest, TransientError, Usage
from providers.connection import Endpoint, told


class ChatClient:
    """A model behind a chat completions endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError."""
        return await told(self.endpoint, lambda: self._complete(request))

    async def _complete(self, request: CompletionRequest) -> Completion:
        answer = await sdk_of(self.endpoint).chat.completions.create(**body_of(request, self.endpoint))
        if not getattr(answer, "choices", None):
            raise TransientError(f"{self.endpoint.model}: the answer held no choice: {str(answer)[:80]!r}")
        return read(answer)


def sdk_of(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """Return the SDK's client: one for each address, with shared connections, that never retries and waits as told."""

    def make() -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            api_key=endpoint.key or "none",
            base_url=endpoint.base_url,
            timeout=endpoint.timeout,
            max_retries=0,
            http_client=endpoint.pool.once(openai.DefaultAioHttpClient, openai.DefaultAioHttpClient),
        )

    return endpoint.pool.once((openai.AsyncOpenAI, endpoint.base_url, endpoint.key, endpoint.timeout), make)


def body_of(request: CompletionRequest, endpoint: Endpoint) -> dict[str, Any]:
    """Return the call's arguments; the endpoint's settings go last and may replace any of them."""
    messages = [{"role": "system", "content": request.system}]
    messages += [{"role": message.role, "content": message.text} for message in request.messages]
    body: dict[str, Any] = {"model": endpoint.model, "messages": messages, "max_tokens": request.max_tokens}
    if request.schema is not None:
        named = {"name": request.schema_name, "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return body | endpoint.settings


def read(answer: Any) -> Completion:
    """Return a chat completion in the arena's terms."""
    choice = answer.choices[0]
    message = choice.message
    refusal = getattr(message, "refusal", None)
    extra = message.model_extra or {}
    if message.content is None and not refusal:
        raise TransientError(f"{answer.model}: the answer held no text")
    return Completion(
        text=message.content or refusal or "",
        reasoning=str(extra.get("reasoning_content") or extra.get("reasoning") or ""),
        usage=usage_of(answer.usage),
        finish="refusal" if refusal or choice.finish_reason == "content_filter" else _finish(choice.finish_reason),
        raw={"id": answer.id, "model": answer.model},
    )


def usage_of(usage: Any) -> Usage:
    """Return the tokens of a chat completion; endpoints that count nothing count as zero."""
    if usage is None:
        return Usage()
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        usage.prompt_tokens or 0,
        (prompt and prompt.cached_tokens) or 0,
        usage.completion_tokens or 0,
        (completion and completion.reasoning_tokens) or 0,
    )


def _finish(reason: str) -> Any:
    return "length" if reason == "length" else "stop"
