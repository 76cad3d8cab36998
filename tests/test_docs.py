"""The documentation is true: links, names, commands and Python hold, the drawing is the code's."""

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli.logs.export import export_parser
from engine.cli.logs.review import read_log_options
from engine.cli.options import read_request
from engine.cli.serve import check_options, serve_parser
from engine.cli.studies import asked_study, study_parser
from engine.cli.talks.discuss import read_talk_options
from engine.cli.tournament.commands import verb_parser
from engine.games import GAMES
from tests.support.paths import ROOT, copy_project

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# A link in the text, one at the foot of a page, a frame: the file, and the place in it.
TO = r"([^)\s#:\"]*)(?:#([^)\s\"]+))?"
LINKS = re.compile(rf'(?:\]\({TO}\)|^\[[\w-]+\]: {TO}$|(?:src|href)="{TO}")', re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
INCLUDED = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)
# A line of a block, up to the words that explain it after two spaces, or a cell of the README.
FACES = "example|logs|serve|studies|talks|tournament"
RUN = rf"uv run (?:--extra \w+ )?({FACES})\.py"
COMMAND = re.compile(rf"^{RUN}(.*?)(?:  .*)?$", re.MULTILINE)
CELL = re.compile(rf"\| `{RUN}([^`]*)` \|")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
NAMES = re.compile(r"`([\w/]+\.py):(\w+)`")
# Files that exist only once the site is built.
MADE = {ROOT / "docs" / "replay.html"}
Capture = pytest.CaptureFixture[str]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_the_pages_are_there() -> None:
    assert {"README.md", "CONTRIBUTING.md", "architecture.md"} <= {page.name for page in PAGES}


def links_of(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file that each link of a page names, and the place in it."""
    for groups in LINKS.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, place = "".join(groups[::2]), "".join(groups[1::2])
        if path or place:
            yield (page.parent / path if path else page).resolve(), place


def places_in(page: Path) -> set[str]:
    """Return the anchors of a page's headings, with those of the page that it includes."""
    text = page.read_text(encoding="utf-8")
    text = INCLUDED.sub(lambda found: (ROOT / found[1]).read_text(encoding="utf-8"), text)
    headings = HEADING.findall(FENCE.sub("", text))
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target, place in links_of(page):
        assert target.exists() or target in MADE, target
        if place and target.suffix == ".md":
            assert place in places_in(target), (target, place)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_of_the_site_links_to_the_site_alone(page: Path) -> None:
    """What lies outside docs/ is named: the site has no such file."""
    docs = ROOT / "docs"
    outside = [target for target, _ in links_of(page) if not target.is_relative_to(docs)]
    assert page.parent == ROOT or not outside


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_are_in_the_code(page: Path) -> None:
    for path, name in NAMES.findall(page.read_text(encoding="utf-8")):
        code = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?(?:def|class) {name}\b", code, re.MULTILINE), (path, name)


# Their commands need what the pages add; tests/test_examples.py runs those.
BUILT = {"CONTRIBUTING.md", "write-a-game.md", "haggle.md"}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in BUILT], ids=name_of)
def test_commands_have_the_options_they_name(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    for face, rest in (*COMMAND.findall(text), *CELL.findall(text)):
        words = shlex.split(rest)
        if face == "logs" and "--export" in words:
            assert export_parser().read(words) is not None
        elif face == "logs":
            assert read_log_options(words) is not None
        elif face == "serve":
            check_options(serve_parser().read(words))
        elif face == "studies":
            assert study_parser(*asked_study(words)).read(words) is not None
        elif face == "talks":
            if "--help" not in words:
                assert read_talk_options(words) is not None
        elif face == "tournament":
            assert verb_parser(words[0]).read(words[1:]) is not None
        elif not {"NAME", "GAME", "--help"} & {*words} and not lacks_extra(words):
            assert read_request(words) is not None


def lacks_extra(words: list[str]) -> bool:
    """Return whether a command plays the games of a library that is not installed here."""
    return any(GAMES.missing_extra(word.partition(":")[0]) for word in words)


# A page that a test of its own reads has its Python run there, as doctests or as programs.
OWN_TEST = re.compile(r'ROOT / "docs" / "([\w-]+\.md)"')
RUN_ELSEWHERE = set(BUILT)
for test in (ROOT / "tests").rglob("test_*.py"):
    RUN_ELSEWHERE.update(OWN_TEST.findall(test.read_text(encoding="utf-8")))
# What a reader of a page already has.
GIVEN = {
    "docs/deliberations.md": """
import logging
from engine.engine import GameEngine, GameEngineConfig
from player import PlayerConfig
logger, rules = logging.getLogger("arena"), ""
names = ("Ada", "Ben", "Cleo")
players = [PlayerConfig(player_id=name, provider="scripted", model="loyal") for name in names]
"""
}
SNIPPETS = []
for page in PAGES:
    found = PYTHON.findall(page.read_text(encoding="utf-8"))
    if page.name not in RUN_ELSEWHERE:
        SNIPPETS += [(name_of(page), code) for code in found]


@pytest.mark.parametrize(("name", "code"), SNIPPETS)
def test_python_runs(
    name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(GIVEN.get(name, "") + code, name, "exec"), {})
    assert capsys.readouterr().out.count("\n") == (name not in GIVEN)


def test_the_architecture_is_drawn_from_the_imports(tmp_path: Path) -> None:
    """Drawn anew in a copy of the tree, the picture and the table are the same."""
    copy = tmp_path / "tree"
    copy_project(copy)
    subprocess.run([sys.executable, "docs/draw_architecture.py"], cwd=copy, check=True)
    for drawn in ("docs/architecture.md", "docs/pictures/architecture.svg"):
        assert (copy / drawn).read_text("utf-8") == (ROOT / drawn).read_text("utf-8"), (
            "draw it anew: uv run --group dev python docs/draw_architecture.py"
        )


def modules_with_examples() -> Iterator[str]:
    """Yield the names of our modules that have examples in their docstrings."""
    for room in ("engine", "labs", "protocol", "providers"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if ">>>" in path.read_text(encoding="utf-8"):
                yield ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("name", [*modules_with_examples()])
def test_examples_in_docstrings_are_true(name: str) -> None:
    if ".openspiel." in name:
        pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    tried = doctest.testmod(pytest.importorskip(name.removesuffix(".__init__")))
    assert tried.attempted
    assert not tried.failed
