"""What a talk's host said, checked on its log: which parts, when, why and how long."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.games.talks.archetypes import Move
from engine.games.talks.log.payloads import HostData
from engine.history import Event, History, RoundLog, payload_of
from protocol.text import SILENT
from tests.oracles.reading import breach_at, breach_in, each_event, events_but_faults, events_of
from tests.oracles.talks.minds import TalkMoment, moments_of
from tests.oracles.talks.moves import is_warning_due
from tests.oracles.talks.reading import LoggedExchange, host_of, settings_of_talk
from tests.oracles.talks.words import SENTENCES, TOLERANCE, embedder_of, is_answered, opening_of
from tests.oracles.talks.worths import circles

# How many times as many words as an utterance a part may have.
LONGER = {"synthesis": 2}
CLOSING = ("synthesis", "coda")
Cause = tuple[str, int]


class Called(NamedTuple):
    """The causes that would let the host interject before an exchange, and what it said there."""

    moment: TalkMoment
    causes: list[Cause | None]
    found: Cause | None


def check_host_parts(history: History) -> Iterator[str]:
    """Check "introduction, interjection, synthesis, coda": each where it belongs, once.

    The introduction is before the first exchange, an interjection before a later one, synthesis and
    coda follow the end. Without a host there is none of them.
    """
    host = host_of(history)
    if (opening := opening_of(history).host) != (host or ""):
        yield f"opening: expected the host {host}: got {opening!r}"
    for log in history.rounds:
        found = [payload_of(event, HostData).part for event in events_of(log, "host")]
        due = parts_due(log, called=found[:1] == ["interjection"]) if host else []
        if found != due:
            yield breach_in(log, f"{due or 'nothing'} of a host: got {found}")


def parts_due(log: RoundLog, *, called: bool) -> list[str]:
    """Return the parts of a host in one round; `called`: it interjects."""
    due = ["introduction"] if log.round_index == 1 else ["interjection"] * called
    kinds = [event.kind for event in events_but_faults(log)]
    return [*due, *CLOSING] if "stop" in kinds else due


def check_host_words(history: History) -> Iterator[str]:
    """Check that the host itself says what it answered, in few words, after so many exchanges."""
    host = host_of(history)
    limit = settings_of_talk(history)["words"]
    for log, event in each_event(history, "host"):
        said = payload_of(event, HostData)
        turn = log.round_index if said.part in CLOSING else log.round_index - 1
        if said.turn != turn:
            yield breach_at(event, f"a host's words after {turn} turns: got {said.turn}")
        if event.player_id != host:
            yield breach_at(event, f"the words of the host, {host}: got {event.player_id}'s")
        yield from check_part(event, limit * LONGER.get(said.part, 1))


def check_part(event: Event, limit: int) -> Iterator[str]:
    """Check that one part is no longer than it may be, and was answered."""
    words = "" if event.content == SILENT else event.content
    if len(words.split()) > limit:
        yield breach_at(event, f"at most {limit} words of the host")
    if event.fell_back and words:
        yield breach_at(event, f"silence without an answer: got {words!r:.100}")
        return
    if not event.attempts:
        return
    for sentence in SENTENCES.split(words):
        if not is_answered(event, sentence):
            yield breach_at(event, f"only what the host answered: got {sentence!r:.200}")


def check_interjections(history: History) -> Iterator[str]:
    """Check "an interjection when a thread is lost", no others, and no two within four turns.

    It is lost when the talk circles, when its last two turns left the topic, or when whoever was
    asked has not spoken for three turns: of several for the first.
    """
    if host_of(history) is None:
        return
    for called in calls_in(history):
        if called.found not in called.causes:
            exchange = called.moment.exchange
            causes = " or ".join(map(str, called.causes))
            due = f"the host to interject for {causes} before turn {exchange.turn}"
            yield breach_in(exchange.log, f"{due}: got {called.found}")


def calls_in(history: History) -> Iterator[Called]:
    """Yield what should have called the host before each exchange, and what it interjected for."""
    past: list[LoggedExchange] = []
    named: list[int] = []
    last = 0
    for moment in moments_of(history):
        rested = not named or len(past) - last >= moment.terms.numbers.host_pause
        causes: list[Cause | None] = [None]
        if past and rested:
            causes = causes_of(history, moment, past, named)
        found = interjected_for(moment.exchange.log)
        yield Called(moment, causes, found)
        if found is not None:
            last = len(past)
            named.append(found[1])
        past.append(moment.exchange)


def interjected_for(log: RoundLog) -> Cause | None:
    """Return why the host interjected in a round, and the turn that was about, if it did."""
    for event in events_of(log, "host"):
        said = payload_of(event, HostData)
        if said.part == "interjection":
            return str(said.why), said.about or 0
    return None


def causes_of(
    history: History,
    moment: TalkMoment,
    past: list[LoggedExchange],
    named: list[int],
) -> list[Cause | None]:
    """Return why the thread is lost, [None] if it is not; two answers where vectors leave it open.

    `past` are the exchanges so far, `named` the turns that the host has come back to.
    """
    numbers = moment.terms.numbers
    if circles(moment.before.steps, numbers) or is_warning_due(moment, moment.terms):
        return [("circles", len(past))]
    waiting = question_waiting(past, named, numbers.unanswered)

    begin = len(past) - numbers.off_turns
    left = ("off_topic", begin + 1)
    beyond = nearness_of_last(history, past, begin) - numbers.off_thread
    if abs(beyond) <= TOLERANCE:
        return [left, waiting]
    return [waiting] if beyond > 0 else [left]


def nearness_of_last(history: History, past: list[LoggedExchange], begin: int) -> float:
    """Return how near the turns from `begin` on are at most to the topic with all before them.

    1, the most, where one was silent, or fewer came before them.
    """
    said = [exchange.words for exchange in past]
    last = said[begin:]
    if begin < len(last) or not all(last):
        return 1.0
    thread = " ".join([settings_of_talk(history)["topic"], *said[:begin]])
    return max(embedder_of(history).similarities(thread, last))


def question_waiting(past: list[LoggedExchange], named: list[int], patience: int) -> Cause | None:
    """Return the last question whose answer is overdue, or None."""
    answered: set[str | None] = {None}
    for exchange in reversed(past):
        asked, turn = exchange.utterance, exchange.turn
        asks = asked.move is Move.QUESTION and exchange.words != "" and turn not in named
        if asks and asked.target not in answered and len(past) - turn >= patience:
            return "unanswered", turn
        answered.add(asked.speaker)
    return None
