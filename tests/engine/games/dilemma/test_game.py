"""The dilemma as a game: the monitor's tournament, in which models see what agents see."""

import asyncio
import json
from collections.abc import Callable
from functools import cache
from math import isnan
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.engine import GameEngine
from engine.games.dilemma.game import DilemmaGame
from engine.games.dilemma.monitor import AGENTS, monitor
from engine.games.dilemma.quiz import questions
from engine.games.dilemma.referee.live_match import start_match
from engine.games.dilemma.report import quiz_table, report, tournament_charts
from engine.games.dilemma.results import (
    cooperation_rates,
    mean_payoffs,
    pair_cooperation,
    payoff_matrix,
)
from engine.games.dilemma.tournament import DilemmaTournament
from engine.history import History
from engine.report.charts import Lines
from engine.views.perspective import history_in
from engine.views.plots import save_chart
from tests.oracles.judge import broken_rules
from tests.support.fake_api import FakeApi, Reply, legal
from tests.support.histories import of_kind
from tests.support.narrowing import instance, not_none
from tests.support.planted.log import events, first, tampered, verdict
from tests.support.tables import config_for, play_with_models, run_game


def play(names: list[str], seed: int = 0, **more: Any) -> tuple[History, DilemmaTournament]:
    players = ",".join(f"{name}{seat}=scripted:{name}" for seat, name in enumerate(names))
    engine = GameEngine(config_for("dilemma", players, seed=seed, settings=more))
    return engine.run(), engine.state


async def play_one_model(
    opponents: str, reply: Reply = legal, seed: int = 0, **more: Any
) -> tuple[History, list[dict[str, Any]]]:
    """Return a game of Ada, a model, against scripts, and the requests to the model."""
    seats = f"Ada=compatible:model,{opponents}"
    history, api = await play_with_models("dilemma", seats, reply, seed=seed, settings=more)
    return history, [request.body for request in api.requests]


def questions_in(requests: list[dict[str, Any]]) -> list[str]:
    return [request["messages"][1]["content"] for request in requests]


def all_c(body: dict[str, Any]) -> str:
    return json.dumps({"rationale": "", "first": "C", "second": "C", "third": "C"})


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(sorted(AGENTS)), min_size=2, max_size=4),
    st.integers(0, 99),
    st.fixed_dictionaries(
        {},
        optional={
            "block": st.sampled_from([1, 3]),
            "flip_params": st.sampled_from([(0, 0), (0.2, 0), (1, 0.02)]),
            "unit": st.sampled_from(["turns", "moves"]),
            "max_rounds": st.integers(1, 3),
            "game_length": st.tuples(st.integers(1, 4), st.integers(4, 8)),
        },
    ),
)
@example(sorted(AGENTS), 11, {"game_length": (4, 6), "flip_params": (0.1, 0), "max_rounds": 1})
def test_the_arena_and_the_monitor_play_the_same_tournament(
    names: list[str], seed: int, more: dict[str, Any]
) -> None:
    """Every move, flip and score is the same, and so are the winners."""
    history, state = play(names, seed, **more)
    entries = {f"{name}{seat}": AGENTS[name] for seat, name in enumerate(names)}
    terms: dict[str, Any] = {"flip_params": (0.25, 0.1), "game_length": (2, 4)} | more
    result = monitor(agents=entries, seed=seed, **terms)
    winners = {name for name, place in not_none(history.outcome).placements.items() if place == 1}
    assert (state, winners) == (result, {*result.winners})


def test_the_log_has_every_game_and_the_standings() -> None:
    """Blocks of three, two turns, no flips: as scored by hand in the monitor's test."""
    history, _ = play(
        ["defector", "cooperator", "tit_for_tat"], flip_params=(0, 0), game_length=(2, 2)
    )
    assert [[event.kind for event in log.events] for log in history.rounds] == [
        ["narration", "match", "match", "match", "standing"],
        ["narration", "match", "standing"],
    ]
    duel, standing = history.rounds[0].events[2], history.rounds[0].events[4]
    assert duel.data["moves"] == {"defector0": "DDDDDD", "tit_for_tat2": "CCCDDD"}
    assert duel.data["points"] == {"defector0": 18, "tit_for_tat2": 3}
    assert duel.visibility == ()
    assert standing.content == (
        "Games of 6 moves: defector0 48, tit_for_tat2 21, cooperator1 18; "
        "cooperator1 dropped with the lowest score, 18."
    )
    assert [log.eliminated_player_ids for log in history.rounds] == [(), ("cooperator1",)]
    assert history.rounds[1].final_round
    outcome = not_none(history.outcome)
    assert outcome.placements == {"defector0": 1, "tit_for_tat2": 2, "cooperator1": 3}
    assert outcome.scores == {"defector0": 18, "tit_for_tat2": 3, "cooperator1": 18}
    # Tit for tat: C in 6 + 3 + 3 of 18 moves, 18 + 3 + 3 points.
    assert outcome.figures["tit_for_tat2"] == {
        "cooperation": 0.667,
        "points a move": 1.333,
        "round 1": 21,
        "round 2": 3,
    }
    assert outcome.shared == {"rounds": 2, "games": 4, "moves": 24, "flips": 0, "cooperation": 0.5}
    assert outcome.summary == "defector0 wins with 18 points in the last of 2 rounds."


