"""Compare new words with everything said before, and then remember them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import DIGITS
from engine.games.talks.settings import LONGEST_ASPECT
from engine.games.talks.speech.answer import Utterance
from engine.games.talks.speech.repeats import without_copies
from engine.games.talks.state import Exchange
from engine.games.talks.talk_state import TalkState
from engine.games.talks.termination import novelty
from engine.games.talks.theory.choosing import CLASHES
from engine.games.talks.theory.effects import depth_after
from protocol.text import cut_at_word

# Embeddings import NumPy, which would make `--help` too slow.
if TYPE_CHECKING:
    from engine.games.talks.memory.corpus import Record

SHOWN = 3
SAME_ASPECT = 0.6


def similar_positions(state: TalkState) -> tuple[tuple[str, str], ...]:
    """Return up to three earlier positions close to the latest words; empty for a CHALLENGE."""
    assert state.choice is not None
    exchanges = state.talk.exchanges
    states_any = any(exchange.position for exchange in exchanges)
    challenges = state.choice.move.type is Move.CHALLENGE
    if not states_any or not exchanges[-1].content or challenges:
        return ()
    return tuple(_positions_near(state, exchanges[-1])[:SHOWN])


def _positions_near(state: TalkState, latest: Exchange) -> list[tuple[str, str]]:
    positions = []
    for record, likeness in state.said.most_similar(latest.content, SHOWN + 1):
        facts = record.metadata
        is_near = round(likeness, DIGITS) >= state.theory.constants.near_position
        if is_near and facts["turn"] != latest.turn and facts["position"]:
            positions.append((state.names[str(facts["speaker"])], str(facts["position"])))
    return positions


def _nearest_words(state: TalkState, words: str, spared: int | None) -> tuple[float, int | None]:
    """Return the most similar turn's similarity and number; turn `spared` counts only if copied."""
    copied = state.theory.constants.copied
    for record, likeness in state.said.most_similar(words, 2):
        turn = record.metadata["turn"]
        if turn != spared or round(likeness, DIGITS) >= copied:
            assert isinstance(turn, int)
            return likeness, turn
    return 0.0, None


def hear_answer(state: TalkState, answer: Utterance, *, spares_target: bool = True) -> TalkState:
    """Compare an answer with earlier words, remember it, and return the state with its exchange.

    With `spares_target`, similarity to the words that a SUPPORT or CHALLENGE addresses counts only
    if it makes the answer a copy. Novelty is measured before repeated words are cut; silence leaves
    it unchanged. If the answer names no aspects, they are taken from its words.
    """
    exchange = _silent_exchange(state)
    words, _ = answer.spoken()
    if not words:
        return state.changed(exchange=exchange)

    spared = _turn_answered(exchange, state.talk.exchanges) if spares_target else None
    similarity, nearest = _nearest_words(state, words, spared)
    labelled, aspects = _name_aspects(state, answer, words)
    exchange = exchange.changed(
        content=without_copies(words, state.talk.exchanges),
        position=answer.position,
        aspects=aspects,
        novelty=round(novelty([similarity]), DIGITS),
        nearest=nearest,
    )
    return remember(labelled, exchange).changed(exchange=exchange)


def _turn_answered(exchange: Exchange, earlier: Iterable[Exchange]) -> int | None:
    """Return the target's latest turn for a SUPPORT or CHALLENGE, and None for other moves."""
    if exchange.move not in CLASHES:
        return None
    turns = {other.speaker: other.turn for other in earlier}
    return turns.get(str(exchange.target))


def _silent_exchange(state: TalkState) -> Exchange:
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


def remember(state: TalkState, exchange: Exchange) -> TalkState:
    """Return the state with an utterance remembered; call this only after measuring its novelty."""
    if not exchange.content:
        return state
    return state.changed(said=state.said.with_record(corpus_record(exchange)))


def corpus_record(exchange: Exchange) -> "Record":
    """Return the utterance of an exchange as a corpus record."""
    from engine.games.talks.memory.corpus import Record

    facts: dict[str, str | int] = {
        "speaker": exchange.speaker,
        "turn": exchange.turn,
        "move": str(exchange.move),
        "target": exchange.target or "",
        "depth": exchange.depth,
        "position": exchange.position,
    }
    return Record(f"{exchange.speaker}_turn_{exchange.turn}", exchange.content, facts)


def _name_aspects(
    state: TalkState, answer: Utterance, words: str
) -> tuple[TalkState, tuple[str, ...]]:
    """Return the state with new labels remembered, and up to three labels of an answer."""
    from engine.games.talks.memory.corpus import Record
    from engine.games.talks.speech.aspects import MOST, keyphrases

    names: dict[str, None] = {}
    phrases = answer.aspects or keyphrases(words, state.talk.topic)
    for place, label in enumerate(_labels_of(phrases, state.seats)[:MOST]):
        known = _known_label(state, label)
        if known is None:
            record = Record(f"aspect_{state.talk.turn_number + 1}_{place}", label)
            state = state.changed(labels=state.labels.with_record(record))
        names[known or label] = None
    return state, tuple(names)


def _labels_of(phrases: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the phrases as short labels, except phrases that are part of a player's name."""
    people = {word.casefold() for name in names for word in (name, *name.split())}
    labels = [cut_at_word(phrase, LONGEST_ASPECT) for phrase in phrases]
    return [label for label in labels if label.casefold() not in people]


def _known_label(state: TalkState, label: str) -> str | None:
    """Return the remembered label with the same letters or a similar meaning, or None."""
    explored = {known.casefold(): known for known in state.talk.aspects_explored}
    known = explored.get(label.casefold())
    near = [] if known else state.labels.most_similar(label, 1)
    if near and near[0][1] > SAME_ASPECT:
        return near[0][0].text
    return known
