"""The debrief: what is asked after the game, who reads it, what is right, what a config may be."""

import json
import re
from random import Random
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.deliberations.for_the_log import most_trusted, round_of_decision
from engine.games.deliberations.game import DeliberationsGame
from engine.history import payload_of
from engine.history.social import Debriefing
from engine.report.tables import Sentence, Table
from engine.round_phases import RoundView
from engine.round_phases.asking import Line
from engine.runs.seating import neutral
from engine.views.perspective import history_in, without_debriefs
from tests.oracles.judge import broken_rules
from tests.support.consoles import typist
from tests.support.histories import of_kind
from tests.support.island import (
    Model,
    engine_of,
    fields_in,
    island,
    model_of,
    on_form,
    scripted_island,
    seats,
)
from tests.support.narrowing import not_none
from tests.support.tables import config_for

NOWHERE = "http://127.0.0.1:1"
OWN = [
    {"name": "rival", "ask": "Whom did you fear?", "answer": "player"},
    {"name": "turn", "ask": "When was it decided?", "answer": "round"},
    {"name": "is", "ask": "Who is who?", "answer": "models"},
    {"name": "why", "ask": "Why did you\nplay so?", "answer": "text"},
]


def test_all_are_asked_at_once_after_the_result_for_the_log_alone() -> None:
    engine = island(*["model"] * 4, debrief=OWN)
    history = engine.run()
    events = of_kind(history, "debrief")
    result, *last = history.events[-5:]
    assert result.kind == "result"
    assert last == events
    for event in events:
        assert event.visibility == (event.player_id,)
        assert not_none(event.prompt).upto == result.index + 1
    for request in model_of(engine).asked:
        assert "looks back" not in request.messages[0].text
        assert '"debrief":' not in request.messages[0].text
    fields = fields_in(model_of(engine).asked[-1])
    assert [name for name, field in fields.items() if "maxLength" in field] == ["why"]
    assert broken_rules(history) == {}


def test_the_play_before_it_is_the_same_and_nobody_is_told_beforehand() -> None:
    plainly, asked = island(*["model"] * 4).run(), island(*["model"] * 4, debrief=OWN).run()
    assert asked.outcome == plainly.outcome
    assert asked.events[:-4] == plainly.events
    assert asked.players == plainly.players


def test_answers_are_kept_by_the_names_of_the_questions() -> None:
    history = island("model", "loyal", "grudge", "random", debrief=OWN, seed=1).run()
    event = next(event for event in of_kind(history, "debrief") if event.player_id == "Ada")
    said = payload_of(event, Debriefing)
    assert [*said.answers] == ["rival", "turn", "is", "why"]
    assert said.answers["rival"] == said.choices["rival"][0] != "Ada"
    assert said.answers["turn"] == 1
    assert said.choices["turn"] == ("round 1", "round 2", "round 3")
    guesses = said.answers["is"]
    assert isinstance(guesses, dict)
    assert [*guesses] == ["Ben", "Cleo", "Dan"]
    who = {"Ben": "scripted:loyal", "Cleo": "scripted:grudge", "Dan": "scripted:random"}
    assert {*said.choices["is"]} == {*who.values(), "compatible:m"}
    assert said.right == {"is": sum(guesses[name] == who[name] for name in who)}
    assert str(said.answers["why"]).startswith("Ada says why number")
    assert event.content.startswith(f"rival: {said.answers['rival']}; turn: round 1; is: Ben is ")


def test_the_orders_of_players_and_models_differ_from_player_to_player() -> None:
    events = of_kind(scripted_island(8, 1, debrief=True).run(), "debrief")
    said = [payload_of(event, Debriefing) for event in events]
    assert len({one.choices["who"] for one in said}) > 4
    assert {one.choices["decided"] for one in said} == {tuple(f"round {n}" for n in range(1, 8))}


def test_a_player_whose_answer_is_of_no_use_has_none_and_is_counted() -> None:
    answer = on_form("Debrief", lambda _: '{"trust": "me"}')
    history = island("model", "loyal", "grudge", "random", answer=answer, debrief=True).run()
    event = next(event for event in of_kind(history, "debrief") if event.player_id == "Ada")
    said = payload_of(event, Debriefing)
    assert event.fell_back
    assert event.content == "gives no usable answers"
    nobody = dict.fromkeys(("Ben", "Cleo", "Dan"))
    assert said.answers == {"trust": None, "decided": None, "who": nobody}
    assert said.right == {"who": 0}
    assert history.usage["Ada"].fallbacks == 1
    assert broken_rules(history) == {}
    *_, lost = DeliberationsGame.report(history)
    assert lost == Sentence("1 of 4 players gave no usable answers after the game.")


