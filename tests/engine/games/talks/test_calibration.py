"""What this project set where the design left it open: circles, and drawn moves."""

import random
from dataclasses import replace
from typing import Any

import pytest

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import constants_with
from engine.games.talks.game import TalksGame
from engine.games.talks.speech.answer import Utterance
from engine.games.talks.speech.hearing import hear_answer
from engine.games.talks.state import DialogueMove, Exchange
from engine.games.talks.termination import ConversationTerminator, EndTerms, near_consensus
from engine.games.talks.theory.choosing import (
    Choice,
    MultiAgentGameTheory,
    count_stale,
    is_last_warning,
    legal_moves,
)
from tests.oracles.judge import broken_rules
from tests.support.fake_api import FakeApi
from tests.support.histories import of_kind
from tests.support.narrowing import not_none
from tests.support.tables import play_game
from tests.support.talking import group, had

# Of each turn its move, and how new it was; "-" is silence.
TURNS = {"S": Move.SUPPORT, "Q": Move.QUESTION, "C": Move.CONCLUDE, "-": Move.QUESTION}


def turns_of(*told: str) -> list[Exchange]:
    """Return turns told as a letter of TURNS, with ! where the turn is stale, = where it copies."""
    turns = []
    for turn, one in enumerate(told, 1):
        words = "" if one[0] == "-" else "Words."
        novelty = {"!": 0.29, "=": 0.15}.get(one[-1], 0.3)
        turns.append(Exchange(turn, "a", TURNS[one[0]], None, words, novelty=novelty))
    return turns


@pytest.mark.parametrize(
    ("told", "stale", "warns"),
    [
        ([], 0, False),
        (["Q!"], 1, True),
        (["Q!", "Q"], 1, True),
        (["Q!", "Q", "Q"], 1, False),  # a fourth turn would push the first out
        (["Q!", "Q", "Q!"], 2, True),
        (["Q!", "Q!"], 2, True),
        (["Q!", "Q", "Q", "Q!"], 1, True),
        (["Q!", "C!"], 1, True),  # a CONCLUDE does not count
        (["Q!", "-!", "-!"], 1, True),  # nor does silence
        (["Q!", "C", "Q", "C", "Q!"], 2, True),
        (["Q!", "C=", "Q"], 2, True),  # unless it is a copy
        (["C="], 1, True),
    ],
)
def test_turns_that_are_hardly_new(told: list[str], stale: int, warns: bool) -> None:
    turns = turns_of(*told)
    assert count_stale(turns, 0.3) == stale
    assert is_last_warning(turns, 0.3) is warns


def test_one_stale_turn_ends_nothing() -> None:
    told: dict[str, Any] = {
        "aspects": 4,
        "exchange_count": 10,
        "convergence_level": 0.0,
        "conclude_payoffs": [0.0, 0.0],
    }
    end = ConversationTerminator(3)
    assert end.check(**told, novelty_score=0.1, stale=1).reason is None
    assert end.check(**told, novelty_score=0.9, stale=2).reason == "repetitive"
    # The design's own rule, where only the last turn is given.
    assert end.check(**told, novelty_score=0.1).reason == "repetitive"


@pytest.mark.parametrize(
    ("terms", "aspects", "exchanges", "legal"),
    [
        (EndTerms(3), 4, 9, False),  # explored, but nobody would follow
        (EndTerms(3), 4, 11, True),  # one turn is left
        (EndTerms(3), 3, 11, False),
        (EndTerms(3), 0, 12, True),
        (EndTerms(3, mode="any"), 0, 1, False),
        (EndTerms(3, conclude="always"), 0, 1, True),
    ],
)
def test_nobody_concludes_far_from_a_consensus(
    terms: EndTerms, aspects: int, exchanges: int, legal: bool
) -> None:
    assert terms.may_conclude(aspects, exchanges, is_near=False) is legal


