"""The one way from words to an exit code: what every command says when it cannot go on."""

import gc
import sys
from collections.abc import Sequence
from pkgutil import resolve_name

import pytest
from pydantic import BaseModel

from engine.cli import main as cli
from engine.cli.main import COMMANDS, CommandFailed, ExitCode, complain, run_command
from engine.cli.options import read_request
from engine.cli.parser import Parser, lone_words
from engine.games import GAMES
from labs import LOG_STUDIES, STUDIES, study_class
from tests.support.paths import ROOT
from tests.support.terminal import Capture, assert_refused


def fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch, name: str) -> int:
    """Run the command `name`, whose work raises `error`, and return the exit code."""

    def work(words: Sequence[str]) -> ExitCode:
        raise error

    monkeypatch.setattr(cli, "resolve_name", lambda path: work)
    return run_command(name, [])


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (ValueError("expected more: got less"), 2, "expected more: got less"),
        (CommandFailed("a rule is broken"), 1, "a rule is broken"),
        (OSError(28, "No space left on device", "logs/x.json"), 1, "logs/x.json: No space left"),
        (KeyboardInterrupt(), 5, "interrupted"),
    ],
)
def test_what_stops_a_command_is_one_sentence_and_an_exit_code(
    error: BaseException, code: int, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for name in COMMANDS:
        assert fail_with(error, monkeypatch, name) == code
        assert_refused(capsys, f"{name}: {sentence}", name)


def test_a_sentence_is_nothing_that_a_terminal_obeys(capsys: Capture) -> None:
    complain("logs.py", "expected a name: got a\x1b[31mred\x07 one\u202e", ExitCode.USAGE)
    assert capsys.readouterr().err == "logs.py: expected a name: got a[31mred one\n"


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in COMMANDS:
        with pytest.raises(RuntimeError, match="no running event loop"):
            fail_with(RuntimeError("no running event loop"), monkeypatch, name)


def test_a_setting_that_cannot_be_is_named_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    class Strict(BaseModel, extra="forbid"):
        length: int = 1

    with pytest.raises(ValueError, match="lenght") as found:
        Strict.model_validate({"lenght": 2})
    assert fail_with(found.value, monkeypatch, "example.py") == 2
    assert "unknown setting 'lenght': did you mean 'length'?" in capsys.readouterr().err


def test_every_command_has_its_function() -> None:
    for command in COMMANDS.values():
        assert callable(resolve_name(f"engine.cli.{command.path}"))


HELPS = [
    *(["example.py", *game] for game in ([], *([name] for name in GAMES))),
    ["talks.py"],
    ["logs.py"],
    ["studies.py"],
    *(["studies.py", game, name] for game, names in STUDIES.items() for name in names),
    *(["studies.py", game] for game in LOG_STUDIES),
    ["env_gym.py"],
]


@pytest.mark.parametrize("words", HELPS, ids=" ".join)
def test_help_says_what_each_option_expects(words: list[str], capsys: Capture) -> None:
    name, *rest = words
    with pytest.raises(SystemExit, match="0"):
        run_command(name, [*rest, "--help"])
    shown = capsys.readouterr().out
    for unclear in ("VALUE", "None", "()", "True", "False", "Setting("):
        assert unclear not in shown
    assert max(map(len, shown.splitlines())) < 130


@pytest.mark.parametrize("game", GAMES)
def test_help_lists_games_providers_and_strategies(
    game: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With a width it wraps.
    monkeypatch.delenv("COLUMNS", raising=False)
    with pytest.raises(SystemExit, match="0"):
        run_command("example.py", ["--help", game])
    lines = capsys.readouterr().out.splitlines()
    for name in (*GAMES, "openai", "local"):
        assert any(line.startswith(f"  {name} ") for line in lines)
    for name, script in GAMES[game].strategies.items():
        meaning = (script.__doc__ or "").partition("\n")[0]
        (line,) = (line for line in lines if line.split()[:1] == [name] and meaning in line)
        assert meaning
        assert line.startswith(f"  {name}")


def test_a_known_option_is_asked_for_by_the_nearest_word() -> None:
    parser = Parser("example.py", "")
    parser.add_argument("--length")
    with pytest.raises(ValueError, match=r"unknown option '--lenght': did you mean '--length'\?"):
        parser.read(["--lenght", "3"])


def test_lone_words_are_no_values() -> None:
    assert lone_words(["--length", "3", "guest", "-v", "ranks"]) == ["guest", "ranks"]
    assert lone_words(["--voice", "guest"], {"--voice"}) == ["guest"]


@pytest.mark.parametrize(
    ("words", "game"),
    [
        ("--config configs/simple.yaml --reveal-tally deliberations", "deliberations"),
        ("--no-voice conversation --length 4", "conversation"),
        ("--topic guest talks --depth 1", "talks"),
    ],
)
def test_a_game_is_found_behind_any_option(
    words: str, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert read_request(words.split()).game.name == game


def test_a_batch_leaves_garbage_collection_as_it_was(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.chdir(str(tmp_path))
    before = gc.get_threshold()
    words = ["--offline", "--seed", "1", "--length", "2", "--games", "2"]
    assert run_command("example.py", words) == 0
    assert gc.get_threshold() == before
    assert "2 games: 2 finished." in capsys.readouterr().out


def test_studies_name_their_settings_as_they_are_typed() -> None:
    from engine.cli.settings import default_in_words

    settings = study_class("conversation", "selfplay").model_fields["settings"]
    assert default_in_words(settings.default).startswith("5/10/20/20, ")
    assert "yaml" in sys.modules
