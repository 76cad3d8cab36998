"""The corpus in ChromaDB: one collection per talk, in memory or in a folder.

Install the package with `uv sync --extra chroma`.
"""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from engine.games.talks.memory.corpus import Found, Record
from engine.games.talks.memory.embeddings import Embedder

PLACE = "place"
# Hides the deprecation warnings of Chroma and its dependencies.
quiet = partial(warnings.catch_warnings, action="ignore", category=DeprecationWarning)
INSTALL = (
    "a corpus in ChromaDB needs the package chromadb: "
    "install it with uv sync --extra chroma, or use corpus memory"
)


class ChromaCorpus:
    """A corpus in the collection `talks_{session_id}_corpus`: in memory, or in the folder `path`.

    The default session id is unique, so that no two talks share a collection. A folder keeps the
    records of earlier corpora with the same session id. Raises ValueError if chromadb is not
    installed.
    """

    def __init__(self, embedder: Embedder, session_id: str = "", path: Path | None = None) -> None:
        self.embedder = embedder
        with quiet():
            self._collection = client(path).get_or_create_collection(
                collection_name(session_id or uuid4().hex),
                # A new dict each time, since Chroma writes the embedding function into it.
                configuration={"hnsw": {"space": "cosine"}},
                # Without our own function, Chroma would download a model.
                embedding_function=function_class()(embedder),
            )

    def __len__(self) -> int:
        return int(self._collection.count())

    def add(self, record: Record) -> None:
        """Remember `record`; raise ValueError if its id is already used."""
        if not self.keep(record):
            raise ValueError(f"expected a record with a new id: got {record.id!r}")

    def keep(self, record: Record) -> bool:
        """Remember `record` unless its id is already used; return whether it is new."""
        with quiet():
            if self._collection.get(ids=[record.id], include=[])["ids"]:
                return False
            # Chroma returns equally similar records in no fixed order; `place` puts them in order.
            facts = {**record.metadata, PLACE: len(self)}
            self._collection.add(ids=[record.id], documents=[record.text], metadatas=[facts])
        return True

    def most_similar(self, text: str, k: int) -> Found:
        """Return up to `k` records with their similarity to `text`, as in `Corpus`."""
        if k < 1 or not len(self):
            return []
        ids, texts, metadata, distances = self._query(text, min(k, len(self)))
        cosines = 1.0 - np.nan_to_num(np.array(distances), nan=1.0)
        similarities = self.embedder.scaled(cosines).tolist()
        places = [entry.pop(PLACE) for entry in metadata]
        records = [Record(*parts) for parts in zip(ids, texts, metadata, strict=True)]
        order = sorted(range(len(records)), key=lambda place: (-similarities[place], places[place]))
        return [(records[place], similarities[place]) for place in order]

    def _query(self, text: str, count: int) -> Iterator[list[Any]]:
        """Return the ids, texts, metadata and distances of the records closest to `text`."""
        fields = ["documents", "metadatas", "distances"]
        with quiet():
            answer = self._collection.query(query_texts=[text], n_results=count, include=fields)
        # For one query, each field of the answer is a list of one list.
        return (answer[name][0] for name in ("ids", *fields))


def collection_name(session_id: str) -> str:
    """Return `talks_{session_id}_corpus`, limited to 512 characters, all from [a-zA-Z0-9._-].

    >>> collection_name("gameplay_20260101_120000_ab12cd34")
    'talks_gameplay_20260101_120000_ab12cd34_corpus'
    """
    written = re.sub("[^a-zA-Z0-9._-]", "-", session_id)
    return f"talks_{written[:480]}_corpus"


def client(path: Path | None) -> Any:
    """Return an in-process client without telemetry; raise ValueError if chromadb is missing."""
    try:
        import chromadb
    except ImportError:
        raise ValueError(INSTALL) from None
    settings = chromadb.Settings(anonymized_telemetry=False)
    if path is None:
        return chromadb.EphemeralClient(settings=settings)
    # Chroma identifies folders by name, even after the working directory has changed.
    return chromadb.PersistentClient(path=path.resolve(), settings=settings)


@cache
def function_class() -> Any:
    """Return our class of embedding functions, which is derived from Chroma's class."""
    from chromadb import EmbeddingFunction

    class Embedding(EmbeddingFunction[Any]):  # type: ignore[misc]  # mypy runs without the extra
        def __init__(self, embedder: Embedder) -> None:
            self.embedder = embedder

        def __call__(self, input: Sequence[str]) -> Any:  # noqa: A002  # Chroma's name
            return [*self.embedder.embed(input)]

        @staticmethod
        def name() -> str:
            return "arena"

        def get_config(self) -> dict[str, Any]:
            return {"embedder": self.embedder.name}

        @staticmethod
        def build_from_config(config: Mapping[str, Any]) -> Any:
            from engine.games.talks.memory.embeddings import EMBEDDERS

            return Embedding(EMBEDDERS[config["embedder"]]())

        def default_space(self) -> Any:
            return "cosine"

    return Embedding
