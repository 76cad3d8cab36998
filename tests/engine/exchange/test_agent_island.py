"""Logs of Agent Island's engine become histories, with its writer's known faults mended."""

import json
from typing import Any

import pytest

from engine.exchange.agent_island import AgentIsland
from engine.exchange.game import ForeignGame, Reading
from engine.exchange.voting.checks import breaches_by_rule
from engine.history import History, history_from_json
from tests.support.foreign.agent_island import PLAYERS, island_log


def read(log: Any, reading: Reading | None = None) -> ForeignGame:
    return AgentIsland().read(json.dumps(log).encode(), "one", reading or Reading())


def history(log: Any) -> History:
    found = read(log).history
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(8))
def test_places_follow_from_the_rounds(seed: int) -> None:
    log = island_log(seed)
    game = read(log)
    assert game.history is not None
    selected = [log["history"][number]["selected_player"] for number in "123"]
    places = {row["entrant"]: row["place"] for row in game.rows}
    assert places[PLAYERS[selected[0]]] == 4
    assert places[PLAYERS[selected[1]]] == 3
    assert places[PLAYERS[selected[2]]] == 1
    assert sorted(places.values()) == [1, 2, 3, 4]
    assert not [rule for rule, breaches in breaches_by_rule(game.history).items() if breaches]
    assert history_from_json(game.history.to_json()).to_json() == game.history.to_json()


def test_lists_that_rounds_share_are_computed_again() -> None:
    told = history(island_log())
    assert [log.final_round for log in told.rounds] == [False, False, True]
    assert [len(log.active_player_ids) for log in told.rounds] == [4, 3, 2]
    assert [len(log.eliminated_player_ids) for log in told.rounds] == [0, 1, 2]


def test_votes_are_read_from_the_last_tag_and_candidates_in_the_voters_order() -> None:
    log = island_log(2)
    told = history(log)
    ballots = [one for one in log["history"]["1"]["events"] if one["heading"].endswith("Vote")]
    votes = [event for event in told.rounds[0].events if event.kind == "vote"]
    for ballot, vote in zip(ballots, votes, strict=True):
        words = ballot["content"]
        assert (vote.data["vote"] is None) == ("abstain" in words)
        assert f"<vote>{vote.data['vote']}</vote>" in words or vote.fell_back
        assert repr(vote.data["candidates"]) in ballot["prompt"]
    assert told.usage["D"].fallbacks >= 2


def test_a_summary_replaces_what_its_player_no_longer_has_in_mind() -> None:
    told = history(island_log())
    first = told.rounds[0].events
    summary = next(event for event in first if event.kind == "summary")
    before = [event.index for event in first if event.index < summary.index]
    assert summary.data["replaces"] == [before[0], before[-1]]
    assert [event.index for event in told.remembered_by("A", first[-1].index)] == [summary.index]
    assert len(told.remembered_by("C", first[-1].index)) > 5


def test_neither_prompts_nor_keys_are_taken_over() -> None:
    text = history(island_log()).to_json()
    assert "secret-system-text" not in text
    assert "canary" not in text


def test_characters_are_taken_over() -> None:
    seats = history(island_log()).players
    assert [seat.character_prompt for seat in seats] == [f"You are {name}." for name in PLAYERS]


def test_a_long_foreign_id_is_cut() -> None:
    log = island_log()
    log["game"]["id"] = "x" * 201
    assert history(log).config["foreign_id"] == "x" * 200


def test_costs_are_summed() -> None:
    rows = read(island_log()).rows
    assert all(row["tokens"] % 15 == 0 and row["tokens"] for row in rows)
    assert rows[0]["provider"] == "openai"


@pytest.mark.parametrize("status", ["failed", "completed"])
def test_a_game_that_failed_is_never_rated(status: str) -> None:
    game = read(island_log(status=status))
    assert bool(game.rows) == (status == "completed")
    assert game.status == ("finished" if status == "completed" else "failed")


def test_older_logs_name_no_players_and_keep_memories_apart() -> None:
    log = island_log()
    del log["game"], log["players"], log["stats"]
    for told in log["history"].values():
        told["events"] = [one for one in told["events"] if "Memory" not in one["heading"]]
        told["active_player_ids"] = [*PLAYERS]
    log["memory"] = {"A": {"strategy": "summarization", "summaries": {"1": "It was."}}}
    game = read(log)
    assert game.history is not None
    assert {row["entrant"] for row in game.rows} == set(PLAYERS)
    summary = game.history.rounds[0].events[-1]
    assert (summary.kind, summary.content, summary.visibility) == ("summary", "It was.", ("A",))


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        ({}, "expected the rounds"),
        ({"history": {"x": {}}, "players": {"A": {}, "B": {}}}, "number of a round"),
        ({"history": {"1": {"events": []}}}, "at least 2 players"),
        ({"history": {"1": {"events": 3}}, "players": {"A": {}, "B": {}}}, "list of events"),
        ({"history": {"1": {"events": [7]}}, "players": {"A": {}, "B": {}}}, "an event"),
    ],
)
def test_what_is_no_log_is_refused_in_a_sentence(log: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(log)
