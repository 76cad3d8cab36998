"""Anthropic's Messages API."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import anthropic

from providers import Completion, CompletionRequest, Form, Usage
from providers.connection import SdkClient, believable, token_count
from providers.refusals import (
    Body,
    Edit,
    ask_for_stream,
    drop_cache_marks,
    join_system_blocks,
)

BREAKPOINTS = 4
THINKING = {"adaptive", "enabled"}
EPHEMERAL = {"type": "ephemeral"}
FINISHES: dict[str, Literal["length", "refusal"]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


class MessagesClient(SdkClient[anthropic.AsyncAnthropic]):
    """A model behind the Messages API."""

    sdk: ClassVar[Any] = anthropic
    forms: ClassVar[tuple[Form, ...]] = ("schema", "words")
    edits: ClassVar[Mapping[str, Edit]] = {
        "cache_control": drop_cache_marks,
        "system": join_system_blocks,
        "stream": ask_for_stream,
    }

    def body(self, request: CompletionRequest, shows: Mapping[str, Any]) -> Body:
        """Return the arguments of the call, with room for a model's thoughts."""
        settings = {**self.settings}
        output = _output_config(request, settings)
        thinking = _thinking(settings, shows, unasked=request.thinks is True)
        if thinking:
            settings["thinking"] = thinking
        room = self.room(request, token_count(thinking.get("budget_tokens")))
        system, messages = _cached_blocks(request)
        body = {
            "model": self.endpoint.model,
            "max_tokens": settings.pop("max_tokens", room),
            "messages": messages,
            "extra_body": settings,
        }
        if system:
            body["system"] = system
        if output:
            body["output_config"] = output
        return body

    async def send(self, client: anthropic.AsyncAnthropic, body: Body) -> Any:
        """Make the call."""
        if "stream" not in body:
            return await client.messages.create(**body)
        arguments = {name: value for name, value in body.items() if name != "stream"}
        async with client.messages.stream(**arguments) as answer:
            return await answer.get_final_message()

    def read(self, answer: Any) -> Completion:
        """Return a message as a Completion."""
        texts = [block.text for block in answer.content if block.type == "text"]
        thoughts = [block.thinking for block in answer.content if block.type == "thinking"]
        return Completion(
            text="".join(texts),
            reasoning="\n".join(thoughts),
            usage=_usage_of(answer.usage),
            finish=FINISHES.get(answer.stop_reason, "stop"),
            raw={"id": answer.id, "model": answer.model},
        )


def _thinking(settings: Body, shows: Mapping[str, Any], *, unasked: bool) -> Body:
    """Return the seat's thinking settings; a model that thinks is asked to show its thoughts."""
    thinking = dict(settings.get("thinking", {}))
    shown = shows.get("thinking", {})
    if shown and unasked and "thinking" not in settings:
        thinking = {"type": "adaptive"}
    return {**shown, **thinking} if thinking.get("type") in THINKING else thinking


def _output_config(request: CompletionRequest, settings: Body) -> Body:
    """Remove the output settings from `settings`, and return them with the answer's form."""
    output = dict(settings.pop("output_config", {}))
    if "reasoning_effort" in settings:
        output["effort"] = settings.pop("reasoning_effort")
    if request.schema is not None:
        schema = anthropic.transform_schema(dict(request.schema))
        output["format"] = {"type": "json_schema", "schema": schema}
    return output


def _cached_blocks(
    request: CompletionRequest,
) -> tuple[list[Body], list[Body]]:
    """Return the blocks of the system text, and the messages, with cache breakpoints."""
    system = _blocks_of([request.system])
    contents = [_blocks_of(message.parts) for message in request.messages]
    _mark_prefixes(system, contents)
    pairs = zip(request.messages, contents, strict=True)
    return system, [{"role": message.role, "content": content} for message, content in pairs]


def _blocks_of(parts: Sequence[str]) -> list[Body]:
    """Return texts as blocks, omitting empty ones, which the API refuses."""
    return [{"type": "text", "text": part} for part in parts if part.strip()]


def _mark_prefixes(system: list[Body], messages: list[list[Body]]) -> None:
    """Set the API's four cache breakpoints: after the system text and the latest message parts."""
    prefixes = []
    for blocks in messages:
        prefixes += blocks[:-1]
    latest = prefixes[len(system) - BREAKPOINTS :]
    for block in [*system, *latest]:
        block["cache_control"] = EPHEMERAL


def _usage_of(usage: Any) -> Usage:
    """Return a message's tokens, including cached ones, which the API's input tokens exclude."""
    if usage is None:
        return Usage()
    cached = token_count(usage.cache_read_input_tokens)
    written = token_count(usage.cache_creation_input_tokens)
    details = usage.output_tokens_details
    counted = Usage(
        prompt_tokens=token_count(usage.input_tokens) + cached + written,
        cached_tokens=cached,
        completion_tokens=token_count(usage.output_tokens),
        reasoning_tokens=token_count(details and details.thinking_tokens),
        cache_write_tokens=written,
    )
    caches = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    return believable(counted, (usage.input_tokens, usage.output_tokens, *caches))
