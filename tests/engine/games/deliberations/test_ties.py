"""Ties that are voted on again, immunity and last words: played, told and held to their rules."""

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError

from engine.exchange.dataset.tables import vote_lines
from engine.games.deliberations.rules import Island, apply_verdict, figures, summarise
from engine.games.deliberations.strategies import STRATEGIES, script_for
from engine.history import History, history_from_json, payload_of
from engine.history.social import Decision
from engine.report.charts import Heat
from engine.round_phases import RoundView, Vote
from engine.round_phases.asking import Line
from engine.round_phases.forms import LastWords, Statement
from engine.runs.seat_rows import drawn_by_lot, seats_outlived
from labs.ballots import votes_of
from player import Prompt, Turn
from tests.oracles.judge import broken_rules
from tests.support.facts import leaks_in
from tests.support.histories import of_kind
from tests.support.island import DELIBERATIONS, island, scripted_island
from tests.support.narrowing import instance, not_none
from tests.support.planted.log import Log, assert_caught, verdict
from tests.support.planted.ties import PLANTED_TIES

WITH_IMMUNITY = ["immunity", "pitches", "votes"]
PLAYERS = ("model", "random", "model", "model", "grudge", "loyal")


@cache
def fair() -> str:
    """Return the log of a fair game with every way in which a vote can end."""
    more: Log = {"phases": WITH_IMMUNITY, "memory": {"Ada": "summary"}}
    return island(*PLAYERS, seed=68, ties="revote", last_words=True, **more).run().to_json()


def game() -> History:
    return history_from_json(fair())


def results(history: History) -> list[Decision]:
    return [payload_of(event, Decision) for event in of_kind(history, "result")]


def test_a_fair_game_breaks_no_rule() -> None:
    history = game()
    assert broken_rules(history) == {}
    assert verdict(json.loads(fair())) == ""
    ways = [(one.revote is not None, one.against is not None) for one in results(history)]
    assert ways == [(False, False), (True, False), (True, True), (False, False), (True, True)]


