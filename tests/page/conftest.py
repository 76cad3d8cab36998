"""Tests of the page have a browser, and one server for each module."""

from collections.abc import Iterator

import pytest

from tests.support.web.browser import browser
from tests.support.web.real_server import TOKEN, Served, serving

__all__ = ["browser"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("logs"), token=TOKEN) as found:
        yield found


@pytest.fixture(autouse=True)
def _closed_pages(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close the pages that a test opened: they would go on drawing while others are tested."""
    if "browser" not in request.fixturenames:
        yield
        return
    opened = request.getfixturevalue("browser")
    before = opened.contexts
    yield
    for context in opened.contexts:
        if context not in before:
            context.close()
