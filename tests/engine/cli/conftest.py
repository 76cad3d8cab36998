"""What several commands are tried on: a folder of its own, and a tournament that was played."""

import shutil
from pathlib import Path

import pytest

from engine.tournaments.run import TournamentRun
from tests.support.tournaments.cups import short_cup


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run in the test's own folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of logs with one tournament of four scripts, all played."""
    folder = tmp_path_factory.mktemp("logs")
    TournamentRun(short_cup(games=12, min_games=5), folder / "cup").run()
    return folder


@pytest.fixture
def part(logs: Path, tmp_path: Path) -> Path:
    """Return a copy of that tournament, in the test's own folder."""
    return shutil.copytree(logs / "cup", tmp_path / "cup")
