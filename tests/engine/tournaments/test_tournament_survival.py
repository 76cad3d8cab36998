"""A tournament survives its process: the short campaign of kills."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT


@pytest.mark.slow
def test_the_short_campaign_keeps_every_promise() -> None:
    command = [sys.executable, "benchmarks/tournament_survival.py", "--short"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "scripts, chosen points: tournaments 12, kills 12" in done.stdout
    assert "models, chosen points: tournaments 4, kills 4" in done.stdout
    assert done.stdout.endswith("every promise kept\n")
