"""One server for all tests of a module that need no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.web.real_server import Served, serving


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return its folder of logs, which does not exist yet; a module may put games there."""
    return tmp_path_factory.mktemp("house") / "logs"


@pytest.fixture(scope="module")
def served(request: pytest.FixtureRequest, logs: Path) -> Iterator[Served]:
    """Serve this folder with the OPTIONS of the module, if it has any."""
    with serving(logs, **getattr(request.module, "OPTIONS", {})) as server:
        yield server
