"""A log is checked by its own answers: the same rules and answers give the same log."""

import json
import os
import random
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import logs
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History, history_from_json
from engine.runs.check import check_log
from engine.runs.replay import fork
from tests.support.fake_api import FakeApi
from tests.support.island import island, scripted_island
from tests.support.planted.log import Log, events, first, tampered
from tests.support.random_games import random_game
from tests.support.tables import own_games, play_game, players_at
from tests.support.terminal import Capture

LIBRARIES = {"openspiel": "pyspiel", "textarena": "textarena"}
ODD: list[Any] = [None, True, -1, 10**30, 1e308, "", "\x1b[31m", [], {}, [[]], {"a": {}}, 2**63]
DEEP = json.loads("[" * 150 + "]" * 150)


def read_again(history: History) -> History:
    return history_from_json(history.to_json())


@pytest.mark.parametrize("game", GAMES)
def test_the_answers_of_random_games_give_the_same_log(game: str) -> None:
    if game in LIBRARIES and find_spec(LIBRARIES[game]) is None:
        pytest.skip(f"{LIBRARIES[game]} is not installed")
    failed = 0
    for seed in range(10 if game == "textarena" else 80):
        history = random_game(game, seed).run()
        assert history.status == "finished"
        assert check_log(read_again(history)) == "", seed
        failed += sum(used.fallbacks for used in history.usage.values())
    assert failed > 0


def test_the_first_difference_is_named() -> None:
    """The vote of a model is in its raw answer, that of a script in the event alone."""
    log = json.loads(island("model", "random", "model", "loyal", seed=4).run().to_json())
    vote = first(log, "vote", asked=True)
    legal = [name for name in vote["data"]["candidates"] if name != vote["data"]["vote"]]
    forged = json.loads(json.dumps(log))
    first(forged, "vote", asked=True)["data"]["vote"] = legal[0]
    place = f"event {vote['index']}, vote of {vote['player_id']}"
    told = f"{place}: the log has {legal[0]}, the rules give {vote['data']['vote']}"
    assert check_log(tampered(forged)) == told

    script = next(event for event in events(log, "vote") if not event["prompt"])
    script["data"]["vote"] = "Zoe"
    assert check_log(tampered(log)) == (
        f"event {script['index']}, vote of {script['player_id']}: the rules do not accept the "
        f"answer: expected vote to be one of {', '.join(script['data']['candidates'])}: got 'Zoe'"
    )


def test_an_event_of_another_round_is_a_difference() -> None:
    log = json.loads(scripted_island(4, 1).run().to_json())
    log["rounds"][1]["events"].insert(0, log["rounds"][0]["events"].pop())
    count = len(log["rounds"][0]["events"])
    told = f"round 1, events: the log has {count}, the rules give {count + 1}"
    assert check_log(tampered(log)) == told


def test_scripts_do_not_run_and_no_file_of_the_log_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens the named file, a pipe that nobody writes to, waits for ever."""
    policy = tmp_path / "policy.npz"
    os.mkfifo(policy)
    log = json.loads(random_game("guest", 1).run().to_json())
    for seat in (log["config"]["player_configs"][0], log["players"][0]):
        seat.update(provider="trained", model=str(policy))

    def fail(*_: object) -> Any:
        raise AssertionError("a script was run")

    scripts = dict.fromkeys(GAMES["guest"].strategies, fail)
    monkeypatch.setattr(GAMES["guest"], "strategies", scripts)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(check_log(tampered(log))), daemon=True)
    thread.start()
    thread.join(60)
    assert found == [""]


def test_no_weights_of_a_log_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path) -> bool:
        raise AssertionError(f"{path} was opened")

    weights = tmp_path / "weights.gguf"
    weights.write_bytes(b"GGUF")
    monkeypatch.setattr("protocol.player_config.is_small_file", fail)
    log = json.loads(island("model", "random", "model", "loyal", seed=4).run().to_json())
    for seat in log["config"]["player_configs"]:
        if seat["provider"] != "scripted":
            seat |= {"provider": "local", "model": str(weights)}
            del seat["small"]
    assert "opened" not in check_log(tampered(log))
    opened = GameEngineConfig.model_validate(log["config"])
    with pytest.raises(AssertionError, match="opened"):
        GameEngine(opened)


@pytest.mark.parametrize(
    ("seats", "heirs"),
    [
        ("Ada=compatible:m,Ben=scripted:loyal,Cleo=scripted:random", "Ada=scripted:random"),
        ("Ada=scripted:random,Ben=scripted:loyal,Cleo=scripted:random", "Ada=compatible:m"),
    ],
)
async def test_a_fork_is_checked_too(seats: str, heirs: str, tmp_path: Path) -> None:
    """Part of a seat's answers are recorded, part are computed."""
    async with FakeApi() as api:
        log = await play_game("deliberations", seats, at=api.url)
        engine = fork(log, len(log.events) // 2, players_at(api.url, heirs), tmp_path)
        history = await engine.play()
    assert history.status == "finished"
    assert check_log(read_again(history)) == ""


def test_a_game_that_is_too_long_is_refused_in_time() -> None:
    history = read_again(scripted_island(5, 3).run())
    with pytest.raises(ValueError, match="expected a log of at most 30 events and answers"):
        check_log(history, most_steps=30)
    assert check_log(history, most_steps=1000) == ""
    history.config["player_configs"] *= 100
    with pytest.raises(ValueError, match="expected fewer seats"):
        check_log(history, most_steps=1000)


def test_a_game_that_did_not_end_is_refused() -> None:
    history = scripted_island(4, 1).run()
    history.status = "stopped"
    with pytest.raises(ValueError, match="expected a finished game: game is stopped"):
        check_log(history)


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Return every container in plain data with each of its keys."""
    found = []
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += places_in(inner)
    return found


def spoil(log: Log, rng: random.Random) -> None:
    """Change, repeat or remove something anywhere in a log or in its config."""
    part, key = rng.choice(places_in(log if rng.random() < 0.7 else log["config"]))
    way = rng.random()
    if way < 0.2:
        del part[key]
    elif way < 0.3 and isinstance(part, list):
        part.append(part[key])
    else:
        part[key] = rng.choice((*ODD, DEEP, ["Ada"], "x"))


@pytest.mark.parametrize("game", own_games())
def test_a_hostile_log_gets_one_sentence(game: str) -> None:
    bases = [random_game(game, seed).run().to_json() for seed in range(3)]
    differences = 0
    for seed in range(100):
        rng = random.Random(seed)
        log = json.loads(rng.choice(bases))
        spoil(log, rng)
        try:
            found = check_log(tampered(log), most_steps=10_000)
        except ValueError as error:
            found = str(error)
        else:
            differences += bool(found)
        assert found.isprintable()
        assert len(found) < 600
    assert differences > 20


def test_the_program_says_it_in_one_line(tmp_path: Path, capsys: Capture) -> None:
    log = json.loads(scripted_island(4, 1).run().to_json()) | {"checksum": ""}
    path = tmp_path / "game.json"
    words = ["game", "--check", f"--logs-dir={tmp_path}"]

    path.write_text(json.dumps(log))
    assert logs.main(words) == 0
    assert capsys.readouterr().out == "game keeps its rules.\n"

    result = first(log, "result")
    result["data"]["selected"] = "Zoe"
    path.write_text(json.dumps(log))
    assert logs.main(words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"game: event {result['index']}, result, selected: the log has Zoe, the rules" in line
