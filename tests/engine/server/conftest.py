"""One server without games for all tests of a module that need no other."""

from collections.abc import Iterator

import pytest

from tests.support.web.real_server import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("house") / "logs") as server:
        yield server
