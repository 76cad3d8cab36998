"""Probes: what is asked before each ballot, who reads the odds, and what may be said."""

import json
from typing import Any

import pytest

from engine.history import payload_of
from engine.history.social import Expectation
from engine.round_phases.probes import read_per_cent
from engine.runs.check import check_log
from engine.views.perspective import PUBLIC, history_in, without_debriefs
from providers import CompletionRequest
from tests.oracles.judge import broken_rules
from tests.support.consoles import typist
from tests.support.histories import of_kind
from tests.support.island import (
    Model,
    asked_for,
    engine_of,
    fields_in,
    island,
    model_of,
    plain,
    scripted_island,
)

SETTINGS: list[dict[str, Any]] = [
    {},
    {"ties": "revote", "phases": ["immunity", "pitches", "votes"]},
    {"finalists": 3, "questions": True, "debrief": True},
    {"rounds": {1: {"phases": ["sidebars", "pitches"]}}, "memory": "summary"},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_a_game_goes_on_as_without_probes(settings: dict[str, Any], seed: int) -> None:
    probed = scripted_island(5, seed, probes="votes", **settings).run()
    plainly = scripted_island(5, seed, **settings).run()
    others = [event for event in probed.events if event.kind != "probe"]
    assert [one.content for one in others] == [one.content for one in plainly.events]
    assert probed.outcome == plainly.outcome
    assert broken_rules(probed) == {}
    assert check_log(probed) == ""


def test_models_read_no_other_prompt_than_without_probes() -> None:
    probed, plainly = island(*["model"] * 4, probes="votes"), island(*["model"] * 4)
    history = probed.run()
    plainly.run()
    rest = [one for one in model_of(probed).asked if one.schema_name != "Probe"]
    assert rest == model_of(plainly).asked
    assert len(asked_for(probed, "Probe")) == len(of_kind(history, "probe")) == 4 + 3 + 2
    for view in (PUBLIC, *history.usage):
        assert of_kind(history_in(history, view), "probe") == []
        assert of_kind(without_debriefs(history, view), "probe") == []


def test_each_is_asked_of_all_who_can_leave_and_of_the_votes_against_it() -> None:
    engine = island(*["model"] * 4, probes="votes")
    history = engine.run()
    request = asked_for(engine, "Probe")[0]
    own = str(request.session)
    others = {"Ada", "Ben", "Cleo", "Dan"} - {own}
    due = {"leaves_me", *(f"{part}_{name}" for part in ("leaves", "against_me") for name in others)}
    assert {*fields_in(request)} == due
    assert {one["type"] for one in fields_in(request).values()} == {"integer"}
    for field in due:
        assert f'"{field}" (per cent that ' in request.messages[0].text
    assert {"wins_me"} < {*fields_in(asked_for(engine, "Probe")[-1])}
    said = payload_of(of_kind(history, "probe")[0], Expectation)
    assert {*said.chances} == others | {own}
    assert {*said.against} == others


def test_a_revote_is_probed_among_those_tied() -> None:
    for seed in range(20):
        for log in scripted_island(4, seed, probes="votes", ties="revote").run().rounds:
            again = of_kind(log, "probe")
            again = [event for event in again if payload_of(event, Expectation).revote]
            tied = {event.player_id for event in of_kind(log, "statement")}
            assert bool(again) is bool(tied)
            for event in again:
                said = payload_of(event, Expectation)
                assert {*said.chances} == tied
                assert bool(said.against) is (event.player_id in tied and len(tied) > 1)
        if again:
            return
    pytest.fail("no final was tied")


def test_odds_that_cannot_be_are_asked_again_and_counted() -> None:
    def answer(request: CompletionRequest) -> str:
        fields = json.loads(plain(request))
        if request.schema_name == "Probe" and request.session == "Ada":
            fields = dict.fromkeys(fields, 130)
        if request.schema_name == "Probe" and request.session == "Ben":
            fields = dict.fromkeys(fields, "25 %")
        return json.dumps(fields)

    history = island("model", "model", "loyal", "grudge", answer=answer, probes="votes").run()
    for event in of_kind(history, "probe"):
        said = payload_of(event, Expectation)
        odds = {*said.chances.values(), *said.against.values()}
        if event.player_id == "Ada":
            assert event.fell_back
            assert odds == set()
            assert event.content == "gives no usable odds"
            assert "a whole number from 0 to 100" in str(event.attempts[0].fault)
        if event.player_id == "Ben":
            assert odds == {25}
    assert history.usage["Ada"].fallbacks > 0
    assert check_log(history) == ""


@pytest.mark.parametrize(
    ("value", "read"), [(0, 0), ("40", 40), (" 7 % ", 7), (55.0, 55), ("100", 100)]
)
def test_per_cents_are_read(value: object, read: int) -> None:
    assert read_per_cent(value) == read


@pytest.mark.parametrize("value", [-1, 101, 0.5, "some", None, True, [], "1e2", "9" * 5000, "²"])
def test_what_is_no_per_cent_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="a whole number from 0 to 100"):
        read_per_cent(value)


def test_a_person_types_its_odds() -> None:
    console, shown = typist(lambda asked: "40 %" if "per cent" in asked else "1")
    history = island("human", "loyal", "grudge", console=console, probes="votes").run()
    probe = next(event for event in of_kind(history, "probe") if event.player_id == "Ada")
    assert {*payload_of(probe, Expectation).chances.values()} == {40}
    assert any("per cent that you leave" in line for line in shown)


def test_a_player_called_me_has_a_field_of_its_own() -> None:
    names = "me=compatible:m,Me!=scripted:loyal,Ben=scripted:grudge"
    engine = engine_of("deliberations", names, Model(), settings={"probes": "votes"})
    assert broken_rules(engine.run()) == {}
    assert len(fields_in(asked_for(engine, "Probe")[0])) == 5
