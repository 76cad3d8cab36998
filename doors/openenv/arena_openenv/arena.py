"""The arena's server: the one named by `ARENA_URL`, or one started here."""

import atexit
import os
import re
import secrets
import signal
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

ADDRESS = re.compile(r"http://[^/\s]+")
_starting = Lock()


def find_arena() -> tuple[str, str]:
    """Return the server's address and the host's token; sessions of one process share a server."""
    with _starting:
        return _arena()


@cache
def _arena() -> tuple[str, str]:
    address = os.environ.get("ARENA_URL", "").rstrip("/")
    token = os.environ.get("ARENA_TOKEN", "")
    if not address:
        return _start()
    if not token:
        raise ValueError("expected ARENA_TOKEN with ARENA_URL: the token of the server's link")
    return address, token


def _start() -> tuple[str, str]:
    """Start `serve.py` on a free local port; it stops when this process does."""
    token = secrets.token_urlsafe(24)
    command = _command()
    served = subprocess.Popen(  # noqa: S603 - the arena's own command
        command, env={**os.environ, "ARENA_TOKEN": token}, stdout=subprocess.PIPE, text=True
    )
    atexit.register(_stop, served)
    assert served.stdout is not None
    match = ADDRESS.search(served.stdout.readline())
    if match is None:
        raise ValueError(f"the arena did not start: {command[1]} says why on stderr")
    return match[0], token


def _command() -> list[str]:
    """Return the command for the arena's server; raise ValueError if a file is missing."""
    home = os.environ.get("ARENA_HOME") or str(Path(__file__).parents[3])
    python = os.environ.get("ARENA_PYTHON") or f"{home}/.venv/bin/python"
    program = f"{home}/serve.py"
    for path in (program, python):
        if not Path(path).is_file():
            raise ValueError(
                f"no arena here: expected a file {path}; set ARENA_HOME to the arena's folder and "
                "run `uv sync` in it, or name its Python in ARENA_PYTHON"
            )
    logs = os.environ.get("ARENA_LOGS", "")
    if not logs:
        # The folder is deleted when this process exits.
        folder = TemporaryDirectory(prefix="arena-")
        atexit.register(folder.cleanup)
        logs = folder.name
    return [python, program, "--port", "0", "--no-open", "--logs-dir", logs]


def _stop(served: subprocess.Popen[str]) -> None:
    """Stop the server as Ctrl-C would, or kill it if it takes too long."""
    served.send_signal(signal.SIGINT)
    try:
        served.wait(10)
    except subprocess.TimeoutExpired:
        served.kill()
        served.wait()
