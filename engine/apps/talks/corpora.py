"""What was said in talks, kept in ChromaDB: a folder beside the logs, a collection a session."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.apps.talks.store import StoreError
from engine.games.talks.speech.hearing import corpus_record
from engine.games.talks.state import Exchange

# Vectors need NumPy, which takes longer to import than a command may take to answer `--help`.
if TYPE_CHECKING:
    from engine.memory.chroma import ChromaCorpus

FOLDER = "corpora"


class TalkCorpora:
    """The corpora of talks in `folder`: `talks_{session_id}_corpus` for each session.

    Use it in one thread. StoreError says why an utterance could not be kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, ChromaCorpus] = {}
        self._kept: dict[str, int] = {}

    def put(self, session_id: str, exchanges: Sequence[Exchange]) -> None:
        """Keep what was said in a session; what it already holds stays as it is."""
        from chromadb.errors import ChromaError

        try:
            corpus = self._corpus(session_id)
            # Exchanges are only ever added, so those of earlier puts come first.
            for exchange in exchanges[self._kept.get(session_id, 0) :]:
                if exchange.content:
                    corpus.keep(corpus_record(exchange))
            self._kept[session_id] = len(exchanges)
        except (ChromaError, OSError, sqlite3.Error) as error:
            reason = " ".join(str(error).split())
            raise StoreError(
                f"the corpus of {session_id} cannot be kept in {self.folder}: {reason}; "
                "make room there, or play with --corpus memory"
            ) from None

    def _corpus(self, session_id: str) -> "ChromaCorpus":
        from engine.memory.chroma import ChromaCorpus
        from engine.memory.embeddings import default_embedder

        if session_id not in self._open:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._open[session_id] = ChromaCorpus(default_embedder(), session_id, self.folder)
        return self._open[session_id]
