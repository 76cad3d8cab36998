"""Find the features that an endpoint's message refuses, and change requests to avoid them.

Once a feature is refused, such as the name of the token limit or the place of the system text, the
client no longer uses it; prompts stay the same. The form of the answer changes what a model reads,
so it is up to the seat: see `FormError`.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

Body = dict[str, Any]
Edit = Callable[[Body], object]
STATUSES = {400, 422, 501}
LONGEST = 2000
FORM = "form"
SHOWS = "shows"
TOO_MUCH = r"(?!.*(?:too (?:large|high|long|big)|at most|maximum|exceed|less than|greater than))"
# How servers name a refused feature: "reasoning.summary", "System role not supported" ...
NAMES = {
    SHOWS: r"reasoning|summary|think|thought|extra_body",
    "limit": rf"\bmax_tokens\b{TOO_MUCH}",
    "stream_options": r"\bstream_options\b",
    "stream": r"\bstream(?:ing|ed|s)?\b",
    "system": r"\bsystem['\"`]?[ _-]*(?:role|message|prompt|instruction)|['\"`]system['\"`]"
    r"|role\b.{0,60}\bsystem\b|\binstructions?\b|messages\[0\]|roles? must alternate",
    "store": r"\bstore\b",
    "cache_control": r"cache_control",
    "prompt_cache_key": r"prompt_cache_key",
    FORM: r"response_format|response format|json[_ -]?(?:schema|object|mode)|structured|grammar"
    r"|output_config|output_format|text\.format|['\"`]text['\"`]|\bschema\b",
}
PATTERNS = {name: re.compile(pattern, re.IGNORECASE | re.DOTALL) for name, pattern in NAMES.items()}


def refused_feature(status: int, said: str, features: Iterable[str]) -> str:
    """Return the first of `features` that a response with HTTP `status` names, or "" if none."""
    if status not in STATUSES:
        return ""
    places = {}
    for name in features:
        match = PATTERNS[name].search(said[:LONGEST])
        if match is not None:
            places[name] = match.start()
    return min(places, key=lambda name: places[name], default="")


def is_stream(answer: object) -> bool:
    """Return whether an answer came as an event stream although none was requested."""
    return isinstance(answer, str) and answer.lstrip().startswith(("data:", "event:"))


def drop(name: str) -> Edit:
    """Return a function that removes the field `name` from a request."""
    return lambda body: body.pop(name, None)


def ask_for_stream(body: Body) -> None:
    """Ask for the answer as a stream of events."""
    body["stream"] = True


def rename_limit(body: Body) -> None:
    """Give the token limit the name that OpenAI's newer models expect."""
    for part in (body, body["extra_body"]):
        if "max_tokens" in part:
            part["max_completion_tokens"] = part.pop("max_tokens")


def join_system(body: Body) -> None:
    """Put the system text at the start of the first message, unless it is already there."""
    first, second, *others = body["messages"]
    if first["role"] == "system":
        joined = f"{first['content']}\n\n{second['content']}"
        body["messages"] = [{**second, "content": joined}, *others]


def join_instructions(body: Body) -> None:
    """Put the instructions at the start of the first message."""
    first, *others = body["input"]
    joined = f"{body.pop('instructions')}\n\n{first['content']}"
    body["input"] = [{**first, "content": joined}, *others]


def join_system_blocks(body: Body) -> None:
    """Put the blocks of the system text at the start of the first message."""
    first, *others = body["messages"]
    joined = [*body.pop("system", ()), *first["content"]]
    body["messages"] = [{**first, "content": joined}, *others]


def drop_cache_marks(body: Body) -> None:
    """Remove the cache breakpoints from all blocks."""
    for message in ({"content": body.get("system", ())}, *body["messages"]):
        for block in message["content"]:
            block.pop("cache_control", None)
