"""The policies: their actions in hand-written states, their rewards, and the search's rules."""

from math import isnan
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.guest.arrays import Tables, step_states
from engine.games.guest.policies import POLICIES
from engine.games.guest.rules import AGENTS, State, Terms, action_mask, start_state, step
from engine.games.guest.scoring import Marks, rank_by_reward, score_between, summarise_sessions
from engine.games.guest.search import branches, one_course, plan
from engine.games.guest.session import (
    Frame,
    Session,
    advance_session,
    begin,
    frame_of,
    moments,
    play,
)
from engine.report.statistics import estimate_of
from labs.guest.comparison import EpisodeResult, policy_table, start_of

LEVEL = (0.5, 0.5, 0.5)
FRAME = Frame(Terms(), 600)


def at(state: State, frame: Frame = FRAME) -> Session:
    return Session(frame, state, state)


def episode(name: str, factor: float, seed: int, steps: int = 600) -> Session:
    return play(POLICIES[name], begin(start_of(seed), Frame(Terms(factor), steps)), Random(seed))


@pytest.mark.parametrize(
    ("policy", "state", "action"),
    [
        ("wait", State(LEVEL), 0),
        ("wait", State(LEVEL, phonemes=(9, 0, 0), current_speaker=0), 0),
        # The fewest phonemes, of equals the first.
        ("stare", State(LEVEL), 2),
        ("stare", State(LEVEL, phonemes=(4, 2, 3)), 3),
        ("stare", State(LEVEL, phonemes=(4, 3, 3), current_speaker=2), 3),
        ("encourage", State(LEVEL, phonemes=(4, 3, 2)), 7),
        ("encourage", State(LEVEL, phonemes=(4, 3, 2), current_speaker=0), 7),
        # A leader speaks at least two phonemes more than the quietest: 4 - 2 = 2, and 3 - 2 = 1 is
        # none.
        ("leader", State(LEVEL, phonemes=(4, 2, 3), current_speaker=0), 1),
        ("leader", State(LEVEL, phonemes=(4, 2, 3), current_speaker=2), 3),
        ("leader", State(LEVEL, phonemes=(4, 2, 4), current_speaker=2), 1),
        ("leader", State(LEVEL, phonemes=(4, 2, 3)), 6),
        # The bonus is paid once speaking_time is 1; the quietest may go on.
        ("bonus", State(LEVEL, (0, 0, 0), (4, 2, 3), 0), 3),
        ("bonus", State(LEVEL, (1, 0, 0), (4, 2, 3), 0), 1),
        ("bonus", State(LEVEL, (2, 0, 0), (4, 2, 3), 0), 1),
        ("bonus", State(LEVEL, (0, 1, 0), (4, 2, 3), 1), 3),
        ("bonus", State(LEVEL, (0, 0, 0), (4, 4, 3)), 7),
    ],
)
def test_what_policies_do(policy: str, state: State, action: int) -> None:
    assert POLICIES[policy](at(state), Random(0)) == action


def test_random_draws_all_eight_actions_alike() -> None:
    rng = Random(1)
    drawn = [POLICIES["random"](at(State(LEVEL)), rng) for _ in range(8000)]
    assert all(850 < drawn.count(action) < 1150 for action in range(8)), (
        "each 1000 times, five standard errors of 30"
    )


def test_greedy_takes_the_action_whose_step_brings_most() -> None:
    """Agent 0 has 4 of 6 phonemes and the floor; a stop passes it to an agent with fewer.

    After a stop: agent 1 of .55 and agent 2 of .56 could speak, 2 has more: (4, 1, 2), differences
    3 + 2 + 1 = 6, gini 2 * 6 / (6 * 7) = 2/7. Waiting: (6, 1, 1), differences 5 + 5 + 0 = 10, gini
    20 / 48. A stare of .2 lifts no one to the floor while someone speaks.
    """
    state = State(LEVEL, (1, 0, 0), (4, 1, 1), 0)
    assert POLICIES["greedy"](at(state), Random(0)) == 1
    brought = {action: step(state, action, Terms())[1] for action in range(8)}
    assert brought[1] == pytest.approx(1 - 2 / 7)
    assert brought[0] == pytest.approx(1 - 20 / 48)
    assert max(brought.values()) == brought[1]


