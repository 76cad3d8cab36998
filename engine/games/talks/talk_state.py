"""A talk in progress: its state, its memory, and the current exchange."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.games.talks.host.parts import Hosting
from engine.games.talks.state import Exchange, Frozen, GroupDiscussionState
from engine.games.talks.termination import Check
from engine.games.talks.theory.choosing import Choice, MultiAgentGameTheory
from engine.games.talks.theory.turn_taking import Wish

# Embeddings import NumPy, which would make `--help` too slow.
if TYPE_CHECKING:
    from engine.games.talks.memory.corpus import Corpus, Found, Record


@dataclass(frozen=True)
class Recollection(Frozen):
    """An immutable sequence of remembered texts, which can be searched by similarity.

    Recollections derived from one another share an `index`.
    """

    make_index: "Callable[[], Corpus]"
    index: "Corpus"
    records: "tuple[Record, ...]" = ()

    def with_record(self, record: "Record") -> "Recollection":
        """Return the recollection plus a record; raise ValueError if its id is already used."""
        index = self._own_index()
        index.add(record)
        return self.changed(index=index, records=(*self.records, record))

    def most_similar(self, text: str, k: int) -> "Found":
        """Return up to `k` records with their similarity to `text`, 0 to 1, highest first."""
        return self._own_index().most_similar(text, k)

    def _own_index(self) -> "Corpus":
        if len(self.index) == len(self.records):
            return self.index
        index = self.make_index()
        for record in self.records:
            index.add(record)
        return index


@dataclass(frozen=True)
class TalkState(Frozen):
    """A talk in progress, governed by the formulas of `theory`.

    `names` has each participant's player; in `heard`, the exchanges name players too. The fields
    after `host` describe the current exchange.
    """

    theory: MultiAgentGameTheory
    talk: GroupDiscussionState
    names: Mapping[str, str]
    said: Recollection
    labels: Recollection
    heard: tuple[Exchange, ...] = ()
    theses: Mapping[str, str] = field(default_factory=dict)
    host: Hosting | None = None
    wishes: Mapping[str, Wish] = field(default_factory=dict)
    speaker: str = ""
    choice: Choice | None = None
    exchange: Exchange | None = None
    check: Check | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """All players, including the host, in seat order."""
        return tuple(self.names.values()) if self.host is None else self.host.seats

    @property
    def allies(self) -> tuple[tuple[str, ...], ...]:
        """The coalitions, each as its players' names in alphabetical order."""
        groups = []
        for group in self.talk.coalitions:
            groups.append(tuple(sorted(self.names[participant] for participant in group)))
        return tuple(groups)

    def player_of(self, participant_id: str | None) -> str | None:
        """Return a participant's player, or None for the group."""
        return None if participant_id is None else self.names[participant_id]

    def with_players(self, exchange: Exchange) -> Exchange:
        """Return an exchange with participants replaced by their players' names."""
        speaker, target = self.names[exchange.speaker], self.player_of(exchange.target)
        return exchange.changed(speaker=speaker, target=target)

    def with_talk(self, talk: GroupDiscussionState) -> "TalkState":
        """Return the state after the further exchanges of `talk`."""
        further = talk.exchanges[len(self.heard) :]
        return self.changed(talk=talk, heard=(*self.heard, *map(self.with_players, further)))
