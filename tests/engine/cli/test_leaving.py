"""Games that a person or a signal leaves: what they keep, and how they go on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import example
from engine.history import history_from_json
from tests.support.histories import only_history
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("elsewhere")


def start(*words: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(ROOT / "example.py"), *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


OF_A_PERSON = ("--players", "Me=human,scripted:random", "--length", "5", "--seed", "1")


def test_a_person_plays_and_leaves(tmp_path: Path) -> None:
    """After three answers (one unreadable at first) input ends, and the fallback plays on.

    The game is whole, and void: it says little about a person who did not play it to its end.
    """
    game = start(*OF_A_PERSON, folder=tmp_path)
    shown, errors = game.communicate("1\nno such item\n2\nstay silent\n", timeout=60)
    assert game.returncode == 1, errors
    assert "example.py: void: Me answered 3 of 5" in errors
    assert "'no such item' is not a choice here" in shown
    assert "Me leaves" in shown
    assert "JSON" not in shown
    used = only_history(tmp_path / "logs").usage["Me"]
    assert (used.asks, used.fallbacks) == (5, 2)


@pytest.mark.parametrize(
    ("typed", "options"),
    [(None, []), (b"", ["--json"]), (b"\xff\xfe\n1\n", []), (b"1\n\xff", ["--json"])],
)
def test_any_end_of_input_is_a_person_who_leaves(
    typed: bytes | None, options: list[str], tmp_path: Path
) -> None:
    """Without bytes to type, stdin is closed."""
    players = ["--players", "Me=human,scripted:random", "--length", "4", "--seed", "1", *options]
    command = [sys.executable, str(ROOT / "example.py"), *players]
    if typed is None:
        command = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    strict = os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(
        command, cwd=tmp_path, env=strict, input=typed, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 1, done.stderr
    assert b"example.py: void: Me answered " in done.stderr
    assert (done.stdout + done.stderr).count(b"Me leaves; the seat plays on with fallbacks.") == 1
    assert b"Traceback" not in done.stderr
    assert only_history(tmp_path / "logs").usage["Me"].fallbacks >= 3


def test_a_person_with_a_voice_sees_what_is_gained(tmp_path: Path) -> None:
    """Who stays silent is asked for no sentence; who speaks is, and sees what that was worth."""
    players = ("--players", "Me=human,scripted:silent", "--voice", "--length", "2", "--seed", "1")
    game = start(*players, folder=tmp_path)
    shown, errors = game.communicate("stay silent\n1\nThis is what I say.\n", timeout=60)
    assert game.returncode == 0, errors
    assert shown.count("one sentence that you say about the item, 25 words at most: ") == 1
    assert "This is what I say." in shown
    assert "importance +" in shown
    assert "Me leaves" not in shown


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 5)])
def test_a_killed_game_goes_on_where_it_was(
    sent: signal.Signals, code: int, tmp_path: Path
) -> None:
    """Killed after a person's second answer and resumed, the game asks the other three only."""
    game = start(*OF_A_PERSON, folder=tmp_path)
    assert game.stdin is not None
    game.stdin.write("1\n2\n")
    game.stdin.flush()
    journal = wait_for_answers(tmp_path / "logs", 2)
    game.send_signal(sent)
    # Only then does its input end, which would be another way to leave.
    assert game.wait(timeout=60) == code
    shown, _ = game.communicate(timeout=60)
    if sent is signal.SIGINT:
        assert f"uv run example.py --resume {journal.stem}" in shown
    resumed = start("--resume", journal.stem, folder=tmp_path)
    _, errors = resumed.communicate("1\n1\n1\n", timeout=60)
    assert resumed.returncode == 0, errors
    history = history_from_json(journal.with_suffix(".json").read_bytes())
    assert not journal.exists()
    assert (history.usage["Me"].asks, history.usage["Me"].fallbacks) == (5, 0)


def test_ctrl_c_stops_a_long_round_of_scripts(tmp_path: Path) -> None:
    """The round of thirty agents would take minutes."""
    players = ",".join(["scripted:random"] * 30)
    words = ["dilemma", "--players", players, "--game-length", "100000,100000"]
    game = start(*words, folder=tmp_path)
    assert game.stdout is not None
    seats = 0
    for line in game.stdout:
        seats += "scripted:random" in line
        if seats == 30:
            break
    assert seats == 30, "the game was refused"
    game.send_signal(signal.SIGINT)
    shown, _ = game.communicate(timeout=60)
    assert game.returncode == 5
    assert "The calls under way are finished and saved; Ctrl-C again stops now." in shown
    assert "Interrupted, but nothing is lost. Continue with:\n  uv run example.py --resume" in shown


def wait_for_answers(logs: Path, count: int) -> Path:
    """Return the journal as soon as it holds `count` answers and the next question has begun."""
    for _ in range(600):
        for journal in logs.glob("*.jsonl"):
            content = journal.read_text(encoding="utf-8")
            if (
                content.count('"kind": "answer"') == count
                and content.count('"kind": "begun"') == count + 1
            ):
                return journal
        time.sleep(0.05)
    raise AssertionError(f"no journal with {count} answers")


def test_resume_refuses_a_changed_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = start(*OF_A_PERSON, folder=tmp_path)
    journal = wait_for_answers(tmp_path / "logs", 0)
    game.kill()
    game.communicate()
    assert example.main(["--resume", journal.stem, "--seed", "2"]) == 2
    assert "config.seed was 1, now it is 2" in capsys.readouterr().err
    assert example.main(["--resume", journal.stem, "--length", "7"]) == 2
    assert "config.game.length was 5, now it is 7" in capsys.readouterr().err