def test_greedy_of_every_3_looks_at_all_three_steps() -> None:
    session = begin(start_state((0.5, 0.55, 0.6)), Frame(Terms(), 60, 3))
    brought = [sum(moment.reward for moment in moments(session, action)) for action in range(8)]
    assert POLICIES["greedy"](session, Random(0)) == brought.index(max(brought))


@pytest.mark.parametrize(
    ("name", "expected", "spread"),
    [
        ("wait", (537, 551, 575), 3),
        ("random", (519, 538, 568), 18),
        ("leader", (624, 625, 628), 2),
        ("bonus", (641, 642, 632), 3),
        ("greedy", (643, 640, 635), 3),
    ],
)
def test_mean_rewards_of_600_steps(name: str, expected: tuple[float, ...], spread: float) -> None:
    """Average 12 starts; `spread` is at least three standard errors plus the figures' rounding."""
    for factor, mean in zip((0, 0.2, 0.6), expected, strict=True):
        found = fmean(episode(name, factor, seed).reward for seed in range(12))
        assert found == pytest.approx(mean, abs=spread)


@pytest.mark.parametrize(("factor", "least"), [(0, 650), (0.2, 651), (0.6, 649)])
def test_the_beam_search_reaches_its_mark(factor: float, least: float) -> None:
    """The ceiling is 600 steps of 1 and a bonus of .2 in every other one: 660."""
    found = episode("beam", factor, 1)
    assert least <= found.reward <= 660
    assert found.taken == plan(start_of(1), Terms(factor), 600)


states = st.builds(
    State,
    st.tuples(*[st.floats(0, 1)] * 3),
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 5)),
    st.tuples(*[st.integers(0, 40)] * 3),
    st.integers(-1, 2),
)


@given(states, st.sampled_from([0.0, 0.2, 0.37, 0.6, 1.0]), st.sampled_from([0.0, 0.2, 0.7]))
def test_the_search_plays_by_the_rules(state: State, factor: float, bonus: float) -> None:
    """A course's step equals `rules.step`, energies to the last bit; void actions are left out."""
    terms = Terms(factor, start_bonus=bonus, late_penalty=bonus / 2)
    courses = one_course(state)
    parents, actions = branches(courses.states.speaker)
    due = [action for action, useful in enumerate(action_mask(state)) if useful]
    assert actions.tolist() == due
    states = courses.at(parents).states
    ginis, shaping = step_states(states, actions, Tables.of(terms))
    for place, action in enumerate(actions.tolist()):
        expected, reward, gini = step(state, action, terms)
        assert states.energy[:, place].tolist() == [*expected.energy]
        assert states.speaking_time[:, place].tolist() == [*expected.speaking_time]
        assert states.phonemes[:, place].tolist() == [*expected.phonemes]
        assert states.speaker[place] == expected.current_speaker
        assert ginis[place] == gini
        assert 1 - ginis[place] + shaping[place] == reward


def best_by_trying_all(session: Session) -> float:
    if not session.left:
        return session.reward
    return max(
        best_by_trying_all(advance_session(session, moments(session, action)))
        for action in range(8)
    )


@pytest.mark.parametrize(("steps", "every"), [(4, 1), (8, 2), (11, 3)])
@pytest.mark.parametrize("energy", [(0.5, 0.55, 0.6), (0.1, 0.2, 0.2), (1.0, 0.0, 0.45)])
def test_a_short_search_finds_what_trying_all_courses_finds(
    steps: int, every: int, energy: tuple[float, float, float]
) -> None:
    session = begin(start_state(energy), Frame(Terms(0.2), steps, every))
    course = plan(session.start, session.frame.terms, steps, every)
    assert len(course) == -(-steps // every)
    for action in course:
        session = advance_session(session, moments(session, action))
    assert session.left == 0
    expected = pytest.approx(best_by_trying_all(begin(session.start, session.frame)), abs=1e-12)
    assert session.reward == expected


def test_beam_goes_on_from_anywhere_when_it_takes_over_a_seat() -> None:
    session = begin(start_of(3), Frame(Terms(), 60))
    for action in (1, 7, 7):
        session = advance_session(session, moments(session, action))
    course = plan(session.state, session.frame.terms, 57)
    rest = play(POLICIES["beam"], session, Random(0))
    assert rest.taken[3] == course[0]
    ahead = rest.reward - session.reward
    assert ahead > play(POLICIES["greedy"], session, Random(0)).reward - session.reward


@settings(max_examples=20)
@given(st.sampled_from(sorted(POLICIES)), st.integers(0, 99), st.integers(1, 40), st.integers(1, 5))
def test_every_policy_plays_every_session_to_its_end(
    name: str, seed: int, steps: int, every: int
) -> None:
    """A session's sums are those of its steps, with one decision for each `every` steps begun."""
    frame = frame_of({"max_steps": steps, "every": every, "imbalance_factor": 0.3})
    session = play(POLICIES[name], begin(start_of(seed), frame), Random(seed))
    state, reward, evenness, stops = session.start, 0.0, 0.0, 0
    for place in range(steps):
        action = 0 if place % every else session.taken[place // every]
        stops += action == 1 and state.current_speaker >= 0
        state, brought, gini = step(state, action, frame.terms)
        reward, evenness = reward + brought, evenness + 1 - gini
    assert session.state == state
    assert session.reward == pytest.approx(reward)
    assert session.equality == pytest.approx(evenness / steps)
    assert session.stops == stops
    assert len(session.taken) == -(-steps // every)


def test_starts_are_those_of_the_environment() -> None:
    drawn = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5))).uniform(0.4, 0.6, 3)
    assert start_of(5).energy == tuple(drawn.tolist())
    assert start_of(5, 0.4).energy == (0.3, 0.5, 0.7)


