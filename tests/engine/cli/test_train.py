"""Training a Guest from the command line: models, a learning curve, and clear refusals."""

from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import run_command
from tests.support.terminal import Capture


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("trian", "invalid choice: 'trian'"),
        ("train --seeds 0", "expected steps and seeds to be at least 1: got 100000 and 0"),
        ("train --imbalance-factor 2", "imbalance_factor to be a number from 0 to 1: got 2.0"),
        ("train --max-steps 0", "expected max_steps to be a whole number of at least 1: got 0"),
        ("train --step 5", "unknown option '--step': did you mean '--steps'?"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words: str, sentence: str, capsys: Capture) -> None:
    assert run_command("env_gym.py", words.split()) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.slow
def test_a_short_training_leaves_a_model_and_a_curve(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("stable_baselines3")
    words = f"train --steps 2048 --seeds 1 --max-steps 20 --out {tmp_path}".split()
    assert run_command("env_gym.py", words) == 0
    first = capsys.readouterr()
    assert first.out.startswith("seed 1: ")
    assert "for comparison: wait" in first.out
    assert f"--players trained:{tmp_path / 'ppo-1.zip'},scripted:greedy" in first.err
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {"learning-curve.png", "learning-curve.svg", "ppo-1.zip"}
    assert run_command("env_gym.py", words) == 0
    assert capsys.readouterr().out == first.out


@pytest.mark.slow
def test_who_interrupts_keeps_the_policies_of_finished_seeds(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("stable_baselines3")
    from labs.guest import training

    whole = training.train

    def interrupted(steps: int, seed: int, *rest: Any, **terms: Any) -> training.TrainingCourse:
        if seed == 2:
            raise KeyboardInterrupt
        return whole(steps, seed, *rest, **terms)

    monkeypatch.setattr(training, "train", interrupted)
    words = f"train --steps 1024 --seeds 2 --max-steps 20 --out {tmp_path}".split()
    assert run_command("env_gym.py", words) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["ppo-1.zip"]
    told = capsys.readouterr().err
    assert f"wrote {tmp_path / 'ppo-1.zip'}" in told
    assert "interrupted; the policies of finished seeds are kept" in told


def test_a_folder_that_cannot_be_is_said_before_the_training(
    tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("stable_baselines3")
    taken = tmp_path / "taken"
    taken.write_text("")
    assert run_command("env_gym.py", ["train", "--out", str(taken)]) == 1
    assert f"{taken}: File exists" in capsys.readouterr().err
