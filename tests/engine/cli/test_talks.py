"""`talks.py` as people use it, and the design's Python example as it is written."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import example
import talks
from engine.cli.talks.stage import Stage
from engine.engine import GameEngine
from engine.games.talks.archetypes import Move
from engine.games.talks.state import plain_data
from engine.rng import stream
from engine.runs.talks.orchestrator import (
    MultiAgentDiscussionOrchestrator,
    ParticipantAgent,
    SimpleOrchestrator,
)
from engine.runs.talks.store import SqliteStore, exchanges_key, participant_key, state_key
from engine.views.foot import Foot
from engine.views.screen import Screen
from player import LLMPlayer, PlayerConfig, ScriptedPlayer
from talks import DialogueMove, MultiAgentGameTheory
from tests.support.asked import client_of
from tests.support.fake_api import FakeApi
from tests.support.histories import only_history
from tests.support.paths import ROOT
from tests.support.programs import run_python
from tests.support.tables import config_for, with_first
from tests.support.terminal import Capture, assert_refused

CONFIGS = ROOT / "configs"
TALKS = ("simple", "academic_panel", "ai_ethics_panel", "duel", "devils_advocate")
SOURCE = """
import asyncio
from talks import MultiAgentDiscussionOrchestrator

async def main():
    config = [
        {"name": "Sophia", "gender": "female", "personality": "collaborative", \
"expertise": "ethics"},
        {"name": "Marcus", "gender": "male", "personality": "skeptical", "expertise": "logic"}
    ]

    orchestrator = MultiAgentDiscussionOrchestrator(
        topic="What is consciousness?",
        target_depth=3,
        participants_config=config
    )

    exchanges = await orchestrator.run_discussion()

    for exchange in exchanges:
        print(f"{exchange['speaker']}: {exchange['content']}")

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.chdir(tmp_path)


