"""OpenAI's Responses API."""

from typing import Any

from providers import Completion, CompletionRequest, TransientError, Usage
from providers.connection import Endpoint, told
from providers.openai_chat import sdk_of

REASONING_ROOM = 8192


class ResponsesClient:
    """A model behind the Responses API."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`, or raise a ProviderError."""
        return await told(self.endpoint, lambda: self._complete(request))

    async def _complete(self, request: CompletionRequest) -> Completion:
        answer = await sdk_of(self.endpoint).responses.create(**body_of(request, self.endpoint))
        if not getattr(answer, "output", None):
            raise TransientError(f"{self.endpoint.model}: the answer held no output: {str(answer)[:80]!r}")
        return read(answer)


def body_of(request: CompletionRequest, endpoint: Endpoint) -> dict[str, Any]:
    """Return the call's arguments; the answer's room grows by what a model may think before it answers."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "instructions": request.system,
        "input": [{"role": message.role, "content": message.text} for message in request.messages],
        "max_output_tokens": request.max_tokens + REASONING_ROOM,
        "store": False,
    }
    if request.session:
        body["prompt_cache_key"] = request.session
    if request.schema is not None:
        form = {"type": "json_schema", "name": request.schema_name, "schema": request.schema, "strict": True}
        body["text"] = {"format": form}
    return body | endpoint.settings


def read(answer: Any) -> Completion:
    """Return a response in the arena's terms."""
    parts = [part for item in answer.output if item.type == "message" for part in item.content]
    refusals = [part.refusal for part in parts if part.type == "refusal"]
    thoughts = [part.text for item in answer.output if item.type == "reasoning" for part in item.summary]
    cut = answer.status == "incomplete"
    return Completion(
        text="".join(refusals or [part.text for part in parts if part.type == "output_text"]),
        reasoning="\n".join(thoughts),
        usage=usage_of(answer.usage),
        finish="refusal" if refusals else "length" if cut else "stop",
        raw={"id": answer.id, "model": answer.model},
    )


def usage_of(usage: Any) -> Usage:
    """Return the tokens of a response."""
    if usage is None:
        return Usage()
    cached, thought = usage.input_tokens_details, usage.output_tokens_details
    return Usage(
        usage.input_tokens,
        (cached and cached.cached_tokens) or 0,
        usage.output_tokens,
        (thought and thought.reasoning_tokens) or 0,
    )