def test_an_anonymous_game_asks_about_the_names_that_were_dealt() -> None:
    settings = {"anonymous": True, "debrief": True}
    history = GameEngine(neutral(config_for("deliberations", settings=settings))).run()
    names = {seat.player_id for seat in history.players}
    for event in of_kind(history, "debrief"):
        said = payload_of(event, Debriefing)
        guesses = said.answers["who"]
        assert isinstance(guesses, dict)
        assert {*guesses} == names - {str(event.player_id)}
        assert said.answers["trust"] in names
    assert broken_rules(history) == {}


def test_a_person_picks_by_number_and_reads_the_questions() -> None:
    console, shown = typist(lambda asked: "Because." if "words at most" in asked else "1")
    history = island("human", "loyal", "random", console=console, debrief=OWN).run()
    event = next(event for event in of_kind(history, "debrief") if event.player_id == "Ada")
    said = payload_of(event, Debriefing)
    assert said.answers["why"] == "Because."
    assert said.answers["rival"] == said.choices["rival"][0]
    assert any("Whom did you fear?" in line for line in shown)
    assert any(line.startswith("is_Ben (a number from 1 to 3") for line in shown)
    assert not any("debrief" in line for line in shown)
    assert broken_rules(history) == {}


def test_a_small_model_is_asked_in_fewer_words() -> None:
    players = seats("model", "loyal", "random")
    model = Model()
    engine = engine_of("deliberations", players, model, small=True, settings={"debrief": OWN})
    assert broken_rules(engine.run()) == {}
    asked = model.asked[-1].messages[0].parts[-1]
    assert asked.startswith("The game is over.")
    assert "for research" not in asked


def test_scripts_tell_whom_they_stood_with_and_when_they_decided() -> None:
    for seed in range(20):
        history = scripted_island(5, seed, debrief=True).run()
        for event in of_kind(history, "debrief"):
            said = payload_of(event, Debriefing)
            own = [one for one in history.events if one.player_id == event.player_id]
            pitched = [one.content for one in own if one.kind == "pitch"]
            allies = [line.partition("I stand with ")[2] for line in pitched]
            if any(allies):
                assert said.answers["trust"] == [name for name in allies if name][-1].rstrip(".")
            decided = said.answers["decided"]
            assert isinstance(decided, int)
            assert 1 <= decided <= 4


def looking_back(*lines: Line) -> RoundView:
    """Return what Ann sees after a game of four that Ben and Cleo finished."""
    return RoundView("Ann", 3, True, ("Ben", "Cleo"), ("Dan", "Ann"), ("Ben", "Cleo", "Dan"), lines)


def test_a_script_decided_where_it_first_was_against_the_rival_of_its_favourite() -> None:
    first, second, third = (Line("narration", None, f"Round {n} of 3.") for n in (1, 2, 3))
    for_dan = Line("vote", "Ann", "votes to eliminate Dan: He is sly.")
    of_ben = Line("pitch", "Ann", "Ben must go.")
    against_ben = Line("vote", "Ann", "in the revote votes to eliminate Ben: He is sly.")
    crown = Line("vote", "Ann", "votes for Cleo: She played well.")
    for lines, number in (
        ((first, for_dan, second, of_ben, third, crown), 2),
        ((first, for_dan, second, against_ben, third, crown), 2),
        ((first, of_ben, second, against_ben, third, crown), 1),
        ((first, for_dan, second, third, crown), 3),
    ):
        assert round_of_decision(looking_back(*lines)) == number


def test_a_script_trusts_its_last_ally_or_those_whose_pitches_agreed() -> None:
    ballot = Line("vote", "Ann", "in the revote votes to eliminate Dan: He is sly.")
    agrees = Line("pitch", "Cleo", "Dan should leave.")
    for lines, names in (
        ((agrees, ballot), {"Cleo"}),
        ((agrees, ballot, Line("pitch", "Ann", "I stand with Ben.")), {"Ben"}),
        ((ballot,), {"Ben", "Cleo", "Dan"}),
    ):
        assert {most_trusted(looking_back(*lines), Random(n)) for n in range(40)} == names


