"""The page's own files: small, joined without a clash, and without a way to turn text into code."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from engine.games import GAMES
from engine.views.page import IMPORT, LATER, PAGE, joined_modules, page_html
from engine.views.perspective import Shown
from tests.support.tables import own_games, run_game

MODULES = sorted(PAGE.rglob("*.js"))
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
TOP_LEVEL = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|var|class) (\w+)", re.MULTILINE
)
SINKS = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "setHTML", "srcdoc",
    "DOMParser", "createContextualFragment", "eval(", "Function(", "javascript:",
    "localStorage", "sessionStorage", "window.open", "postMessage", "importScripts", "new Worker",
)  # fmt: skip
LONGEST = 400
MOST_BYTES = 210_000
MOST_PACKED = 85_000
MOST_OVER_LOG = 90_000


def names_of(path: Path) -> str:
    return path.relative_to(PAGE).as_posix()


@pytest.mark.parametrize("path", FILES, ids=names_of)
def test_no_file_has_a_sink(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not [sink for sink in SINKS if sink in text]
    assert not re.search(r'\bimport\((?!"\./[a-z_/]+\.js"\))', text)
    assert not re.search(r"""\bstyle\s*[=:]\s*["'`]""", text)
    assert not re.search(r"""\son\w+\s*=\s*["']""", text)
    assert not re.search(r"set(?:Timeout|Interval)\(\s*[\"'`]", text)


@pytest.mark.parametrize("path", MODULES, ids=names_of)
def test_a_module_can_be_joined(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) <= LONGEST
    for line in lines:
        if line.startswith("import") or (" from " in line and line.startswith("export")):
            found = IMPORT.fullmatch(line)
            assert found, f"not one line, relative and named: {line}"
            assert (path.parent / found[1]).is_file()
        for later in LATER.findall(line):
            assert (path.parent / later).is_file()
        # Lines are stripped when modules are joined: a text over several would change.
        assert line.count("`") % 2 == 0
    assert "export default" not in text
    assert "export {" not in text


def test_top_level_names_differ() -> None:
    names: Counter[str] = Counter()
    for path in MODULES:
        names.update(TOP_LEVEL.findall(path.read_text(encoding="utf-8")))
    assert not [name for name, count in names.items() if count > 1]


def test_what_is_joined_is_one_script() -> None:
    joined = joined_modules("offline.js", "guest")
    assert not re.search(r"^(import|export) ", joined, re.MULTILINE)
    assert "</script" not in joined.lower()
    assert "<!--" not in joined
    assert joined.index("function el(") < joined.index("function mark(")


@pytest.mark.parametrize("game", own_games())
def test_a_file_is_small_beside_its_log(game: str) -> None:
    history = run_game(game)
    page = page_html(history, Shown(game=GAMES[game]))
    compact = json.dumps(json.loads(history.to_json()), separators=(",", ":"))
    assert len(page.encode()) - len(compact) <= MOST_OVER_LOG


def test_the_page_is_small() -> None:
    sizes = [len(path.read_bytes()) for path in FILES]
    packed = [len(gzip.compress(path.read_bytes())) for path in FILES]
    assert sum(sizes) <= MOST_BYTES
    assert sum(packed) <= MOST_PACKED
