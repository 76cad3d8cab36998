"""GuestEnv's step against a second writing of the rules in plain NumPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from engine.games.guest.observation import shares
from engine.games.guest.rules import (
    AGENTS,
    Agent,
    Terms,
    action_mask,
    agents_of,
    check_action,
    check_count,
    skew_energies,
    start_state,
    step,
)

EVEN = Terms()
LEAST, DECAY, GAIN = (
    np.array([0.4, 0.3, 0.25]),
    np.array([0.08, 0.10, 0.12]),
    np.array([0.04, 0.05, 0.06]),
)
LONGEST, CREDIT = np.array([4, 5, 6]), np.array([2, 1, 1])


def reference(
    state: dict[str, Any], action: int, f: float, shaping: tuple[float, float]
) -> tuple[float, float]:
    """Do a step on NumPy arrays in place, as in the source's fragments; return reward and gini."""
    energy, times, phonemes, speaker = (
        state["energy"],
        state["times"],
        state["phonemes"],
        state["speaker"],
    )
    if action == 1 and speaker != -1:
        energy[speaker] = 0.0
        speaker = -1
    elif 2 <= action <= 4:
        energy[action - 2] = np.clip(energy[action - 2] + 0.2 * (1 - f), 0.0, 1.0)
    elif action >= 5 and speaker == -1:
        energy[action - 5] = np.clip(energy[action - 5] + 0.3 * (1 - f), 0.0, 1.0)
    for i in range(3):
        if i != speaker:
            energy[i] += GAIN[i] * (1 + f * (i - 1))
        else:
            energy[i] -= DECAY[i]
        energy[i] = np.clip(energy[i], 0.0, 1.0)
    if speaker == -1:
        candidates = [i for i in range(3) if energy[i] >= LEAST[i]]
        if candidates:
            speaker = candidates[int(np.argmax(energy[candidates]))]
            times[speaker] = 0
    else:
        times[speaker] += 1
        if times[speaker] >= LONGEST[speaker] or energy[speaker] < LEAST[speaker]:
            speaker = -1
    if speaker != -1:
        phonemes[speaker] += CREDIT[speaker]
    state["speaker"] = speaker
    x = phonemes.astype(float)
    inequality = (
        0.0 if x.sum() == 0 else float(np.abs(x[:, None] - x[None, :]).sum() / (2 * 3 * x.sum()))
    )
    reward = 1 - inequality
    if speaker != -1:
        bonus, penalty = shaping
        reward += bonus * (times[speaker] == 1)
        reward -= penalty * (times[speaker] > 0.8 * LONGEST[speaker])
    return float(reward), inequality


FACTORS = some.sampled_from([0.0, 0.2, 0.6, 1.0]) | some.floats(0, 1)
SHAPINGS = some.sampled_from([(0.2, 0.1), (0.0, 0.0), (0.5, 0.25)])
ENERGIES = some.tuples(
    *[some.integers(0, 100).map(lambda hundredth: hundredth / 100) | some.floats(0, 1)] * 3
)


@settings(max_examples=150)
@given(ENERGIES, FACTORS, SHAPINGS, some.lists(some.integers(0, 7), max_size=80))
def test_both_writings_of_the_rules_agree_to_the_last_bit(
    energy: tuple[float, float, float], f: float, shaping: tuple[float, float], taken: list[int]
) -> None:
    bonus, penalty = shaping
    ours, terms = start_state(energy), Terms(f, start_bonus=bonus, late_penalty=penalty)
    other: dict[str, Any] = {
        "energy": np.array(energy),
        "times": np.zeros(3, int),
        "phonemes": np.zeros(3, int),
        "speaker": -1,
    }
    for action in taken:
        ours, reward, inequality = step(ours, action, terms)
        assert (reward, inequality) == reference(other, action, f, shaping)
        assert ours.energy == tuple(other["energy"].tolist())
        assert ours.speaking_time == tuple(other["times"].tolist())
        assert ours.phonemes == tuple(other["phonemes"].tolist())
        assert ours.current_speaker == other["speaker"]
        assert 0 <= inequality <= 2 / 3
        assert 1 / 3 - penalty <= reward <= 1 + bonus
        assert all(0 <= one <= 1 for one in ours.energy)
        mask = action_mask(ours)
        for void in [action for action in range(8) if not mask[action]]:
            assert step(ours, void, terms) == step(ours, 0, terms)


