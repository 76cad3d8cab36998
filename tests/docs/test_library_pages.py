"""The pages on OpenSpiel and TextArena are true: their commands play, and their Python runs."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

import example
from tests.support.paths import ROOT
from tests.support.terminal import Capture

PAGES = {
    "pyspiel": ROOT / "docs" / "openspiel.md",
    "textarena": ROOT / "docs" / "textarena.md",
}
# A game of each list, and how the result of a game begins.
SHOWN = {"pyspiel": ("kuhn_poker", "Returns: "), "textarena": ("LiarsDice-v0", "Rewards: ")}
COMMANDS = [
    (library, command)
    for library, page in PAGES.items()
    for block in re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[:1]
    for command in block.splitlines()
    if command
]


@pytest.fixture(autouse=True)
def _needs_the_library(library: str) -> None:
    if find_spec(library) is None:
        pytest.skip(f"needs the extra {PAGES[library].stem}")


@pytest.mark.parametrize(("library", "command"), COMMANDS)
def test_a_command_plays(library: str, command: str, tmp_path: Path, capsys: Capture) -> None:
    words = shlex.split(command.partition("example.py")[2])
    assert example.main([*words, "--seed", "7", "--logs-dir", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    listed, result = SHOWN[library]
    if "--list-games" in words:
        assert listed in shown
        assert not [*tmp_path.iterdir()]
    else:
        assert result in shown
        assert len([*tmp_path.glob("*.json")]) == 1


@pytest.mark.parametrize("library", PAGES)
def test_the_python_runs(library: str, capsys: Capture) -> None:
    page = PAGES[library]
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, page.name, "exec"), {})
    assert capsys.readouterr().out.count("\n") == 1
