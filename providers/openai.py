"""OpenAI's Responses API."""

from typing import Any, ClassVar, Literal

import httpx2
import openai

from providers import Completion, CompletionRequest, RequestError, TransientError
from providers.connection import SdkClient
from providers.openai_chat import as_extra, messages_of, sdk_client, usage_of

KEY_LENGTH = 64
FINISHED = {"completed", "incomplete", None}
PASSING_CODES = {"server_error", "rate_limit_exceeded"}


class ResponsesClient(SdkClient[openai.AsyncOpenAI]):
    """A model behind the Responses API."""

    sdk: ClassVar[Any] = openai
    thinking_room: ClassVar[int] = 8192

    def connect(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        """Return the SDK's client on an open HTTP client."""
        return sdk_client(http, self.endpoint, self.headers, self.timeout)

    def body(self, request: CompletionRequest) -> dict[str, Any]:
        """Return the arguments of the call, with room for what a model may think first.

        The settings `max_tokens` and `reasoning_effort` are sent under this API's own names.
        """
        settings = dict(self.settings)
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "instructions": request.system,
            "input": messages_of(request),
            "max_output_tokens": settings.pop("max_tokens", self.room(request)),
            "store": False,
        }
        if request.session:
            body["prompt_cache_key"] = request.session[-KEY_LENGTH:]
        if "reasoning_effort" in settings:
            effort = {"effort": settings.pop("reasoning_effort")}
            settings["reasoning"] = {**effort, **settings.get("reasoning", {})}
        if request.schema is not None:
            body["text"] = {"format": _form_of(request), **settings.pop("text", {})}
        body["extra_body"] = settings
        return body

    async def send(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
        """Make the call."""
        return await client.responses.create(**as_extra(body, "text"))

    def read(self, answer: Any) -> Completion:
        """Return a response in the arena's terms."""
        if answer.status not in FINISHED:
            raise _failure_of(answer)
        text, refusal, thoughts = _parts_of(answer)
        return Completion(
            text=refusal or text,
            reasoning=thoughts,
            usage=usage_of(answer.usage, "input", "output"),
            finish=_finish_of(answer, refusal),
            raw={"id": answer.id, "model": answer.model},
        )


def _form_of(request: CompletionRequest) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "name": request.schema_name,
        "schema": request.schema,
        "strict": True,
    }


def _parts_of(answer: Any) -> tuple[str, str, str]:
    """Return a response's text, its refusal, and the summaries of its reasoning."""
    texts = []
    refusals = []
    thoughts = []
    for item in answer.output:
        if item.type == "reasoning":
            thoughts += [part.text for part in item.summary]
        if item.type != "message":
            continue
        for part in item.content:
            if part.type == "output_text":
                texts.append(part.text)
            elif part.type == "refusal":
                refusals.append(part.refusal)
    return "".join(texts), "".join(refusals), "\n".join(thoughts)


def _finish_of(answer: Any, refusal: str) -> Literal["stop", "length", "refusal"]:
    details = answer.incomplete_details
    if refusal or (details is not None and details.reason == "content_filter"):
        return "refusal"
    return "length" if answer.status == "incomplete" else "stop"


def _failure_of(answer: Any) -> TransientError | RequestError:
    """Return the fault of a response that was made but not completed."""
    sentence = "did not complete its answer"
    if answer.error is None:
        return TransientError(f"{sentence} ({answer.status})")
    code = answer.error.code
    kind = TransientError if code in {*PASSING_CODES, answer.status} else RequestError
    return kind(f"{sentence} ({code})")
