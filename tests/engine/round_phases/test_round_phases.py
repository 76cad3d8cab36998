"""The phases of social games on a bare context of nine arguments, with no game behind it."""

import json
import logging
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from pydantic import BaseModel

from engine.history import Event, History
from engine.round import RoundContext
from engine.round_phases import (
    Vote,
    phase_pitches,
    phase_sidebars,
    phase_summaries,
    phase_votes,
)
from engine.round_phases.forms import NOBODY, Sidebar, limit_words, rank_partners
from player import LLMPlayer, Player, PlayerConfig, ScriptedPlayer, Turn
from protocol.answer import IllegalAnswer, UnreadableAnswer, read_answer, schema_of
from tests.support.island import Model

NAMES = ("Ann", "Ben", "Cleo", "Dan")


def bare(
    active: Sequence[str] = NAMES,
    eliminated: Sequence[str] = (),
    *,
    final_round: bool = False,
    round_index: int = 1,
    players: Sequence[Player] = (),
    votes: Mapping[str, str] = {},
) -> RoundContext[Any]:
    """Return a context of the source's nine arguments.

    Scripts vote as `votes` say, else for the first choice.
    """

    def script(turn: Turn[Any], rng: Random) -> BaseModel:
        if turn.kind in {"vote", "partner"}:
            chosen = votes.get(turn.player_id, turn.choices[turn.kind][0])
            return turn.answer(**{"explanation": f"because {chosen}", turn.kind: chosen})  # type: ignore[no-any-return]
        return turn.answer(text=f"{turn.player_id} on {turn.kind}")  # type: ignore[no-any-return]

    seats = [
        ScriptedPlayer(PlayerConfig(player_id=name), script, Random(0))
        for name in (*active, *eliminated)
    ]
    return RoundContext(
        round_index=round_index,
        final_round=final_round,
        players=[*players] or [*seats],
        active_player_ids=[*active],
        eliminated_player_ids=[*eliminated],
        logger=logging.getLogger("test"),
        history=History("", 0, "", 0, {}),
        rules_prompt="",
        votes={},
    )


def of_kind(context: RoundContext[Any], kind: str) -> list[Event]:
    return [event for event in context.log.events if event.kind == kind]


async def test_everybody_pitches_once_before_everybody() -> None:
    context = bare(["Ann", "Ben", "Cleo"], ["Dan"])
    await phase_pitches(context)
    frame, *pitches = context.log.events
    order = [event.player_id for event in pitches]
    assert sorted(map(str, order)) == ["Ann", "Ben", "Cleo"]
    assert frame.data == {"order": order}
    assert frame.content == f"Round 1. The pitches, in this order: {', '.join(map(str, order))}."
    assert all(event.visibility == ("Ann", "Ben", "Cleo", "Dan") for event in context.log.events)


async def test_votes_are_filled_counted_and_kept_private() -> None:
    ballots = {"Ann": "Ben", "Ben": "Cleo", "Cleo": "Ben", "Dan": "Ben"}
    context = bare(votes=ballots)
    verdict = await phase_votes(context)
    assert context.votes == ballots
    assert (verdict.selected, verdict.tied) == ("Ben", ("Ben",))
    (result,) = of_kind(context, "result")
    assert result.content == "Ben is eliminated with 3 votes."
    assert result.data == {"selected": "Ben", "tally": {"Ann": 0, "Ben": 3, "Cleo": 1, "Dan": 0}}
    assert result.visibility == NAMES
    for event in of_kind(context, "vote"):
        voter = str(event.player_id)
        assert event.visibility == (voter,)
        assert event.data["vote"] == ballots[voter]
        assert sorted(event.data["candidates"]) == sorted({*NAMES} - {voter})
        assert event.content == f"votes to eliminate {ballots[voter]}: because {ballots[voter]}"


async def test_a_sidebar_is_seen_by_the_two_alone() -> None:
    context = bare(
        ["Ann", "Ben", "Cleo"], ["Dan"], votes={"Ann": "Ben", "Ben": "Ann", "Cleo": "Ann"}
    )
    await phase_sidebars(context, exchanges=2, messages=3)
    assert len(context.log.events) == 2 * 3 * (1 + 3)
    for begin in range(0, len(context.log.events), 4):
        pick, *talk = context.log.events[begin : begin + 4]
        pair = (str(pick.player_id), pick.data["partner"])
        assert pick.content == f"takes {pair[1]} aside"
        assert [event.player_id for event in talk] == [pair[0], pair[1], pair[0]]
        assert [event.data["to"] for event in talk] == [pair[1], pair[0], pair[1]]
        assert {event.visibility for event in (pick, *talk)} == {pair}


