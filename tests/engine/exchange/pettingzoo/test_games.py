"""What policies see, do and earn in each game, by hand, and that their logs hold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="comes with the extra pettingzoo")

from engine.exchange.pettingzoo import ArenaEnv, env
from engine.games.conversation.scoring import score
from engine.games.conversation.state import conversation_of
from engine.history import History, history_from_json
from engine.runs.replay import Replay
from env_gym import GuestEnv
from tests.oracles.judge import broken_rules
from tests.support.policies import play

ONE_GAME: dict[str, Any] = {
    "block": 1,
    "unit": "moves",
    "game_length": (3, 3),
    "flip_params": (0, 0),
    "max_rounds": 1,
}
C, D = 0, 1


def test_a_dilemma_by_hand() -> None:
    games = ArenaEnv("dilemma", "policy,scripted:tit_for_tat", seed=1, **ONE_GAME)
    games.reset()
    assert games.names == {"player_0": "Ada"}
    assert games.action_meanings("player_0") == ("C", "D")
    scores = []
    for move in (C, D, C):
        seen, reward, over, _, info = games.last()
        assert (reward, over, info["kind"]) == (0, False, "block")
        scores.append(seen["observation"]["score"].tolist())
        games.step(move)
    # Tit for Tat answers C, C, D: C C is 3 3, D C is 5 0, C D is 0 5.
    assert scores == [[0, 0], [3, 3], [8, 3]]
    assert seen["observation"]["moves"].tolist() == [[2, 1], [1, 1], [0, 0]]
    assert seen["observation"]["played"].tolist() == [2]
    _, reward, over, truncated, info = games.last()
    assert (reward, over, truncated) == (8, True, False)
    assert (info["score"], info["place"]) == (8, 1)
    assert games.history.outcome is not None
    assert games.history.outcome.scores == {"Ada": 8, "Ben": 8}


def test_later_games_have_seeds_of_their_own_that_follow_from_the_first() -> None:
    games = ArenaEnv("dilemma", "policy,scripted:tit_for_tat", **ONE_GAME)
    runs = []
    for _ in range(2):
        games.reset(seed=7)
        seeds = [games.history.seed]
        for _ in range(9):
            games.reset()
            seeds.append(games.history.seed)
        runs.append(seeds)
    games.close()
    first, *later = runs[0]
    assert (first, runs[1]) == (7, runs[0])
    assert len({*later}) == 9
    assert {seed % 2 for seed in later} == {0, 1}


def test_three_moves_are_one_action() -> None:
    games = ArenaEnv("dilemma", "policy,scripted:cooperator", **{**ONE_GAME, "block": 3})
    games.reset(seed=1)
    meanings = games.action_meanings("player_0")
    assert meanings == ("CCC", "CCD", "CDC", "CDD", "DCC", "DCD", "DDC", "DDD")
    games.step(meanings.index("DDC"))
    assert games.rewards == {"player_0": 5 + 5 + 3}


def test_a_guest_is_guest_env() -> None:
    games = ArenaEnv("guest", players=2, max_steps=24, every=1, seed=5)
    games.reset()
    alone = GuestEnv(max_steps=24, histories=False)
    space: Any = games.observation_space("player_0")
    assert space["observation"] == alone.observation_space
    start = games.last()[0]["observation"]
    energies = games._running().engine.state["Ada"].start.energy
    begun, info = alone.reset(options={"energy": energies})
    assert begun.tolist() == start.tolist()

    draws = np.random.default_rng(1)
    total = 0.0
    while games.agents and not games.terminations["player_0"]:
        seen = games.last()[0]
        assert seen["action_mask"].tolist() == info["action_mask"].tolist()
        action = draws.choice(np.flatnonzero(seen["action_mask"]))
        games.step(action)
        games.step(0)
        begun, reward, _, _, info = alone.step(action)
        total += reward
        if not games.terminations["player_0"]:
            assert games.observe("player_0")["observation"].tolist() == begun.tolist()
    assert games.rewards["player_0"] == pytest.approx(total)


def test_a_conversation_shows_what_is_held_and_what_was_said() -> None:
    games = ArenaEnv("conversation", players="policy,scripted:silent", bank_size=3, length=4)
    games.reset(seed=3)
    table = games._running().engine.state.state
    bank = table.banks["Ada"]
    assert games.action_meanings("player_0")[-1] == "stay silent"
    first = games.last()[0]["observation"]
    for place, item in enumerate(bank):
        assert np.flatnonzero(first["bank"][place]).tolist() == sorted(item.subjects)
        assert first["importance"][place] == np.float32(item.importance)
    assert first["ranking"][table.rankings["Ada"][0]] == 0
    assert first["self"].tolist() == [1, 0]
    games.step(1)
    games.step(3)
    then = games.last()[0]["observation"]
    subjects = [1 + subject for subject in bank[1].subjects]
    assert then["turns"][1].tolist() == [1, *subjects, 0][:3]
    assert then["turns"][0].tolist() == [0, 0, 0]
    assert then["pause"].tolist() == [1, 0, 0, 0]
    assert then["spoken"].tolist() == [0, 1, 0]
    assert then["contributions"].tolist() == [1, 0]
    assert then["turn"].tolist() == [2]
    games.step(0)
    games.step(0)
    last = games._running().engine.state.state
    assert games.rewards["player_0"] == score(conversation_of(last)).total["Ada"]


def test_deliberations_show_votes_speeches_and_who_is_in() -> None:
    games = ArenaEnv(
        "deliberations",
        players=4,
        says="I stand with Ada. Dan should leave.",
        reveal_tally=True,
    )
    games.reset(seed=1)
    ada, ben, dan, nobody = 0, 1, 3, 4
    agents = [f"player_{place}" for place in range(4)]
    for _ in agents:
        seen = games.last()[0]
        own = agents.index(games.agent_selection)
        assert seen["observation"]["in"].tolist() == [1, 1, 1, 1]
        legal = [1, 1, 1, 1, 0, 0, 0]
        legal[own] = 0
        assert seen["action_mask"].tolist() == legal
        # Everybody but Dan himself speaks against Dan: nobody is named in what says "stand with".
        assert seen["observation"]["against"].tolist() == [
            [0, 0, 0, 1],
            [0, 0, 0, 1],
            [0, 0, 0, 1],
            [0, 0, 0, 0],
        ]
        games.step(ben if own == dan else dan)
    seen = games.observe("player_0")["observation"]
    assert seen["in"].tolist() == [1, 1, 1, 0]
    assert seen["left"].tolist() == [0, 0, 0, 1]
    assert seen["own_votes"].tolist() == [0, 0, 0, 1]
    assert seen["votes"].tolist() == [0, 1, 0, 3]
    assert seen["round"].tolist() == [2]
    for _ in range(3):
        own = agents.index(games.agent_selection)
        games.step(ada if own != ada else ben)
    final = games.last()[0]
    # Ben and Cleo are left: the jury, Ada and Dan, chooses.
    assert final["observation"]["final"].tolist() == [1]
    assert final["action_mask"].tolist() == [0, 1, 1, 0, 0, 0, 0]
    games.step(ben)
    games.step(ben)
    assert games.rewards == {"player_0": 1, "player_1": 3, "player_2": 2, "player_3": 0}
    assert games.action_meanings("player_0")[nobody:] == ("nobody", "accept", "decline")


def test_partners_are_ranked_one_an_action_until_nobody() -> None:
    games = ArenaEnv(
        "deliberations",
        players="policy,scripted:loyal,scripted:loyal,scripted:loyal",
        phases=["sidebars", "pitches", "votes"],
        pairing="ranking",
    )
    games.reset(seed=1)
    asked = games.last()
    assert asked[4]["kind"] == "partners"
    assert asked[0]["action_mask"].tolist() == [0, 1, 1, 1, 1, 0, 0]
    games.step(2)
    seen = games.last()[0]
    assert seen["observation"]["ranked"].tolist() == [0, 0, 1, 0]
    assert seen["action_mask"].tolist() == [0, 1, 0, 1, 1, 0, 0]
    games.step(4)
    assert games.last()[4]["kind"] == "vote"
    ranks = [event for event in games.history.events if event.content.startswith("ranks")]
    assert [event.content for event in ranks if event.player_id == "Ada"] == ["ranks Cleo"]
    assert games.last()[0]["observation"]["talks"].sum() <= 1


def test_who_is_picked_is_asked_to_accept() -> None:
    games = ArenaEnv("deliberations", players=3, phases=["sidebars", "pitches", "votes"], decline=1)
    games.reset(seed=1)
    while games.last()[4]["kind"] == "partner":
        games.step(int(np.flatnonzero(games.last()[0]["action_mask"])[0]))
    seen = games.last()
    assert seen[4]["kind"] == "consent"
    accept, decline = 4, 5
    assert np.flatnonzero(seen[0]["action_mask"]).tolist() == [accept, decline]
    agent = games.agent_selection
    games.step(accept)
    assert games.observe(agent)["observation"]["talks"].sum() == 1


def test_a_talk_is_words_or_a_whole_answer() -> None:
    games = ArenaEnv("talks", players=2, max_iterations=2, turns="round_robin")
    games.reset(seed=1)
    seen, _, _, _, info = games.last()
    assert info["question"] in seen["text"]
    games.step("Bread is old.")
    games.step(json.dumps({"reply": "Bread is new.", "position": "New it is.", "aspect_1": "age"}))
    first, second = (event for event in games.history.events if event.kind == "utterance")
    assert (first.content, second.content) == ("Bread is old.", "Bread is new.")
    assert second.data["position"] == "New it is."
    assert games.rewards["player_0"] == games.rewards["player_1"]


def test_an_action_that_the_mask_forbids_is_a_fault_and_one_that_is_none_changes_nothing() -> None:
    games = ArenaEnv("deliberations", players=3)
    games.reset(seed=1)
    own = int(games.agent_selection[-1])
    for wrong in (7, -1, 0.5, "Ben", None):
        with pytest.raises(ValueError, match=r"expected an action of .* from 0 to 5: got"):
            games.step(wrong)
    before = games.agent_selection
    games.step(own)
    assert games.agent_selection != before
    while not any(games.terminations.values()):
        games.step(int(np.flatnonzero(games.last()[0]["action_mask"])[0]))
    assert games.history.usage[games.names[before]].fallbacks == 1
    faults = [event.content for event in games.history.events if event.kind == "fault"]
    assert len(faults) == 1
    assert "expected vote to be one of" in faults[0]


def test_seeds_and_what_follows_from_them() -> None:
    def seeds(games: ArenaEnv, *first: int) -> list[int]:
        drawn = []
        for seed in (*first, None, None):
            games.reset(seed=seed)
            drawn.append(games.history.seed)
        return drawn

    games = ArenaEnv("dilemma")
    begun = seeds(games, 7)
    assert begun[0] == 7
    assert len({*begun}) == 3
    assert seeds(games, 7) == begun == seeds(ArenaEnv("dilemma", seed=7))[:2] + begun[2:]
    assert seeds(ArenaEnv("dilemma")) != seeds(ArenaEnv("dilemma"))
    with pytest.raises(ValueError, match="expected a seed from"):
        games.reset(seed=10**19)


def test_policies_are_told_what_their_players_see_and_no_more() -> None:
    games = ArenaEnv(
        "deliberations", players=4, says="scripted:loyal", phases=["sidebars", "pitches", "votes"]
    )
    told: dict[str, list[str]] = {agent: [] for agent in games.possible_agents}
    games.reset(seed=2)
    infos: dict[str, Any] = {}
    while games.agents:
        for agent, info in games.infos.items():
            if infos.get(agent) is not info:
                infos[agent] = info
                told[agent] += info.get("events", ())
        agent = games.agent_selection
        if games.terminations[agent]:
            games.step(None)
        else:
            games.step(int(np.flatnonzero(games.last()[0]["action_mask"])[0]))
    for agent, name in games.names.items():
        seen = [
            f"{event.player_id or 'narrator'}: {' '.join(event.content.split())}"
            for event in games.history.events
            if name in event.visibility
        ]
        assert told[agent] == seen
    pitches = [event for event in games.history.events if event.kind == "pitch"]
    assert {attempt.seconds for event in pitches for attempt in event.attempts} == {0}


def infos_of(games: ArenaEnv) -> list[dict[str, Any]]:
    """Return the selected agents' infos in a game in which each plays its first legal action."""
    games.reset(seed=3)
    infos: list[dict[str, Any]] = []
    while games.agents and not games.terminations[games.agent_selection]:
        seen, *_, info = games.last()
        if not infos or infos[-1] is not info:
            infos.append(info)
        games.step(int(seen["action_mask"].argmax()) if "action_mask" in seen else "So it is.")
    return infos


