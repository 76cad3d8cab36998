"""The rules of visibility, checked on a log: who sees what, who heard whom, what is private."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot, Expectation, Pairing, Recap
from protocol.text import SILENT
from protocol.turn import Prompt
from tests.oracles.deliberations.probes import probes_in
from tests.oracles.deliberations.reading import (
    is_message,
    tells_pairing,
    votes_in,
)
from tests.oracles.deliberations.sidebars import by_exchange, hearer_of, opens_exchange
from tests.oracles.reading import breach_at, each_event, events_but_faults, events_of, ids_of

AT_ONCE = {"vote", "confessional", "summary", "debrief"}
PUBLIC = {"pitch", "question", "answer", "statement", "last_words"}
SPOKEN = {*PUBLIC, "sidebar", "confessional", "summary"}
# Shorter texts may be in a prompt by chance.
TELLING = 12


def check_visibility(history: History) -> Iterator[str]:
    """Check that all see pitches ("also visible to elminated players") and results, and no more."""
    for event in history.events:
        due = seers_of(history, event)
        seen = [*event.visibility]
        if sorted(seen) != sorted(due):
            yield breach_at(event, f"a {event.kind} that {due} see: {seen} see it")


def seers_of(history: History, event: Event) -> list[str]:
    """Return who may see an event."""
    own = str(event.player_id)
    if event.kind in ("fault", "probe", "flag"):
        return []
    if event.kind in AT_ONCE:
        return [own]
    if event.kind == "sidebar" and tells_pairing(event):
        return [*payload_of(event, Pairing).members]
    if event.kind == "sidebar":
        other = hearer_of(event)
        return [own, other] if other else [own]
    return ids_of(history)


def check_hearing(history: History) -> Iterator[str]:
    """Check that speakers in turn heard all earlier ones, and players asked at once heard none."""
    indices = [event.index for event in history.events if event.kind != "fault"]
    for log in history.rounds:
        for event in events_but_faults(log):
            if event.prompt is None:
                continue
            since = moment_of_asking(log, event)
            if bisect_left(indices, event.prompt.upto) != indices.index(since):
                expected = f"{event.player_id} to be asked just before event {since}"
                yield breach_at(event, f"{expected}: it was before event {event.prompt.upto}")


def moment_of_asking(log: RoundLog, event: Event) -> int:
    """Return the index of the event just before which a player must have been asked."""
    if event.kind == "vote":
        return votes_in(log, revote=payload_of(event, Ballot).revote)[0].index
    if event.kind == "probe":
        return probes_in(log, revote=payload_of(event, Expectation).revote)[0].index
    if event.kind in AT_ONCE:
        return events_of(log, event.kind)[0].index
    if event.kind == "sidebar" and opens_exchange(event):
        begun = [part[0].index for part in by_exchange(log)]
        return max(index for index in begun if index <= event.index)
    return event.index


class Secret(NamedTuple):
    """A text that only its `readers` may find in a prompt, and the index of its event."""

    origin: int
    text: str
    readers: list[str]


def check_secrecy(history: History) -> Iterator[str]:
    """Check that no question contains private words, others' reasoning, or reasons for votes."""
    prompts = read_prompts(history)
    secrets: list[Secret] = []
    for log in history.rounds:
        for event in events_but_faults(log):
            prompt = prompts.get(event.index)
            secrets += secrets_of(history, event, prompt)

    for event in history.events:
        prompt = prompts.get(event.index)
        if prompt is not None:
            yield from each_leak(event, prompt, secrets)


def each_leak(event: Event, prompt: Prompt, secrets: list[Secret]) -> Iterator[str]:
    """Yield a breach for each secret that the question of `event` reveals to its player."""
    asked = prompt.system + prompt.question
    for secret in secrets:
        if event.player_id not in secret.readers and secret.text in asked:
            due = f"{event.player_id} not to be told of event {secret.origin}"
            yield breach_at(event, f"{due}: {secret.text!r}")


def read_prompts(history: History) -> dict[int, Prompt]:
    """Return every prompt that was read, by the index of its event."""
    prompts = {event.index: history.prompt_of(event) for event in history.events}
    return {index: prompt for index, prompt in prompts.items() if prompt is not None}


def secrets_of(history: History, event: Event, prompt: Prompt | None) -> Iterator[Secret]:
    """Yield what an event keeps private, except words that its player took from its own prompt."""
    read = "" if prompt is None else prompt.system + prompt.transcript + prompt.question
    words = event.content.partition(": ")[2] if event.kind == "vote" else event.content
    readers = seers_of(history, event)
    private = len(readers) < len(history.players)
    if private and is_telling(words, read):
        yield Secret(event.index, words, readers)
    for unread in (event.reasoning, event.data.get("plan", "")):
        if is_telling(unread, read):
            yield Secret(event.index, unread, [])


def is_telling(text: str, read: str) -> bool:
    """Return whether a text is long enough to be a secret, and not quoted from what was `read`."""
    return len(text) >= TELLING and text not in read


def check_quotes(history: History) -> Iterator[str]:
    """Check that players' recorded words are what they answered, and not, say, their reasoning."""
    for kind in SPOKEN:
        for _, event in each_event(history, kind):
            if not event.attempts or event.fell_back:
                continue
            if kind == "sidebar" and not is_message(event):
                continue
            answer = " ".join(event.attempts[-1].text.split())
            plain = answer.isascii() and answer.isprintable() and "\\" not in answer
            if plain and not is_quoted(event, answer):
                due = f"what was answered, {answer!r}"
                yield breach_at(event, f"{due}: got {event.content!r}")


def is_quoted(event: Event, answer: str) -> bool:
    """Return whether a player's recorded words were in its answer, or are its silence."""
    said = event.content
    # A sentence that was cut ends in a special mark.
    if event.data.get("cut"):
        said = said.removesuffix("…")
    return event.content == SILENT or said in answer


def check_memory(history: History) -> Iterator[str]:
    """Check that a summary replaces its own round, up to itself, and that nothing else does."""
    for log in history.rounds:
        first = log.events[0].index if log.events else 0
        for event in events_but_faults(log):
            due = None
            if event.kind == "summary" and event.content != SILENT:
                due = (first, event.index - 1)
            found = payload_of(event, Recap).replaces
            if found != due:
                expected = f"it to replace {due} in its author's memory"
                yield breach_at(event, f"{expected}: got {found}")
