"""Logs and journals of an older version can still be read, replayed and resumed.

The models in the journals are those of openai and anthropic, with no address of their own, so
OPENAI_BASE_URL and ANTHROPIC_BASE_URL decide where they answer now.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

import logs
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History, history_from_json
from engine.record.journal import Journal
from engine.runs.replay import Replay
from tests.support.fake_api import FakeApi

OLDEN = Path(__file__).parent / "data" / "olden"
LOGS = sorted(path.stem for path in OLDEN.glob("*.json"))
JOURNALS = sorted(path.stem for path in OLDEN.glob("*.jsonl"))
LOG = pytest.mark.parametrize("name", LOGS)
JOURNAL = pytest.mark.parametrize("name", JOURNALS)


def read_old_log(name: str) -> History:
    return history_from_json((OLDEN / f"{name}.json").read_bytes())


def said_in(history: History) -> list[tuple[str, str | None, str]]:
    """Return what happened in a game, without times."""
    return [(event.kind, event.player_id, event.content) for event in history.events]


def test_every_game_has_an_old_log_and_an_old_journal() -> None:
    assert {read_old_log(name).game for name in LOGS} == set(GAMES)
    assert {GameEngine.replay(OLDEN / f"{name}.jsonl").game for name in JOURNALS} == set(GAMES)


@LOG
def test_an_old_log_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--filename",
        name,
        "--terminal",
        "--explain",
        "--include-prompts",
        "--logs-dir",
        str(OLDEN),
    ]
    assert logs.main(words) == 0
    outcome = read_old_log(name).outcome
    assert outcome is not None
    shown = " ".join(capsys.readouterr().out.split())
    assert " ".join(outcome.summary.split()) in shown


@pytest.mark.parametrize("name", [name for name in LOGS if GAMES[read_old_log(name).game].checks])
def test_an_old_log_keeps_its_rules(name: str) -> None:
    assert logs.main(["--filename", name, "--check", "--logs-dir", str(OLDEN)]) == 0


@LOG
async def test_an_old_log_is_replayed_byte_for_byte(name: str) -> None:
    log = read_old_log(name)
    history = await Replay(log).play()
    assert history.to_json() == log.to_json()


@JOURNAL
def test_an_old_journal_is_shown(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(OLDEN / f"{name}.jsonl", tmp_path)
    assert logs.main(["--filename", name, "--terminal", "--logs-dir", str(tmp_path)]) == 0
    assert "no final log" in capsys.readouterr().err


@JOURNAL
async def test_an_old_journal_is_resumed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No recorded question is asked again, and what had happened happens again."""
    journal = Path(shutil.copy(OLDEN / f"{name}.jsonl", tmp_path))
    recorded = Journal.load(journal).recorded
    replayed = await asyncio.to_thread(GameEngine.replay, journal)
    before = said_in(replayed)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    async with FakeApi() as api:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{api.url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        history = await GameEngine.resume(journal).play()
    attempts = sum(usage.attempts for usage in history.usage.values())
    assert history.status == "finished"
    assert recorded
    assert len(api.requests) == attempts - len(recorded)
    assert before
    assert said_in(history)[: len(before)] == before
    assert not journal.exists()
    assert history_from_json((tmp_path / f"{name}.json").read_bytes()) == history