async def test_whoever_chooses_nobody_takes_nobody_aside_and_has_answered() -> None:
    context = bare(["Ann", "Ben"], votes={"Ann": "nobody", "Ben": "Ann"})
    await phase_sidebars(context, messages=1)
    told = {event.content: event for event in of_kind(context, "sidebar")}
    declined = told["takes nobody aside"]
    assert declined.visibility == ("Ann",)
    assert declined.data == {
        "partner": None,
        "explanation": "because nobody",
        "candidates": ["Ben"],
    }
    assert not declined.fell_back
    assert not of_kind(context, "fault")


async def test_a_sidebar_tells_who_is_in_and_which_message_it_is() -> None:
    model = Model()
    seats = [PlayerConfig(player_id=name, provider="compatible", model="m") for name in NAMES[:3]]
    context = bare(["Ann", "Ben"], ["Cleo"], players=[LLMPlayer(seat, model) for seat in seats])
    await phase_sidebars(context, messages=2)
    asked = [request.messages[0].parts[-1] for request in model.asked]
    partner, _, begins, ends, *_ = asked
    head = '{"round": 1, "in_the_game": ["Ann", "Ben"]}'
    assert all(question.startswith(head) for question in asked)
    assert "or nobody" in partner
    assert "message 1 of 2; you begin." in begins
    assert "message 2 of 2, the last one: " in ends
    assert " cannot answer." in ends


async def test_a_summary_replaces_its_round_for_its_author_alone() -> None:
    context = bare(["Ann", "Ben", "Cleo"])
    await phase_pitches(context)
    await phase_votes(context)
    before = {name: context.transcripts.of(name, context.history) for name in NAMES[:3]}
    await phase_summaries(context, player_ids=["Ann", "Ben"])
    for name in ("Ann", "Ben"):
        line = {"round": 1, "event": "summary", "by": name, "text": f"{name} on summary"}
        assert context.transcripts.of(name, context.history) == json.dumps(line) + "\n"
    assert context.transcripts.of("Cleo", context.history) == before["Cleo"]
    assert [event.data["replaces"][0] for event in of_kind(context, "summary")] == [0, 0]


async def test_models_answer_on_a_bare_context_too() -> None:
    model = Model()
    context = bare(players=[LLMPlayer(PlayerConfig(player_id=name), model) for name in NAMES])
    await phase_pitches(context, words=3)
    await phase_votes(context)
    assert len(model.asked) == 8
    assert [event.content for event in of_kind(context, "pitch")] == [
        f"{event.player_id} says text…" for event in of_kind(context, "pitch")
    ]
    assert all(event.data == {"cut": True} for event in of_kind(context, "pitch"))
    assert set(context.votes) == {*NAMES}
    for event in of_kind(context, "vote"):
        prompt = context.history.prompt_of(event)
        assert event.prompt is not None
        assert prompt is not None
        assert prompt.sha256 == event.prompt.sha256


def test_an_abstention_cannot_be_chosen() -> None:
    choices = {"vote": ("Ann", "Ben")}
    assert schema_of(Vote, choices)["properties"]["vote"] == {
        "type": "string",
        "enum": ["Ann", "Ben"],
        "description": "the name of the player you vote for",
    }
    for answer in ('{"vote": null}', '{"vote": ""}', '{"vote": "nobody"}'):
        with pytest.raises(IllegalAnswer):
            read_answer(answer, Vote, choices)
    with pytest.raises(UnreadableAnswer):
        read_answer('{"explanation": "none"}', Vote, choices)
    assert Vote(vote=None).vote is None


def test_a_limit_is_in_the_schema() -> None:
    form = limit_words(Sidebar, 10)
    assert form is limit_words(Sidebar, 10)
    assert form.__name__ == "Sidebar"
    assert schema_of(form, {})["properties"]["text"]["maxLength"] == 65
    assert issubclass(form, Sidebar)


@pytest.mark.parametrize(
    ("names", "ranking"),
    [
        (("Ben", "Cleo", "Dan"), ("Ben", "Cleo", "Dan")),
        (("Ben", NOBODY, "Dan"), ("Ben",)),
        ((NOBODY, "Cleo", "Dan"), ()),
        (("Ben", "Ben", "Dan"), ("Ben", "Dan")),
    ],
)
def test_a_ranking_ends_at_the_first_nobody(
    names: tuple[str, ...], ranking: tuple[str, ...]
) -> None:
    ranks = dict(zip(("first", "second", "third"), names, strict=True))
    assert rank_partners(3, once=False)(**ranks).ranking == ranking
