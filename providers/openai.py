"""OpenAI's Responses API."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import openai
from openai.types.responses import ResponseStreamEvent

from providers import (
    Completion,
    CompletionRequest,
    FatalError,
    ProviderError,
    RequestError,
    TransientError,
)
from providers.connection import SdkClient
from providers.endpoint import Endpoint
from providers.faults import names_one_of
from providers.openai_chat import ChatClient, messages_of, post, usage_of
from providers.refusals import Body, Edit, ask_for_stream, drop, join_instructions

KEY_LENGTH = 64
FINISHED = {"completed", "incomplete", None}
# The HTTP statuses that servers return for a path that they do not serve.
UNSERVED = {404, 405, 501}
# LiteLLM's proxy adds the model's name to any answer of a server behind it.
ROUTED = "Received Model Group="
# LiteLLM's message if that server answers 200 with something else, as LM Studio does.
UNREADABLE = "validation errors for ResponsesAPIResponse"
TRANSLATED = (("reasoning", "effort", "reasoning_effort"), ("text", "verbosity", "verbosity"))
PASSING_CODES = {"server_error", "rate_limit_exceeded"}


class UnservedError(FatalError):
    """The endpoint does not support this API."""


class ResponsesClient(SdkClient[openai.AsyncOpenAI]):
    """A model behind the Responses API, or behind chat completions if its server lacks that API."""

    sdk: ClassVar[Any] = openai
    edits: ClassVar[Mapping[str, Edit]] = {
        "store": drop("store"),
        "prompt_cache_key": drop("prompt_cache_key"),
        "system": join_instructions,
        "stream": ask_for_stream,
    }

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self.chat: ChatClient | None = None
        self.served = False

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer `request`; the Responses API is tried only once on a server that lacks it."""
        if self.chat is None:
            try:
                completion = await super().complete(request)
            except UnservedError:
                self.chat = ChatClient(chat_endpoint(self.endpoint))
            else:
                self.served = True
                return completion
        return await self.chat.complete(request)

    def body(self, request: CompletionRequest, shows: Mapping[str, Any]) -> Body:
        """Return the arguments of the call, with room for a model's thoughts."""
        settings = dict(self.settings)
        body: Body = {
            "model": self.endpoint.model,
            "instructions": request.system,
            # llama.cpp's server rejects an earlier answer without its type.
            "input": [{"type": "message", **message} for message in messages_of(request)],
            "max_output_tokens": settings.pop("max_tokens", self.room(request)),
            "store": False,
        }
        if request.session:
            body["prompt_cache_key"] = request.session[-KEY_LENGTH:]
        reasoning = _take_reasoning(settings, shows)
        if reasoning:
            settings["reasoning"] = reasoning
        form = _form_of(request)
        if form:
            body["text"] = {"format": form, **settings.pop("text", {})}
        body["extra_body"] = settings
        return body

    async def send(self, client: openai.AsyncOpenAI, body: Body) -> Any:
        """Make the call."""
        answer = await post(client, "/responses", body, ResponseStreamEvent)
        if "stream" not in body:
            return answer
        whole = None
        async for event in answer:
            whole = getattr(event, "response", whole)
        return None if whole is None else whole.to_dict(warnings=False)

    def _fault_of(self, error: Exception) -> ProviderError:
        fault = super()._fault_of(error)
        if self.served or not isinstance(error, openai.APIStatusError):
            return fault
        # A server that reports an unknown model does know the API.
        message, _, _ = str(fault).partition(ROUTED)
        knows = error.code == "model_not_found" or names_one_of([self.endpoint.model], message)
        is_unserved = error.status_code in UNSERVED or UNREADABLE in message
        if knows or not is_unserved:
            return fault
        return UnservedError(*fault.args)

    def read(self, answer: Any) -> Completion:
        """Return a response as a Completion."""
        error = answer.get("error")
        if isinstance(error, str):
            # LM Studio answers 200 to every path: {"error": "Unexpected endpoint or method ..."}.
            raise UnservedError(f"answered: {error}")
        if answer.get("status") not in FINISHED:
            raise _failure_of(answer)
        text, refusal, thoughts = _parts_of(answer)
        return Completion(
            text=refusal or text,
            reasoning=thoughts,
            usage=usage_of(answer.get("usage"), "input", "output"),
            finish=_finish_of(answer, refusal),
            raw={name: answer.get(name) for name in ("id", "model")},
        )


def chat_endpoint(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint for chat completions, which take effort and verbosity as strings."""
    settings = dict(endpoint.settings)
    for ours, name, theirs in TRANSLATED:
        asked = settings.pop(ours, None)
        if isinstance(asked, Mapping) and name in asked:
            settings.setdefault(theirs, asked[name])
    return replace(endpoint, settings=settings, shows={})


def _take_reasoning(settings: Body, shows: Mapping[str, Any]) -> Body:
    """Return the reasoning settings, taken out of `settings`, with those in `shows` as defaults."""
    reasoning: Body = dict(shows.get("reasoning", {}))
    if "reasoning_effort" in settings:
        reasoning["effort"] = settings.pop("reasoning_effort")
    reasoning |= settings.pop("reasoning", {})
    return reasoning


def _form_of(request: CompletionRequest) -> Body:
    """Return the format of the answer, or {} for plain text."""
    if request.schema is None:
        return {"type": "json_object"} if request.form == "json" else {}
    return {
        "type": "json_schema",
        "name": request.schema_name,
        "schema": request.schema,
        "strict": True,
    }


def _parts_of(answer: Body) -> tuple[str, str, str]:
    """Return a response's text, its refusal, and the summaries of its reasoning."""
    texts = []
    refusals = []
    thoughts = []
    for item in answer["output"]:
        kind = item.get("type")
        if kind == "reasoning":
            # Endpoints of open models show their complete thoughts.
            parts = item.get("summary") or item.get("content") or ()
            thoughts += [part["text"] for part in parts]
        elif kind == "message":
            texts += [part["text"] for part in item["content"] if part.get("type") == "output_text"]
            refusals += [
                part["refusal"] for part in item["content"] if part.get("type") == "refusal"
            ]
    return "".join(texts), "".join(refusals), "\n".join(thoughts)


def _finish_of(answer: Body, refusal: str) -> Literal["stop", "length", "refusal"]:
    details = answer.get("incomplete_details")
    if refusal or (details is not None and details.get("reason") == "content_filter"):
        return "refusal"
    return "length" if answer.get("status") == "incomplete" else "stop"


def _failure_of(answer: Body) -> TransientError | RequestError:
    """Return the fault of a response that was created but not completed."""
    sentence = "did not complete its answer"
    status = answer.get("status")
    error = answer.get("error")
    if error is None:
        return TransientError(f"{sentence} ({status})")
    code = error.get("code")
    kind = TransientError if code in {*PASSING_CODES, status} else RequestError
    return kind(f"{sentence} ({code})")
