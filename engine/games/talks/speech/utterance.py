"""A participant's words, cleaned for the talk: no leading name, no reasoning, not too long."""

import re
from functools import cache

from protocol.text import SENTENCE_END, room_for

WORDS = 120
THOUGHTS = re.compile(
    r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
CLAUSE_END = re.compile(r"[,;:](?=\s)")
ARTICLE = re.compile(r"\A(?:The|An?)\s")
WHAT_IS = re.compile(r"(?i)what(?:'s| is| are)\s+(.+)")
QUESTION = re.compile(
    r"(?i)(should|why|how|when|who|which|can|could|do|does|did|is|are|will|would|what)\b"
)
SENTENCE = re.compile(rf"(?:(?!{SENTENCE_END.pattern}).)*(?:{SENTENCE_END.pattern})?", re.DOTALL)


def without_name(text: str, name: str) -> str:
    """Return `text` without the speaker's full or partial name at the beginning.

    >>> without_name("**Sophia:** Sophia (she/her): I agree.", "Sophia")
    'I agree.'
    >>> without_name("Dr. Rodriguez: I agree.", "Dr. Elena Rodriguez")
    'I agree.'
    """
    return _front_of(name).sub("", text).strip()


@cache
def _front_of(name: str) -> re.Pattern[str]:
    """Return a pattern for a name, or parts of it, at the beginning of a text.

    The pattern includes emphasis marks, quotes, brackets after the name, and repeated names.
    """
    words = name.split()
    parts = {*words, *(word.rstrip(".") for word in words)} - {""}
    either = "|".join(re.escape(part) for part in sorted(parts, key=len, reverse=True))
    # Every repetition is bounded, since untrusted text may be crafted to slow the expression down.
    marks, gap = r"[*_\"\[\]]{0,4}", r"\s{0,4}"
    called = rf"(?:(?:{either}){gap}){{1,{len(words)}}}"
    who = rf"{marks}{gap}{called}{marks}{gap}(?:\([^()]{{0,40}}\))?{marks}{gap}"
    front = rf"\A(?:\s{{0,4}}{who}(?::|[\u2013\u2014]|-\s){marks}{gap}){{1,9}}"
    return re.compile(front, re.IGNORECASE)


def without_repeats(text: str) -> str:
    """Return `text` without sentences that repeat an earlier one.

    >>> without_repeats("We agree. We do not know. We agree.")
    'We agree. We do not know.'
    """
    sentences = (" ".join(sentence.split()) for sentence in SENTENCE.findall(text))
    return " ".join(dict.fromkeys(filter(None, sentences)))


def fit_to_say(text: str, name: str, words: int) -> str:
    """Return an utterance without its speaker's name, thoughts and repeats, but not yet cut.

    Thoughts are tagged blocks, closed or not, and everything before a stray closing tag. Raises
    ValueError if no words are left or the utterance cannot be cut to `words`.
    """
    spoken = THOUGHT_END.split(THOUGHTS.sub(" ", text))[-1].strip()
    spoken_words = without_repeats(without_name(spoken, name))
    if not spoken_words:
        raise ValueError("expected 2 to 4 sentences: got no words")
    cut_to_say(spoken_words, words)
    return spoken_words


def cut_to_say(said: str, words: int, longest: int | None = None) -> str:
    """Return an utterance cut to at most `words` words and a matching number of characters.

    The cut is after the last sentence that fits or, in a single long sentence, after the last
    clause that fits. Raises ValueError if neither is possible. A last sentence that breaks off at
    the limit of `longest` characters (None: derived from `words`) is cut too, unless it is the only
    sentence.
    """
    room = room_for(words)
    long = len(said.split()) > words or len(said) > room
    unfinished = said.endswith((",", ":", ";"))
    fills_room = len(said) >= (longest or room) - 1
    if not long and not unfinished and not fills_room:
        return said

    if sentences := cut_behind(SENTENCE_END, said, words, room):
        return sentences
    if not long and not unfinished:
        return said
    if long and (clauses := cut_behind(CLAUSE_END, said, words, room)):
        return f"{clauses[:-1]}."

    raise ValueError(
        f"expected 2 to 4 whole sentences, {words} words at most: got {_fault_in(said, words)}"
    )


def _fault_in(said: str, words: int) -> str:
    """Return the length of the text if it is too long, otherwise how it breaks off."""
    count = len(said.split())
    if count > words:
        return f"{count} words"
    if len(said) > room_for(words):
        return f"{len(said)} characters"
    return f"words that break off: {said[-60:]!r}"


def cut_behind(end: re.Pattern[str], text: str, words: int, room: int) -> str:
    """Return the longest beginning of `text` that fits and stops at an `end`, or ""."""
    begun = text[:room]
    longest = ""
    for match in end.finditer(begun):
        cut = begun[: match.end()]
        if len(cut.split()) <= words:
            longest = cut
    return longest


def subject_of(topic: str) -> str:
    """Return a topic's subject as a noun phrase for use in a sentence.

    >>> subject_of("What is the meaning of life?"), subject_of("Should AI systems have rights?")
    ('the meaning of life', 'this question')
    >>> subject_of("The ethics of war")
    'the ethics of war'
    """
    words = " ".join(topic.split()).strip(" ?.!")
    bare = ARTICLE.sub(lambda match: match[0].lower(), words)
    asked = WHAT_IS.match(bare)
    if asked:
        return asked[1]
    if QUESTION.match(bare) or len(bare.split()) > 7:
        return "this question"
    return bare
