"""The site has every page, the reference every public name, and its front page today's game."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT
from tests.test_public_names import NAMES

DOCS = ROOT / "docs"
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
TOLD = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


def pages_in(entry: Any) -> Iterator[str]:
    """Yield the pages that a part of the navigation names."""
    if isinstance(entry, str):
        yield entry
        return
    for inner in entry.values() if isinstance(entry, dict) else entry:
        yield from pages_in(inner)


def named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def reference() -> list[str]:
    """Return the paths that the reference tells of."""
    pages = (DOCS / "reference").glob("*.md")
    return [path for page in pages for path in TOLD.findall(page.read_text(encoding="utf-8"))]


def test_each_page_is_in_the_navigation_once() -> None:
    """One that is not has no way to it: give it a line in `nav` of mkdocs.yml."""
    pages = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
    assert sorted(pages_in(SETTINGS["nav"])) == pages


def test_nothing_is_fetched_for_fonts() -> None:
    assert SETTINGS["theme"]["font"] is False


@pytest.mark.parametrize("path", reference())
def test_the_reference_tells_of_what_has_a_docstring(path: str) -> None:
    assert inspect.getdoc(named(path))


@pytest.mark.parametrize("module", NAMES)
def test_the_reference_has_each_public_class_and_function(module: str) -> None:
    told = [named(path) for path in reference()]
    for name in NAMES[module].split():
        found = getattr(import_module(module), name)
        if inspect.isclass(found) or inspect.isroutine(found):
            assert any(found is one for one in told), f"{module}.{name}"
