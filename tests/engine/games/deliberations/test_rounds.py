"""Rounds without a vote, settings of single rounds, three finalists: rounds, places, words."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from engine.games.deliberations.game import DeliberationsGame
from engine.games.deliberations.rules import (
    Island,
    apply_verdict,
    end_without_vote,
    figures,
    head_of_round,
    land,
    placements,
    summarise,
)
from engine.history import history_from_json
from tests.oracles.judge import broken_rules
from tests.support.histories import of_kind
from tests.support.island import (
    DELIBERATIONS,
    asked_for,
    fields_in,
    island,
    model_of,
    scripted_island,
)
from tests.support.narrowing import not_none

SEVEN = ("ann", "ben", "cleo", "dan", "eva", "fay", "gus")
TALK_ONLY = {"phases": ["sidebars", "pitches"]}
EVERYTHING = ["sidebars", "confessionals", "pitches", "votes"]


def start(players: int, **settings: Any) -> Island:
    return DeliberationsGame.model_validate(settings).start(SEVEN[:players], random.Random(0))


@pytest.mark.parametrize(
    ("players", "settings", "rounds"),
    [
        (7, {}, 6),
        (7, {"finalists": 3}, 5),
        (4, {"finalists": 3}, 2),
        (7, {"num_rounds": 6}, 6),
        (7, {"rounds": {2: TALK_ONLY}}, 7),
        (7, {"rounds": {2: TALK_ONLY}, "num_rounds": 7}, 7),
        (7, {"rounds": {2: TALK_ONLY, 4: {"words": 9}}, "finalists": 3}, 6),
        # Five leave in rounds 1, 3, 4, 5 and 6; round 7 only talks, so round 8 is the final.
        (7, {"rounds": {2: TALK_ONLY, 7: TALK_ONLY}}, 8),
        # A final has votes, whatever its phases are.
        (7, {"phases": {1: ["votes"], 6: ["pitches"]}, "num_rounds": 6}, 6),
        (7, {"phases": {1: ["pitches"], 4: ["votes"]}}, 9),
    ],
)
def test_rounds_are_counted_at_start(players: int, settings: dict[str, Any], rounds: int) -> None:
    assert start(players, **settings).last_round == rounds
    history = scripted_island(players, seed=rounds, **settings).run()
    assert len(history.rounds) == rounds
    assert len(history.rounds[-1].active_player_ids) == settings.get("finalists", 2)
    assert [log.final_round for log in history.rounds] == [False] * (rounds - 1) + [True]
    assert broken_rules(history) == {}


@pytest.mark.parametrize(
    ("players", "settings", "sentence"),
    [
        (
            7,
            {"num_rounds": 6, "rounds": {2: TALK_ONLY}},
            "7 players, 2 finalists and 6 rounds of which 1 has no vote leave 3 in the final: "
            "set num_rounds: 7, or finalists: 3",
        ),
        (
            7,
            {"num_rounds": 9},
            "7 players, 2 finalists and 9 rounds leave nobody in the final: set num_rounds: 6",
        ),
        (
            5,
            {"num_rounds": 4, "finalists": 3},
            "5 players, 3 finalists and 4 rounds leave 2 in the final: "
            "set num_rounds: 3, or finalists: 2",
        ),
        (
            5,
            {"phases": ["pitches"], "num_rounds": 5},
            "5 players, 2 finalists and 5 rounds of which 4 have no vote leave 5 in the final: "
            "let the phases of more rounds end with votes",
        ),
        (
            5,
            {"phases": ["pitches"]},
            "expected votes until 2 of 5 players are left: got 0, so that 5 stay in the game "
            "forever; let the phases of more rounds end with votes",
        ),
        (
            7,
            {"phases": {1: ["votes"], 6: ["pitches"]}},
            "expected a final: no round after round 5, which leaves 2 players, has votes; "
            "set num_rounds: 6",
        ),
        (
            7,
            {"rounds": {9: {"words": 40}}},
            "expected the settings of rounds 1 to 6, since round 6 is the final of 7 players: "
            "got rounds: 9",
        ),
        (3, {"finalists": 3}, "expected at least 4 players, so that the last three have a jury: "),
    ],
)
def test_rounds_that_cannot_be_are_refused_with_the_remedy(
    players: int, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=r"expected|leave") as refused:
        start(players, **settings)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    "settings",
    [
        {"finalists": 4},
        {"num_rounds": 1},
        {"rounds": {0: {"words": 40}}},
        {"rounds": {2: {"word": 40}}},
        {"rounds": {2: {"words": 0}}},
        {"rounds": {2: {"phases": []}}},
        {"rounds": {2: {"phases": ["votes", "pitches"]}}},
        {"rounds": {2: ["pitches"]}},
    ],
)
def test_settings_of_rounds_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DeliberationsGame.model_validate(settings)


@pytest.mark.parametrize("rounds", [["pitches"], {2: ["pitches"]}, 3])
def test_what_settings_of_rounds_look_like_is_told(rounds: Any) -> None:
    with pytest.raises(ValidationError, match=r"settings by round, such as \{3: \{phases"):
        DeliberationsGame.model_validate({"rounds": rounds})


def test_settings_of_rounds_survive_the_log_as_they_were_written() -> None:
    game = DeliberationsGame.model_validate({"rounds": {3: TALK_ONLY, 2: {"words": 40}}})
    written = game.model_dump(mode="json")
    assert list(written["rounds"].values()) == [{"words": 40}, TALK_ONLY]
    assert DeliberationsGame.model_validate(json.loads(json.dumps(written))) == game


def test_a_round_without_a_vote_keeps_its_number() -> None:
    """Gus leaves in round 1, round 2 has no vote, Fay leaves in round 3."""
    stand = replace(land(SEVEN[:2] + SEVEN[5:]), num_rounds=4)
    stand = apply_verdict(stand, "gus", {"ann": 0, "ben": 1, "fay": 0, "gus": 3})
    stand = end_without_vote(stand)
    assert (stand.active, stand.round_index) == (("ann", "ben", "fay"), 3)
    stand = apply_verdict(stand, "fay", {"ann": 0, "ben": 1, "fay": 2})
    assert figures(stand)["fay"] == {"votes 1": 0, "votes 3": 2, "left in round": 3}
    expected = "Round 4 of 4, the final. In the game: ann, ben. Out: gus (round 1), fay (round 3)."
    assert head_of_round(stand) == expected


@pytest.mark.parametrize(
    ("tally", "places", "summary"),
    [
        (
            {"ann": 1, "ben": 3, "cleo": 0},
            {"ann": 2, "ben": 1, "cleo": 3},
            "ben wins with 3 of 4 votes; ann is second and cleo third.",
        ),
        (
            {"ann": 1, "ben": 2, "cleo": 1},
            {"ann": 2, "ben": 1, "cleo": 2},
            "ben wins with 2 of 4 votes; ann and cleo share the second place.",
        ),
        (
            {"ann": 0, "ben": 2, "cleo": 2},
            {"ann": 3, "ben": 1, "cleo": 2},
            "ben wins with 2 of 4 votes, by a random draw; cleo is second and ann third.",
        ),
    ],
)
def test_three_finalists_are_placed_by_their_votes(
    tally: dict[str, int], places: dict[str, int], summary: str
) -> None:
    stand = Island(SEVEN[:4], ("dan",), None, ({"dan": 3},), finalists=3)
    stand = apply_verdict(stand, "ben", tally)
    assert placements(stand) == places | {"dan": 4}
    assert summarise(stand) == summary


def test_who_shares_a_place_shares_the_score() -> None:
    for seed in range(40):
        outcome = not_none(scripted_island(6, seed, finalists=3).run().outcome)
        places = outcome.placements
        assert outcome.scores == {one: 6.0 - place for one, place in places.items()}
        if sorted(places.values())[1:3] == [2, 2]:
            assert sorted(places.values()) == [1, 2, 2, 4, 5, 6]
            return
    pytest.fail("no two finalists had as many votes")


def test_a_round_has_its_own_phases_and_limits() -> None:
    own = {2: {"phases": ["sidebars", "votes"], "exchanges": 2, "messages": 3, "private_words": 7}}
    engine = island(*["model"] * 4, rounds={**own, 3: {"words": 9}}, seed=2)
    history = engine.run()
    kinds = [[event.kind for event in log.events] for log in history.rounds]
    assert kinds[0].count("pitch") == 4
    # Three players begin two sidebars each; an invitation and three messages are a sidebar.
    assert kinds[1].count("sidebar") == 3 * 2 * (1 + 3)
    assert "pitch" not in kinds[1]
    asked = [request.messages[0].text for request in model_of(engine).asked]
    assert any("This is message 3 of 3" in text for text in asked)
    lengths = [fields_in(one)["text"]["maxLength"] for one in asked_for(engine, "Pitch")]
    assert lengths[:4] == [lengths[0]] * 4
    assert lengths[-1] < lengths[0]
    assert broken_rules(history) == {}


def test_players_are_told_that_a_round_has_no_vote() -> None:
    engine = island(*["model"] * 4, rounds={2: {"phases": ["pitches"]}}, memory="summary")
    history = engine.run()
    head = history.rounds[1].events[0]
    assert head.content.startswith("Round 2 of 4, without a vote. In the game: ")
    assert head.data["vote"] is False
    assert DELIBERATIONS.facts_of(head) == {"rounds": 4, "lacks": "without a vote"}
    assert "vote" not in history.rounds[0].events[0].data
    pitches = [one.messages[0].text for one in asked_for(engine, "Pitch")]
    assert sum("This round has no vote" in text for text in pitches) == 3
    sums = [one.messages[0].text for one in asked_for(engine, "Summary")]
    asked_who_left = ["Write down who left and why you think so, what" in text for text in sums]
    assert asked_who_left == [True] * 4 + [False] * 4 + [True] * 4
    told = "In round 2, which has no vote, no player leaves."
    system = asked_for(engine, "Pitch")[0].system
    assert f"In each of rounds 1 and 3, one player leaves. {told}" in system


def test_three_finalists_read_who_else_is_in_the_final() -> None:
    engine = island(*["model"] * 5, finalists=3)
    speaker, second, third = (str(e.player_id) for e in of_kind(engine.run().rounds[-1], "pitch"))
    asked = asked_for(engine, "Pitch")[-3]
    assert f"among you and {second} and {third}" in asked.messages[0].text
    assert asked.session == speaker


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"finalists": 3}, "N players play N - 2 rounds. In each round one player leaves, until"),
        ({"finalists": 3}, "the other two are placed by their votes, and share a place if"),
        ({"finalists": 3, "ties": "revote"}, "are placed by their votes before any revote, and"),
        (
            {"num_rounds": 9, "rounds": {2: TALK_ONLY}},
            "There are 9 rounds. In each round with votes one player leaves, until two are left.",
        ),
        (
            {"rounds": {2: {"phases": ["votes"], "words": 1, "summary_words": 40}}},
            "In round 2 only: in this order votes; pitches of at most 1 word; "
            "summaries of at most 40 words.",
        ),
        (
            {"phases": {1: ["votes"], 6: ["pitches"]}, "num_rounds": 6},
            "From round 6 on, in this order: pitches.\nThe final ends with votes in any case.\n",
        ),
    ],
)
def test_the_rules_tell_settings_of_rounds(settings: dict[str, Any], words: str) -> None:
    assert words in DeliberationsGame.model_validate(settings).rules()


VARIED: dict[str, Any] = {
    "phases": {1: EVERYTHING, 4: ["pitches"], 5: EVERYTHING},
    "rounds": {
        2: {"phases": ["sidebars", "pitches"], "exchanges": 2, "private_words": 12},
        3: {"words": 12, "messages": 1, "summary_words": 12},
    },
    "finalists": 3,
    "memory": "summary",
}


@pytest.mark.parametrize("part", range(2))
def test_varied_games_break_no_rule(part: int) -> None:
    for seed in range(30 * part, 30 * part + 30):
        played = scripted_island(5 + seed % 5, seed, 0.1, **VARIED).run()
        assert broken_rules(history_from_json(played.to_json())) == {}
