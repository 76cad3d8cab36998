"""Lint, format and dependencies of the whole tree; test_types.py checks the types."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

# The program imports no development tool; the tests may, and declare all they import.
PROGRAM = ["deptry", "--no-ansi", "."]
WITH_TESTS = [*PROGRAM, "--exclude", r"^\.venv/", "--ignore", "DEP004"]
TOOLS = [["ruff", "check", "."], ["ruff", "format", "--check", "."], PROGRAM, WITH_TESTS]


def run(command: list[str], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", TOOLS, ids=" ".join)
def test_tool_is_content(command: list[str]) -> None:
    done = run(command)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("package", ["httpx2", "numba", "xllamacpp"])
def test_a_dependency_that_is_not_declared_is_noticed(package: str, tmp_path: Path) -> None:
    for name in ("providers", "engine"):
        shutil.copytree(ROOT / name, tmp_path / name)
    declared = (ROOT / "pyproject.toml").read_text()
    without = re.sub(rf'"{package}[^"]*",?', "", declared)
    assert without != declared
    (tmp_path / "pyproject.toml").write_text(without)
    done = run(PROGRAM, tmp_path)
    assert done.returncode == 1
    assert f"'{package}' imported but" in done.stdout + done.stderr
