"""The game that docs/write-a-game.md builds: written into a copy of the tree, it plays and passes the kit."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "write-a-game.md").read_text(encoding="utf-8")
FILES = re.compile(r"^`([\w/]+\.(?:py|j2))`\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINE = '        "auction": "auction.game:AuctionGame",\n'


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project that has the page's game."""
    copy = tmp_path_factory.mktemp("copy") / "tree"
    ignored = shutil.ignore_patterns(".git", ".venv", ".*_cache", "logs", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=ignored)
    for name, code in FILES.findall(PAGE):
        path = copy / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(code, encoding="utf-8")
    (copy / "engine/games/auction/__init__.py").write_text('"""A sealed-bid auction."""\n')
    assert LINE in PAGE
    table = copy / "engine/games/__init__.py"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("GAMES = Games(\n    {\n", f"GAMES = Games(\n    {{\n{LINE}"))
    return copy


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


def test_it_plays(tree: Path) -> None:
    done = run(
        tree, "example.py", "auction", "--offline", "--seed", "7", "--json", "--second-price"
    )
    assert done.returncode == 0, done.stderr
    *events, result = map(json.loads, done.stdout.splitlines())
    assert [event["kind"] for event in events].count("sale") == 5
    assert set(result["outcome"]["placements"]) == {event["player_id"] for event in events} - {None}


def test_it_passes_the_kit_and_the_law(tree: Path) -> None:
    kit = ("tests/test_every_game.py", "tests/test_architecture.py", "-k", "auction")
    done = run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *kit)
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 20  # type: ignore[index]


def test_it_is_typed_and_tidy(tree: Path) -> None:
    for command in (["mypy", "engine/games/auction"], ["ruff", "check", "engine/games/auction"]):
        done = run(tree, "-m", *command)
        assert done.returncode == 0, done.stdout
