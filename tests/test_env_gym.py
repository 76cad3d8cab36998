"""GuestEnv in Gymnasium and Stable-Baselines3: checkers, seeds, copies, rendering, vector form."""

import copy
import pickle
import runpy
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import SyncVectorEnv

from env_gym import GuestEnv, actions
from labs.guest import arrays, vector
from labs.guest.vector import GuestVectorEnv
from tests.support.paths import ROOT


def test_names_of_the_source() -> None:
    env = GuestEnv()
    assert actions[2] == "stare_at 0"
    assert (env.current_speaker, env.step_counter) == (-1, 0)
    assert env.energy.dtype == np.float64
    assert env.agent_params[0]["max_speaking_time"] == 4
    env.phonemes = np.array([3, 0, 0])
    assert env._gini() == pytest.approx(2 / 3)
    assert env._get_obs()[2] == 3
    env.current_speaker, env.step_counter = 2, 7
    assert (env.current_speaker, env.step_counter, env.state.current_speaker) == (2, 7, 2)
    with pytest.raises(ValueError, match="read-only"):
        env.phonemes[0] = 7


def test_the_only_warning_of_the_checker_is_that_counts_have_no_bound() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(gym.make("Guest-v0", render_mode="rgb_array").unwrapped)
    assert told
    for one in told:
        assert "A Box observation space maximum value is infinity" in str(one.message)


def test_made_by_its_name_it_warns_of_nothing() -> None:
    with gym.make("Guest-v0", max_steps=5) as env:
        env.reset(seed=1)
        assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]
        assert env.step(0)[3]
    many = gym.make_vec("Guest-v0", num_envs=3, vectorization_mode="vector_entry_point")
    assert isinstance(many.unwrapped, GuestVectorEnv)
    many.reset(seed=1)
    many.step(np.zeros(3, np.int64))


def test_stable_baselines_is_content() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*infinity.*")
        checker.check_env(GuestEnv(), warn=True)


def test_a_bad_action_changes_nothing() -> None:
    env = GuestEnv()
    env.reset(seed=1)
    before = env.state, env.action_stats.tolist()
    for wrong in (8, -1, 0.5, "wait"):
        with pytest.raises(ValueError, match="expected an action from 0 to 7"):
            env.step(wrong)
    assert (env.state, env.action_stats.tolist()) == before


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"max_steps": 7.0}, "max_steps to be a whole number of at least 1: got 7.0"),
        ({"imbalance_factor": "0.5"}, "imbalance_factor to be a number from 0 to 1: got '0.5'"),
        ({"max_steps": 0}, "max_steps to be a whole number of at least 1: got 0"),
        ({"imbalance_factor": 1.1}, "imbalance_factor to be a number from 0 to 1: got 1.1"),
        ({"energy_imbalance": -0.1}, "energy_imbalance to be a number from 0 to 1: got -0.1"),
        ({"start_bonus": -0.2}, "start_bonus to be a number of at least 0: got -0.2"),
        ({"late_penalty": "0.1"}, "late_penalty to be a number of at least 0: got '0.1'"),
        ({"start_bonus": float("nan")}, "start_bonus to be a number of at least 0: got nan"),
        ({"agent_params": {}}, "agent_params of the agents 0, 1 and 2"),
        ({"render_mode": "3d"}, "render_mode to be human, ansi or rgb_array: got '3d'"),
    ],
)
def test_what_cannot_be_is_refused_at_construction(terms: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GuestEnv(**terms)


def test_seeds() -> None:
    first, second = GuestEnv(), GuestEnv(seed=42)
    assert first.reset()[0].tolist() == second.reset()[0].tolist()
    assert first.reset()[0].tolist() == second.reset()[0].tolist()
    drawn = np.random.Generator(np.random.PCG64(np.random.SeedSequence(9))).uniform(0.4, 0.6, 3)
    first.reset(seed=9)
    assert first.energy.tolist() == drawn.tolist()
    assert GuestEnv(seed=None).reset()[0].tolist() != GuestEnv(seed=None).reset()[0].tolist()
    skew_energies = GuestEnv(energy_imbalance=0.4)
    skew_energies.reset(seed=3)
    assert skew_energies.energy.tolist() == [0.5 * (1 - 0.4), 0.5, 0.5 * (1 + 0.4)]
    skew_energies.reset(options={"energy": [0.1, 0.2, 0.3]})
    assert skew_energies.energy.tolist() == [0.1, 0.2, 0.3]


def test_the_first_reset_has_the_first_draw_of_the_seed() -> None:
    drawn = np.random.Generator(np.random.PCG64(np.random.SeedSequence(42))).uniform(
        0.4, 0.6, (2, 3)
    )
    env, many = GuestEnv(), GuestVectorEnv(2)
    for expected in drawn:
        env.reset()
        many.reset()
        assert env.energy.tolist() == many._rooms.energy[0].tolist() == expected.tolist()
    second = GuestEnv(seed=43)
    second.reset()
    second.reset()
    assert many._rooms.energy[1].tolist() == second.energy.tolist()


@pytest.mark.parametrize(
    "energy", [[0.5, None, 0.5], "abc", "111", ["0.5"] * 3, [True] * 3, 5, [0.5, 0.5], [2, 0, 0]]
)
def test_a_start_that_cannot_be_is_refused_before_a_new_seed(energy: Any) -> None:
    env, twin = GuestEnv(), GuestEnv()
    with pytest.raises(ValueError, match="expected energy to be three numbers from 0 to 1"):
        env.reset(seed=7, options={"energy": energy})
    assert env.reset()[0].tolist() == twin.reset()[0].tolist()


def test_numpy_numbers_are_terms_and_become_plain_ones() -> None:
    agents: dict[int, dict[str, Any]] = {**GuestEnv().agent_params}
    agents[0] |= {"energy_gain": np.float32(0.5), "max_speaking_time": np.int64(3)}
    agents[0]["energy_decay"] = 1
    terms: dict[str, Any] = {"max_steps": np.int64(7), "agent_params": agents}
    terms |= {"energy_imbalance": np.int64(1), "imbalance_factor": np.float32(0.5)}
    for env in (GuestEnv(**terms), GuestVectorEnv(int(terms["max_steps"]), **terms)):
        fractions = (*env.terms.gains, env.terms.imbalance_factor, env.energy_imbalance)
        assert {type(part) for part in fractions} == {float}
        assert [type(part) for part in env.terms.agents[0]] == [float, float, float, int, int]
        assert (type(env.max_steps), env.max_steps) == (int, 7)


def test_infos_are_copies_and_say_all() -> None:
    env = GuestEnv()
    _, info = env.reset(options={"energy": [0.5, 0.4, 0.4]})
    assert (info["env_reward"], info["action_number"]) == (0.0, -1)
    assert info["gini_history"] == info["phoneme_history"] == []
    observed, reward, terminated, truncated, info = env.step(np.int64(0))
    kept = copy.deepcopy(info)
    assert {type(reward), type(terminated), type(truncated)} == {float, bool}
    assert info["speaker"] == 0
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 1, 0, 0, 0]
    assert info["action_mask"].dtype == np.int8
    assert info["gini_history"] == [2 / 3]
    assert info["env_reward"] == 1 - 2 / 3
    again = env.step(1)
    assert data_equivalence(info, kept, exact=True)
    assert len(again[4]["gini_history"]) == len(again[4]["phoneme_history"]) == 2
    assert observed[2] == 2
    assert "gini_history" not in GuestEnv(histories=False).reset()[1]


