"""Python programs of ours, run to their end."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT


def run_python(
    *words: str, folder: Path = ROOT, code: int = 0, **more: Any
) -> "subprocess.CompletedProcess[str]":
    """Run Python with these words in a folder, and return what it said; it ends with `code`."""
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **more)
    assert done.returncode == code, done.stdout + done.stderr
    return done
