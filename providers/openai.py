"""OpenAI's Responses API."""

from typing import Any, ClassVar

import httpx2
import openai

from providers import Completion, CompletionRequest, RequestError, TransientError
from providers.connection import SdkClient
from providers.openai_chat import sdk_on, usage_of

KEY_LENGTH = 64


class ResponsesClient(SdkClient[openai.AsyncOpenAI]):
    """A model behind the Responses API."""

    sdk: ClassVar[Any] = openai
    thinking_room: ClassVar[int] = 8192

    def connect(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        """Return the SDK's client on an open HTTP client."""
        return sdk_on(http, self.endpoint, self.headers, self.timeout)

    def body(self, request: CompletionRequest) -> dict[str, Any]:
        """Return the arguments of the call; its room grows by what a model may think before it answers.

        The settings `max_tokens` and `reasoning_effort` are told in this API's own words.
        """
        settings = dict(self.settings)
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "instructions": request.system,
            "input": [
                {"role": message.role, "content": message.text} for message in request.messages
            ],
            "max_output_tokens": settings.pop("max_tokens", self.room(request)),
            "store": False,
        }
        if request.session:
            body["prompt_cache_key"] = request.session[-KEY_LENGTH:]
        if "reasoning_effort" in settings:
            settings["reasoning"] = {
                "effort": settings.pop("reasoning_effort"),
                **settings.get("reasoning", {}),
            }
        if request.schema is not None:
            form = {
                "type": "json_schema",
                "name": request.schema_name,
                "schema": request.schema,
                "strict": True,
            }
            body["text"] = {"format": form, **settings.pop("text", {})}
        return body | {"extra_body": settings}

    async def send(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
        """Make the call; the schema goes as an extra field: of those it knows the SDK looks at every value."""
        form = {"text": body.pop("text")} if "text" in body else {}
        return await client.responses.create(**body | {"extra_body": form | body["extra_body"]})

    def read(self, answer: Any) -> Completion:
        """Return a response in the arena's terms."""
        if answer.status not in {"completed", "incomplete", None}:
            raise failure_of(answer)
        parts = [part for item in answer.output if item.type == "message" for part in item.content]
        thoughts = [
            part.text for item in answer.output if item.type == "reasoning" for part in item.summary
        ]
        refusal = "".join(part.refusal for part in parts if part.type == "refusal")
        filtered = (
            answer.incomplete_details is not None
            and answer.incomplete_details.reason == "content_filter"
        )
        return Completion(
            text=refusal or "".join(part.text for part in parts if part.type == "output_text"),
            reasoning="\n".join(thoughts),
            usage=usage_of(answer.usage, "input", "output"),
            finish="refusal"
            if refusal or filtered
            else "length"
            if answer.status == "incomplete"
            else "stop",
            raw={"id": answer.id, "model": answer.model},
        )


def failure_of(answer: Any) -> Exception:
    """Return the fault of a response that was made but not completed."""
    code = answer.error.code if answer.error is not None else answer.status
    kind = (
        TransientError
        if code in {"server_error", "rate_limit_exceeded", answer.status}
        else RequestError
    )
    return kind(f"did not complete its answer ({code})")
