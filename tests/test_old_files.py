"""Logs of an older version are still read, checked, played again and forked.

Their journals are shown, and refused with a sentence where their game was to go on.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

import logs
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History, history_from_json
from engine.record.journal import JournalError
from engine.runs.replay import Replay, fork
from engine.runs.seating import read_players
from engine.spending.validity import void_sentence
from tests.support.tables import own_games

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
    own = set(own_games())
    assert {read_old_log(name).game for name in LOGS} == own
    assert {GameEngine.replay(OLDEN / f"{name}.jsonl").game for name in JOURNALS} == own


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
    log = read_old_log(name)
    assert log.outcome is not None
    shown = " ".join(capsys.readouterr().out.split())
    ending = log.outcome.summary
    if void_sentence(log):
        ending = f"{void_sentence(log)} The game is over."
    assert " ".join(ending.split()) in shown


@pytest.mark.parametrize("name", [name for name in LOGS if GAMES[read_old_log(name).game].checks])
def test_an_old_log_keeps_its_rules(name: str) -> None:
    assert logs.main(["--filename", name, "--check", "--logs-dir", str(OLDEN)]) == 0


@LOG
async def test_an_old_log_is_forked_and_the_fork_played_again(name: str, tmp_path: Path) -> None:
    """The fork begins as the log did, and keeps its version and its lengths.

    It is told in today's lines, but for a log of version 1.
    """
    log = read_old_log(name)
    after = len(log.events) // 2
    script = next(iter(GAMES[log.game].strategies))
    heirs = read_players(",".join([f"scripted:{script}"] * len(log.players)))
    engine = await asyncio.to_thread(fork, log, after, heirs, tmp_path)
    history = await engine.play()
    lines = log.lines if log.version == 1 else GAMES[log.game].lines
    assert (history.status, history.version, history.lines) == ("finished", log.version, lines)
    for old, new in zip(log.events[:after], history.events[:after], strict=True):
        assert (old.kind, old.player_id, old.data) == (new.kind, new.player_id, new.data)
    assert (await Replay(history).play()).to_json() == history.to_json()


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
async def test_an_old_journal_is_refused_in_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its questions have other words today, so its answers are answers to none of them."""
    journal = Path(shutil.copy(OLDEN / f"{name}.jsonl", tmp_path))
    with pytest.raises(JournalError, match="was begun differently: game_version was 1") as caught:
        GameEngine.resume(journal)
    assert "templates.shared/as_json.j2 was" in str(caught.value)
    assert str(caught.value).endswith("go on as it was begun, or --allow-changed")
    assert journal.read_bytes() == (OLDEN / f"{name}.jsonl").read_bytes()
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    with pytest.raises(JournalError, match="prompts or settings changed since it was recorded"):
        await GameEngine.resume(journal, allow_changed=True).play()


@LOG
async def test_an_old_log_has_the_prompts_that_were_read(name: str) -> None:
    log = read_old_log(name)
    for event in log.events:
        read = log.prompt_of(event)
        if event.prompt is not None:
            assert read is not None
            assert read.sha256 == event.prompt.sha256
