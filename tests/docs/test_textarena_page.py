"""The page on TextArena is true: its commands play, and its Python runs."""

import re
import shlex
from pathlib import Path

import pytest

import example
from tests.support.paths import ROOT

pytest.importorskip("textarena", reason="needs the extra textarena")

PAGE = (ROOT / "docs" / "textarena.md").read_text(encoding="utf-8")
BLOCK = re.search(r"```bash\n(.*?)```", PAGE, re.DOTALL)
assert BLOCK is not None
COMMANDS = [line for line in BLOCK[1].splitlines() if line]
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_plays(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command.partition("example.py")[2])
    assert example.main([*words, "--seed", "7", "--logs-dir", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    if "--list-games" in words:
        assert "LiarsDice-v0" in shown
        assert not [*tmp_path.iterdir()]
    else:
        assert "Rewards: " in shown
        assert len([*tmp_path.glob("*.json")]) == 1


def test_the_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(PYTHON, "textarena.md", "exec"), {})
    assert capsys.readouterr().out.count("\n") == 1
