"""What was said in a talk, checked on its log: answers, novelty, aspects, length."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.games.talks.log.payloads import TalkOpening, ThesisData
from engine.history import Event, History, payload_of
from protocol.text import SILENT
from tests.oracles.reading import breach_at, events_of, ids_of, letters_in
from tests.oracles.talks.choices import CLASHING
from tests.oracles.talks.reading import (
    LoggedExchange,
    logged_exchanges,
    settings_of_talk,
    talkers_of,
    terms_of,
)

if TYPE_CHECKING:
    from engine.games.talks.memory.embeddings import Embedder

# Vectors differ in their last digits between machines.
TOLERANCE = 1e-3
SAME_LABEL = 0.6
MOST_LABELS = 3
LEFT_OUT = -1.0
SENTENCES = re.compile(r"(?<=[.!?\u2026;:,])\s+")


def check_novelty(history: History) -> Iterator[str]:
    """Check "novelty = 1.0 - max_similarity" of each utterance, and which earlier one is nearest.

    Each is compared with every earlier utterance of this talk, a SUPPORT or CHALLENGE with all but
    that which it answers, if that is less alike than 0.85. What was cut counts as it was answered.
    The first is wholly new; silence leaves the novelty as it was.
    """
    exchanges = logged_exchanges(history)
    spares = terms_of(history).circles == "twice"
    said = [exchange for exchange in exchanges if exchange.words]
    likenesses = likenesses_to_words(said, embedder_of(history))
    copied = terms_of(history).numbers.copied
    alike_by_turn = dict(zip([one.turn for one in said], likenesses, strict=True))

    before = 1.0
    for exchange in exchanges:
        alike = alike_by_turn.get(exchange.turn, [])
        if spares:
            alike = but_what_is_answered(alike, said, turn_answered(exchange, exchanges), copied)
        due = 1 - max([0.0, *alike]) if exchange.words else before
        found = exchange.utterance.novelty
        if abs(found - due) > TOLERANCE:
            told = f"novelty {due:.6f} of turn {exchange.turn}"
            yield breach_at(exchange.spoken, f"{told}: got {found:.6f}")
        yield from check_nearest(exchange, said, alike)
        before = found


def turn_answered(exchange: LoggedExchange, exchanges: Sequence[LoggedExchange]) -> int | None:
    """Return the turn that a SUPPORT or CHALLENGE takes up: the latest one of its target."""
    if exchange.utterance.move not in CLASHING:
        return None
    earlier = exchanges[: exchange.turn - 1]
    own = [one.turn for one in earlier if one.utterance.speaker == exchange.utterance.target]
    return max(own, default=None)


def but_what_is_answered(
    alike: Sequence[float],
    said: Sequence[LoggedExchange],
    answered: int | None,
    copied: float,
) -> list[float]:
    """Return how alike an utterance is to each earlier one, that of one turn left out.

    It is not left out where it is `copied`.
    """
    return [
        LEFT_OUT if other.turn == answered and round(similarity, 6) < copied else similarity
        for other, similarity in zip(said, alike, strict=False)
    ]


def likenesses_to_words(said: Sequence[LoggedExchange], embedder: "Embedder") -> list[list[float]]:
    """Return for each utterance, as it was answered, how alike it is to each before."""
    kept = [exchange.words for exchange in said]
    whole = [exchange.utterance.uncut or exchange.words for exchange in said]
    return likenesses_of(whole, kept, embedder)


def likenesses_of(texts: list[str], earlier: list[str], embedder: "Embedder") -> list[list[float]]:
    """Return for each text how alike it is, 0 to 1, to each of the `earlier` ones before it."""
    vectors, others = embedder.embed(texts), embedder.embed(earlier)
    cosines = [others[:place] @ vector for place, vector in enumerate(vectors)]
    return [embedder.scaled(own).tolist() for own in cosines]


def check_nearest(
    exchange: LoggedExchange,
    said: Sequence[LoggedExchange],
    alike: Sequence[float],
) -> Iterator[str]:
    """Check the turn of the earlier utterance that is most like an exchange's."""
    least = max(max(alike, default=0.0) - TOLERANCE, LEFT_OUT + TOLERANCE)
    pairs = zip(said, alike, strict=False)
    nearest = [other.turn for other, similarity in pairs if similarity >= least]
    found = exchange.utterance.nearest
    if not (found in nearest if nearest else found is None):
        told = f"the nearest of turn {exchange.turn} to be of turn {nearest or None}"
        yield breach_at(exchange.spoken, f"{told}: got {found}")


def embedder_of(history: History) -> "Embedder":
    """Return the embedder that compared the utterances; ValueError if it is missing."""
    # Vectors need NumPy, which imports too slowly for commands that only show `--help`.
    from engine.games.talks.memory.embeddings import EMBEDDERS

    name = opening_of(history).embedder
    if name not in EMBEDDERS:
        raise ValueError(f"expected an embedder, one of {', '.join(EMBEDDERS)}: got {name!r}")
    return EMBEDDERS[name]()


def opening_of(history: History) -> TalkOpening:
    """Return the opening of a talk; ValueError if it has none."""
    for event in events_of(history.rounds[0], "narration"):
        if "embedder" in event.data:
            return payload_of(event, TalkOpening)
    raise ValueError("expected the opening of a talk: got none")


def check_opening(history: History) -> Iterator[str]:
    """Check that the opening has the topic and the depth of the settings."""
    opening = opening_of(history)
    settings = settings_of_talk(history)
    if opening.topic != settings["topic"] or opening.depth != settings["depth"]:
        due = f"{settings['topic']!r} at depth {settings['depth']}"
        yield f"opening: expected {due}: got {opening.topic!r} at depth {opening.depth}"


