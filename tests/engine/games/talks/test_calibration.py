"""What this project set where the design left it open: steps, circles, CONCLUDE, drawn moves."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.talks.archetypes import Move
from engine.games.talks.constants import constants_with
from engine.games.talks.game import TalksGame
from engine.games.talks.speech.answer import Utterance
from engine.games.talks.speech.hearing import hear_answer
from engine.games.talks.state import DialogueMove, Exchange
from engine.games.talks.termination import ConversationTerminator, EndTerms
from engine.games.talks.theory.choosing import (
    Choice,
    MultiAgentGameTheory,
    count_stale,
    draw_move,
    is_last_warning,
    legal_moves,
    softmax_of,
)
from tests.oracles.judge import broken_rules
from tests.support.fake_api import FakeApi
from tests.support.histories import of_kind
from tests.support.tables import config_for
from tests.support.talking import group, had


def test_a_synthesis_brings_the_last_two_others_nearer() -> None:
    steps = (("a", "DEEPEN", None), ("b", "DEEPEN", None), ("c", "DEEPEN", None))
    people = had(group("abcd"), *steps, ("d", "SYNTHESIZE", None)).participants
    assert people["d"].relationships == {"a": 0.0, "b": 0.1, "c": 0.1}
    assert [people[one].relationships["d"] for one in "abc"] == [0.0, 0.1, 0.1]
    # Of two who talk there is one other.
    pair = had(group("ab"), ("a", "DEEPEN", None), ("b", "SYNTHESIZE", None)).participants
    assert pair["a"].relationships == {"b": 0.1}


# Of each turn its move, and how new it was; "-" is silence.
TURNS = {"S": Move.SUPPORT, "Q": Move.QUESTION, "C": Move.CONCLUDE, "-": Move.QUESTION}


def turns_of(*told: str) -> list[Exchange]:
    """Return turns told as a letter of TURNS, with ! where the turn is stale."""
    turns = []
    for turn, one in enumerate(told, 1):
        words = "" if one[0] == "-" else "Words."
        novelty = 0.29 if one.endswith("!") else 0.3
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
        (EndTerms(3), 4, 9, True),  # explored with this exchange
        (EndTerms(3), 4, 8, False),
        (EndTerms(3), 3, 9, False),
        (EndTerms(3), 0, 12, True),  # the cap ends it anyway
        (EndTerms(3, max_iterations=5), 0, 5, True),
        (EndTerms(3, max_iterations=5), 4, 4, False),
        (EndTerms(3, mode="any"), 0, 1, True),  # no gate
        (EndTerms(3, mode="all"), 4, 8, False),
        (EndTerms(3, conclude="always"), 0, 1, True),
        (EndTerms(5, depth_threshold=0.8), 4, 15, True),  # 4 of 5 aspects
    ],
)
def test_when_somebody_may_conclude(
    terms: EndTerms, aspects: int, exchanges: int, legal: bool
) -> None:
    assert terms.may_conclude(aspects, exchanges) is legal


def test_the_legal_moves() -> None:
    assert legal_moves(has_target=True, may_conclude=True) == [*Move]
    first = legal_moves(has_target=False, may_conclude=False)
    assert first == [Move.DEEPEN, Move.QUESTION, Move.SYNTHESIZE]


def test_the_softmax_by_hand() -> None:
    payoffs = dict.fromkeys(Move, 0.0) | {Move.DEEPEN: 0.7, Move.SUPPORT: 0.65}
    chances = softmax_of(payoffs, [Move.DEEPEN, Move.SUPPORT], 0.05)
    # exp(.05 / .05) = 2.71828 times as likely: 2.71828 / 3.71828
    assert chances == pytest.approx({Move.DEEPEN: 0.731059, Move.SUPPORT: 0.268941}, abs=1e-6)
    found = Counter(draw_move(chances, random.Random(seed)) for seed in range(4000))
    assert found[Move.DEEPEN] / 4000 == pytest.approx(0.731, abs=0.03)


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


@pytest.mark.parametrize(
    ("move", "spares", "novelty", "nearest"),
    [
        (Move.SUPPORT, True, 1.0, 1),  # compared with the first turn alone
        (Move.CHALLENGE, True, 1.0, 1),
        (Move.QUESTION, True, 0.0, 2),
        (Move.SUPPORT, False, 0.0, 2),
    ],
)
def test_who_answers_may_take_up_what_it_answers(
    move: Move, spares: bool, novelty: float, nearest: int
) -> None:
    talk = group("ab")
    said = ["Zebras graze.", "Honest bread keeps a promise."]
    turns = [Exchange(turn, "ab"[turn - 1], Move.DEEPEN, None, said[turn - 1]) for turn in (1, 2)]
    talk = replace(talk, turn_number=2, exchanges=tuple(turns))
    state = TalksGame().state_of(talk, {"a": "Ann", "b": "Ben"})
    choice = Choice(DialogueMove(move, "b"), {}, {})
    state = replace(state, speaker="a", choice=choice)
    heard = hear_answer(state, Utterance(reply=said[1]), spares_target=spares).exchange
    assert heard is not None
    assert heard.novelty == pytest.approx(novelty, abs=0.3)
    assert heard.nearest == nearest


@pytest.mark.parametrize("depth", [1, 3])
def test_nobody_concludes_before_the_talk_may_end(depth: int) -> None:
    for seed in range(6):
        history = GameEngine(config_for("talks", seed=seed, settings={"depth": depth})).run()
        terms, aspects = EndTerms(depth), 0
        for said, check in zip(
            of_kind(history, "utterance"), of_kind(history, "check"), strict=True
        ):
            if said.data["move"] == "CONCLUDE":
                assert terms.may_conclude(aspects, said.data["turn"])
            aspects = check.data["aspects"]


async def test_a_stale_talk_is_warned_and_ends_at_the_second_stale_turn() -> None:
    words = "Love is the care that two people owe to each other, day by day."
    async with FakeApi(reply=lambda _: f'{{"reply": "{words}", "position": "Care."}}') as api:
        settings = {"participants": 2, "depth": 2, "turns": "round_robin"}
        settings |= {"termination": {"depth_threshold": 0.0}, "constants": {"move_noise": 0}}
        seats = "Sophia=compatible:m,Marcus=compatible:m"
        history = await GameEngine(config_for("talks", seats, at=api.url, settings=settings)).play()
    warned = [event.data.get("stale", False) for event in of_kind(history, "selection")]
    said = of_kind(history, "utterance")
    assert any(warned)
    for event, warning in zip(said, warned, strict=True):
        prompt = history.prompt_of(event)
        assert prompt is not None
        assert ("One more turn like that ends the talk" in prompt.question) is warning
    (stop,) = of_kind(history, "stop")
    assert (stop.data["reason"], stop.data["stale"] >= 2) == ("repetitive", True)
    assert broken_rules(history) == {}
