"""`example.py` as people use it: games, bad input, help."""

import io
import json
import shlex
from pathlib import Path

import pytest

import example
from engine.cli.options import build_config, read_request
from engine.cli.play import build_engine
from engine.engine import GameEngine
from player import Console
from tests.support.histories import only_history
from tests.support.odd_files import ODD
from tests.support.paths import ROOT
from tests.support.tables import config_for
from tests.support.terminal import Capture, assert_refused

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_an_offline_game_shows_who_won_and_what_comes_next(capsys: Capture, tmp_path: Path) -> None:
    assert example.main(["--offline", "--seed", "7", "--length", "6"]) == 0
    shown = capsys.readouterr().out
    history = only_history(tmp_path / "logs")
    assert history.outcome is not None
    assert history.outcome.summary in " ".join(shown.split())
    assert f"uv run logs.py --filename {history.game_id} --pdf" in shown
    assert shown.count("uv run") == 3


def test_json_lines_are_the_events_of_the_log(capsys: Capture, tmp_path: Path) -> None:
    assert example.main(["conversation", "--offline", "--json", "--length", "5"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (log,) = (tmp_path / "logs").glob("*.json")
    rounds = json.loads(log.read_text(encoding="utf-8"))["rounds"]
    assert lines[:-1] == [event for one in rounds for event in one["events"]]
    assert lines[-1]["log"] == log.stem


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["guest:chess"],
            "expected guest without a colon, since it has no variants: got 'guest:chess'",
        ),
        (["konversation"], "unknown game 'konversation': did you mean 'conversation'?"),
        (["--players", "opnai:x"], "unknown provider 'opnai': did you mean 'openai'?"),
        (
            ["--players", "scripted:greedi"],
            "unknown strategy of conversation 'greedi': did you mean 'greedy'?",
        ),
        (["--players", "olama:x"], "unknown provider 'olama': did you mean 'ollama'?"),
        (["--players", "openai:gpt-5.4-mini"], "OPENAI_API_KEY"),
        (["--players", "anthropic:m,scripted:greedy"], "ANTHROPIC_API_KEY"),
        (
            ["--players", "trained:policy.zip"],
            "expected a game that policies are trained for: got conversation",
        ),
        (["--players", "local:/no/such.gguf"], "/no/such.gguf"),
        (["--players", "Ada=scripted:greedy,Ada=scripted:random"], "Ada appears twice"),
        (["--players", ","], "expected at least one player"),
        (["--players", "human", "--offline"], "--offline allows only scripted players"),
        (["--lenght", "3"], "unknown option '--lenght': did you mean '--length'?"),
        (
            ["--seed", "x", "--offline"],
            "argument --seed: invalid int value: 'x'; see uv run example.py --help",
        ),
        (["--offline", "--length", "-1"], "game.length"),
        (["--offline", "--length", "many"], "game.length: input should be a valid integer"),
        (["--offline", "--subjects", "1"], "expected subjects to be a whole number of at least 2"),
        (
            ["--offline", "--subjects", "[tea, tea]"],
            "expected subjects to be names that are all different",
        ),
        (["--config", "no.yaml"], "there is no no.yaml"),
        (["--config", "simpel"], "there is no simpel; did you mean 'simple'?"),
        (["--config", "no"], "configs/simple.yaml"),
        (["--config", "bad.yaml"], "expected bad.yaml to be a YAML file"),
        (["--config", "typo.yaml"], "unknown setting 'game.lenght': did you mean 'length'?"),
        (
            ["--config", "field.yaml"],
            "unknown setting 'player_configs.0.provder': did you mean 'provider'?",
        ),
        (["--resume", "nothing"], "there is no folder 'logs'"),
        (["--resume", "../secret"], "expected the name of a log"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(
    words: list[str], sentence: str, capsys: Capture, tmp_path: Path
) -> None:
    (tmp_path / "bad.yaml").write_text("game: [")
    (tmp_path / "typo.yaml").write_text("game: {name: conversation, lenght: 3}")
    (tmp_path / "field.yaml").write_text("player_configs: [{player_id: Ada, provder: local}]")
    assert example.main(words) == 2
    assert_refused(capsys, sentence, "example.py")
    assert not [*(tmp_path / "logs").glob("*")]


def test_libraries_that_are_not_installed_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("engine.games.has_package", lambda package: False)
    assert example.main(["--list-games"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "openspiel is not installed: uv sync --extra openspiel",
        "textarena is not installed: uv sync --extra textarena",
    ]


def test_a_config_is_found_by_its_name() -> None:
    by_path = read_request(["--config", "configs/duel.yaml"])
    assert read_request(["--config", "duel"]).base == by_path.base


def test_only_a_bare_name_is_looked_up_in_configs(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    for name in ("mine.yaml", "yours.yaml", "configs/theirs.yaml"):
        (tmp_path / name).write_text("game: conversation")
    assert example.main(["--config", "../mine.yaml"]) == 2
    assert "there is no ../mine.yaml" in capsys.readouterr().err
    assert example.main(["--config", str(tmp_path / "mine"), "--offline", "--dry-run"]) == 0
    assert example.main(["--config", str(tmp_path / "zzz")]) == 2
    there = ", ".join(str(tmp_path / name) for name in ("mine.yaml", "yours.yaml"))
    assert capsys.readouterr().err.endswith(f"; there are {there}\n")


def test_a_logged_game_is_found_by_a_prefix_of_its_name(capsys: Capture, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    assert example.main(["--resume", "nothing"]) == 2
    assert "unknown unfinished game 'nothing'" in capsys.readouterr().err
    for name in ("game_a", "game_b"):
        config = config_for("conversation", logs_dir=logs, game_id=name, settings={"length": 2})
        engine = GameEngine(config)
        if name == "game_b":
            engine.interrupt()
        engine.run()
    for option, name in (("replay", "game_a"), ("fork", "game_a"), ("resume", "game_b")):
        options = read_request([f"--{option}", "game"]).options
        assert getattr(options, option) == name
    assert example.main(["--replay", "game"]) == 0
    to_ben = ["--players", "Ben=scripted:silent"]
    assert example.main(["--fork", "game_", "--at", "2", *to_ben]) == 0
    assert example.main(["--resume", "game"]) == 0
    assert (logs / "game_b.json").exists()


def test_a_finished_game_is_not_resumed(capsys: Capture, tmp_path: Path) -> None:
    assert example.main(["--offline", "--length", "3"]) == 0
    name = only_history(tmp_path / "logs").game_id
    capsys.readouterr()
    assert example.main(["--resume", name]) == 2
    refusal = f"{name} is finished: see it with uv run logs.py --filename {name}"
    assert refusal in capsys.readouterr().err


DEAD = """
player_configs:
- {player_id: Ada, provider: compatible, model: m,
   client_kwargs: {base_url: "http://127.0.0.1:9/v1", max_attempts: 1}}
- {player_id: Ben, provider: scripted, model: greedy}
game: {name: conversation, length: 3}
"""
ODD_LOGS = {
    "config.json": ('{"answer": 42}', "game: Field required"),
    "words.json": ("not JSON at all", "the file: Invalid JSON"),
    "empty.json": ("", "the file: Invalid JSON"),
}


@pytest.mark.parametrize("name", ODD_LOGS)
def test_a_file_that_is_no_log_is_not_called_finished(
    name: str, capsys: Capture, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    text, why = ODD_LOGS[name]
    (tmp_path / "logs" / name).write_text(text, encoding="utf-8")
    assert example.main(["--resume", name]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"example.py: logs/{name} is not the log of a game: ")
    assert why in said
    assert said.endswith("; name another game, or move that file\n")
    assert "finished" not in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("odd", ["pipe", "folder", "device"])
def test_what_is_no_file_is_not_called_finished(odd: str, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    ODD[odd](tmp_path / "logs" / "odd.json")
    assert example.main(["--resume", "odd"]) == 2
    said = capsys.readouterr().err
    assert "example.py: logs/odd.json is not the log of a game: it is not a regular file" in said


def test_a_failed_game_says_why_once(capsys: Capture, tmp_path: Path) -> None:
    """The reason stands where the command to go on with does."""
    (tmp_path / "dead.yaml").write_text(DEAD, encoding="utf-8")
    assert example.main(["--config", "dead.yaml"]) == 1
    out, err = capsys.readouterr()
    reason = "the connection was refused (start the server there"
    assert "The game failed in round 1." in out
    assert reason not in " ".join(out.split())
    assert err.count(reason) == 1
    assert "Continue with:\n  uv run example.py --resume gameplay_" in err


def test_the_command_to_go_on_with_can_be_pasted(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is on a line of its own, and names with spaces stay whole."""
    monkeypatch.setenv("COLUMNS", "40")
    path = tmp_path / "logs of Ann Lee" / "dead.yaml"
    path.parent.mkdir()
    path.write_text(DEAD.replace("model: m,", "model: m, api_key: sk-canary,"), encoding="utf-8")
    assert example.main(["--config", str(path), "--logs-dir", str(path.parent)]) == 1
    _, _, command = capsys.readouterr().err.partition("Continue with:\n  uv run ")
    program, *words = shlex.split(command.splitlines()[0])
    assert command.count("\n") == 1
    assert program == "example.py"
    assert words[:4] == ["--config", str(path), "--logs-dir", str(path.parent)]
    [journal] = path.parent.glob("*.jsonl")
    assert words[4:] == ["--resume", journal.stem]
    # The newest game may be another one by then.
    assert example.main([*words[:4], "--resume=last"]) == 1
    assert capsys.readouterr().err.endswith(f"Continue with:\n  uv run {command}")


@pytest.mark.parametrize("config", sorted(path.name for path in (ROOT / "configs").glob("*.yaml")))
def test_every_shipped_config_is_read(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-canary")
    path = str(ROOT / "configs" / config)
    engine = build_engine(read_request(["--config", path]), Console())
    assert len(engine.players) >= 2
    assert "canary" not in engine.history.to_json()


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        (["--help"], "example.py GAME --help"),
        (["conversation", "--help"], "--bank-size"),
        (["deliberations", "-h"], "--reveal-tally"),
    ],
)
def test_help_teaches_by_example(words: list[str], setting: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="0"):
        example.main(words)
    shown = capsys.readouterr().out
    assert setting in shown
    assert shown.count("uv run example.py") >= 8


def test_the_game_may_stand_anywhere(capsys: Capture, tmp_path: Path) -> None:
    assert example.main(["--length", "3", "deliberations", "--offline"]) == 2
    assert "unknown option '--length'" in capsys.readouterr().err
    assert example.main(["--offline", "deliberations"]) == 0
    assert only_history(tmp_path / "logs").game == "deliberations"


def test_what_to_type_next_is_what_was_typed_elsewhere(capsys: Capture, tmp_path: Path) -> None:
    assert example.main(["--offline", "--seed=5", "--length", "3", "--logs-dir", "kept"]) == 0
    (log,) = (tmp_path / "kept").glob("*.json")
    shown = capsys.readouterr().out
    assert f"Log: kept/{log.name}" in shown
    assert f"uv run logs.py --filename {log.stem} --logs-dir kept --pdf" in shown
    assert "uv run example.py --offline --length 3 --logs-dir kept --seed 6" in shown


def test_a_folder_in_a_config_counts_unless_an_option_names_another(tmp_path: Path) -> None:
    path, game = tmp_path / "game.yaml", "{name: conversation, length: 2}"
    path.write_text(f"{{game: {game}, logs_dir: here, seed: 3}}")
    assert example.main(["--offline", "--config", "game.yaml"]) == 0
    assert example.main(["--offline", "--config", "game.yaml", "--logs-dir", "there"]) == 0
    assert len([*(tmp_path / "here").iterdir()]) == len([*(tmp_path / "there").iterdir()]) == 1
    path.write_text(f"{{game: {game}, logs_dir: null}}")
    assert example.main(["--offline", "--config", "game.yaml"]) == 0
    assert not (tmp_path / "logs").exists()


def test_one_person_sits_at_a_terminal(capsys: Capture) -> None:
    assert example.main(["--players", "human,human,scripted:random"]) == 2
    assert "expected at most one person at this terminal" in capsys.readouterr().err


def test_the_seed_and_the_seats_are_hidden_while_a_person_plays(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("CDC\n" * 60))
    seats = "human,scripted:tit_for_tat,scripted:defector"
    assert example.main(["dilemma", "--players", seats, "--seed", "77123"]) == 0
    before, _, after = " ".join(capsys.readouterr().out.split()).partition("Rounds round")
    assert "seed hidden while you play" in before
    assert "Ben hidden while you play Cleo hidden while you play" in before
    assert "77123" not in before
    assert "defector" not in before
    assert "Game 1 of 2." in before
    assert "Game 2 of 2." in before
    assert "seed 77123 (repeat it with --seed 77123)" in after


def test_a_folder_that_is_a_file_gets_a_sentence(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    assert example.main(["--offline", "--logs-dir", "taken"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("--length 1000000000", 100_000),
        ("--bank-size 99999999", 10_000),
        ("--subjects 99999999", 10_000),
        ("dilemma --game-length 1,1000000000", 100_000),
        ("dilemma --max-rounds 9999999999", 100_000),
        ("guest --max-steps 9999999999", 100_000),
        ("guest --every 9999999999", 100_000),
        ("talks --max-iterations 9999999999", 10_000),
    ],
)
def test_no_setting_asks_for_more_than_a_machine_can_play(
    words: str, most: int, capsys: Capture
) -> None:
    assert example.main([*words.split(), "--offline"]) == 2
    refusal = capsys.readouterr().err
    assert f" {most}: got " in refusal
    assert len(refusal.splitlines()) == 1
    game = words.split(maxsplit=1)[0] if words[0] != "-" else "conversation"
    with pytest.raises(SystemExit):
        example.main([game, "--help"])
    assert str(most) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("keys", "models"),
    [
        ([], ["local"]),
        (["OPENAI_API_KEY"], ["openai", "openai"]),
        (["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], ["openai", "anthropic"]),
    ],
)
def test_without_a_word_a_first_game_is_short(
    keys: list[str], models: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in keys:
        monkeypatch.setenv(name, "sk-canary")
    config = build_config(read_request([]))
    assert [seat.provider for seat in config.player_configs if not seat.computed] == models
    assert len(config.player_configs) == 5
    assert config.game.model_dump()["length"] == 8
    assert build_config(read_request(["--length", "20"])).game.model_dump()["length"] == 20
    assert build_config(read_request(["conversation"])).game.model_dump()["length"] == 20