def test_it_can_be_copied_in_mid_course() -> None:
    env = GuestEnv()
    env.reset(seed=5)
    for action in (0, 2, 1, 6):
        env.step(action)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert data_equivalence(twin.step(3), copy.deepcopy(env).step(3), exact=True)
        assert twin.reset()[0].tolist() == copy.deepcopy(env).reset()[0].tolist()


def test_renderings(capsys: pytest.CaptureFixture[str]) -> None:
    picture = GuestEnv(render_mode="rgb_array", histories=False)
    picture.reset(seed=1)
    blank = picture.render()
    assert (blank.shape, blank.dtype) == ((400, 640, 3), np.uint8)
    picture.step(0)
    assert (picture.render() != blank).any()
    words = GuestEnv(render_mode="ansi", max_steps=9)
    words.reset(options={"energy": [0.5, 0.4, 0.4]})
    words.step(0)
    first, *agents = words.render().splitlines()
    assert first == "step 1/9   agent 0 speaks   gini 0.667"
    assert agents[0].startswith(
        "> agent 0  energy ###########......... 0.54 (speaks from 0.40)  turn 0/4  phonemes 2"
    )
    seen = GuestEnv(render_mode="human")
    seen.reset(seed=1)
    seen.step(0)
    assert capsys.readouterr().out.count("gini") == 2