def test_waiting_is_worth_what_was_measured() -> None:
    """The source's agents left alone from even energies: about 537 in 600 steps."""
    state, total = start_state((0.45, 0.5, 0.55)), 0.0
    for _ in range(600):
        state, reward, _ = step(state, 0, EVEN)
        total += reward
    assert 530 < total < 545


def test_starts() -> None:
    assert skew_energies(0.4) == (0.5 * (1 - 0.4), 0.5, 0.5 * (1 + 0.4))
    for wrong in ([0.5, 0.5], [0.5, 0.5, 1.1], [0.5, float("nan"), 0.5]):
        with pytest.raises(ValueError, match="three numbers from 0 to 1"):
            start_state(wrong)


@pytest.mark.parametrize("action", [-1, 8, 1.0, "1", None, True, np.float64(2), np.array([1]), [1]])
def test_what_is_no_action(action: Any) -> None:
    with pytest.raises(ValueError, match="expected an action from 0 to 7"):
        check_action(action)


def test_whole_numbers_are_actions() -> None:
    assert [check_action(one) for one in (3, np.int64(3), np.uint8(3), np.array(3))] == [3, 3, 3, 3]


SOURCE = {place: agent._asdict() for place, agent in enumerate(AGENTS)}


def test_agents_by_their_parameters() -> None:
    assert agents_of(SOURCE) == agents_of(None) == AGENTS
    assert agents_of(SOURCE | {1: SOURCE[1] | {"energy_gain": 0}})[1] == Agent(0.3, 0.10, 0, 5, 1)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({0: SOURCE[0]}, "expected agent_params of the agents 0, 1 and 2"),
        ("none", "expected agent_params of the agents 0, 1 and 2"),
        (SOURCE | {2: {"energy_gain": 1}}, "expected agent 2 to have min_energy_to_speak"),
        (
            SOURCE | {0: SOURCE[0] | {"max_speaking_time": 0}},
            "max_speaking_time of agent 0 to be at least 1: got 0",
        ),
        (SOURCE | {0: SOURCE[0] | {"max_speaking_time": 2.5}}, "to be a whole number: got 2.5"),
        (
            SOURCE | {1: SOURCE[1] | {"energy_gain": -0.1}},
            "energy_gain of agent 1 to be at least 0: got -0.1",
        ),
        (SOURCE | {1: SOURCE[1] | {"min_energy_to_speak": 1.5}}, "to be from 0 to 1: got 1.5"),
        (
            SOURCE | {1: SOURCE[1] | {"energy_decay": "much"}},
            "energy_decay of agent 1 to be a number: got 'much'",
        ),
        (SOURCE | {1: SOURCE[1] | {"energy_gain": np.inf}}, "to be a number: got inf"),
        (SOURCE | {1: SOURCE[1] | {"energy_gain": True}}, "to be a number: got True"),
    ],
)
def test_agents_that_cannot_be(params: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        agents_of(params)


@pytest.mark.parametrize("value", [True, "3", None, -1, np.nan, np.inf])
def test_amounts_and_counts_that_cannot_be(value: Any) -> None:
    with pytest.raises(ValueError, match="start_bonus to be a number of at least 0"):
        Terms(start_bonus=value)
    with pytest.raises(ValueError, match="max_steps to be a whole number of at least 1"):
        check_count("max_steps", value)


def test_shares_are_what_a_network_sees() -> None:
    seen: NDArray[np.float32] = np.array([0.5, 0.25, 6, 0.4, 0, 3, 0.3, 0, 3], np.float32)
    assert shares(seen).tolist() == pytest.approx([0.5, 0.25, 0.5, 0.4, 0, 0.25, 0.3, 0, 0.25])
    assert seen[2] == 6
    assert shares(np.zeros((2, 9), np.float32))[1, 2::3].tolist() == pytest.approx([1 / 3] * 3)
