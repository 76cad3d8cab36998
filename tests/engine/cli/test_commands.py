"""Every command that is shown can be pasted into a shell, and does what it says."""

import itertools
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import run_command
from engine.cli.parser import join_words
from engine.history import history_from_json

pytestmark = pytest.mark.usefixtures("elsewhere")

# A shell in which `uv run WORDS` only shows its words.
PASTE = 'uv() { shift; printf "%s\\0" "$@"; }; eval "$1"'
ODD = 'it\'s [bold]a $HOME `ls` "b" & ; é *? \\ #'


def paste(command: str) -> list[str]:
    """Return the words that a shell makes of a command behind `uv run`."""
    words = ["bash", "-c", PASTE, "bash", command]
    return subprocess.check_output(words, text=True).split("\0")[:-1]


def shown_commands(said: str) -> list[list[str]]:
    """Return the words of every command in an output."""
    found = []
    for line in said.splitlines():
        _, runs, words = line.partition("uv run ")
        if runs:
            found.append(paste(f"uv run {words}"))
    return found


def run(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    """Run a face's words, which must end with `code`, and return all that it said."""
    assert run_command(words[0], words[1:]) == code
    return "".join(capsys.readouterr())


def only_log(folder: Path, suffix: str = ".json") -> Path:
    (log,) = folder.glob(f"gameplay_*{suffix}")
    return log


def config_in(log: Path) -> dict[str, Any]:
    """Return what a game was made from, without its seed."""
    config = history_from_json(log.read_bytes()).config
    return {name: value for name, value in config.items() if name != "seed"}


@pytest.mark.parametrize(
    "word", ["", "a", "a b", ODD, "'", "\t'\n", "\x1b[31m", "-", "a\\tb\t", "\u202e'", "{1: [a]}"]
)
def test_a_word_is_read_back_as_it_was(word: str) -> None:
    joined = join_words(["--topic", word])
    assert paste(f"uv run {joined}") == ["--topic", word]
    assert joined.isprintable()


GAMES = [
    ["deliberations", "--phases", "[pitches, votes]", "--words", "9"],
    ["deliberations", "--phases", "{1: [pitches, votes], 2: [votes]}", "--seed=4"],
    ["deliberations", "--players", "Z & $E=scripted:loyal,Q;x=scripted:grudge,scripted:loyal"],
    ["talks", "--topic", ODD, "--depth", "1", "--participants", "3"],
    ["talks", "--topic", "two\nlines\tand \x1b[31m", "--depth", "1"],
    ["conversation", "--length", "2", "--subjects", "[a b, 'c[d]', \"it''s\"]"],
    ["--length", "2", "--seed", "3"],
    ["dilemma", "--game-length", "[2, 3]", "--flip-params", "0.1,0.05", "--seed", "-5"],
    ["guest", "--seed", "7"],
]


@pytest.mark.parametrize(
    ("words", "named"),
    [*zip(GAMES, itertools.cycle(["logs", "my [logs], it's", "-x"]), strict=False)],
)
def test_the_commands_after_a_game_show_it_and_play_the_next(
    words: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = shown_commands(run(["example.py", *words, "--offline", f"--logs-dir={named}"], capsys))
    assert [command[0] for command in shown] == ["logs.py", "logs.py", "example.py"]
    log = only_log(tmp_path / named)
    assert "Next:\n  uv run" in run(shown[0], capsys)
    first = config_in(log)
    seed = history_from_json(log.read_bytes()).seed
    log.unlink()
    run(shown[2], capsys)
    again = only_log(tmp_path / named)
    assert config_in(again) == first
    assert history_from_json(again.read_bytes()).seed == seed + 1


def test_the_commands_of_many_games_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["example.py", "--offline", "--length", "2", "--games", "2", "--logs-dir", ODD]
    commands = shown_commands(run(words, capsys))
    assert len(commands) >= 2
    for command in commands:
        if command[0] == "logs.py":
            assert shown_commands(run(command, capsys))


def test_the_commands_of_unfinished_games_go_on_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A budget that stops the game at once is doubled, which stops it again: the same game."""
    words = ["--offline", "--length", "2", "--max-time", "0.000001", "--logs-dir", "a [b] 'c'"]
    (command,) = shown_commands(run(["example.py", *words], capsys, code=4))
    journal = only_log(tmp_path / "a [b] 'c'", ".jsonl")
    assert command[:3] == ["example.py", "--resume", journal.stem]
    assert command[-2:] == ["--max-time", "2e-06"]
    (again,) = shown_commands(run(command, capsys, code=4))
    assert again == [*command[:-1], "4e-06"]
    many = shown_commands(run(["example.py", *words, "--games", "3"], capsys, code=4))
    resumed = [one for one in many if "--resume" in one]
    assert len(resumed) == 3
    run([*resumed[0], "--max-time", "60"], capsys)


def test_a_game_with_secrets_goes_on_with_the_words_that_name_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("my 'config'.yaml").write_text(
        "player_configs:\n"
        "- {player_id: Ada, provider: scripted, model: greedy}\n"
        "- {player_id: Ben, provider: scripted, model: greedy, client_kwargs: {token: hunter2}}\n"
    )
    words = ["--config", "my 'config'.yaml", "--length", "3", "--max-time", "0.000001"]
    (command,) = shown_commands(run(["example.py", *words], capsys, code=4))
    journal = only_log(tmp_path / "logs", ".jsonl")
    assert command[: len(words) + 3] == ["example.py", *words, "--resume", journal.stem]
    run([*command, "--max-time", "60"], capsys)
    assert not journal.exists()


def test_commands_in_refusals_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--logs-dir", ODD]
    run(["example.py", "--offline", "--length", "2", *where], capsys)
    name = only_log(tmp_path / ODD).stem
    (shown,) = shown_commands(run(["example.py", "--resume", name, *where], capsys, code=2))
    assert "in conversation" in run(shown, capsys)
    (listed,) = shown_commands(run(["logs.py", "no_such", "--terminal", *where], capsys, code=2))
    assert name in run(listed, capsys)
    (tmp_path / ODD / "-x.json").write_bytes((tmp_path / ODD / f"{name}.json").read_bytes())
    (next_one,) = shown_commands(run(listed, capsys))
    assert next_one[1:3] == ["--filename", name]


FACES = ("example.py", "talks.py", "logs.py", "studies.py", "env_gym.py")


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("width", [80, 120])
def test_help_fits_the_terminal_and_keeps_its_commands_whole(
    face: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    with pytest.raises(SystemExit):
        run_command(face, ["--help"])
    narrow = capsys.readouterr().out
    assert [one for one in narrow.splitlines() if len(one) > width and "uv run" not in one] == []
    monkeypatch.setenv("COLUMNS", "500")
    with pytest.raises(SystemExit):
        run_command(face, ["--help"])
    wide = capsys.readouterr().out
    commands = [line for line in wide.splitlines() if "uv run" in line]
    assert [line for line in narrow.splitlines() if "uv run" in line] == commands
    assert narrow.partition("\n\n")[2].split() == wide.partition("\n\n")[2].split()


def test_the_list_of_studies_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert run_command("studies.py", []) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert "dilemma ranks            Ask which agent does best against" in lines
