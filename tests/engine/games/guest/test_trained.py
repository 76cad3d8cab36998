"""A trained policy as a player: it sees the environment's observation; its file may be anything."""

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import example
import studies
from engine.config import differences
from engine.games.guest.observation import observation, shares
from engine.games.guest.policies import POLICIES
from engine.games.guest.rules import Terms
from engine.games.guest.session import Frame, begin, play
from engine.games.guest.strategies import load_policy
from labs.guest.comparison import start_of
from tests.oracles.judge import broken_rules
from tests.support.tables import config_for, run_game

pytest.importorskip("stable_baselines3")


class Spaces(gymnasium.Env[Any, Any]):
    """An environment of these spaces in which nothing happens."""

    def __init__(self, numbers: int, actions: int, most: float) -> None:
        self.low = np.zeros(numbers, np.float32)
        self.observation_space = spaces.Box(self.low, np.full(numbers, most, np.float32))
        self.action_space = spaces.Discrete(actions)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.low, {}


def save(path: Path, numbers: int = 9, actions: int = 8, most: float = 1.0) -> Any:
    """Save an untrained policy; its random weights are enlarged so that it tells states apart."""
    from stable_baselines3 import PPO

    model: Any = PPO(
        "MlpPolicy", Spaces(numbers, actions, most), n_steps=8, batch_size=8, device="cpu", seed=0
    )
    for weights in model.policy.mlp_extractor.policy_net.parameters():
        weights.data *= 20
    model.save(path)
    return model


@pytest.mark.parametrize(("most", "form"), [(1.0, shares), (np.inf, np.asarray)])
def test_it_does_what_its_network_says_of_the_observation(
    most: float, form: Callable[[Any], Any], tmp_path: Path
) -> None:
    """Shares if it was trained on shares, counts if it was trained on the environment itself."""
    model = save(tmp_path / "policy.zip", most=most)
    policy, session = (
        load_policy(str(tmp_path / "policy.zip")),
        begin(start_of(1), Frame(Terms(), 1)),
    )
    seen = set()
    for steps in range(0, 60, 3):
        after = play(POLICIES["random"], begin(session.start, Frame(Terms(), steps)), Random(steps))
        expected = int(
            model.predict(form(observation(after.state, Terms())), deterministic=True)[0]
        )
        assert policy(after, Random(0)) == expected
        seen.add(expected)
    assert len(seen) > 1


def test_it_plays_beside_others_and_nothing_of_it_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "policy.zip"
    save(path)
    players = f"Ada=trained:{path},Ben=scripted:beam"
    history = run_game("guest", players, tmp_path, settings={"max_steps": 12})
    assert history.outcome is not None
    assert history.outcome.scores["Ada"] < history.outcome.scores["Ben"] == 1
    assert broken_rules(history) == {}
    assert history.usage["Ada"].attempts == 0
    assert history.players[0].system == ""
    assert run_game("guest", players, settings={"max_steps": 12}).rounds == history.rounds


def test_another_file_is_another_game(tmp_path: Path) -> None:
    path = tmp_path / "policy.zip"
    path.write_bytes(b"one")
    config = config_for("guest", f"trained:{path}")
    before = config.made_from()
    assert differences(before, config.made_from()) == []
    path.write_bytes(b"two")
    (changed,) = differences(before, config.made_from())
    assert str(path) in changed
    assert "trained" not in config_for("guest", "scripted:wait").made_from()


def test_the_command_line_seats_it_without_any_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "policy.zip")
    words = ["guest", "--players", "Ada=trained:policy.zip", "--offline", "--max-steps", "6"]
    assert example.main([*words, "--dry-run"]) == 0
    assert example.main(words) == 0
    assert "trained:policy.zip" in capsys.readouterr().out


def test_a_study_measures_it_beside_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.zip"
    save(path)
    words = ["guest", "policies", "--policies", f"greedy,trained:{path}", "--out", str(tmp_path)]
    words += ["--episodes", "2", "--max-steps", "20", "--imbalance-factors", "0", "--no-pictures"]
    assert studies.main(words) == 0
    rows = (tmp_path / "at-imbalance-factor-0.csv").read_text(encoding="utf-8").splitlines()
    assert {row.split(",")[0] for row in rows[1:]} == {
        "wait",
        "beam",
        "greedy",
        f"{tmp_path.name}/policy.zip",
    }


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no file"),
        (b"", "expected {path} to be written by PPO.save"),
        (b"not a zip at all", "expected {path} to be written by PPO.save"),
        (b"PK\x05\x06" + bytes(18), "expected {path} to be written by PPO.save"),
    ],
)
def test_a_file_that_holds_no_policy_gets_a_sentence(
    content: bytes | None, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.zip"
    if content is not None:
        path.write_bytes(content)
    assert example.main(["guest", "--players", f"trained:{path}", "--logs-dir", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert sentence.format(path=path) in told
    assert told.count("\n") == 1


def test_half_a_file_and_a_policy_for_something_else_get_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "policy.zip"
    save(path, numbers=4, actions=2)
    with pytest.raises(
        ValueError, match=r"expected .* to be a policy of Guest-v0: got one for Box"
    ):
        load_policy(str(path))
    half = tmp_path / "half.zip"
    half.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ValueError, match=r"to be written by PPO\.save"):
        load_policy(str(half))


def test_without_the_extra_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.zip"
    save(path)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ValueError, match="uv sync --extra rl"):
        load_policy(str(path))
