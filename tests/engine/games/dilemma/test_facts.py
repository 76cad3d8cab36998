"""What a dilemma tells: the tables that all players read, and games without their flips."""

from dataclasses import replace

from engine.games.dilemma.events import facts_of_dilemma
from tests.support.histories import of_kind
from tests.test_every_game import play


def test_standings_and_games_are_told_without_flips() -> None:
    for event in play("dilemma").events:
        told = facts_of_dilemma(event)
        if event.kind == "standing":
            assert told == event.data
        elif event.kind == "match":
            assert told == {key: event.data[key] for key in ("moves", "points")}


def test_nothing_is_told_of_a_roster_that_players_do_not_read() -> None:
    history = play("dilemma", settings={"tell_standings": False})
    assert [facts_of_dilemma(event) for event in of_kind(history, "narration")] == [{}] * 3


def test_data_that_cannot_be_read_are_not_told() -> None:
    for event in play("dilemma").events:
        assert facts_of_dilemma(replace(event, data={"moves": "many"})) == {}
