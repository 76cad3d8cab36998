"""A topic from a file: one line of it, and one sentence where there is none."""

import io
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

import talks
from engine.config import GameEngineConfig
from engine.games.talks.game import TalksGame
from tests.support.histories import only_history


def hold(folder: Path, *words: str) -> int:
    few = ["--offline", "--depth", "1", "--seed", "1", "--logs-dir", str(folder)]
    return talks.main([*few, *words])


def logged(folder: Path) -> str:
    topic: str = only_history(folder).config["game"]["topic"]
    return topic


def test_the_log_has_the_words_of_the_file_and_not_its_name(tmp_path: Path) -> None:
    question = tmp_path / "question.txt"
    question.write_text("\ufeff\n  What is a \x1b[31mfair\n  price?\n\n", encoding="utf-8")
    assert hold(tmp_path / "logs", "--topic-file", str(question)) == 0
    assert logged(tmp_path / "logs") == "What is a [31mfair price?"
    (path,) = (tmp_path / "logs").glob("*.json")
    assert "question.txt" not in path.read_text(encoding="utf-8")


def test_a_topic_may_be_piped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"What is a promise?\n")))
    assert hold(tmp_path, "--topic-file", "-") == 0
    assert logged(tmp_path) == "What is a promise?"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "expected a file with a topic: there is no "),
        (b"", "to contain a topic of 1 to 500 characters: got nothing"),
        (b" \n\t\n", "got nothing"),
        (b"why " * 200, "to contain a topic of 1 to 500 characters: got 799 characters"),
        (b"why " * 20_000, "it is larger than 20000 bytes"),
        (b"\xff\xfe\x00w", "to be text in UTF-8"),
    ],
)
def test_a_file_without_a_topic_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, said: str
) -> None:
    path = tmp_path / "question.txt"
    if content is not None:
        path.write_bytes(content)
    assert hold(tmp_path / "logs", "--topic-file", str(path)) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_a_folder_holds_no_topic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hold(tmp_path / "logs", "--topic-file", str(tmp_path)) == 2
    assert "to be a file with a topic: it is not a regular file" in capsys.readouterr().err


def test_one_topic_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hold(tmp_path, "What is love?", "--topic-file", "question.txt") == 2
    assert "expected one topic" in capsys.readouterr().err


@pytest.mark.parametrize("settings", [{"topic": {"file": "/etc/hostname"}}, {"topic_file": "x"}])
def test_no_setting_of_a_talk_reads_a_file(settings: dict[str, object]) -> None:
    """A config may come from the web."""
    with pytest.raises(ValidationError):
        TalksGame.model_validate(settings)
    game, seats = {"name": "talks", **settings}, [{"player_id": "Ada"}]
    with pytest.raises(ValidationError):
        GameEngineConfig.model_validate({"game": game, "player_configs": seats})
