"""A corpus of utterances that can be searched for the ones most similar to a new utterance."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from engine.games.talks.memory.embeddings import Embedder, Vectors

Facts = Mapping[str, str | int | float | bool]
Found = list[tuple["Record", float]]


@dataclass(frozen=True, slots=True)
class Record:
    """An aspect's label, or an utterance with the id "{participant_id}_turn_{turn}".

    In a talk, the metadata keys are speaker, turn, move, target ("": the group), depth and
    position.
    """

    id: str
    text: str
    metadata: Facts = field(default_factory=dict)


class Corpus(Protocol):
    """Remembers utterances, and finds the ones closest in meaning to a new utterance."""

    def __len__(self) -> int:
        """Return the number of records."""

    def add(self, record: Record) -> None:
        """Remember `record`; raise ValueError if its id is already used."""

    def most_similar(self, text: str, k: int) -> Found:
        """Return up to `k` records with their similarity to `text`, 0 to 1.

        The most similar come first; ties go to the oldest.
        """


class MemoryCorpus:
    """A corpus in memory that compares a query with every vector."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._records: dict[str, Record] = {}
        self._vectors: Vectors = np.zeros((0, 0), np.float32)

    def __len__(self) -> int:
        return len(self._records)

    def add(self, record: Record) -> None:
        """Remember `record`; raise ValueError if its id is already used."""
        if record.id in self._records:
            raise ValueError(f"expected a record with a new id: got {record.id!r}")
        vectors = self.embedder.embed([record.text])
        self._vectors = np.concatenate((self._vectors, vectors)) if self._records else vectors
        self._records[record.id] = record

    def most_similar(self, text: str, k: int) -> Found:
        """Return up to `k` records with their similarity to `text`; see `Corpus`."""
        if not self._records or k < 1:
            return []
        cosines = self._vectors @ self.embedder.embed([text])[0]
        nearest = (-cosines).argsort(kind="stable")[:k]
        records = [*self._records.values()]
        similarities = self.embedder.scaled(cosines[nearest]).tolist()
        similar = [records[place] for place in nearest]
        return list(zip(similar, similarities, strict=True))