def check_aspects(history: History) -> Iterator[str]:
    """Check that an utterance touches up to three aspects, and that a new one is no old one.

    A label more alike than 0.6 to an earlier one is that aspect, and stands under its name. Silence
    touches none, and a participant's name is no aspect.
    """
    names = {name.casefold() for name in ids_of(history)}
    likeness = likeness_of_labels(history)
    known: set[str] = set()
    for exchange in logged_exchanges(history):
        labels = exchange.utterance.aspects
        most = MOST_LABELS if exchange.words else 0
        if len(labels) > most or len({*labels}) < len(labels):
            told = f"up to {most} different aspects in turn {exchange.turn}"
            yield breach_at(exchange.spoken, f"{told}: got {[*labels]}")
        for label in labels:
            repeats_one = label not in known and likeness[label] > SAME_LABEL + TOLERANCE
            if label.casefold() in names or repeats_one:
                told = f"an aspect of its own in turn {exchange.turn}"
                yield breach_at(exchange.spoken, f"{told}: got {label!r}")
            known.add(label)


def likeness_of_labels(history: History) -> dict[str, float]:
    """Return by label how alike it is to the nearest one that came before it, 0 to 1."""
    labels: dict[str, None] = {}
    for exchange in logged_exchanges(history):
        labels.update(dict.fromkeys(exchange.utterance.aspects))
    likenesses = likenesses_of([*labels], [*labels], embedder_of(history))
    nearest = [max(alike, default=0.0) for alike in likenesses]
    return dict(zip(labels, nearest, strict=True))


def check_answers_kept(history: History) -> Iterator[str]:
    """Check that what is told was answered, sentence by sentence, and silence where nothing was.

    What was cut repeated something, and nothing that is left does.
    """
    limit = settings_of_talk(history)["words"]
    earlier: list[list[str]] = []
    for exchange in logged_exchanges(history):
        event = exchange.spoken
        uncut = exchange.utterance.uncut
        if repeats(exchange.words, earlier) or (uncut and not repeats(uncut, earlier)):
            yield breach_at(event, f"no words said before, or all words, in turn {exchange.turn}")
        earlier.append(plain_words(exchange.words))
        if len(exchange.words.split()) > limit:
            yield breach_at(event, f"at most {limit} words in turn {exchange.turn}")
        if event.fell_back and exchange.words:
            told = f"silence without an answer in turn {exchange.turn}"
            yield breach_at(event, f"{told}: got {exchange.words!r:.100}")
        elif event.attempts or uncut:
            yield from check_quote(exchange, event)


def check_quote(exchange: LoggedExchange, event: Event) -> Iterator[str]:
    """Check that each sentence and the position are in the text of the answer."""
    for sentence in [*SENTENCES.split(exchange.words), exchange.utterance.position]:
        if not is_answered(event, sentence):
            told = f"only what was answered in turn {exchange.turn}"
            yield breach_at(event, f"{told}: got {sentence!r:.200}")


def is_answered(event: Event, text: str) -> bool:
    """Return whether the words are in the text of an event's answer."""
    answers = [answered_text(attempt.text) for attempt in event.attempts]
    uncut = event.data.get("uncut")
    if uncut and not event.attempts:
        answers = [f"{uncut} {event.data['position']}"]
    return any(letters_in(text) in letters_in(answer) for answer in answers)


def repeats(text: str, earlier: Sequence[Sequence[str]]) -> bool:
    """Return whether a text has 12 words in a row of an earlier one, or 4 three times in itself."""
    words = plain_words(text)
    for own in range(len(words) - 11):
        run = words[own : own + 12]
        for said in earlier:
            if any(said[begin : begin + 12] == run for begin in range(len(said) - 11)):
                return True
    phrases = [tuple(words[begin : begin + 4]) for begin in range(len(words) - 3)]
    return any(phrases.count(phrase) > 2 for phrase in phrases)


def plain_words(text: str) -> list[str]:
    """Return the words of a text in small letters; an apostrophe or a hyphen may be inside one."""
    return re.findall(r"[^\W_]+(?:['\u2019-][^\W_]+)*", text.casefold())


def check_theses(history: History) -> Iterator[str]:
    """Check that each participant holds before the talk what it answered, or nothing."""
    owners = []
    for log in history.rounds[:1]:
        for event in events_of(log, "thesis"):
            owners.append(event.player_id)
            yield from check_thesis(event)
    due = talkers_of(history)
    if owners and owners != due:
        yield f"theses: expected one of each of {due}: got those of {owners}"


def check_thesis(event: Event) -> Iterator[str]:
    """Check that a thesis is shown as it was answered, and missing without an answer."""
    position = payload_of(event, ThesisData).position
    told = position or SILENT
    if event.content != told:
        yield breach_at(event, f"{told!r:.200}: got {event.content!r:.200}")
    if event.fell_back:
        if position:
            yield breach_at(event, f"no thesis without an answer: got {position!r:.200}")
        return
    if event.attempts and not is_answered(event, position):
        yield breach_at(event, f"only what was answered: got {position!r:.200}")


def answered_text(text: str) -> str:
    """Return an answer's text without its escapes, as far as it is JSON."""
    begin = text.find("{")
    end = text.rfind("}") + 1
    try:
        fields = json.loads(text[begin:end], strict=False)
    except ValueError:
        return text
    if not isinstance(fields, dict):
        return text
    return " ".join([str(value) for value in fields.values()])
