"""What the lines of a game of deliberations tell anybody who reads them."""

from typing import Any

import pytest

from engine.games.deliberations.game import DeliberationsGame
from engine.history import Event, History
from tests.support.histories import of_kind
from tests.support.tables import run_game

told = DeliberationsGame.facts_of


def play(**settings: Any) -> History:
    players = ",".join(["scripted:random"] * 4)
    settings |= {"phases": ["sidebars", "confessionals", "pitches", "votes"]}
    return run_game("deliberations", players, settings=settings)


def test_each_kind_tells_what_its_line_says() -> None:
    history = play()
    votes = of_kind(history, "vote")
    assert all(told(event) == {"vote": event.data["vote"]} for event in votes)
    assert len(votes) == 4 + 3 + 2
    for event in of_kind(history, "sidebar"):
        begins = event.content == f"takes {event.data.get('partner')} aside"
        assert told(event) == ({"partner": event.data["partner"]} if begins else {})
    orders = [told(event) for event in of_kind(history, "narration")]
    assert [len(order.get("order", ())) for order in orders] == [0, 4, 0, 3, 0, 2]
    assert [told(event) for event in of_kind(history, "narration")][::2] == [{"rounds": 3}] * 3
    for event in of_kind(history, "confessional"):
        assert told(event) == {}


def test_a_secret_tally_is_not_told() -> None:
    *leavers, winner = of_kind(play(), "result")
    for event in leavers:
        out = event.data["selected"]
        assert told(event) == {"eliminated": out, "votes": event.data["tally"][out]}
    assert told(winner).keys() == {"winner", "votes"}


def test_a_revealed_tally_is_told() -> None:
    for event in of_kind(play(reveal_tally=True), "result"):
        assert told(event)["tally"] == event.data["tally"]


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("Ann is eliminated with 2 votes.", {"eliminated": "Ann", "votes": 2}),
        (
            "In a random draw between Ann and Ben, Ann wins the game with 2 votes.",
            {"winner": "Ann", "votes": 2},
        ),
        ("The votes are in.", {}),
        ("Ben is eliminated with 1 vote.", {}),
    ],
)
def test_a_line_tells_a_result_only_if_its_data_agree(line: str, facts: dict[str, Any]) -> None:
    event = of_kind(play(), "result")[0]
    event.content = line
    event.data = {"selected": "Ann", "tally": {"Ann": 2, "Ben": 1}}
    assert told(event) == facts


@pytest.mark.parametrize(
    "data",
    [
        {"order": 1},
        {"order": [1, None]},
        {"selected": ["Ada"], "tally": {"Ada": 1}},
        {"selected": "Ada", "tally": ["Ada"]},
        {"selected": "Ada", "tally": {"Ada": "many", "Ben": 1}},
        {"partner": {}, "vote": []},
    ],
)
@pytest.mark.parametrize("kind", ["narration", "result", "vote"])
def test_data_of_somebody_else_tells_nothing(kind: str, data: dict[str, Any]) -> None:
    event = Event(0, kind, "", "narrator", None, "Ada is eliminated.", (), data, "")
    assert DeliberationsGame.facts_of(event) == {}


def test_an_answer_tells_to_whom_and_a_debrief_whom_it_names() -> None:
    history = play(questions=True, debrief=True)
    answers = of_kind(history, "answer")
    assert [told(event) for event in answers] == [{"answers": one.data["to"]} for one in answers]
    assert len(answers) == 4
    debriefs = of_kind(history, "debrief")
    expected = [{"named": [one.data["answers"]["trust"]]} for one in debriefs]
    assert [told(one) for one in debriefs] == expected
    for event in (*answers, *debriefs):
        event.content, event.heading = "nothing of the kind", ""
        assert told(event) == {}
    assert not [event for event in of_kind(history, "question") if told(event)]
