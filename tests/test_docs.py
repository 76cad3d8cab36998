"""The documentation is true: links lead somewhere, names exist, the drawing is that of the code."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINKS = re.compile(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)")
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


def test_the_architecture_is_drawn_from_the_imports(tmp_path: Path) -> None:
    """Drawn anew in a copy of the tree, the picture and the table are the same."""
    copy = tmp_path / "tree"
    ignored = shutil.ignore_patterns(".*", "logs", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=ignored)
    subprocess.run([sys.executable, "docs/draw_architecture.py"], cwd=copy, check=True)
    for drawn in ("docs/architecture.md", "docs/pictures/architecture.svg"):
        assert (copy / drawn).read_text("utf-8") == (ROOT / drawn).read_text("utf-8"), (
            "draw it anew: uv run --group dev python docs/draw_architecture.py"
        )
