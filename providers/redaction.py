"""What a server says, without the keys it was sent: faults as one line, and whole completions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from providers import Completion
from providers.settings import KEY, REDACTED, without_keys

# What servers echo of a key: whole, as a long word of another form, or with stars in it.
KEY_LIKE = re.compile(rf"{KEY.pattern}|[-\w]{{32,}}")
STARS = "***"
SCANNED = 4000
LONGEST_MESSAGE = 400
LONGEST_FACT = 200
SHORTEST_PART = 8
# One character may be a version in a header, and so a part of any sentence.
SHORTEST_SECRET = 4


def first_words(said: str) -> str:
    """Return at most the first 4,000 characters of `said`, cut between words.

    A word that is cut in its middle goes too: half a key no longer looks like one.
    """
    if len(said) <= SCANNED:
        return said
    # The letter joins a word that is cut, or stands for the one that comes next.
    whole, *cut = f"{said[:SCANNED]}x".rsplit(maxsplit=1)
    return whole if cut else f"(a message of {len(said)} characters)"


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return `text` as one line of at most 400 characters, without `secrets` or parts of them.

    Parts are of at least 8 characters. Whatever else looks like a key is left out too. Of a longer
    text only the first 4,000 characters are looked at.
    """
    known = without_parts(first_words(text), secrets)
    words = KEY_LIKE.sub(REDACTED, without_keys(known)).split()
    shown = [REDACTED if STARS in word else word for word in words]
    return " ".join(shown)[:LONGEST_MESSAGE]


def without_parts(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with each stretch of at least 8 characters that stands in a secret redacted.

    A shorter secret is redacted where it stands whole. The time is linear in both.
    """
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = _join_around(text, _stretches_of(secret, text))
    return text


def _stretches_of(secret: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the stretches of a secret begin and end in a text, in order."""
    size = min(len(secret), SHORTEST_PART)
    parts = {*_windows(secret, size)}
    begin = end = 0
    for start, part in enumerate(_windows(text, size)):
        if part not in parts:
            continue
        if start > end or not end:
            yield begin, end
            begin = start
        end = start + size
    yield begin, end


def _windows(text: str, size: int) -> Iterator[str]:
    for start in range(len(text) - size + 1):
        yield text[start : start + size]


def _join_around(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    kept = []
    last = 0
    for begin, end in stretches:
        if end:
            kept += [text[last:begin], REDACTED]
            last = end
    return "".join([*kept, text[last:]])


def public_completion(completion: Completion, secrets: Iterable[str]) -> Completion:
    """Return a completion as journals may hold it: a server may echo what it was sent.

    From its words goes each secret of at least 8 characters where it stands whole: parts of one may
    be words of the language. From its few facts, such as the model, parts go too.
    """
    known = [*secrets]
    whole = [secret for secret in known if len(secret) >= SHORTEST_PART]
    return replace(
        completion,
        text=_without_whole(completion.text, whole),
        reasoning=_without_whole(completion.reasoning, whole),
        raw=_public_facts(completion.raw, known),
    )


def _without_whole(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def _public_facts(raw: Mapping[str, Any], secrets: Iterable[str]) -> dict[str, str]:
    """Return texts and numbers, short and without secrets, as texts: an API may send anything."""
    facts = {}
    for name, fact in raw.items():
        if isinstance(fact, str | int | float):
            said = without_parts(str(fact)[:SCANNED], secrets)
            facts[name] = without_keys(said)[:LONGEST_FACT]
    return facts
