"""GuestEnv's step by hand, and against a second writing of the rules in plain NumPy."""

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
    State,
    Terms,
    action_mask,
    agents_of,
    check_action,
    check_count,
    gini,
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


def talking(speaker: int, energy: tuple[float, float, float], spoken: int = 0) -> State:
    times = [0, 0, 0]
    times[speaker] = spoken
    return State(energy, (times[0], times[1], times[2]), (1, 1, 1), speaker, 5)


class TestOneStep:
    """Each case: a state and an action, and what the step leaves, with the arithmetic."""

    def test_wait_in_silence_gives_the_floor_to_the_most_energetic(self) -> None:
        """After the gains, (.44, .55, .61), agent 2 speaks: gini 4/6; no bonus at time 0."""
        after, reward, inequality = step(start_state((0.4, 0.5, 0.55)), 0, EVEN)
        assert after == State((0.4 + 0.04, 0.5 + 0.05, 0.55 + 0.06), (0, 0, 0), (0, 0, 1), 2, 1)
        assert inequality == 4 / 6
        assert reward == 1 - 4 / 6

    def test_nobody_below_the_least_energy_speaks(self) -> None:
        """After the gains, .14, .15, .16 are below .4, .3, .25; silence at gini 0 earns 1."""
        after, reward, inequality = step(start_state((0.1, 0.1, 0.1)), 0, EVEN)
        assert (after.current_speaker, reward, inequality) == (-1, 1.0, 0.0)

    def test_the_least_energy_is_enough_but_not_one_ulp_less(self) -> None:
        """In float64 .25 + .05 is .3, so 1 speaks; .36 + .04 is one ulp below .4, so 0 does not."""
        assert 0.25 + 0.05 == 0.3
        assert np.nextafter(0.4, 0) == 0.36 + 0.04
        assert step(start_state((0.0, 0.25, 0.0)), 0, EVEN)[0].current_speaker == 1
        assert step(start_state((0.36, 0.0, 0.0)), 0, EVEN)[0].current_speaker == -1

    def test_a_tie_goes_to_the_lowest_index(self) -> None:
        """(.96, .95, .94) + gains: all are cut at 1.0 exactly or reach it."""
        after = step(start_state((1.0, 1.0, 1.0)), 0, EVEN)[0]
        assert (after.energy, after.current_speaker) == ((1.0, 1.0, 1.0), 0)

    def test_the_bonus_comes_with_the_second_step_of_a_turn(self) -> None:
        """Agent 1 goes from .8 to .7, time 0 to 1: phonemes (1, 2, 1), gini 2*2/(6*4); + .2."""
        after, reward, inequality = step(talking(1, (0.5, 0.8, 0.5)), 0, EVEN)
        assert after == State((0.5 + 0.04, 0.8 - 0.10, 0.5 + 0.06), (0, 1, 0), (1, 2, 1), 1, 6)
        assert inequality == 4 / 24
        assert reward == 1 - 4 / 24 + 0.2

    def test_late_in_a_turn_costs(self) -> None:
        """The fifth step of agent 2 costs .1, as .8 * 6 = 4.8 < 5 < 6; the fourth is free."""
        assert step(talking(2, (0.5, 0.5, 0.9), 4), 0, EVEN)[1] == 1 - 4 / 24 - 0.1
        assert step(talking(2, (0.5, 0.5, 0.9), 3), 0, EVEN)[1] == 1 - 4 / 24

    def test_a_full_turn_yields_and_nobody_else_starts(self) -> None:
        """Agent 0 yields at its fourth step; 1 and 2 have energy but stay silent; times stay."""
        after, reward, _ = step(talking(0, (0.9, 0.9, 0.9), 3), 0, EVEN)
        assert (after.current_speaker, after.speaking_time, after.phonemes, reward) == (
            -1,
            (4, 0, 0),
            (1, 1, 1),
            1.0,
        )

    def test_too_little_energy_yields(self) -> None:
        """Agent 2 may speak on with .37 - .12 = .25, the least energy, not with .36 - .12 = .24."""
        assert step(talking(2, (0.1, 0.1, 0.37)), 0, EVEN)[0].current_speaker == 2
        assert step(talking(2, (0.1, 0.1, 0.36)), 0, EVEN)[0].current_speaker == -1

    def test_stop_zeroes_who_speaks_and_the_floor_is_awarded_again_in_the_same_step(self) -> None:
        """Agent 2, stopped, has .06, agent 0 .54, agent 1 .5: 0 speaks; the time of 2 stays."""
        after = step(talking(2, (0.5, 0.45, 0.9), 3), 1, EVEN)[0]
        assert after == State((0.5 + 0.04, 0.45 + 0.05, 0.06), (0, 0, 3), (3, 1, 1), 0, 6)

    def test_stop_in_silence_is_void(self) -> None:
        quiet = start_state((0.1, 0.2, 0.1))
        assert step(quiet, 1, EVEN) == step(quiet, 0, EVEN)

    def test_a_stare_adds_a_fifth_also_to_who_speaks_and_is_cut_at_once(self) -> None:
        """Silent agent 1: .3 + .2 + .05. Speaking agent 2 at .9: 1.0 (cut from 1.1), then - .12."""
        state = talking(2, (0.1, 0.3, 0.9))
        assert step(state, 3, EVEN)[0].energy == (0.1 + 0.04, 0.3 + 0.2 + 0.05, 0.9 - 0.12)
        assert step(state, 4, EVEN)[0].energy[2] == 1.0 - 0.12

    def test_encouragement_works_in_silence_only(self) -> None:
        """In silence agent 0: .05 + .3 + .04 = .39, below .4."""
        after = step(start_state((0.05, 0.1, 0.1)), 5, EVEN)[0]
        assert (after.energy[0], after.current_speaker) == (0.05 + 0.3 + 0.04, -1)
        state = talking(2, (0.05, 0.1, 0.9))
        assert step(state, 5, EVEN) == step(state, 0, EVEN)

    def test_imbalance_scales_gains_and_boosts_but_no_decay(self) -> None:
        """f = .6: gains .04 * .4, .05, .06 * 1.6; stare .2 * .4; agent 1 speaks: .8 - .10."""
        after = step(talking(1, (0.2, 0.8, 0.2)), 2, Terms(0.6))[0]
        assert after.energy == (
            0.2 + 0.2 * (1 - 0.6) + 0.04 * (1 + 0.6 * -1),
            0.8 - 0.10,
            0.2 + 0.06 * (1 + 0.6 * 1),
        )


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


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 0), 0.0),
        ((5, 5, 5), 0.0),
        ((0, 0, 9), 2 / 3),
        ((1, 2, 3), 2 * 4 / 36),
        ((2, 0, 2), 2 * 4 / 24),
    ],
)
def test_gini(counts: tuple[int, int, int], expected: float) -> None:
    assert gini(counts) == expected


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
    changed = SOURCE | {1: SOURCE[1] | {"energy_gain": 0}}
    assert agents_of(changed)[1] == Agent(0.3, 0.10, 0, 5, 1)


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
