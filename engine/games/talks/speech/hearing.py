"""How new words are measured against all that was said before, and then remembered."""

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.games.talks.speech.answer import Utterance
from engine.games.talks.state import Exchange
from engine.games.talks.talk_state import TalkState
from engine.games.talks.termination import novelty
from engine.games.talks.theory.choosing import CLASHES
from engine.games.talks.theory.effects import depth_after

# Vectors need NumPy, which takes longer to import than a command may take to answer `--help`.
if TYPE_CHECKING:
    from engine.memory.corpus import Record

SHOWN = 3
SAME_ASPECT = 0.6
DIGITS = 6
Positions = tuple[tuple[str, str], ...]


def similar_positions(state: TalkState) -> Positions:
    """Return up to three earlier positions nearest to the latest words: who took them, and what."""
    latest = state.talk.exchanges[-1] if state.talk.exchanges else None
    if latest is None or not latest.content:
        return ()

    positions = []
    for record, _ in state.said.most_similar(latest.content, SHOWN + 1):
        facts = record.metadata
        if facts["turn"] != latest.turn and facts["position"]:
            positions.append((state.names[str(facts["speaker"])], str(facts["position"])))
    return tuple(positions[:SHOWN])


def _nearest_words(state: TalkState, words: str, spared: int | None) -> tuple[float, int | None]:
    """Return how similar the nearest words outside the turn `spared` are, and their turn."""
    for record, likeness in state.said.most_similar(words, 2):
        turn = record.metadata["turn"]
        if turn != spared:
            assert isinstance(turn, int)
            return likeness, turn
    return 0.0, None


def hear_answer(state: TalkState, answer: Utterance, *, spares_target: bool = True) -> TalkState:
    """Return the state with the answer as its exchange, measured against earlier words, remembered.

    With `spares_target` the words that a SUPPORT or CHALLENGE answers do not count as repeated.
    Silence keeps the novelty as it was. Without named aspects those of the words are taken.
    """
    exchange = silent_exchange(state)
    words, _ = answer.spoken()
    if not words:
        return replace(state, exchange=exchange)

    spared = words_answered(exchange, state) if spares_target else None
    similarity, nearest = _nearest_words(state, words, spared)
    labelled, aspects = _name_aspects(state, aspect_labels(state, answer))
    exchange = replace(
        exchange,
        content=words,
        position=answer.position,
        aspects=aspects,
        # Vectors differ in their last digits from machine to machine; what hangs on them must not.
        novelty=round(novelty([similarity]), DIGITS),
        nearest=nearest,
    )
    return replace(remember(labelled, exchange), exchange=exchange)


def silent_exchange(state: TalkState) -> Exchange:
    """Return the exchange under way before any words."""
    assert state.choice is not None
    talk, move = state.talk, state.choice.move
    return Exchange(
        turn=talk.turn_number + 1,
        speaker=state.speaker,
        move=move.type,
        target=move.target,
        content="",
        depth=depth_after(move.type, talk),
        novelty=talk.novelty_score,
    )


def words_answered(exchange: Exchange, state: TalkState) -> int | None:
    """Return the turn of the words that a SUPPORT or a CHALLENGE answers, None for other moves."""
    if exchange.move not in CLASHES:
        return None
    for earlier in reversed(state.talk.exchanges):
        if earlier.speaker == exchange.target:
            return earlier.turn
    return None


def aspect_labels(state: TalkState, answer: Utterance) -> list[str]:
    """Return up to three labels of an answer: its own, else key phrases, but no names of people."""
    from engine.games.talks.speech.aspects import MOST, keyphrases

    people: set[str] = set()
    for name in state.seats:
        people.update(word.casefold() for word in (name, *name.split()))

    words, _ = answer.spoken()
    labels = answer.aspects or keyphrases(words, state.talk.topic)
    return [label for label in labels if label.casefold() not in people][:MOST]


def remember(state: TalkState, exchange: Exchange) -> TalkState:
    """Return the state that remembers an utterance: ask for similar ones before."""
    if not exchange.content:
        return state
    return replace(state, said=state.said.with_record(corpus_record(exchange)))


def corpus_record(exchange: Exchange) -> "Record":
    """Return an utterance as a corpus keeps it."""
    from engine.memory.corpus import Record, record_id

    facts: dict[str, str | int] = {
        "speaker": exchange.speaker,
        "turn": exchange.turn,
        "move": str(exchange.move),
        "target": exchange.target or "",
        "depth": exchange.depth,
        "position": exchange.position,
    }
    return Record(record_id(exchange.speaker, exchange.turn), exchange.content, facts)


def _similar_label(state: TalkState, label: str) -> str | None:
    near = state.labels.most_similar(label, 1)
    return near[0][0].text if near and near[0][1] > SAME_ASPECT else None


def _with_label(state: TalkState, label: str, place: int) -> TalkState:
    from engine.memory.corpus import Record

    record = Record(f"aspect_{state.talk.turn_number + 1}_{place}", label)
    return replace(state, labels=state.labels.with_record(record))


def _name_aspects(state: TalkState, labels: list[str]) -> tuple[TalkState, tuple[str, ...]]:
    """Return the state that remembers new labels, and each label as it is known, none twice."""
    names: dict[str, None] = {}
    explored = {label.casefold(): label for label in state.talk.aspects_explored}
    for place, label in enumerate(labels):
        known = explored.get(label.casefold()) or _similar_label(state, label)
        if known is None:
            state = _with_label(state, label, place)
        names[known or label] = None
    return state, tuple(names)
