"""The documentation is true: links, names, commands and Python hold, the drawing is the code's."""

import re
import shlex
import subprocess
import sys
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

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINKS = re.compile(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)")
# A line of a block, up to the words that explain it after two spaces, or a cell of the README.
FACES = "example|logs|serve|studies|talks|tournament"
RUN = rf"uv run (?:--extra \w+ )?({FACES})\.py"
COMMAND = re.compile(rf"^{RUN}(.*?)(?:  .*)?$", re.MULTILINE)
CELL = re.compile(rf"\| `{RUN}([^`]*)` \|")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
NAMES = re.compile(r"`([\w/]+\.py):(\w+)`")


def test_the_pages_are_there() -> None:
    assert {"README.md", "CONTRIBUTING.md", "architecture.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [link for link in LINKS.findall(text) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_are_in_the_code(page: Path) -> None:
    for path, name in NAMES.findall(page.read_text(encoding="utf-8")):
        code = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?(?:def|class) {name}\b", code, re.MULTILINE), (path, name)


# Their commands need what the pages add; tests/test_examples.py runs those.
BUILT = {"CONTRIBUTING.md", "write-a-game.md"}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in BUILT], ids=lambda page: page.name
)
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


SNIPPETS = PYTHON.findall((ROOT / "docs" / "python.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", SNIPPETS, ids=range(len(SNIPPETS)))
def test_python_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "python.md", "exec"), {})
    assert capsys.readouterr().out.count("\n") == 1


def test_the_architecture_is_drawn_from_the_imports(tmp_path: Path) -> None:
    """Drawn anew in a copy of the tree, the picture and the table are the same."""
    copy = tmp_path / "tree"
    copy_project(copy)
    subprocess.run([sys.executable, "docs/draw_architecture.py"], cwd=copy, check=True)
    for drawn in ("docs/architecture.md", "docs/pictures/architecture.svg"):
        assert (copy / drawn).read_text("utf-8") == (ROOT / drawn).read_text("utf-8"), (
            "draw it anew: uv run --group dev python docs/draw_architecture.py"
        )


def test_the_measure_of_endpoints_explains_itself_and_plays_nothing() -> None:
    command = [sys.executable, "benchmarks/endpoints.py", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: endpoints.py [-h] [--direct] [MODEL.gguf]")
    assert "leave LiteLLM's proxy out" in done.stdout
    assert "fallbacks  ignored" not in done.stdout