def said(capsys: Capture, *words: str) -> list[str]:
    assert talks.main([*words, "--offline"]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_talk_is_shown_as_the_design_shows_it(capsys: Capture, tmp_path: Path) -> None:
    lines = said(capsys, "What is love?", "--depth", "1", "--seed", "7")
    assert lines[:4] == [
        "🎭 Talks: Multi-Agent Discussion System",
        "Topic: What is love?",
        "Depth: 1 (Surface)",
        "Participants: 2",
    ]
    history = only_history(tmp_path / "logs")
    utterances = [event for event in history.events if event.kind == "utterance"]
    people = {"Sophia": "collaborative", "Marcus": "skeptical"}
    for turn, event in enumerate(utterances, 1):
        at = lines.index(f"--- Turn {turn}: {event.player_id} ({people[str(event.player_id)]}) ---")
        target = f" → {event.data['target']}" if event.data["target"] else ""
        assert lines[at + 1] == f"Move: {event.data['move']}{target}"
        assert lines[at + 2].split() == event.content.split()[: len(lines[at + 2].split())]
    (stop,) = [event for event in history.events if event.kind == "stop"]
    assert f"✅ Discussion Complete: {stop.data['sentence']}" in lines
    (summary,) = [line for line in lines if line.startswith("📊 Summary: ")]
    assert summary.startswith(f"📊 Summary: {len(utterances)} exchanges, ")
    assert f"  uv run logs.py --filename {history.game_id} --charts" in lines
    assert any("Quality Score" in line for line in lines)


def test_the_same_seed_holds_the_same_talk(capsys: Capture) -> None:
    def told(seed: str) -> list[str]:
        lines = said(capsys, "--topic", "Ethics of AI", "--participants", "5", "--seed", seed)
        return [line for line in lines if "gameplay" not in line]

    assert told("3") == told("3")
    assert told("3") != told("4")


@pytest.mark.parametrize("config", TALKS)
def test_every_config_of_the_design_is_held(config: str, capsys: Capture) -> None:
    words = ("--config", str(CONFIGS / f"{config}.yaml"), "--seed", "1")
    assert said(capsys, *words)[3] == f"Participants: {2 if config in ('simple', 'duel') else 4}"
    assert example.main([*words, "--offline"]) == 0
    assert "Discussion Complete" in " ".join(capsys.readouterr().out.split())


def test_options_go_before_the_config(capsys: Capture) -> None:
    panel = str(CONFIGS / "ai_ethics_panel.yaml")
    words = ("--topic", "What is law?", "--depth", "2", "--participants", "3", "--config", panel)
    lines = said(capsys, *words)
    assert lines[1:4] == ["Topic: What is law?", "Depth: 2 (Principles)", "Participants: 3"]
    assert not any("James" in line for line in lines)


def test_a_config_may_leave_the_topic_to_the_command_line(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "deep.yaml").write_text("depth: 1\nmax_iterations: 2\n")
    lines = said(capsys, "What is love?", "--config", "deep.yaml")
    assert lines[1:3] == ["Topic: What is love?", "Depth: 1 (Surface)"]
    assert sum(line.startswith("--- Turn") for line in lines) == 2


def test_a_topic_may_look_like_yaml(capsys: Capture) -> None:
    lines = said(capsys, "--topic", "AI: friend or foe?", "--depth", "1")
    assert lines[1] == "Topic: AI: friend or foe?"
    assert said(capsys, "1984", "--depth", "surface")[1] == "Topic: 1984"


def test_explain_shows_every_number(capsys: Capture) -> None:
    lines = said(capsys, "What is love?", "--depth", "1", "--explain")
    turns = sum(line.startswith("--- Turn") for line in lines)
    ends = ("Novelty exhausted", "Want to conclude", "High convergence")
    for fact in ("player  urgency", *Move, *ends):
        assert sum(line.startswith(fact) for line in lines) == turns


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "expected a topic, such as uv run talks.py"),
        (["x", "--topic", "y"], "expected one topic: got 'x' and --topic 'y'"),
        (["x", "--depth", "surfce"], "unknown depth 'surfce': did you mean 'surface'?"),
        (["x", "--depht", "3"], "unknown option '--depht': did you mean '--depth'?"),
        (
            ["x", "--players", "scripted:frsh,scripted:fresh"],
            "unknown strategy of talks 'frsh': did you mean 'fresh'?",
        ),
        (["x", "--players", "human"], "expected 2 to 12 participants: got 1"),
        (["--config", "none.yaml"], "there is no none.yaml"),
        (["--config", "topik.yaml"], "unknown setting 'topik': did you mean 'topic'?"),
        (
            ["--config", "archetype.yaml"],
            "unknown personality 'sceptical': did you mean 'skeptical'?",
        ),
        (["--config", "other.yaml"], "is one for uv run example.py --config"),
        (["--config", "pair.yaml", "--participants", "3"], "expected --participants to be 2 to 2"),
        (
            ["x", "--participants", "some"],
            "expected the number of participants, or a list that describes each: got 'some'",
        ),
        (
            ["--config", "inner.yaml"],
            "unknown setting 'game.termination.min_novelt': did you mean 'min_novelty'?",
        ),
        (
            ["--config", "bound.yaml"],
            "game.termination.min_novelty: input should be less than or equal to 1: got 3",
        ),
        (["x", "--config", "empty.yaml"], "got nothing"),
        (
            ["--config", "long.yaml"],
            "expected participants with different names in their first 40 characters",
        ),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(
    words: list[str], sentence: str, capsys: Capture, tmp_path: Path
) -> None:
    ann = {"name": "Ann", "gender": "female", "personality": "creative"}
    ben = {"name": "Ben", "gender": "male", "personality": "cautious"}
    written: dict[str, Any] = {
        "topik": {"topik": "x", "participants": [ann, ben]},
        "archetype": {"topic": "x", "participants": [ann | {"personality": "sceptical"}, ben]},
        "other": {"game": {"name": "conversation"}},
        "pair": {"topic": "x", "participants": [ann, ben]},
        "inner": {"topic": "x", "termination": {"min_novelt": 0.3}},
        "bound": {"topic": "x", "termination": {"min_novelty": 3}},
        "empty": None,
        "long": {
            "topic": "x",
            "participants": [ann | {"name": "A" * 50 + "1"}, ben | {"name": "A" * 50 + "2"}],
        },
    }
    for name, config in written.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps(config))
    assert talks.main([*words, *["--offline"] * ("--players" not in words)]) == 2
    assert_refused(capsys, sentence, "talks.py")


def test_help_teaches_by_example(capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="0"):
        talks.main(["--help"])
    shown = capsys.readouterr().out
    assert 'uv run talks.py "What is love?" --depth 1' in shown
    assert "--explain" in shown