LOGGED: dict[str, dict[str, Any]] = {
    "dilemma": {"quiz": True},
    "conversation": {"voice": True, "length": 4, "says": "It is so."},
    "deliberations": {
        "debrief": True,
        "phases": ["sidebars", "pitches", "votes"],
        "says": "It is so.",
    },
    "guest": {"max_steps": 9, "players": "policy,scripted:leader"},
    "talks": {"players": 2, "max_iterations": 2},
}


# The kinds of events that only a log has.
HIDDEN = {"deliberations": {"flag"}, "talks": {"setup", "selection", "check"}}


@pytest.mark.parametrize("game", LOGGED)
def test_a_log_is_replayed_and_checked_and_plays_as_without_one(game: str, tmp_path: Path) -> None:
    logged = ArenaEnv(game, logs_dir=tmp_path, **LOGGED[game])
    bare = ArenaEnv(game, **LOGGED[game])
    assert play(logged, seed=4) == play(bare, seed=4)
    (path,) = tmp_path.glob("*")
    log: History = history_from_json(path.read_text(encoding="utf-8"))
    Replay(log).run()
    assert broken_rules(log) == {}
    # No policy answers a quiz or a debriefing.
    faults = [event for event in log.events if event.kind == "fault"]
    assert bool(faults) == (game in {"dilemma", "deliberations"})
    hidden = HIDDEN.get(game, set())
    assert hidden <= {event.kind for event in log.events}
    told = [event.content for event in bare.history.events]
    assert told == [event.content for event in log.events if event.kind not in hidden]
    if game != "guest":
        assert bare.history.outcome == log.outcome


