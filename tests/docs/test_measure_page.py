"""docs/measure.md is true: its commands run, those of models against a server of our own."""

import asyncio
import re
import shlex
from pathlib import Path

import pytest

from engine.cli.main import run_command
from engine.tournaments.measure.suite import read_suite
from tests.support.fake_api import FakeApi
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "measure.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"^uv run tournament\.py (.*?)(?:  .*)?$", re.MULTILINE)
MODELS, SCRIPTS = (
    COMMAND.findall(block) for block in re.findall(r"^```bash\n(.*?)^```$", PAGE, re.DOTALL | re.M)
)
# These read weights, which takes longer than a test has.
LOCAL = [command for command in MODELS if "measure local" in command]


def test_the_table_has_every_task() -> None:
    rows = re.findall(r"^\| ([a-z-]+) \|.*\| (\d+) \|$", PAGE, re.MULTILINE)
    suite = read_suite("arena-1")
    games = {name: task.deals * task.games_a_deal for name, task in suite.tasks.items()}
    assert {name: int(count) for name, count in rows} == games


@pytest.mark.slow
@pytest.mark.parametrize("command", [each for each in MODELS if each not in LOCAL])
async def test_a_model_is_measured_in_five_minutes(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with FakeApi() as api:
        monkeypatch.setenv("OLLAMA_HOST", api.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{api.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
        words = shlex.split(command.replace("http://127.0.0.1:8000", api.url))
        assert await asyncio.to_thread(run_command, "tournament.py", words) == 0
        assert len(api.requests) > 50


@pytest.mark.slow
def test_scripts_are_measured_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in SCRIPTS:
        assert run_command("tournament.py", shlex.split(command)) == 0, command
    folder = tmp_path / "logs" / "measure" / "arena-1" / "scripted-greedy"
    report = (folder / "report.html").read_text("utf-8")
    links = re.findall(r'href="(teamwork/games/[^"]+)"', report)
    assert len(links) == 6
    assert all((folder / link).exists() for link in links)
    assert {path.name for path in folder.iterdir()} > {"card.md", "measure.json", "measure.png"}
    assert "scripted:greedy" in capsys.readouterr().out