def test_a_redis_that_is_down_is_told_before_anybody_speaks(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redis")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert talks.main(["What is love?", "--offline"]) == 1
    captured = capsys.readouterr()
    assert "redis-server" in captured.err
    assert "Turn 1" not in captured.out


async def test_a_session_can_be_read_by_its_keys(tmp_path: Path) -> None:
    orchestrator = MultiAgentDiscussionOrchestrator(
        "What is love?", 1, offline=True, seed=2, logs_dir=tmp_path
    )
    exchanges = await orchestrator.run_discussion()
    session = orchestrator.history.game_id
    store = SqliteStore(tmp_path / "sessions.sqlite")
    state = await store.get(state_key(session))
    assert state == json.loads(json.dumps(plain_data(orchestrator.group_state)))
    assert await store.get(participant_key(session, "sophia")) == state["participants"]["sophia"]
    kept = await store.get(exchanges_key(session))
    assert kept is not None
    assert [one["content"] for one in kept] == [one["content"] for one in exchanges]
    await store.close()


def test_the_designs_python_example_runs_as_written(tmp_path: Path) -> None:
    """Only who answers is changed, from outside: no model is loaded in a test."""
    patch = "import engine.runs.seating as s; s.KEYED = (); real = s.default_players\n"
    patch += "s.default_players = lambda *a, **k: real(*a, **(k | {'offline': True}))\n"
    lines = run_python("-c", patch + SOURCE, timeout=120).stdout.splitlines()
    assert 9 <= len(lines) <= 12
    assert {line.partition(":")[0] for line in lines} == {"Sophia", "Marcus"}


async def test_the_simple_orchestrator_takes_turns() -> None:
    exchanges = await SimpleOrchestrator("What is consciousness?", 2, offline=True).run_discussion()
    assert 6 <= len(exchanges) <= 8
    speakers = [one["speaker"] for one in exchanges]
    assert speakers == (["Sophia", "Marcus"] * 4)[: len(speakers)]


async def test_an_agent_speaks_and_learns() -> None:
    held = MultiAgentDiscussionOrchestrator("What is love?", 1, offline=True, seed=2)
    await held.run_discussion()
    group = held.group_state
    sophia = group.get_participant("sophia")
    config = PlayerConfig(player_id="Sophia", provider="scripted", model="fresh")
    player = ScriptedPlayer(config, held.game.strategies["fresh"], stream(0, "test"))
    agent = ParticipantAgent(sophia, player)
    move = DialogueMove(Move.SUPPORT, "marcus", 0.5)
    text = await agent.generate_response("What is love?", group, move)
    assert "Marcus" in text
    assert agent.state.speaking_turns == sophia.speaking_turns + 1
    warmer = min(1.0, sophia.relationships["marcus"] + 0.4)
    assert agent.state.relationships["marcus"] == pytest.approx(warmer)
    assert agent.state.words_spoken == sophia.words_spoken + len(text.split())
    assert group.get_participant("sophia") is sophia
    by_name = ParticipantAgent(sophia, agent.player)
    await by_name.generate_response("What is love?", group, DialogueMove("SUPPORT", "marcus", 0.5))  # type: ignore[arg-type]
    assert by_name.state.agreements_made == (*sophia.agreements_made, "marcus")
    sentence = "expected a participant, one of sophia, marcus: got 'plato'"
    with pytest.raises(ValueError, match=sentence):
        await agent.generate_response("What is love?", group, DialogueMove(Move.SUPPORT, "plato"))


async def test_an_agent_on_a_model_reads_the_whole_talk() -> None:
    held = MultiAgentDiscussionOrchestrator("What is love?", 1, offline=True, seed=2)
    exchanges = await held.run_discussion()
    group = held.group_state
    async with FakeApi() as api:
        config = PlayerConfig(player_id="Sophia", provider="compatible", model="m")
        async with client_of("compatible", base_url=f"{api.url}/v1") as client:
            sophia = group.get_participant("sophia")
            agent = ParticipantAgent(sophia, LLMPlayer(config, client), held.game)
            move = MultiAgentGameTheory().recommend_move_and_target("sophia", group)
            assert await agent.generate_response("What is love?", group, move) == "some reply"
    (asked,) = api.requests
    prompt = json.dumps(asked.body["messages"], ensure_ascii=False)
    assert "You are Sophia, a collaborative thinker" in prompt
    assert "Marcus (he/him, skeptical, logic)" in prompt
    assert all(json.dumps(one["content"], ensure_ascii=False)[1:-1] in prompt for one in exchanges)


async def test_a_discussion_that_cannot_be_held_says_why() -> None:
    angry = [{"name": "A", "gender": "male", "personality": "angry"}]
    with pytest.raises(ValueError, match="unknown personality"):
        MultiAgentDiscussionOrchestrator("x", 1, angry)
    for wrong, sentence in (
        ({"participants_config": []}, "expected 2 to 12 participants: got 0; "),
        ({"max_iteration": 3}, "unknown setting 'max_iteration': did you mean 'max_iterations'?"),
        ({"target_depth": 0}, "expected a depth from 1 to 5, such as 1: got 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(sentence)) as found:
            MultiAgentDiscussionOrchestrator("x", offline=True, **wrong)
        assert "\n" not in str(found.value)
    held = MultiAgentDiscussionOrchestrator("x", 1, offline=True)
    held.engine.interrupt()
    with pytest.raises(RuntimeError, match="the discussion ended early: it was interrupted"):
        await held.run_discussion()


def test_the_screen_says_which_prompts_each_model_reads(capsys: Capture) -> None:
    seats = "Ann=compatible:m,Ben=compatible:m,Cleo=scripted:fresh"
    config = with_first(config_for("talks", seats, at="http://127.0.0.1:9"), small=True)
    screen = Screen()
    Stage(Foot(screen), screen, GameEngine(config), explaining=False).show_opening()
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Prompts ")]
    assert told == ["Prompts for small models: Ann", "Prompts in full: Ben"]