def test_guesses_of_scripts_are_right_by_chance() -> None:
    """40 games of 5 scripts of 5 kinds: 800 guesses among 5 models, 160 right give or take 34."""
    right = 0
    for seed in range(40):
        players = ("loyal", "grudge", "random", "bandwagon", "contrarian")
        for event in of_kind(island(*players, seed=seed, debrief=True).run(), "debrief"):
            right += payload_of(event, Debriefing).right["who"]
    assert 126 < right < 194


def test_the_report_tables_the_answers_of_all_and_a_view_of_one_has_none() -> None:
    history = island("model", "loyal", "grudge", "random", debrief=OWN, seed=1).run()
    table, guessed = DeliberationsGame.report(history)
    assert isinstance(table, Table)
    assert table.columns == ("player", "rival", "turn", "is", "why")
    assert [row[0] for row in table.rows] == ["Ada", "Ben", "Cleo", "Dan"]
    said = {event.player_id: payload_of(event, Debriefing) for event in of_kind(history, "debrief")}
    right = sum(one.right["is"] for one in said.values())
    share = f"{right / 12:.0%}"
    expected = Sentence(f"Models guessed right: {right} of 12 ({share}); by chance 25% would be.")
    assert guessed == expected
    figures = DeliberationsGame.batch_figures(history).shared
    assert figures == {"right guesses": right / 12, "right guesses by chance": 0.25}
    assert [*DeliberationsGame.report(history_in(history, "Ada"))] == []
    own, guessed = DeliberationsGame.report(without_debriefs(history, "Ada"))
    assert isinstance(own, Table)
    assert own.rows == table.rows[:1]
    assert isinstance(guessed, Sentence)
    assert " of 3 (" in guessed.text
    assert [*DeliberationsGame.report(island("loyal", "grudge", "random").run())] == []


def test_who_plays_reads_nothing_of_it_in_the_settings_before_the_end() -> None:
    history = island("loyal", "grudge", "random", debrief=True).run()
    assert "debrief" in history_in(history, "Ada").config["game"]
    history.status = "running"
    assert "debrief" not in history_in(history, "Ada").config["game"]
    assert "debrief" in history.config["game"]


@pytest.mark.parametrize(
    ("debrief", "words"),
    [
        ("yes", "expected true, or a list of questions such as"),
        ([{**OWN[0], "answer": "number"}], "unknown kind of answer 'number'"),
        ([OWN[0], OWN[0]], "expected questions of different names: got 'rival' 2 times"),
        ([{**OWN[0], "ask": " \n"}], "expected ask to be a question of 1 to 300 characters"),
        ([{**OWN[0], "ask": "a" * 301}], "expected ask to be a question of 1 to 300 characters"),
        ([{**OWN[0], "name": "my trust"}], "expected a question's name to be a letter and"),
        ([{**OWN[0], "name": "_x"}], "expected a question's name to be a letter and"),
        ([{**OWN[0], "name": "copy"}], "and no word that every answer has already: got 'copy'"),
        ([{"name": "a", "ask": "b"}], "answer"),
        ([{**OWN[0], "name": f"q{n}"} for n in range(13)], "expected at most 12 questions: got 13"),
    ],
)
def test_a_questionnaire_that_cannot_be_asked_is_refused(debrief: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        DeliberationsGame(debrief=debrief)


def test_true_is_three_questions_and_false_is_none() -> None:
    names = [one.name for one in DeliberationsGame(debrief=True).debrief]
    assert names == ["trust", "decided", "who"]
    assert DeliberationsGame(debrief=False).debrief == ()
    dumped = DeliberationsGame(debrief=OWN).model_dump(mode="json")["debrief"]
    assert json.loads(json.dumps(dumped))[3]["ask"] == "Why did you play so?"
    assert DeliberationsGame(debrief=dumped) == DeliberationsGame(debrief=OWN)


def test_fields_of_players_have_names_that_differ_and_that_every_api_takes() -> None:
    names = "A b=scripted:loyal,A-b=scripted:random,&=scripted:grudge,dump=compatible:m"
    questions = [OWN[2], {**OWN[2], "name": "is_A_b"}, {**OWN[2], "name": "model"}]
    model = Model()
    history = engine_of("deliberations", names, model, settings={"debrief": questions}).run()
    assert broken_rules(history) == {}
    fields = [*fields_in(model.asked[-1])]
    assert len(fields) == 9
    assert all(name.isascii() and name.isidentifier() for name in fields)
    assert fields[:3] == ["is_1", "is_2", "is_3"]
