"""Save the session and the corpus of every talk that is played inside `with keep_sessions(...)`."""

import asyncio
import os
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from engine.engine import GameEngine
from engine.games.talks.game import TalksGame
from engine.games.talks.speech.hearing import corpus_record
from engine.games.talks.state import Exchange, plain_data
from engine.history import Event
from engine.runs.talks.store import (
    FILE,
    SessionStore,
    SqliteStore,
    StoreError,
    exchanges_key,
    participant_key,
    state_key,
)

# Vectors need NumPy, which takes longer to import than `--help` may take.
if TYPE_CHECKING:
    from engine.games.talks.memory.chroma import ChromaCorpus

FOLDER = "corpora"

Values = dict[str, Any]
Said = tuple[str, tuple[Exchange, ...]]


class TalkCorpora:
    """The talks' corpora in `folder`, named `talks_{session_id}_corpus`; use in one thread only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, ChromaCorpus] = {}
        self._kept: dict[str, int] = {}

    def put(self, session_id: str, exchanges: Sequence[Exchange]) -> None:
        """Store the session's utterances that are not stored yet."""
        from chromadb.errors import ChromaError

        try:
            corpus = self._corpus(session_id)
            # Exchanges are only appended, so the stored exchanges come first.
            for exchange in exchanges[self._kept.get(session_id, 0) :]:
                if exchange.content:
                    corpus.keep(corpus_record(exchange))
            self._kept[session_id] = len(exchanges)
        except (ChromaError, OSError, sqlite3.Error) as error:
            reason = " ".join(str(error).split())
            raise StoreError(
                f"the corpus of {session_id} cannot be stored in {self.folder}: {reason}; free "
                "some space there, or play with --corpus memory"
            ) from None

    def _corpus(self, session_id: str) -> "ChromaCorpus":
        from engine.games.talks.memory.chroma import ChromaCorpus
        from engine.games.talks.memory.embeddings import default_embedder

        if session_id not in self._open:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._open[session_id] = ChromaCorpus(default_embedder(), session_id, self.folder)
        return self._open[session_id]


class SessionKeeper:
    """Saves the state of talks after every exchange, in a thread, so that games never wait."""

    def __init__(
        self, engines: Sequence[GameEngine], store: SessionStore, folder: Path | None = None
    ) -> None:
        self._engines = engines
        self._store = store
        self._corpora = None if folder is None else TalkCorpora(folder / FOLDER)
        self._news: SimpleQueue[tuple[Values, Said] | None] = SimpleQueue()
        self._reached: Future[None] = Future()
        self._fault: Exception | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._subscriptions = ExitStack()

    def start(self) -> None:
        """Save the first states, and subscribe to events; raise StoreError if the store fails."""
        self._put_all()
        self._thread.start()
        self._reached.result()
        for engine in self._engines:
            self._subscriptions.callback(engine.subscribe(partial(self._hear, engine)))

    def close(self) -> None:
        """Save the final states, and close the store; raise StoreError if any save has failed."""
        self._subscriptions.close()
        self._put_all()
        self._news.put(None)
        self._thread.join()
        if self._fault is not None:
            raise self._fault

    def _hear(self, engine: GameEngine, event: Event) -> None:
        if event.kind == "selection":
            self._tell(engine)

    def _put_all(self) -> None:
        for engine in self._engines:
            self._tell(engine)

    def _tell(self, engine: GameEngine) -> None:
        """Pass the thread a talk's state, and its utterances if the talk has a ChromaDB corpus."""
        game = engine.config.game
        has_corpus = isinstance(game, TalksGame) and game.corpus == "chroma"
        exchanges = engine.state.talk.exchanges if has_corpus else ()
        self._news.put((session_of(engine), (engine.history.game_id, exchanges)))

    def _run(self) -> None:
        try:
            asyncio.run(self._keep())
        except Exception as error:
            if self._reached.done():
                self._fault = error
            else:
                self._reached.set_exception(error)

    async def _keep(self) -> None:
        try:
            while (news := self._news.get()) is not None:
                values, (session, exchanges) = news
                await self._store.put(values)
                if self._corpora is not None and exchanges:
                    self._corpora.put(session, exchanges)
                if not self._reached.done():
                    self._reached.set_result(None)
        finally:
            await self._store.close()


@contextmanager
def keep_sessions(engines: Sequence[GameEngine], folder: Path | None) -> Iterator[None]:
    """Save the state of the talks among `engines` while they are played.

    Sessions are stored in Redis if REDIS_URL is set, or else in a file in `folder`, if given.
    ChromaDB corpora are stored in its subfolder `corpora`. Raises StoreError before the first
    utterance if the store cannot be reached, or after the talks if it fails later.
    """
    talks = [engine for engine in engines if isinstance(engine.config.game, TalksGame)]
    store = store_for(folder) if talks else None
    if store is None:
        yield
        return
    keeper = SessionKeeper(talks, store, folder)
    keeper.start()
    try:
        yield
    except BaseException:
        # The error that ended the talks matters more than a store error.
        with suppress(StoreError):
            keeper.close()
        raise
    keeper.close()


def store_for(folder: Path | None) -> SessionStore | None:
    """Return the store for sessions: Redis at REDIS_URL, else a file in `folder`, else None.

    Raises ValueError if the URL is invalid or the package redis is missing.
    """
    url = os.environ.get("REDIS_URL", "")
    if url:
        from engine.runs.talks.redis_store import RedisStore

        return RedisStore(url)
    return None if folder is None else SqliteStore(folder / FILE)


def session_of(engine: GameEngine) -> Values:
    """Return a talk's state as plain data by key; the session id is the game's id."""
    talk, host, session = engine.state.talk, engine.state.host, engine.history.game_id
    whole = plain_data(talk)
    if host is not None:
        whole["host"] = {"player_id": host.player_id, "said": plain_data(host.said)}
    values = {state_key(session): whole}
    for participant_id, participant in whole["participants"].items():
        values[participant_key(session, participant_id)] = participant
    return values | {exchanges_key(session): whole["exchanges"]}