def test_a_joint_win() -> None:
    history, _ = play(["grudger", "tit_for_tat"], flip_params=(0, 0))
    outcome = not_none(history.outcome)
    assert set(outcome.placements.values()) == {1}
    assert outcome.summary.startswith("grudger0 and tit_for_tat1 win jointly with ")
    assert outcome.summary.endswith(" points in the only round.")


async def test_a_model_reads_history_points_and_payoffs_and_no_name_of_its_opponent() -> None:
    """The model plays C D C whatever comes, against tit for tat: C C C, then C C C, the last move
    it saw."""

    def reply(body: dict[str, Any]) -> str:
        return json.dumps({"rationale": "I try", "first": "C", "second": "D", "third": "C"})

    history, requests = await play_one_model(
        "Ben=scripted:tit_for_tat", reply, flip_params=(0, 0), game_length=(2, 2), max_rounds=1
    )
    texts = questions_in(requests)
    assert len(texts) == 2
    assert "A new game begins. No move has been played." in texts[0]
    assert "This game so far: 3 moves, oldest first." in texts[1]
    assert '{"history": "CC DC CC", "your_points": 11, "opponent_points": 6}' in texts[1]
    system = requests[0]["messages"][0]["content"]
    assert "you D, opponent C: 5 for you, 0 for the opponent" in system
    assert "by chance" not in system
    # All read who is in; nobody is told which of them it plays.
    assert [text.count("Ben") for text in [system, *texts]] == [0, 1, 1]
    assert all("In the game: Ada, Ben." in text for text in texts)
    schema = requests[0]["response_format"]["json_schema"]["schema"]["properties"]
    assert list(schema) == ["rationale", "first", "second", "third"]
    assert [schema[name]["enum"] for name in ("first", "second", "third")] == [["C", "D"]] * 3
    blocks = of_kind(history, "block")
    assert [event.content for event in blocks] == ["plays C D C against Ben: I try"] * 2
    assert blocks[1].data == {
        "opponent": "Ben",
        "move": 3,
        "answer": "CDC",
        "played": "CDC",
        "rationale": "I try",
    }
    assert (
        history.events[-1].content
        == "Games of 6 moves: Ada 22, Ben 12; Ben dropped with the lowest score, 12."
    )


async def test_models_are_asked_about_the_rules_before_they_play() -> None:
    """Eight questions: the points of four pairs of moves, a score, what is seen when, flips, who
    leaves; no script."""
    right = {
        "play C and your opponent plays C": "3",
        "play C and your opponent plays D": "0",
        "play D and your opponent plays C": "5",
        "play D and your opponent plays D": "1",
        "your opponent D, C, C": "10 and 5",
        "When do you see": "never",
        "it is flipped": "D",
        "Which players leave": "all with the lowest sum",
    }

    def reply(body: dict[str, Any]) -> str:
        asked = body["messages"][1]["content"]
        answer = next((answer for part, answer in right.items() if part in asked), None)
        if answer is None:
            return all_c(body)
        return json.dumps({"rationale": "as told", "answer": answer})

    opponents = "Ben=scripted:cooperator,Cleo=scripted:grudger"
    terms: dict[str, Any] = {"quiz": True, "game_length": (1, 1), "max_rounds": 2}
    history, requests = await play_one_model(opponents, reply, **terms)
    asked = of_kind(history, "quiz")
    assert len(asked) == 8
    assert {event.player_id for event in asked} == {"Ada"}
    assert {event.visibility for event in asked} == {()}
    assert [
        event.data["question"] for event in asked if event.data["answer"] != event.data["right"]
    ] == ["You choose three moves. When do you see what your opponent chose?"]
    figures = not_none(history.outcome).figures
    assert figures["Ada"]["quiz"] == 7
    assert "quiz" not in figures["Ben"]
    assert next(report(history)).rows == (("Ada", "7 of 8"),)
    assert quiz_table(history_in(history, "Ada")).rows == ()
    moves = [text for text in questions_in(requests) if "do you play next" in text]
    assert len(moves) >= 2
    assert not any("do you know the rules" in text for text in moves)


