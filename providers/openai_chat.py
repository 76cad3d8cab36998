"""OpenAI's Chat Completions API, also for compatible endpoints and the embedded model's server."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import httpx2
import openai
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from providers import Completion, CompletionRequest, ProviderError, TransientError, Usage
from providers.connection import SdkClient, believable, dollar_amount, token_count
from providers.faults import fault_of_status
from providers.refusals import Body, Edit, ask_for_stream, drop, join_system, rename_limit

FINISHES: dict[str, Literal["length", "refusal"]] = {
    "length": "length",
    "content_filter": "refusal",
}


def ask_for_counted_stream(body: Body) -> None:
    """Ask for the answer as a stream of events, the last of which counts the tokens."""
    ask_for_stream(body)
    body["stream_options"] = {"include_usage": True}


class ChatClient(SdkClient[openai.AsyncOpenAI]):
    """A model behind a chat completions endpoint."""

    sdk: ClassVar[Any] = openai
    edits: ClassVar[Mapping[str, Edit]] = {
        "limit": rename_limit,
        "system": join_system,
        "stream": ask_for_counted_stream,
        "stream_options": drop("stream_options"),
    }

    def connect(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        """Return the SDK's client; it ignores environment variables for an OpenAI account."""
        client = super().connect(http)
        client.organization = None
        client.project = None
        return client

    def body(self, request: CompletionRequest, shows: Mapping[str, Any]) -> Body:
        """Return the arguments of the call, with room for a model's thoughts."""
        system = {"role": "system", "content": request.system}
        body: Body = {
            "model": self.endpoint.model,
            "messages": [system, *messages_of(request)],
            "extra_body": {**shows, **self.settings},
        }
        if "max_completion_tokens" not in self.settings:
            body["max_tokens"] = self.room(request)
        if request.schema is not None:
            schema = {"name": request.schema_name, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.form == "json":
            body["response_format"] = {"type": "json_object"}
        return body

    async def send(self, client: openai.AsyncOpenAI, body: Body) -> Any:
        """Make the call."""
        headers: Body = {}
        if not self.endpoint.key and "authorization" not in map(str.lower, self.headers):
            # The SDK would send "Bearer none".
            headers["Authorization"] = openai.Omit()
        answer = await post(client, "/chat/completions", body, ChatCompletionChunk, headers)
        if "stream" not in body:
            return answer
        whole: ChatCompletionStreamState[None] = ChatCompletionStreamState()
        async for chunk in answer:
            whole.handle_chunk(chunk)
        return whole.current_completion_snapshot.to_dict(warnings=False)

    def read(self, answer: Any) -> Completion:
        """Return a chat completion as a Completion."""
        choices = answer.get("choices")
        if not choices:
            raise _fault_in(answer)
        message = choices[0]["message"]
        content = message.get("content")
        refusal = message.get("refusal") or ""
        finish = choices[0].get("finish_reason")
        if finish == "error" or not (content or refusal or finish in FINISHES):
            raise TransientError("answered without any text")
        return Completion(
            # Joined, so that a refusal that is not a string makes the answer unreadable.
            text=_text_of(content) or "".join([refusal]),
            reasoning=_thoughts_in(message),
            usage=usage_of(answer.get("usage"), "prompt", "completion"),
            finish="refusal" if refusal else FINISHES.get(finish, "stop"),
            raw={name: answer.get(name) for name in ("id", "model")},
        )


async def post(
    client: openai.AsyncOpenAI,
    path: str,
    body: Body,
    event: Any,
    headers: Mapping[str, Any] | None = None,
) -> Any:
    """Make a call; return the answer as plain data, or as `event`s if `body` asks for a stream.

    The SDK's methods for each path would check every field and turn every part into an object,
    which takes a third of a call's time.
    """
    fields = dict(body)
    extra: Body = fields.pop("extra_body")
    return await client.post(
        path,
        cast_to=object,
        body=fields | extra,
        options={"headers": headers or {}},
        stream="stream" in body,
        stream_cls=openai.AsyncStream[event],
    )


def messages_of(request: CompletionRequest) -> list[dict[str, str]]:
    """Return the messages of a request in the format of both of OpenAI's APIs."""
    return [{"role": message.role, "content": message.text} for message in request.messages]


def _fault_in(answer: Mapping[str, Any]) -> ProviderError:
    """Return the fault in an answer without choices; OpenRouter sends some errors as status 200."""
    error = answer.get("error")
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, int):
        return fault_of_status(status, error)
    return TransientError("answered without any choice")


def _text_of(content: Any) -> str:
    """Return a message's text; parts, which Mistral's reasoning models send, are joined."""
    if not isinstance(content, list):
        return "".join([content or ""])
    return "".join(part.get("text") or "" for part in content)


def _thoughts_in(message: Mapping[str, Any]) -> str:
    """Return any reasoning in a message; Mistral puts it in the parts of the message."""
    thoughts = message.get("reasoning_content") or message.get("reasoning")
    content = message.get("content")
    if isinstance(content, list):
        said = [part.get("thinking") for part in content]
        thoughts = "".join(_text_of(part) for part in said if isinstance(part, list))
    return thoughts if isinstance(thoughts, str) else ""


def usage_of(usage: Any, asked: str, answered: str) -> Usage:
    """Return an answer's tokens (0 if not counted), and its cost if the endpoint states it.

    `asked` and `answered` are the API's words for input and output, such as "prompt" and
    "completion".
    """
    parts = _fields_of(usage)
    before = _fields_of(parts.get(f"{asked}_tokens_details"))
    after = _fields_of(parts.get(f"{answered}_tokens_details"))
    counts = (
        parts.get(f"{asked}_tokens"),
        before.get("cached_tokens"),
        parts.get(f"{answered}_tokens"),
        after.get("reasoning_tokens"),
        before.get("cache_write_tokens"),
    )
    usage_sent = Usage(*map(token_count, counts))
    return believable(replace(usage_sent, cost=_cost_in(parts)), counts)


def _fields_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _cost_in(extra: Mapping[str, Any]) -> float | None:
    """Return the cost of the call in dollars, if OpenRouter or a similar service states it.

    With your own key (`is_byok`), the share charged by the underlying provider is added.
    """
    cost = dollar_amount(extra.get("cost"))
    if cost is None or extra.get("is_byok") is not True:
        return cost
    details = extra.get("cost_details")
    if not isinstance(details, Mapping):
        return None
    share = dollar_amount(details.get("upstream_inference_cost"))
    return None if share is None else cost + share
