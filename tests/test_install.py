"""An install from the wheel plays, asks a server and shows the page, without the checkout."""

import json
import os
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

from engine import version
from engine.cli import arena
from engine.cli.main import ExitCode
from engine.cli.parser import FACES
from tests.support.fake_api import FakeApi
from tests.support.paths import ROOT, copy_project

uv = shutil.which("uv")
Capture = pytest.CaptureFixture[str]


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder that is no checkout."""
    surroundings = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        words,
        cwd=folder,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `arena`, installed from a wheel into an environment of its own."""
    if uv is None:
        pytest.skip("needs uv")
    folder = tmp_path_factory.mktemp("install")
    copy_project(folder / "project")
    for words in (
        (uv, "build", "--wheel", "--out-dir", "wheels", "project"),
        (uv, "venv", "environment"),
    ):
        done = run(*words, folder=folder)
        assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "wheels").glob("arena-*.whl")
    python = folder / "environment" / "bin" / "python"
    bounds = ("--exclude-newer", "2026-11-20T00:00:00Z")
    done = run(uv, "pip", "install", "--python", str(python), *bounds, str(wheel), folder=folder)
    assert done.returncode == 0, done.stderr
    return python.with_name("arena")


@pytest.mark.slow
def test_scripts_play_in_an_install(program: Path, tmp_path: Path) -> None:
    done = run(
        str(program), "play", "--config", "configs/prisoners.yaml", "--offline", folder=tmp_path
    )
    assert done.returncode == ExitCode.DONE, done.stderr
    assert "  arena logs --filename gameplay_" in done.stdout + done.stderr
    (log,) = (tmp_path / "logs").glob("gameplay_*.json")
    assert json.loads(log.read_text("utf-8"))["arena"] == version()
    checked = run(str(program), "logs", "last", "--check", folder=tmp_path)
    assert checked.returncode == ExitCode.DONE, checked.stderr


@pytest.mark.slow
def test_an_install_says_how_to_seat_a_model(program: Path, tmp_path: Path) -> None:
    done = run(str(program), "play", folder=tmp_path)
    assert done.returncode == ExitCode.USAGE
    assert "choose another model, such as --players ollama:llama3.2" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
async def test_a_model_plays_in_an_install(program: Path, tmp_path: Path) -> None:
    import asyncio

    async with FakeApi() as api:
        players = f"compatible:m@{api.url}/v1,scripted:greedy,scripted:foresight"
        words = (str(program), "play", "--players", players, "--length", "4")
        done = await asyncio.to_thread(run, *words, folder=tmp_path)
    assert done.returncode == ExitCode.DONE, done.stderr
    assert len(api.requests) == 4


@pytest.mark.slow
def test_an_install_shows_the_page(program: Path, tmp_path: Path) -> None:
    words = [str(program), "serve", "--port=0", "--no-open"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split()[-1].partition("/#")[0]
            with urllib.request.urlopen(f"{address}/") as answer:
                assert b"main.js" in answer.read()
        finally:
            server.terminate()


def test_each_script_is_a_subcommand(capsys: Capture) -> None:
    for script, face in FACES.items():
        assert (ROOT / script).is_file()
        assert f"\n  {face} " in arena.HELP_TEXT
        assert arena.main([face, "--version"]) == ExitCode.DONE
        assert capsys.readouterr().out == f"arena {version()}\n"


def test_an_unknown_subcommand_is_refused(capsys: Capture) -> None:
    assert arena.main(["plya"]) == ExitCode.USAGE
    assert capsys.readouterr().err.startswith("arena: expected one of play, talks, logs")
    assert arena.main([]) == arena.main(["--version"]) == ExitCode.DONE


def test_messages_and_help_name_the_commands_of_an_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    logs = ("--logs-dir", str(tmp_path))
    assert arena.main(["logs", "last", *logs]) == ExitCode.USAGE
    assert "play one with uv run example.py" in capsys.readouterr().err
    monkeypatch.setattr("engine.INSTALLED", tmp_path)
    assert arena.main(["logs", "last", *logs]) == ExitCode.USAGE
    assert capsys.readouterr().err.endswith("play one with arena play\n")
    with pytest.raises(SystemExit):
        arena.main(["studies", "--help"])
    text = capsys.readouterr().out
    assert "  arena studies dilemma ranks " in text
    assert "uv " not in text