def test_questions_are_those_of_the_terms() -> None:
    assert len(questions(3, flips=True)) == 8
    assert len(questions(1, flips=True)) == 7
    assert len(questions(1, flips=False)) == 6
    assert all(question.right in question.options for question in questions(3, flips=True))


@pytest.mark.parametrize("told", [True, False])
async def test_standings_are_told_between_rounds_or_not_at_all(told: bool) -> None:
    terms: dict[str, Any] = {"game_length": (2, 2), "flip_params": (0, 0), "tell_standings": told}
    _, requests = await play_one_model("Ben=scripted:defector,Cleo=scripted:cooperator", **terms)
    prompts = questions_in(requests)
    assert not any("Games of 6 moves" in text for text in prompts[:4])
    assert all(("Games of 6 moves" in text) == told for text in prompts[4:])


async def test_a_model_that_answers_nonsense_plays_ddd_and_has_a_fault() -> None:
    terms: dict[str, Any] = {"game_length": (2, 2), "flip_params": (0, 0), "max_rounds": 1}
    history, _ = await play_one_model("Ben=scripted:cooperator", lambda body: "no idea", **terms)
    figures = not_none(history.outcome).figures
    assert (figures["Ada"]["faults"], figures["Ben"]["faults"]) == (2, 0)
    match = of_kind(history, "match")[0]
    assert match.data["moves"] == {"Ada": "DDDDDD", "Ben": "CCCCCC"}
    assert match.data["faults"] == {"Ada": 2, "Ben": 0}
    assert [event.fell_back for event in of_kind(history, "block")] == [True, True]


async def test_flips_of_a_models_moves_are_told_in_the_log() -> None:
    terms: dict[str, Any] = {"game_length": (1, 1), "flip_params": (1, 0.5), "max_rounds": 1}
    history, _ = await play_one_model("Ben=scripted:defector", **terms)
    assert of_kind(history, "block")[0].content.startswith("plays C C C against Ben, flipped to D ")
    match = of_kind(history, "match")[0]
    assert match.data["flips"]["Ada"][0] == 0
    assert 2 not in match.data["flips"]["Ada"]


async def test_all_games_of_a_round_are_played_at_once() -> None:
    """Three models, three games of two turns: each turn's six questions wait together, so two waits
    are enough."""
    async with FakeApi(reply=all_c, delay=0.2) as api:
        settings = {"game_length": (2, 2), "flip_params": (0, 0)}
        seats = "compatible:a,compatible:b,compatible:c"
        engine = GameEngine(config_for("dilemma", seats, at=api.url, settings=settings))
        await engine.play()
    assert len(api.requests) == 12
    assert engine.state.winners == ("Ada", "Ben", "Cleo")


@pytest.mark.parametrize(
    "settings",
    [
        {"flip_params": (2, 0)},
        {"flip_params": (0.5, -0.1)},
        {"game_length": (4, 2)},
        {"game_length": (0, 2)},
        {"max_rounds": 0},
        {"block": 2},
        {"unit": "hours"},
    ],
)
def test_settings_that_cannot_be_played_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DilemmaGame.model_validate(settings)


def test_two_numbers_may_come_as_a_command_line_has_them() -> None:
    game = DilemmaGame.model_validate({"flip_params": ".25,.1", "game_length": "10, 50"})
    assert (game.flip_params, game.game_length) == ((0.25, 0.1), (10, 50))
    with pytest.raises(ValidationError, match="1 <= low <= high"):
        DilemmaGame.model_validate({"game_length": "5,2"})


def test_one_player_is_no_tournament() -> None:
    with pytest.raises(ValueError, match="expected at least two players: got 1"):
        DilemmaGame().start(["Ada"], Random(0))


def test_a_live_match_is_cut_where_its_length_says() -> None:
    live = start_match(("a", "b"), 4, 3, (0, 0), 5)
    for _ in range(2):
        assert not live.over
        live = live.after(("CDD", "DCC"))
    assert live.over
    assert live.observe(1).history[0] == ("D", "C")
    assert live.to_match().moves == [("C", "D"), ("D", "C"), ("D", "C"), ("C", "D")]
    assert live.to_match().score == (10, 10)


