"""Many machines play one tournament as one does, whichever of them dies meanwhile."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.paths import ROOT

pytest.importorskip("ray", reason="comes with the extra cluster", exc_type=ModuleNotFoundError)
pytestmark = pytest.mark.slow

Found = dict[str, dict[str, Any]]


@pytest.fixture
def found() -> Iterator[Found]:
    """What became of the cups in tests/support/tournaments/ray_cups.py."""
    # The path of a socket may be no longer than about a hundred characters.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as root:
        command = [sys.executable, str(ROOT / "tests/support/tournaments/ray_cups.py"), root]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, timeout=300
        )
        left = processes_of(root)
        for process in left:
            process.kill()
        assert done.returncode == 0, done.stderr
        cups: Found = json.loads((Path(root) / "found.json").read_text())
        cups["left"] = {"processes": len(left)}
        yield cups


def processes_of(root: str) -> list[psutil.Process]:
    """Return the processes that were begun with a folder in their words."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if root in " ".join(process.info["cmdline"] or ()):
            found.append(process)
    return found


def test_many_machines_play_as_one_does(found: Found) -> None:
    """It is one test, since a cluster takes long to begin: spread over workers it would be two."""
    check_budget(found["bounded"])
    check_logs(found)
    check_games(found["killed"], found["alone"])
    assert found["left"]["processes"] == 0


def check_budget(bounded: dict[str, Any]) -> None:
    """One budget bounds the calls of all nodes."""
    assert bounded["calls"] == bounded["metered"] == 30
    assert bounded["stopped"].startswith("the budget of 30 calls is used up: 30 calls,")


def check_logs(found: Found) -> None:
    """Logs are collected, and journals stay on their nodes."""
    bounded, held = found["bounded"], [*found["first"]["logs"], *found["second"]["logs"]]
    logs = [name for name in held if name.endswith(".json")]
    assert sorted(logs) == bounded["logs"]
    assert 0 < len(logs) == bounded["finished"] < 9
    assert len(held) == len({*held}) > len(logs)


def check_games(killed: dict[str, Any], alone: dict[str, Any]) -> None:
    """A tournament outlives an actor, the gate and a node, and repeats no recorded call.

    Each of the three kills loses the calls under way at most: four games ask one at a time.
    """
    assert killed["rows"] == alone["rows"]
    assert killed["logs"] == [f"killed_{number:06}.json" for number in range(16)]
    assert killed["finished"] == 16
    assert any(said.startswith("the gate was lost") for said in killed["said"])
    assert any("was lost: its games continue elsewhere" in said for said in killed["said"])
    assert killed["counted"] <= killed["calls"] <= killed["counted"] + 3 * 4
