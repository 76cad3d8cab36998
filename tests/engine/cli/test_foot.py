"""The foot of a screen: a talk at a glance while it goes on, and the whole talk afterwards."""

import os
import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.programs import run_python
from tests.support.terminal import Sight, run_in_terminal

TALK = ("talks.py", "What is love?", "--offline", "--depth", "1", "--seed", "7")
GAME = ("example.py", "talks", "--offline", "--depth", "1", "--seed", "7")
FOOT = re.compile(r"Turn \d+ of at most 4 · depth 1 \(Surface\) · ")
LIFTED = re.compile(r"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*")
# The name of a log is another each time.
NAMED = "gameplay_"


def seen_after(written: str, width: int = 80) -> list[str]:
    """Return the lines on a screen, and those that have scrolled up, in the end."""
    sight = Sight(width)
    sight.write(written)
    return [line.rstrip() for line in sight.lines if NAMED not in line]


def printed(words: tuple[str, ...], folder: Path, width: int = 80) -> str:
    """Return what a program writes into a pipe."""
    environ = os.environ | {"COLUMNS": str(width), "PYTHONPATH": str(ROOT)}
    script, *rest = words
    return run_python(str(ROOT / script), *rest, folder=folder, env=environ, timeout=120).stdout


@pytest.mark.parametrize(
    ("words", "size"), [((*TALK, "--pace", "0.3"), (24, 60)), (GAME, (24, 80))]
)
def test_a_foot_comes_and_goes_and_nothing_is_lost(
    words: tuple[str, ...], size: tuple[int, int], tmp_path: Path
) -> None:
    written = run_in_terminal(words, tmp_path, size)
    assert FOOT.search(written)
    shown = seen_after(written, size[1])
    assert not FOOT.search("\n".join(shown))
    below = iter(shown)
    for line in printed(words, tmp_path, size[1]).splitlines():
        # What the pipe has stands on the screen too, in this order.
        assert NAMED in line or line.rstrip() in below


def test_who_speaks_is_told_with_the_reasons(tmp_path: Path) -> None:
    """Before each turn there is time for a frame, which has all of it."""
    frames = LIFTED.split(run_in_terminal((*TALK, "--pace", "0.3"), tmp_path))
    (frame,) = [frame for frame in frames if "Turn 2 of" in frame][-1:]
    lines = seen_after(frame)
    labels = [line[:4] for line in lines]
    assert {"last", "now", "ends"} <= {label.strip() for label in labels}
    (now,) = [place for place, label in enumerate(labels) if label == "now "]
    told = " ".join(line.strip() for line in lines[now : now + 2])
    assert re.search(r"(Sophia|Marcus): [A-Z]+", told)
    assert re.search(r"urgency \d\.\d\d", told)
    assert re.search(r"payoff \d\.\d\d", told)
    bars = lines[-4:]
    assert all(re.search(r"[━─]{10}", line) for line in bars)
    assert any(line.startswith("▸ ") and line.endswith("speaks") for line in bars)
    assert sum(line.strip().startswith(("depth", "convergence")) for line in bars) == 2


@pytest.mark.parametrize(
    ("more", "environ"), [((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--plain",), {})]
)
def test_a_terminal_may_have_no_foot(
    more: tuple[str, ...], environ: dict[str, str], tmp_path: Path
) -> None:
    written = run_in_terminal((*TALK, "--pace", "0.3", *more), tmp_path, more=environ)
    assert "Turn 1: " in written
    assert not FOOT.search(written)
    assert "\x1b[2K" not in written


def test_into_a_pipe_a_talk_is_printed_as_ever(tmp_path: Path) -> None:
    golden = (ROOT / "tests" / "data" / "shown" / "talk.txt").read_text(encoding="utf-8")
    written = printed(TALK, tmp_path)
    assert "\x1b" not in written
    talk, _, _ = written.partition("📊")
    assert talk == golden


def test_nobody_waits_longer_than_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    import talks

    assert talks.main([*TALK[1:], "--pace", "61"]) == 2
    assert "expected 0 to 60 seconds: got 61" in capsys.readouterr().err