@pytest.mark.parametrize(
    ("plant", "rule"), PLANTED_TIES, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_planted_fault_is_caught_by_the_check_and_by_the_rule_it_breaks(
    plant: Callable[[Log], None], rule: str
) -> None:
    assert_caught(plant, fair(), rule)


def test_scripted_games_break_no_rule_and_end_in_every_way() -> None:
    ways: Counter[str] = Counter()
    for seed in range(150):
        phases = ["pitches", "votes"]
        phases[seed % 3 : seed % 3] = ["immunity"] if seed % 3 < 2 else []
        history = scripted_island(
            3 + seed % 7,
            seed,
            spoil=0.2,
            ties="revote",
            last_words=seed % 2 == 0,
            phases=phases,
            reveal_tally=seed % 4 == 0,
        ).run()
        assert broken_rules(history) == {}
        for event in of_kind(history, "result"):
            ways[way_of_line(event.content)] += 1
    assert {*ways} == {"In a random", "By these,", "In the revote,", ""}


def way_of_line(line: str) -> str:
    for way in ("In a random", "By these,"):
        if way in line:
            return way
    return "In the revote," if "In the revote," in line else ""


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        (["pitches", "votes", "immunity"], "votes"),
        (["immunity", "immunity", "votes"], "distinct phases"),
    ],
)
def test_immunity_stands_before_the_votes(phases: list[str], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        DELIBERATIONS.model_validate({"phases": phases})


# Rounds: 5 leaves by 3 votes; Ben and Cleo tie, then Cleo leaves by the revote; the final ties.
ISLAND = Island(("Ada", "Ben", "Cleo", "Dan"))
FIRST = apply_verdict(ISLAND, "Dan", {"Ada": 1, "Ben": 1, "Cleo": 0, "Dan": 2})
SECOND = apply_verdict(FIRST, "Cleo", {"Ada": 0, "Ben": 1, "Cleo": 1}, {"Ben": 1, "Cleo": 2})


@pytest.mark.parametrize(
    ("tally", "revote", "summary"),
    [
        ((2, 0), None, "Ada wins with 2 of 2 votes; Ben is second."),
        ((1, 1), None, "Ada wins with 1 of 2 votes, by a random draw; Ben is second."),
        ((1, 1), (2, 0), "Ada wins with 1 of 2 votes, by a revote; Ben is second."),
        # Against Ada 1 + 0, against Ben 1 + 1 + 1 in the rounds.
        (
            (1, 1),
            (1, 1),
            "Ada wins with 1 of 2 votes, by the votes against it in the rounds; Ben is second.",
        ),
    ],
)
def test_how_it_ended(tally: tuple[int, int], revote: tuple[int, int] | None, summary: str) -> None:
    names = ("Ada", "Ben")
    again = None if revote is None else dict(zip(names, revote, strict=True))
    end = apply_verdict(SECOND, "Ada", dict(zip(names, tally, strict=True)), again)
    assert summarise(end) == summary


@pytest.mark.parametrize(
    ("against", "way"),
    [
        ((0, 0, 0), "by a random draw"),
        ((0, 1, 0), "by a random draw"),
        ((0, 1, 1), "by the votes against it in the rounds"),
    ],
)
def test_a_final_that_ties_again_goes_to_the_finalist_with_fewest_votes_against_it(
    against: tuple[int, int, int], way: str
) -> None:
    names = ("Ada", "Ben", "Cleo")
    first = dict(zip(names, against, strict=True)) | {"Dan": 3}
    level = apply_verdict(Island((*names, "Dan"), finalists=3), "Dan", first)
    none = dict.fromkeys(names, 0)
    end = apply_verdict(level, "Ada", none, none)
    told = f"Ada wins with 0 of 0 votes, {way}; Ben and Cleo share the second place."
    assert summarise(end) == told


def test_figures_tell_a_revote_beside_the_first_votes() -> None:
    told = {"votes 1": 0, "votes 2": 1, "revote 2": 2, "left in round": 2}
    assert figures(SECOND)["Cleo"] == told


def test_votes_are_counted_once_and_a_lot_is_where_a_lot_was() -> None:
    history = game()
    assert len(votes_of(history)) == 6 + 5 + 4 + 3 + 4
    assert len([event for event in of_kind(history, "vote") if "revote" in event.data]) == 5 + 4 + 4
    assert drawn_by_lot(history) == set()
    tied = scripted_island(4, 5, ties="revote").run()
    by_lot = [event for event in of_kind(tied, "result") if "In a random draw" in event.content]
    assert drawn_by_lot(tied) >= {event.data["selected"] for event in by_lot}


def test_a_seat_outlived_those_who_left_before_it_failed() -> None:
    """Who fails while it is in the game outlived so many; a juror's failure is none."""
    history = game()
    assert seats_outlived(history) == {}
    final, second = history.rounds[-1], history.rounds[1]
    juror = second.eliminated_player_ids[0]
    finalist, other = final.active_player_ids
    for log, by in ((final, juror), (final, finalist), (second, other), (final, other)):
        next(event for event in log.events if event.player_id == by).fell_back = True
    assert seats_outlived(history) == {other: 1, finalist: len(final.eliminated_player_ids)}


def test_what_a_revote_tells() -> None:
    history = game()
    told = DELIBERATIONS.facts_of
    for event in of_kind(history, "vote"):
        key = "revote" if "revote" in event.data else "vote"
        assert told(event) == {key: event.data["vote"]}
    immune = [told(event) for event in of_kind(history, "narration") if "immune" in event.data]
    assert len(immune) == 4
    assert all(one.keys() == {"immune"} for one in immune)
    for event, decision in zip(of_kind(history, "result"), results(history), strict=True):
        last = decision.tally if decision.revote is None else decision.revote
        fate = "winner" if "wins" in event.content else "eliminated"
        assert told(event) == {fate: decision.selected, "votes": last[decision.selected]}


def unread() -> Prompt:
    raise AssertionError("a script reads no prompt")


def test_what_a_revote_tells_stands_in_its_text() -> None:
    history = game()
    names = [seat.player_id for seat in history.players]
    for place, event in enumerate(history.events):
        assert leaks_in(DELIBERATIONS.facts_of(event), event, history.events[:place], names) == []


def test_a_picture_has_a_revote_beside_the_first_votes() -> None:
    history = game()
    votes = instance(DELIBERATIONS.charts(history)["votes"], Heat)
    again = ["round 2, again", "round 3, again", "to win, again"]
    assert [title for title in votes.columns if title.endswith("again")] == again
    assert votes.columns[1:3] == ["round 2", "round 2, again"]
    place = votes.columns.index("round 2, again")
    drawn = {name: cells[place] for name, cells in zip(votes.rows, votes.cells, strict=True)}
    tally = not_none(results(history)[1].revote)
    assert {name: count for name, count in drawn.items() if count is not None} == tally


def seen(kind: str, *options: str, **more: Any) -> RoundView:
    names = ("Ada", "Ben", "Cleo", "Dan")
    return RoundView("Ada", 1, False, names, (), options, more.get("lines", ()))


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_scripts_say_something_when_they_are_tied_or_leave(name: str) -> None:
    script = script_for(STRATEGIES[name])
    for form in (Statement, LastWords):
        kind = "statement" if form is Statement else "last_words"
        observation = seen(kind, "Ben", "Cleo")
        turn = Turn("Ada", kind, observation, unread, form, {}, form(text=""))
        answer = instance(script(turn, Random(0)), form)
        assert any(other in answer.text for other in observation.options)


def test_a_loyal_player_votes_for_its_ally_only_where_nobody_else_is_left() -> None:
    lines = (Line("pitch", "Ada", "I stand with Ben."),)
    for options, chosen in ((("Ben", "Cleo"), "Cleo"), (("Ben",), "Ben")):
        observation = seen("vote", *options, lines=lines)
        turn = Turn("Ada", "vote", observation, unread, Vote, {"vote": options}, Vote(vote=None))
        assert instance(script_for(STRATEGIES["loyal"])(turn, Random(0)), Vote).vote == chosen


def test_a_statement_is_an_attack_too() -> None:
    lines = (Line("statement", "Ben", "Cleo should leave now."),)
    stance = STRATEGIES["bandwagon"](seen("vote", "Ben", "Cleo", "Dan", lines=lines), Random(0))
    assert stance.against == "Cleo"


def test_models_are_told_the_rule_of_ties_as_it_is_and_nothing_else() -> None:
    with_revote = island("model", "model", "random", ties="revote", last_words=True).run()
    system = with_revote.players[0].system
    for words in (
        "Then all voters vote again, only among the tied players",
        "in a round, the player with the most votes in all ballots of the game leaves",
        "in the final, the player with the fewest votes in all ballots of the rounds wins",
        "a player who is voted out in a round speaks to all players once more",
    ):
        assert words in system
    plain = island("model", "model", "random").run().players[0].system
    for word in ("vote again", "Last words", "Immunity"):
        assert word not in plain


def test_the_question_of_a_revote_says_what_follows_from_it() -> None:
    history = game()
    asked = [event for event in of_kind(history, "vote") if event.prompt]
    for event in asked:
        prompt = not_none(history.prompt_of(event))
        revote = "revote" in event.data
        assert ("Now all voters vote again, only among them." in prompt.question) is revote
        leads = "A tie leads to a second vote among the tied players." in prompt.question
        assert leads is not revote
        final = "wins; if these are equal" in prompt.question
        assert final is (revote and "fewest votes against them" in prompt.question)


def test_a_data_set_marks_the_ballots_of_a_revote() -> None:
    history = game()
    ballots = of_kind(history, "vote")
    rows = [*vote_lines(history)]
    assert [row["revote"] for row in rows] == ["revote" in event.data for event in ballots]
    assert sum(row["revote"] for row in rows) == 5 + 4 + 4