@pytest.mark.parametrize(
    ("payoffs", "near"),
    [
        ([0.7, 0.7, 0.7, 0.0], True),
        ([0.7, 0.7, 0.69, 0.69], False),
        ([0.71, 0.7], True),
        ([], False),
    ],
)
def test_a_consensus_is_near_where_novelty_alone_stands_before_it(
    payoffs: list[float], near: bool
) -> None:
    assert near_consensus(payoffs) is near
    assert not near_consensus([0.0] * 3)


def test_the_legal_moves() -> None:
    assert legal_moves(has_target=True, may_conclude=True) == [*Move]
    first = legal_moves(has_target=False, may_conclude=False)
    assert first == [Move.DEEPEN, Move.QUESTION, Move.SYNTHESIZE]


def test_without_noise_or_draw_the_best_is_made() -> None:
    talk = had(group(), ("a", "DEEPEN", None))
    best = MultiAgentGameTheory().recommend_move_and_target("b", talk)
    still = MultiAgentGameTheory(constants_with({"move_noise": 0}))
    for seed in range(20):
        choice = still.choice("b", talk, random.Random(seed))
        assert (choice.move, choice.chances) == (best, None)
    drawn = {
        MultiAgentGameTheory().choice("b", talk, random.Random(seed)).move.type
        for seed in range(40)
    }
    assert best.type in drawn
    assert len(drawn) > 1


TAKEN_UP = "Bread may feed a village without any promise."


@pytest.mark.parametrize(
    ("reply", "move", "spares", "novelty", "nearest"),
    [
        (TAKEN_UP, Move.SUPPORT, True, 0.8, 1),  # compared with the first turn alone
        (TAKEN_UP, Move.CHALLENGE, True, 0.8, 1),
        (TAKEN_UP, Move.QUESTION, True, 0.3, 2),
        (TAKEN_UP, Move.SUPPORT, False, 0.3, 2),
        # From a similarity of .85 on it is a copy, and not spared.
        ("Honest bread keeps a promise.", Move.SUPPORT, True, 0.0, 2),
        ("A promise is kept by honest bread.", Move.CHALLENGE, True, 0.0, 2),
    ],
)
def test_who_answers_may_take_up_what_it_answers(
    reply: str, move: Move, spares: bool, novelty: float, nearest: int
) -> None:
    talk = group("ab")
    said = ["Zebras graze.", "Honest bread keeps a promise."]
    turns = [Exchange(turn, "ab"[turn - 1], Move.DEEPEN, None, said[turn - 1]) for turn in (1, 2)]
    talk = replace(talk, turn_number=2, exchanges=tuple(turns))
    state = TalksGame().state_of(talk, {"a": "Ann", "b": "Ben"})
    state = replace(state, speaker="a", choice=Choice(DialogueMove(move, "b"), {}, {}))
    heard = not_none(hear_answer(state, Utterance(reply=reply), spares_target=spares).exchange)
    assert heard.novelty == pytest.approx(novelty, abs=0.14)
    assert heard.nearest == nearest


async def test_a_stale_talk_is_warned_and_ends_at_the_second_stale_turn() -> None:
    words = "Love is the care that two people owe to each other, day by day."
    async with FakeApi(reply=lambda _: f'{{"reply": "{words}", "position": "Care."}}') as api:
        settings = {"participants": 2, "depth": 2, "turns": "round_robin"}
        settings |= {"termination": {"depth_threshold": 0.0}, "constants": {"move_noise": 0}}
        seats = "Sophia=compatible:m,Marcus=compatible:m"
        history = await play_game("talks", seats, at=api.url, settings=settings)
    warned = [event.data.get("stale", False) for event in of_kind(history, "selection")]
    said = of_kind(history, "utterance")
    assert any(warned)
    for event, warning in zip(said, warned, strict=True):
        prompt = not_none(history.prompt_of(event))
        assert ("One more turn like that ends the talk" in prompt.question) is warning
    (stop,) = of_kind(history, "stop")
    assert (stop.data["reason"], stop.data["stale"] >= 2) == ("repetitive", True)
    assert broken_rules(history) == {}
