"""`serve.py` as a person starts it, in a process of its own, and how its host asks it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.support.paths import ROOT


@contextmanager
def started(
    folder: Path, *words: str, **environment: str
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start serve.py on a free port, unless `words` name one; yield its process and its link."""
    command = [sys.executable, "serve.py", "--port", "0", "--no-open", f"--logs-dir={folder}"]
    process = subprocess.Popen(
        [*command, *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("The arena is at http://"), process.communicate(timeout=10)
        yield process, line.split()[-1]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=10)


def ask(link: str, path: str, body: Any = None) -> Any:
    """Return the answer of the API to the host; `link` is the one with the token."""
    address, _, token = link.partition("/#/?token=")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    sent = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{address}{path}", sent, headers)) as answer:
        return json.load(answer)
