"""A tournament survives its process: the short campaign of kills."""

import json
import subprocess
import sys

import pytest

from tests.support.paths import ROOT


@pytest.mark.slow
def test_the_short_campaign_keeps_every_promise() -> None:
    command = [sys.executable, "benchmarks/tournament_survival.py", "kills", "--short", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = [json.loads(line) for line in done.stdout.splitlines()]
    assert {figure["value"] for figure in figures} == {"0"}
    bases = {figure["basis"].partition(", ")[2] for figure in figures}
    assert "chosen points: 11 tournaments, 11 kills" in bases
    assert any(basis.startswith("chosen points: 4 tournaments, 4 kills") for basis in bases)
