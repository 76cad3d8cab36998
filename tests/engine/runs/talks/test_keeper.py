"""Every command that plays a talk keeps its session."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import example
from engine.engine import GameEngine
from engine.games.talks.memory.chroma import ChromaCorpus
from engine.games.talks.memory.embeddings import default_embedder
from engine.history import History, history_from_json
from engine.runs.talks.keeper import FOLDER, SessionKeeper, keep_sessions
from engine.runs.talks.orchestrator import MultiAgentDiscussionOrchestrator
from engine.runs.talks.store import FILE, SqliteStore, StoreError, exchanges_key, state_key
from tests.support.tables import config_for


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.chdir(tmp_path)


def kept_words(session: str) -> list[str]:
    """Return the words of each exchange that the session keeps."""

    async def read() -> list[dict[str, Any]]:
        store = SqliteStore(Path("logs") / FILE)
        try:
            assert await store.get(state_key(session)) is not None
            return await store.get(exchanges_key(session)) or []
        finally:
            await store.close()

    return [exchange["content"] for exchange in asyncio.run(read())]


def words_in(history: History) -> list[str]:
    return [event.content for event in history.events if event.kind == "utterance"]


@pytest.mark.parametrize("more", [[], ["--games", "2"]], ids=["one", "many"])
def test_example_keeps_the_session_of_a_talk(more: list[str]) -> None:
    assert example.main(["talks", "--offline", "--depth", "1", "--seed", "2", *more]) == 0
    logs = [*Path("logs").glob("*.json")]
    assert len(logs) == max(1, len(more))
    for log in logs:
        words = words_in(history_from_json(log.read_bytes()))
        assert words
        assert kept_words(log.stem) == words


def test_a_resumed_talk_keeps_its_session() -> None:
    engine = talk(Path("logs"))
    engine.interrupt()
    engine.journal = engine._new_journal()
    assert engine.run().status == "running"
    assert example.main(["--resume", "game"]) == 0
    history = history_from_json((Path("logs") / "game.json").read_bytes())
    assert kept_words("game") == words_in(history) != []


def test_a_replay_and_other_games_keep_none() -> None:
    assert example.main(["conversation", "--offline", "--length", "3"]) == 0
    assert not (Path("logs") / FILE).exists()
    assert example.main(["talks", "--offline", "--depth", "1"]) == 0
    (Path("logs") / FILE).unlink()
    talks = [log for log in Path("logs").glob("*.json") if '"talks"' in log.read_text()]
    assert example.main(["--replay", talks[0].stem]) == 0
    assert not (Path("logs") / FILE).exists()


@pytest.mark.parametrize("more", [[], ["--games", "2"]], ids=["one", "many"])
def test_a_corpus_in_chroma_is_there_the_next_time(more: list[str]) -> None:
    pytest.importorskip("chromadb")
    words = ["talks", "--offline", "--depth", "1", "--corpus", "chroma", "--seed", "2", *more]
    assert example.main(words) == 0
    logs = [*Path("logs").glob("*.json")]
    assert len(logs) == max(1, len(more))
    for log in logs:
        said = words_in(history_from_json(log.read_bytes()))
        kept = ChromaCorpus(default_embedder(), log.stem, Path("logs") / FOLDER)
        assert len(kept) == len(said) > 0
        nearest, similarity = kept.most_similar(said[-1], 1)[0]
        assert (nearest.text, round(similarity, 3)) == (said[-1], 1)


def test_a_corpus_that_cannot_be_kept_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("chromadb")
    Path("logs").mkdir()
    (Path("logs") / FOLDER).write_text("no folder")
    words = ["talks", "--offline", "--depth", "1", "--corpus", "chroma"]
    assert example.main(words) == 1
    assert "cannot be stored in logs/corpora" in capsys.readouterr().err


class Failing:
    """A store that takes `times` puts and then fails."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.puts: list[str] = []
        self.closed = False

    async def put(self, values: Mapping[str, Any]) -> None:
        if len(self.puts) == self.times:
            raise StoreError("the store is full")
        self.puts.append(json.dumps(values))

    async def get(self, key: str) -> Any | None:
        return None

    async def delete(self, *keys: str) -> None:
        """Keep all: nothing is read."""

    async def close(self) -> None:
        self.closed = True


def talk(*folder: Path) -> GameEngine:
    seats = "scripted:fresh,scripted:fresh"
    return GameEngine(config_for("talks", seats, *folder, settings={"depth": 1}))


def test_a_store_that_cannot_be_reached_says_so_before_anybody_speaks() -> None:
    engine, store = talk(), Failing(0)
    with pytest.raises(StoreError, match="the store is full"):
        SessionKeeper([engine], store).start()
    assert store.closed
    assert engine.listeners == []


def test_a_store_that_fails_in_between_says_so_when_the_talk_is_over() -> None:
    engine, store = talk(), Failing(3)
    keeper = SessionKeeper([engine], store)
    keeper.start()
    assert engine.run().status == "finished"
    with pytest.raises(StoreError, match="the store is full"):
        keeper.close()
    assert store.closed
    assert engine.listeners == []


@pytest.mark.parametrize("more", [[], ["--games", "2"]])
def test_a_store_that_fails_in_between_hides_no_result(
    more: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.runs.talks.keeper.store_for", lambda _: Failing(3))
    assert example.main(["talks", "--offline", "--depth", "1", "--seed", "1", "--json", *more]) == 1
    shown, errors = capsys.readouterr()
    assert len([line for line in shown.splitlines() if '"outcome"' in line]) == (2 if more else 1)
    assert errors.endswith("example.py: the store is full\n")


def test_every_exchange_is_put() -> None:
    engine, store = talk(), Failing(-1)
    keeper = SessionKeeper([engine], store)
    keeper.start()
    history = engine.run()
    keeper.close()
    heard = [len(json.loads(put)[exchanges_key("game")]) for put in store.puts]
    assert heard == [0, *range(len(words_in(history))), len(words_in(history))]


def test_what_ends_a_talk_is_not_hidden_by_its_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.runs.talks.keeper.store_for", lambda _: Failing(1))
    with pytest.raises(KeyboardInterrupt), keep_sessions([talk()], None):
        raise KeyboardInterrupt


async def test_what_ends_a_discussion_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    discussion = MultiAgentDiscussionOrchestrator("What is love?", 1, offline=True, seed=1)
    discussion.store = Failing(1)

    async def play() -> History:
        raise asyncio.CancelledError

    monkeypatch.setattr(discussion.engine, "play", play)
    with pytest.raises(asyncio.CancelledError):
        await discussion.run_discussion()
