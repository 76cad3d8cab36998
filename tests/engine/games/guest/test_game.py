"""GuestEnv as a game: rooms of one start, decision intervals, prompts, and the oracle."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.games.guest.game import GuestGame
from engine.games.guest.record import CHOICES
from engine.games.guest.rules import ACTIONS, AGENTS
from engine.history import History, history_from_json
from engine.report.charts import Lines
from engine.views.plots import save_chart
from tests.oracles.judge import broken_rules
from tests.support.histories import of_kind
from tests.support.narrowing import instance, not_none
from tests.support.planted.log import first, tampered, verdict
from tests.support.tables import play_with_models, run_game

SKEWED: dict[str, Any] = {"energy_imbalance": 0.2, "max_steps": 6}


def play(players: str, seed: int = 0, **more: Any) -> History:
    return run_game("guest", players, seed=seed, settings=more)


def saying(*answers: str) -> Callable[[Any], str]:
    """Return a model that gives these answers in turn: choices in JSON, other text as it is."""
    left = [*answers]

    def reply(body: dict[str, Any]) -> str:
        answer = left.pop(0)
        chosen = json.dumps({"rationale": "it is time", "action": answer})
        return chosen if answer in CHOICES else answer

    return reply


async def moderated(*answers: str, **more: Any) -> History:
    reply = saying(*answers)
    history, _ = await play_with_models("guest", "compatible:m", reply, settings=SKEWED | more)
    return history


def test_choices_stand_in_the_order_of_the_actions() -> None:
    names = [name.replace("stare at agent", "stare_at") for name in CHOICES]
    assert [name.replace(" agent", "") for name in names] == [*ACTIONS.values()]


async def test_a_session_by_hand() -> None:
    """Two decisions of three steps each from the energies .4, .5, .6.

    1. Encouraged, agent 0 has .4 + .3 + .04 = .74, more than .55 and .66, and takes the floor:
       2 phonemes of 2, gini 2 * (2 + 2 + 0) / (6 * 2) = 2/3. Then it speaks on and spends .08
       a step: .66, .58; step 2 has the bonus.
    2. Stopped, it has 0 + .04; of .70 and .84 agent 2 takes the floor at once. Phonemes 6, 0, 1,
       then 2, then 3: the differences add up to 12 each time, so gini is 24 / (6 * 7),
       24 / (6 * 8), 24 / (6 * 9).
    """
    history = await moderated("encourage agent 0", "stop")
    assert broken_rules(history) == {}
    steps = [step for event in of_kind(history, "step") for step in event.data["steps"]]
    wait = "wait"
    actions = ["encourage agent 0", wait, wait, "stop", wait, wait]
    assert [step["action"] for step in steps] == actions
    assert [step["speaker"] for step in steps] == [0, 0, 0, 2, 2, 2]
    assert [step["phonemes"][0] for step in steps] == [2, 4, 6, 6, 6, 6]
    energies = [0.74, 0.66, 0.58, 0.04, 0.08, 0.12]
    assert [step["energy"][0] for step in steps] == pytest.approx(energies)
    rewards = [1 / 3, 1 / 3 + 0.2, 1 / 3, 1 - 24 / 42, 1 - 24 / 48 + 0.2, 1 - 24 / 54]
    assert [step["reward"] for step in steps] == pytest.approx(rewards)
    figures = not_none(history.outcome).figures["Ada"]
    assert figures["reward"] == pytest.approx(sum(rewards))
    assert figures["equality"] == pytest.approx((sum(rewards) - 0.4) / 6)
    assert figures["stops"] == 1


async def test_what_a_model_is_told() -> None:
    """Who speaks, in words; after a decision its effect, never the reason for it."""
    history = await moderated("encourage agent 0", "stop")
    first, second = (history.prompt_of(event) for event in of_kind(history, "action"))
    assert second is not None
    assert not_none(first).question.startswith("Step 1 of 6. No agent is speaking.")
    assert second.question.startswith(
        "Step 4 of 6. Agent 0 is speaking, for 3 steps so far. Agent 0: energy 0.58, 6 phonemes. "
        "Agent 1: energy 0.65, 0 phonemes. Agent 2: energy 0.78, 0 phonemes. Gini 0.667; your "
        "reward so far 1.2.\n\nWhat do you do in step 4, before you wait for 2: wait; stop; "
    )
    told = json.loads(second.transcript.splitlines()[-1])["text"]
    assert told == "reward 1.20; encourage agent 0; then spoke 0, 0, 0"
    assert "it is time" not in second.text


async def test_a_malformed_answer_is_asked_for_again_and_then_waits_and_is_counted() -> None:
    answers = ("I will stop them", "stare at agent 1", "no", '{"action": "shout"}', "[]")
    history = await moderated(*answers)
    asked = of_kind(history, "action")
    assert [event.data["action"] for event in asked] == ["stare at agent 1", "wait"]
    assert [event.fell_back for event in asked] == [False, True]
    assert [len(event.attempts) for event in asked] == [2, 3]
    assert "expected action to be one of" in str(asked[1].attempts[1].fault)
    assert history.usage["Ada"].fallbacks == 1
    # Four answers, and once that the form is told in words, since no answer keeps to the schema.
    assert len(of_kind(history, "fault")) == 5
    assert broken_rules(history) == {}


async def test_void_actions_are_no_choice() -> None:
    """Stopping silence and encouraging the speaking agent 0 are void: the model is asked again."""
    history = await moderated("stop", "encourage agent 0", "encourage agent 2", "wait")
    asked = of_kind(history, "action")
    assert [event.data["action"] for event in asked] == ["encourage agent 0", "wait"]
    silent, speaking = (str(event.attempts[0].fault) for event in asked)
    assert '"encourage agent 2"' in silent
    assert '"stop"' not in silent
    assert '"stop"' in speaking
    assert '"encourage agent 1"' not in speaking


def test_a_policy_that_draws_a_void_action_waits() -> None:
    """Whatever is drawn is done or is waiting, and no script is at fault."""
    history = play("scripted:random", max_steps=60, every=1)
    assert not of_kind(history, "fault")
    speaker = None
    for event in of_kind(history, "step"):
        (step,) = event.data["steps"]
        void = "stop" if speaker is None else "encourage"
        assert void not in step["action"]
        speaker = step["speaker"]


@pytest.mark.parametrize(
    ("steps", "every", "lengths"),
    [(6, 1, [1] * 6), (6, 3, [3, 3]), (7, 3, [3, 3, 1]), (2, 5, [2]), (1, 1, [1])],
)
def test_one_decision_each_so_many_steps(steps: int, every: int, lengths: list[int]) -> None:
    history = play("scripted:random", max_steps=steps, every=every)
    played = [event.data["steps"] for event in of_kind(history, "step")]
    assert [len(one) for one in played] == lengths
    assert all(step["action"] == "wait" for one in played for step in one[1:])
    assert [step["step"] for one in played for step in one] == [*range(1, steps + 1)]
    assert [log.final_round for log in history.rounds] == [False] * (len(lengths) - 1) + [True]


async def test_pictures_by_hand(tmp_path: Path) -> None:
    """The session above: rewards 1/3, 1/3 + .2, 1/3 with means 1/3, 13/30, .4; gini always 2/3.

    Marks show the mean rewards of waiting and of the best course. Before the first step there is
    no picture.
    """
    history = await moderated(CHOICES[5], max_steps=3)
    charts = GuestGame.charts(history)
    reward, equality = (instance(charts[name], Lines) for name in ("reward", "equality"))
    ((rewards,), (evenness,)) = reward.series.values(), equality.series.values()
    assert rewards == pytest.approx([1 / 3, 13 / 30, 0.4])
    assert evenness == pytest.approx([1 / 3] * 3)
    assert history.outcome is not None
    assert reward.marks == {name: history.outcome.shared[name] / 3 for name in ("wait", "beam")}
    for name, chart in charts.items():
        assert all(path.stat().st_size > 1000 for path in save_chart(chart, tmp_path / name))
    assert GuestGame.charts(replace(history, rounds=[])) == {}


def test_every_room_has_the_same_start_and_its_own_course() -> None:
    history = play(
        "Ada=scripted:wait,Ben=scripted:beam,Cleo=scripted:wait,Dan=scripted:greedy", seed=3
    )
    outcome = not_none(history.outcome)
    assert outcome.scores["Ada"] == outcome.scores["Cleo"] == 0
    assert outcome.scores["Ben"] == 1
    assert 0 < outcome.scores["Dan"] <= 1
    assert outcome.placements == {"Ben": 1, "Dan": 2, "Ada": 3, "Cleo": 3}
    assert outcome.shared["wait"] == outcome.figures["Ada"]["reward"]
    assert outcome.shared["beam"] == outcome.figures["Ben"]["reward"]
    assert "Ben moderates best" in outcome.summary
    alone = play("Dan=scripted:greedy", seed=3)
    assert not_none(alone.outcome).figures["Dan"] == outcome.figures["Dan"]
    for event in of_kind(history, "step"):
        assert event.visibility == (event.data["player_id"],)


def test_other_terms_change_the_session() -> None:
    params = {place: agent._asdict() for place, agent in enumerate(AGENTS)}
    params[0]["phonemes_per_step"] = 7
    loud = play("scripted:wait", agent_params=params, **SKEWED)
    plain = play("scripted:wait", **SKEWED)
    favoured = play("scripted:wait", imbalance_factor=1.0, **SKEWED)
    assert broken_rules(loud) == {}
    # In silence agent 2 of .6 speaks first; its own gain of .06 is doubled where it is favoured
    # most.
    first = [
        of_kind(history, "step")[0].data["steps"][0]["energy"][2]
        for history in (loud, plain, favoured)
    ]
    assert first == pytest.approx([0.66, 0.66, 0.72])
    assert loud.outcome is not None
    assert loud.config["game"]["agent_params"]["0"]["phonemes_per_step"] == 7
    assert history_from_json(loud.to_json()) == loud


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"max_steps": 0}, "greater than or equal to 1"),
        ({"every": 0}, "greater than or equal to 1"),
        ({"imbalance_factor": 1.5}, "less than or equal to 1"),
        ({"energy_imbalance": -0.1}, "greater than or equal to 0"),
        ({"agent_params": {0: {}}}, "expected agent_params of the agents 0, 1 and 2"),
        ({"agent_params": {0: {}, 1: {}, 2: {}}}, "expected agent 0 to have min_energy_to_speak"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        GuestGame(**settings)


@cache
def fair() -> str:
    return play("Ada=scripted:greedy,Ben=scripted:beam", seed=5, max_steps=12).to_json()


def test_a_fair_session_breaks_no_rule() -> None:
    assert broken_rules(history_from_json(fair())) == {}
    assert verdict(json.loads(fair())) == ""


STEPS = "first step data steps"


@pytest.mark.parametrize(
    ("path", "change", "rules"),
    [
        (f"{STEPS} 2 energy 1", lambda energy: energy + 1e-9, {"steps"}),
        (f"{STEPS} 1 reward", lambda reward: reward + 0.2, {"steps"}),
        (f"{STEPS} 0 phonemes 0", lambda phonemes: phonemes + 1, {"steps"}),
        (STEPS, lambda steps: steps[:-1], {"steps"}),
        (f"{STEPS} 0 action", lambda _: "encourage agent 1", {"steps", "answers"}),
        ("first action data action", lambda _: "encourage agent 1", {"answers"}),
        ("first narration data energy", lambda _: [0.4, 0.4, 0.7], {"start", "steps", "outcome"}),
        ("outcome scores Ada", lambda _: 1.0, {"outcome"}),
        ("outcome figures Ada stops", lambda stops: stops + 1, {"outcome"}),
        ("outcome placements", lambda _: {"Ada": 1, "Ben": 2}, {"outcome"}),
        ("rounds", lambda rounds: rounds[:-1], {"outcome"}),
        ("first step heading", lambda _: "Steps 1 to 99", set()),
    ],
)
def test_the_oracle_and_the_check_find_what_was_changed(
    path: str, change: Callable[[Any], Any], rules: set[str]
) -> None:
    """A path such as "first step data" leads into the first event of kind step."""
    log = json.loads(fair())
    *keys, last = [int(key) if key.isdigit() else key for key in path.split()]
    inner = log
    if keys[:1] == ["first"]:
        inner, keys = first(log, str(keys[1])), keys[2:]
    for key in keys:
        inner = inner[key]
    inner[last] = change(inner[last])
    assert {*broken_rules(tampered(log))} == rules
    assert verdict(log) != ""


def test_a_skew_energies_start_is_held_to_its_formula() -> None:
    log = json.loads(play("scripted:wait", **SKEWED).to_json())
    first(log, "narration")["data"]["energy"][2] = 0.61
    found = broken_rules(tampered(log))
    assert found["start"] == ["start: expected the energies [0.4, 0.5, 0.6]: got [0.4, 0.5, 0.61]"]
