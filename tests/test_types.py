"""mypy accepts the whole tree and every Python example of the documentation, in one run."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

# `tests/test_examples.py` checks these pages with the files that they add.
OF_FILES = {"write-a-game.md", "haggle.md"}
PAGES = sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in OF_FILES)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A line to put into a list of another program.
FRAGMENT = re.compile(r"^ +\+ ", re.MULTILINE)
# Of the course's simulator, which is not here.
PLAYER = "class Player:\n    def __init__(self, snapshot: object, ctx: object) -> None: ...\n"


def programs_of(page: Path) -> list[str]:
    """Return the programs on a page; all that it types at a prompt is one program."""
    programs = []
    typed: list[str] = []
    for code in BLOCK.findall(page.read_text(encoding="utf-8")):
        if ">>> " in code:
            typed += [step.source for step in doctest.DocTestParser().get_examples(code)]
        elif not FRAGMENT.search(code):
            programs.append(code)
    if typed:
        programs.append("".join(typed))
    return programs


@pytest.mark.slow
def test_mypy_accepts_the_tree_and_every_example(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "player.py").write_text(PLAYER, encoding="utf-8")
    files = []
    for page in PAGES:
        for number, program in enumerate(programs_of(page)):
            file = tmp_path / f"{page.stem.replace('-', '_')}_{number}.py"
            file.write_text(program, encoding="utf-8")
            files.append(str(file))
    assert len(files) > 12
    command = [sys.executable, "-m", "mypy", ".", *files]
    places = {**os.environ, "MYPYPATH": str(tmp_path)}
    checked = subprocess.run(
        command, cwd=ROOT, env=places, capture_output=True, text=True, check=False
    )
    assert "no issues found" in checked.stdout, checked.stdout
