"""`serve.py` as a person starts it: in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