@pytest.fixture(params=["plain", "compiled"])
def stepping(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have rooms step by NumPy, or by numba if it is installed."""
    if request.param == "plain":
        plain = (arrays.step_rooms, arrays.observe_rooms)
        monkeypatch.setattr(vector, "fastest_backend", lambda: plain)
    else:
        pytest.importorskip("numba")


TERMS: list[dict[str, Any]] = [
    {},
    {"imbalance_factor": 0.2, "histories": False},
    {"energy_imbalance": 0.3, "imbalance_factor": 0.6},
    {"start_bonus": 0.0, "late_penalty": 0.35},
]


@pytest.mark.usefixtures("stepping")
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("terms", TERMS, ids=str)
def test_many_at_once_are_many_single_ones(mode: str, terms: dict[str, Any]) -> None:
    many, draws = 4, np.random.default_rng(1)
    single = SyncVectorEnv(
        [lambda: GuestEnv(max_steps=11, **terms) for _ in range(many)], autoreset_mode=mode
    )
    ours = GuestVectorEnv(many, max_steps=11, autoreset_mode=mode, **terms)
    assert ours.observation_space == single.observation_space
    assert ours.action_space == single.action_space
    assert data_equivalence(ours.reset(seed=7), single.reset(seed=7), exact=True)
    for _ in range(40):
        taken = draws.integers(0, 8, many)
        expected, found = single.step(taken), ours.step(taken)
        assert data_equivalence(found, expected, exact=True)
        if mode == "Disabled" and found[3].any():
            mask = {"reset_mask": found[3]}
            assert data_equivalence(
                ours.reset(options={**mask}), single.reset(options={**mask}), exact=True
            )


@pytest.mark.usefixtures("stepping")
def test_a_bad_action_in_one_room_changes_none() -> None:
    ours = GuestVectorEnv(3)
    ours.reset(seed=1)
    before = copy.deepcopy(ours._rooms)
    for wrong in ([0, 8, 0], [0, 0], [0.5, 0, 0], [-1, 0, 0]):
        with pytest.raises(ValueError, match="from 0 to 7"):
            ours.step(np.array(wrong))
    assert data_equivalence(vars_of(before), vars_of(ours._rooms), exact=True)


def test_histories_of_many_are_copies() -> None:
    ours = GuestVectorEnv(2)
    ours.reset(seed=1)
    counted = ours.step(np.zeros(2, np.int64))[4]["phoneme_history"][0][0]
    before = counted.tolist()
    counted[:] = 99
    assert ours.step(np.zeros(2, np.int64))[4]["phoneme_history"][0][0].tolist() == before


def vars_of(rooms: arrays.Rooms) -> dict[str, Any]:
    return rooms._asdict()


def test_rooms_that_are_over_must_be_reset_where_that_is_not_done_by_itself() -> None:
    ours = GuestVectorEnv(2, max_steps=1, autoreset_mode="Disabled")
    ours.reset(seed=1)
    ours.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="to be reset first"):
        ours.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="expected reset_mask to be 2 bools"):
        ours.reset(options={"reset_mask": np.zeros(2, np.bool_)})
    with pytest.raises(ValueError, match="expected a seed for each of 2 rooms"):
        ours.reset(seed=[1])


def test_rooms_for_stable_baselines() -> None:
    adapter = pytest.importorskip("labs.guest.stable_baselines")
    rooms, single = adapter.GuestVecEnv(2, raw=True, max_steps=3), GuestEnv(max_steps=3)
    rooms.seed(5)
    assert rooms.reset()[0].tolist() == single.reset(seed=5)[0].tolist()
    totals = 0.0
    for action in (0, 2, 1):
        observed, reward, _, truncated, _ = single.step(action)
        totals += reward
        seen, rewards, dones, infos = rooms.step(np.array([action, 0]))
        assert rewards[0] == np.float32(reward)
    assert truncated
    assert dones.tolist() == [True, True]
    assert infos[0]["TimeLimit.truncated"]
    assert infos[0]["terminal_observation"].tolist() == observed.tolist()
    assert infos[0]["episode"]["r"] == pytest.approx(totals)
    assert seen[0].tolist() == single.reset()[0].tolist()
    shared = adapter.GuestVecEnv(2)
    assert shared.observation_space.contains(shared.reset()[0])


def test_many_have_the_generators_that_single_ones_have() -> None:
    ours, single = GuestVectorEnv(3), SyncVectorEnv([GuestEnv] * 3)
    ours.reset(seed=4)
    single.reset(seed=4)
    assert ours.np_random_seed == single.np_random_seed == (4, 5, 6)
    assert [own.random() for own in ours.np_random] == [own.random() for own in single.np_random]


@pytest.mark.parametrize(
    ("seed", "options"),
    [([7, 8, -1], None), (7, {"energy": [2, 0, 0]}), (7, {"reset_mask": np.ones(2, np.bool_)})],
)
def test_a_reset_that_cannot_be_leaves_many_as_they_were(
    seed: Any, options: dict[str, Any] | None
) -> None:
    ours, twin = GuestVectorEnv(3), GuestVectorEnv(3)
    with pytest.raises((ValueError, gym.error.Error)):
        ours.reset(seed=seed, options=options)
    assert ours.reset()[0].tolist() == twin.reset()[0].tolist()


def test_histories_are_attributes_too_and_what_is_written_into_an_info_stays_there() -> None:
    env = GuestEnv()
    env.reset(options={"energy": [0.5, 0.4, 0.4]})
    assert (env.gini_history, env.phoneme_history) == ([], [])
    info = env.step(0)[4]
    info["phoneme_history"][0][:] = 99
    info["gini_history"].append(99)
    again = env.step(0)[4]
    assert [counts.tolist() for counts in again["phoneme_history"]] == [[2, 0, 0], [4, 0, 0]]
    assert {counts.dtype for counts in env.phoneme_history} == {np.dtype(np.int64)}
    assert env.gini_history == again["gini_history"] == [2 / 3, 2 / 3]


def test_to_load_the_module_again_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runpy.run_path(str(ROOT / "env_gym.py"))
    assert told == []
