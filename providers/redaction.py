"""Remove keys from a server's faults and completions, and cut the faults to one line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

from providers import Completion, visible_line
from providers.settings import KEY, REDACTED, without_keys

# How servers echo a key: whole, as a long word of another form, or with stars in it.
KEY_LIKE = re.compile(rf"{KEY.pattern}|[-\w]{{32,}}")
LETTER = re.compile(r"%[0-9a-fA-F]{2}|[^\W_]")
STARS = "***"
SCANNED = 4000
LONGEST_MESSAGE = 400
LONGEST_FACT = 200
SHORTEST_PART = 8
# Shorter secrets are not redacted: a header's value, such as a version number, may occur anywhere.
SHORTEST_SECRET = 4


def first_words(said: str) -> str:
    """Return the whole words in the first 4,000 characters, so that no key is cut in half."""
    if len(said) <= SCANNED:
        return said
    # The added letter extends a word that was cut, or represents the next word.
    whole, *cut = f"{said[:SCANNED]}x".rsplit(maxsplit=1)
    return whole if cut else f"(a message of {len(said)} characters)"


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return `text` as one line of at most 400 characters, without `secrets` or parts of them.

    Only parts of at least 8 characters are removed, and other text that looks like a key. Only the
    first 4,000 characters of a longer text are used.
    """
    known = without_parts(visible_line(first_words(text), SCANNED), secrets)
    words = KEY_LIKE.sub(REDACTED, without_keys(known)).split()
    shown = [REDACTED if STARS in word else word for word in words]
    return " ".join(shown)[:LONGEST_MESSAGE]


def without_parts(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with each stretch of at least 8 characters from a secret redacted.

    A stretch is also redacted if its letters and digits, once percent-decoded, occur in a secret,
    since a secret may be written with spaces. A shorter secret is redacted only if it occurs whole.
    For each secret, the time is linear in both lengths.
    """
    spans: list[tuple[int, int]] = []
    letters = _letters_of(unquote(text))
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            spans += _spans_of(secret, text, letters)
    return _join_around(text, sorted(spans)) if spans else text


def _spans_of(secret: str, text: str, letters: str) -> list[tuple[int, int]]:
    """Return where parts of a secret are in `text`; `letters` are the text's letters and digits."""
    size = min(len(secret), SHORTEST_PART)
    spans = [(start, start + size) for start in _found(_windows(secret, size), size, text)]
    spelled = _windows(_letters_of(secret), SHORTEST_PART)
    if _found(spelled, SHORTEST_PART, letters):
        spans += _spelled_out(spelled, text)
    return spans


@lru_cache(maxsize=256)
def _windows(text: str, size: int) -> frozenset[str]:
    return frozenset(text[start : start + size] for start in range(len(text) - size + 1))


def _found(parts: frozenset[str], size: int, text: str) -> list[int]:
    """Return where each of `parts`, all of the same length, begins in a text."""
    if not parts:
        return []
    places = range(len(text) - size + 1)
    return [start for start in places if text[start : start + size] in parts]


def _letters_of(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _spelled_out(parts: frozenset[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each span whose letters and digits spell one of `parts`."""
    letters = []
    places = []
    for piece in LETTER.finditer(text):
        letter = unquote(piece[0]).lower()[:1]
        if letter.isalnum():
            letters.append(letter)
            places.append(piece.span())
    for start in _found(parts, SHORTEST_PART, "".join(letters)):
        yield places[start][0], places[start + SHORTEST_PART - 1][1]


def _join_around(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept: list[str] = []
    last = 0
    for begin, end in spans:
        if begin > last or not kept:
            kept += [text[last:begin], REDACTED]
        last = max(last, end)
    return "".join([*kept, text[last:]])


def public_completion(completion: Completion, secrets: Iterable[str]) -> Completion:
    """Return a completion that is safe for journals: a server may echo its request.

    Secrets of at least 8 characters are removed from the text only if they occur whole: parts of
    them may be ordinary words. Parts are removed only from the values of `raw`, such as the model's
    name.
    """
    known = [*secrets]
    whole = [form for secret in known if len(secret) >= SHORTEST_PART for form in _forms_of(secret)]
    return replace(
        completion,
        text=_without_whole(completion.text, whole),
        reasoning=_without_whole(completion.reasoning, whole),
        raw=_public_facts(completion.raw, known),
    )


@lru_cache(maxsize=256)
def _forms_of(secret: str) -> frozenset[str]:
    """Return each form in which a model may write a secret: as is, percent-encoded or spaced."""
    codes = [f"%{code:02X}" for code in secret.encode()]
    encoded = "".join(codes)
    return frozenset({secret, quote(secret, safe=""), encoded, encoded.lower(), " ".join(secret)})


def _without_whole(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def _public_facts(raw: Mapping[str, Any], secrets: Iterable[str]) -> dict[str, str]:
    """Return the texts and numbers in `raw` as short texts without secrets."""
    facts = {}
    for name, fact in raw.items():
        if isinstance(fact, str | int | float):
            fact_text = without_parts(visible_line(str(fact)[:SCANNED], SCANNED), secrets)
            facts[name] = without_keys(fact_text)[:LONGEST_FACT]
    return facts