@pytest.mark.parametrize(
    ("reward", "marks", "score"),
    [
        (50.0, Marks(50.0, 60.0), 0.0),
        (60.0, Marks(50.0, 60.0), 1.0),
        (57.5, Marks(50.0, 60.0), 0.75),
        (45.0, Marks(50.0, 60.0), -0.5),
        (50.0, Marks(50.0, 50.0), 0.0),
    ],
)
def test_scores(reward: float, marks: Marks, score: float) -> None:
    assert score_between(reward, marks) == score


def test_a_table_measures_each_episode_by_its_own_marks() -> None:
    """Scores of "mine": (54 - 50) / (60 - 50) = .4, (70 - 40) / (90 - 40) = .6.

    Their mean is .5, their deviation .1414, the standard error .1.
    """
    played: dict[str, list[EpisodeResult]] = {
        "wait": [EpisodeResult(50.0, 0.5, 0), EpisodeResult(40.0, 0.5, 0)],
        "beam": [EpisodeResult(60.0, 0.9, 8), EpisodeResult(90.0, 0.9, 8)],
        "mine": [EpisodeResult(54.0, 0.6, 1), EpisodeResult(70.0, 0.8, 3)],
    }
    rows = policy_table(played)
    assert [row.policy for row in rows] == ["beam", "mine", "wait"]
    assert rows[1].score == pytest.approx((0.5, 0.1))
    assert rows[1].reward == pytest.approx((62.0, 8.0))
    assert rows[1].equality == pytest.approx((0.7, 0.1))
    assert rows[1].stops == pytest.approx((2.0, 1.0))
    alone = estimate_of([3.0])
    assert alone.mean == 3.0
    assert isnan(alone.error)


def test_places_share_a_reward_that_only_rounding_parts() -> None:
    one = at(State(LEVEL))
    sessions: dict[str, Any] = {}
    for stops, (name, reward) in enumerate({"Ada": 0.1 + 0.2, "Ben": 0.3, "Cleo": 0.4}.items()):
        sessions[name] = Session(FRAME, one.start, one.state, reward=reward, stops=stops)
    assert rank_by_reward(sessions) == {"Ada": 2, "Ben": 2, "Cleo": 1}
    del sessions["Cleo"]
    told = "Ada and Ben moderate best with a reward of 0.30, equality 1.000 and 0 stops; "
    assert summarise_sessions(sessions, Marks(0.0, 1.0)).startswith(told)


def test_terms_of_a_frame_are_those_of_its_settings() -> None:
    params = {str(place): agent._asdict() for place, agent in enumerate(AGENTS)}
    told: dict[str, Any] = {"max_steps": 9, "every": 2, "imbalance_factor": 0.5}
    assert frame_of(told | {"agent_params": params}) == Frame(Terms(0.5), 9, 2)
    with pytest.raises(ValueError, match="expected agent_params of the agents 0, 1 and 2"):
        frame_of(told | {"agent_params": {0: params["0"]}})


def test_every_policy_describes_itself_in_the_help() -> None:
    """A partial would show the docstring of `functools.partial`."""
    for policy in POLICIES.values():
        assert policy.__doc__
        assert "partial" not in policy.__doc__