def test_figures_of_a_round_by_hand() -> None:
    """Six moves: defector 18 of tit for tat, 30 of cooperator; tit for tat 3 and 18; it plays C C C
    D D D and six C."""
    agents = ["defector", "cooperator", "tit_for_tat"]
    games = monitor((0, 0), (2, 2), agents, max_rounds=1).rounds[0].games
    assert cooperation_rates(games) == {"defector": 0, "cooperator": 1, "tit_for_tat": 0.75}
    assert pair_cooperation(games)["tit_for_tat", "defector"] == 0.5
    assert pair_cooperation(games)["tit_for_tat", "cooperator"] == 1
    assert payoff_matrix(games)["defector", "tit_for_tat"] == 3
    assert payoff_matrix(games)["tit_for_tat", "defector"] == 0.5
    assert mean_payoffs(games) == {"defector": 4, "cooperator": 1.5, "tit_for_tat": 1.75}


@cache
def fair() -> str:
    opponents = "Ben=scripted:bully,Cleo=scripted:tit_for_tat"
    terms: dict[str, Any] = {"flip_params": (0.5, 0.05), "game_length": (3, 3)}
    history, _ = asyncio.run(play_one_model(opponents, seed=2, **terms))
    return history.to_json()


def broken_by(log: Any, kind: str, change: Callable[[Any], object]) -> list[str]:
    """Return the rules that a log breaks once the facts of its first event of `kind` are
    changed."""
    change(first(log, kind)["data"])
    broken = [*broken_rules(tampered(log))]
    assert (verdict(log) == "") is (broken == [])
    return broken


@pytest.mark.parametrize(
    ("kind", "change", "broken"),
    [
        ("match", lambda data: None, []),
        ("match", lambda data: data["points"].update(Ada=99), ["points", "eliminations"]),
        ("match", lambda data: data["moves"].update(Ada="DDDDDDDDD"), ["points", "answers"]),
        (
            "match",
            lambda data: data["moves"].update(Ada="CCC", Ben="CCC"),
            ["points", "pairings", "answers"],
        ),
        ("match", lambda data: data["flips"].update(Ada=[8]), ["answers"]),
        ("standing", lambda data: data["table"].update(Ada=0), ["eliminations"]),
        ("standing", lambda data: data["dropped"].clear(), ["eliminations"]),
        ("block", lambda data: data.update(answer="DDD"), ["answers"]),
    ],
)
def test_a_log_that_was_tampered_with_breaks_a_rule(
    kind: str, change: Callable[[Any], object], broken: list[str]
) -> None:
    assert broken_by(json.loads(fair()), kind, change) == broken


def test_a_forged_heading_is_caught_by_the_check() -> None:
    log = json.loads(fair())
    first(log, "match")["heading"] = "Ada and Zoe"
    assert verdict(log)


def test_a_block_of_nobody_breaks_a_rule() -> None:
    log = json.loads(fair())
    for event in events(log, "block"):
        event["player_id"] = None
    assert broken_by(log, "block", lambda data: None) == ["answers", "usage"]


def test_the_log_ends_with_rounds_and_who_got_what_from_whom(tmp_path: Path) -> None:
    """Blocks of three, two turns, no flips: D takes 30 of C and 18 of tit for tat, six moves each,
    then wins again."""
    history, _ = play(
        ["defector", "cooperator", "tit_for_tat"], flip_params=(0, 0), game_length=(2, 2)
    )
    rounds, payoffs, cooperation = DilemmaGame.report(history)
    assert rounds.rows == (
        (1, 6, "defector0", 48, "cooperator1"),
        (2, 6, "defector0", 18, "tit_for_tat2"),
    )
    assert payoffs.columns == ("player", "defector0", "tit_for_tat2", "cooperator1")
    assert payoffs.rows[0] == ("defector0", None, 3.0, 5.0)
    assert cooperation.rows[1] == ("tit_for_tat2", 0.5, None, 1.0)
    assert set(DilemmaGame.charts(history)) == {"rounds", "payoffs", "cooperation"}
    for name, chart in DilemmaGame.charts(history).items():
        assert all(path.stat().st_size for path in save_chart(chart, tmp_path / name))


def test_the_chart_of_rounds_shows_the_points_of_the_table() -> None:
    history = run_game("dilemma")
    chart = instance(tournament_charts(history)["rounds"], Lines)
    assert chart.y_label == "points"
    tables = [event.data["table"] for event in of_kind(history, "standing")]
    for name, points in chart.series.items():
        shown = [point for point in points if not isnan(point)]
        assert shown == [table[name] for table in tables if name in table]
