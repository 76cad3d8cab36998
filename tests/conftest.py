"""No test talks to anyone but this machine, and none finds a key that lies about."""

import os
import sys

import pytest
from hypothesis import settings

# How long an example takes says nothing about what it shows, least of all on a busy machine.
settings.register_profile("arena", deadline=None)
settings.load_profile("arena")

# Each holds its own SDKs, models and compiled games: about 1 GB.
MOST_PROCESSES = 4
OWN = {"127.0.0.1", "::1", "localhost"}
NAMES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")


def stay_home(event: str, values: tuple[object, ...]) -> None:
    """Refuse every connection and look-up beyond this machine, whoever asks for it."""
    host: object = None
    if event == "socket.connect" and isinstance(values[1], tuple):
        host = values[1][0]
    elif event == "socket.getaddrinfo":
        host = values[0]
    if host is not None and (host.decode() if isinstance(host, bytes) else host) not in OWN:
        raise PermissionError(f"a test may only reach this machine: it tried {host!r}")


sys.addaudithook(stay_home)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run the whole suite on up to 4 cores, and chosen tests here, where they start sooner."""
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return 0
    return min(MOST_PROCESSES, os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with a browser as slow."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
