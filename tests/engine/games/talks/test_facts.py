"""What the lines of a talk tell anybody who reads them."""

from engine.games.talks.game import TalksGame
from engine.history import Event
from tests.support.histories import of_kind
from tests.support.tables import run_game

told = TalksGame.facts_of


def test_a_heading_tells_the_move_and_a_last_line_the_figures() -> None:
    history = run_game("talks", seed=3, settings={"depth": 2})
    for event in history.events:
        facts = told(event)
        match event.kind:
            case "utterance":
                assert event.heading == " → ".join(facts.values())
                assert facts.get("target") == event.data["target"]
            case "stop":
                assert facts["exchanges"] == event.data["exchanges"]
                assert f"convergence: {facts['convergence']:.2f}" in event.content
            case _:
                assert facts == {}
    assert {event.kind for event in history.events} >= {"utterance", "stop", "selection", "check"}


def test_a_heading_that_does_not_tell_the_move_tells_nothing() -> None:
    event = of_kind(run_game("talks", seed=3, settings={"depth": 1}), "utterance")[0]
    event.heading = "Utterance"
    assert told(event) == {}


def test_figures_of_somebody_else_are_none() -> None:
    event = Event(0, "stop", "", "narrator", None, "", (), {"exchanges": "many"}, "")
    assert set(TalksGame.facts_of(event).values()) == {0}