@pytest.mark.parametrize("game", LOGGED)
def test_a_question_is_worded_when_it_is_read_as_in_the_log(game: str, tmp_path: Path) -> None:
    terms = LOGGED[game]
    logged = ArenaEnv(game, logs_dir=tmp_path, **terms)
    kinds = {kind for encoder in logged.encoders.values() for kind in encoder.kinds}
    asked = [info["question"] for info in infos_of(logged)]
    answered = [event for event in logged.history.events if event.kind in kinds and event.prompt]
    assert {event.prompt.question for event in answered if event.prompt} <= {*asked}
    # Read after the game, they are still the questions of their time.
    assert [info["question"] for info in infos_of(ArenaEnv(game, **terms))] == asked


def test_the_transcript_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    play(env("deliberations", render_mode="human"), seed=1)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("1  narrator: Round 1 of 3. In the game: Ada, Ben, Cleo, Dan.")
    text = env("deliberations", render_mode="ansi")
    play(text, seed=1)
    assert text.render().splitlines() == shown


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"players": "scripted:grudger,scripted:grudger"}, "a seat that a policy plays"),
        ({"players": 1}, "at least two players"),
        ({"players": "policy,scripted:nobody"}, "strategy of dilemma"),
        ({"says": "scripted:nobody"}, "strategy of dilemma"),
        ({"render_mode": "3d"}, "render mode"),
        ({"seed": 10**19}, "expected a seed from"),
        ({"gamelength": 3}, "gamelength"),
    ],
)
def test_what_cannot_be_is_refused_at_once(terms: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ArenaEnv(**terms)
