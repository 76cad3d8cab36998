"""A talk being held: where it stands, what is remembered of it, and how new words are measured against that."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.games.talks.speech.answer import Utterance
from engine.games.talks.state import Exchange, GroupDiscussionState
from engine.games.talks.termination import Check, novelty
from engine.games.talks.theory.choosing import Choice, MultiAgentGameTheory
from engine.games.talks.theory.effects import depth_after
from engine.games.talks.theory.turn_taking import Wish

# Vectors need NumPy, which takes longer to import than a command may take to answer `--help`.
if TYPE_CHECKING:
    from engine.memory.corpus import Corpus, Record

SHOWN = 3
SAME_ASPECT = 0.6
DIGITS = 6
Positions = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A talk being held, by the formulas of `theory`.

    `names` has the player of each participant; `said` and `labels` hold the utterances and aspects
    of this talk alone, and only ever grow; `levels` has the convergence after each exchange; the
    rest is of the exchange under way.
    """

    theory: MultiAgentGameTheory
    talk: GroupDiscussionState
    names: Mapping[str, str]
    said: "Corpus"
    labels: "Corpus"
    levels: tuple[float, ...] = ()
    wishes: Mapping[str, Wish] = field(default_factory=dict)
    speaker: str = ""
    choice: Choice | None = None
    exchange: Exchange | None = None
    check: Check | None = None

    def called(self, participant_id: str | None) -> str | None:
        """Return the player of a participant, None for the group."""
        return None if participant_id is None else self.names[participant_id]

    def named(self, exchange: Exchange) -> Exchange:
        """Return an exchange in which participants go by the names of their players."""
        return replace(
            exchange, speaker=self.names[exchange.speaker], target=self.called(exchange.target)
        )


def similar_positions(table: Table) -> Positions:
    """Return the earlier positions nearest to the latest words: who took them, and what they are."""
    latest = table.talk.exchanges[-1] if table.talk.exchanges else None
    if latest is None or not latest.content:
        return ()
    found = [record.metadata for record, _ in table.said.most_similar(latest.content, SHOWN + 1)]
    older = [facts for facts in found if facts["turn"] != latest.turn and facts["position"]]
    return tuple(
        (table.names[str(facts["speaker"])], str(facts["position"])) for facts in older[:SHOWN]
    )


def heard(table: Table, answer: Utterance) -> Exchange:
    """Return what was said as an exchange, measured against all that was said before, and remember it.

    Silence is neither new nor stale: the novelty stays what it was. Who names no aspects touches
    those that the words themselves tell.
    """
    from engine.games.talks.speech.aspects import MOST, keyphrases

    assert table.choice is not None
    talk, move = table.talk, table.choice.move
    turn, depth = talk.turn_number + 1, depth_after(move.type, talk)
    silent = Exchange(
        turn, table.speaker, move.type, move.target, "", depth=depth, novelty=talk.novelty_score
    )
    if not answer.text:
        return silent
    near = table.said.most_similar(answer.text, 1)
    # Who is addressed is no aspect of the topic.
    people = {word.casefold() for name in table.names.values() for word in (name, *name.split())}
    labels = [
        one
        for one in answer.aspects or keyphrases(answer.text, talk.topic)
        if one.casefold() not in people
    ]
    exchange = replace(
        silent,
        content=answer.text,
        position=answer.position,
        aspects=tuple(
            dict.fromkeys(known(table, label, place) for place, label in enumerate(labels[:MOST]))
        ),
        # Vectors differ in their last digits from machine to machine; what hangs on them must not.
        novelty=round(novelty([similarity for _, similarity in near]), DIGITS),
        nearest=turn_of(near[0][0]) if near else None,
    )
    remember(table, exchange)
    return exchange


def remember(table: Table, exchange: Exchange) -> None:
    """Keep an utterance among those that later ones are compared with; it is asked about before, or it finds itself."""
    from engine.memory.corpus import Record, record_id

    if exchange.content:
        facts: dict[str, str | int] = {
            "speaker": exchange.speaker,
            "turn": exchange.turn,
            "move": str(exchange.move),
            "target": exchange.target or "",
            "depth": exchange.depth,
            "position": exchange.position,
        }
        table.said.add(Record(record_id(exchange.speaker, exchange.turn), exchange.content, facts))


def turn_of(record: "Record") -> int:
    """Return the turn in which a remembered utterance was made."""
    turn = record.metadata["turn"]
    assert isinstance(turn, int)
    return turn


def known(table: Table, label: str, place: int) -> str:
    """Return the label under which an aspect is known already, or remember `label`, the answer's at `place`, as new."""
    from engine.memory.corpus import Record

    for other in table.talk.aspects_explored:
        if other.casefold() == label.casefold():
            return other
    near = table.labels.most_similar(label, 1)
    if near and near[0][1] > SAME_ASPECT:
        return near[0][0].text
    table.labels.add(Record(f"aspect_{table.talk.turn_number + 1}_{place}", label))
    return label
