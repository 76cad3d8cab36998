"""Sidebars by pick and by ranking, with jurors and with consent: who talks, and who sees it."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from engine.games.deliberations.game import DeliberationsGame
from engine.history import Event, History, data_of, history_from_json, payload_of
from engine.round_phases import RANKS
from engine.round_phases.forms import rank_partners
from protocol.answer import give_room, schema_of
from providers import CompletionRequest
from tests.oracles.judge import broken_rules
from tests.support.consoles import typed
from tests.support.histories import of_kind
from tests.support.island import (
    DELIBERATIONS,
    Model,
    asked_for,
    engine_of,
    fields_in,
    island,
    on_form,
    plain,
    scripted_island,
    seats,
)
from tests.support.planted.log import Log, assert_caught, tampered, verdict
from tests.support.planted.sidebars import FAULTS, find
from tests.test_every_game import leaks_of

PHASES = ["sidebars", "votes"]
RANKING: dict[str, Any] = {"phases": PHASES, "pairing": "ranking"}
WAYS: list[dict[str, Any]] = [
    RANKING,
    {"phases": PHASES, "decline": True},
    {"phases": PHASES, "jurors_aside": True},
    {"phases": PHASES, "jurors_aside": True, "decline": True, "pairing": "ranking"},
]


def asides(history: History, round_index: int = 0) -> list[Event]:
    """Return the events of sidebars, of one round or (0) of all."""
    return [
        event
        for log in history.rounds
        for event in of_kind(log, "sidebar")
        if round_index in (0, log.round_index)
    ]


@pytest.mark.parametrize("way", WAYS)
def test_scripts_play_each_way_and_break_no_rule(way: dict[str, Any]) -> None:
    for seed in range(12):
        more = {"exchanges": 1 + seed % 2, "messages": 1 + seed % 3, "memory": "summary"}
        history = scripted_island(3 + seed % 7, seed, spoil=0.1, **way, **more).run()
        assert broken_rules(history) == {}
        assert leaks_of(DELIBERATIONS, history) == []
        for event in asides(history):
            payload: object = payload_of(event, DELIBERATIONS.payloads["sidebar"])
            assert json.dumps(data_of(payload)) == json.dumps(event.data)
        again = scripted_island(3 + seed % 7, seed, spoil=0.1, **way, **more).run()
        assert again.rounds == history.rounds


def ranked(*lists: str) -> Callable[[CompletionRequest], str]:
    """Return a model that ranks for each seat the players with these first letters."""
    wanted = dict(zip(("Ada", "Ben", "Cleo", "Dan", "Eva"), lists, strict=False))

    def answer(request: CompletionRequest) -> str:
        if request.schema_name != "Partners" or "Round 2" in request.messages[0].text:
            return plain(request)
        by_letter = {name[0]: name for name in fields_in(request)["first"]["enum"]}
        names = [by_letter[letter] for letter in wanted[str(request.session)]]
        return json.dumps(dict(zip(RANKS, [*names, "nobody"], strict=False)) | {"explanation": "?"})

    return answer


def test_nobody_is_a_ranking_too() -> None:
    told = asides(island(*["model"] * 4, answer=ranked("", "", "", ""), seed=3, **RANKING).run(), 1)
    assert [event.content for event in told[:4]] == ["ranks nobody"] * 4
    expected = [f"{name} has no talk this time." for name in ("Ada", "Ben", "Cleo", "Dan")]
    assert sorted(event.content for event in told[4:]) == expected
    assert not any(event.fell_back for event in told)


def test_who_is_ranked_twice_is_asked_for_again_and_told_why() -> None:
    def stubborn(request: CompletionRequest) -> str:
        names = fields_in(request)["first"]["enum"]
        twice = dict.fromkeys(fields_in(request), names[0])
        if len(request.messages) == 1:
            return json.dumps(twice)
        return json.dumps(twice | {"second": names[1], "third": "nobody"})

    answer = on_form("Partners", stubborn)
    engine = island("model", "random", "random", "random", answer=answer, **RANKING)
    history = engine.run()
    first, again = asked_for(engine, "Partners")[:2]
    options = fields_in(first)["first"]["enum"]
    assert again.messages[-1].text == (
        "That answer cannot be used: expected second: a player who is not ranked above, or "
        f"nobody, which ends the list: got '{options[0]}'. "
        "Answer the same question again, with one JSON object."
    )
    ranking = next(event for event in asides(history) if event.attempts)
    assert ranking.data["ranking"] == options[:2]
    assert len(ranking.attempts) == 2
    assert broken_rules(history) == {}


def test_a_small_seat_is_not_asked_again_and_who_it_names_twice_counts_once() -> None:
    def repeat(request: CompletionRequest) -> str:
        names = fields_in(request)["first"]["enum"]
        return json.dumps(dict.fromkeys(fields_in(request), names[0]) | {"third": names[1]})

    model = Model(on_form("Partners", repeat))
    players = seats("model", "random", "random", "random")
    history = engine_of("deliberations", players, model, small=True, settings=RANKING).run()
    ranking = next(event for event in asides(history) if event.attempts)
    assert len(ranking.attempts) == 1
    assert len(ranking.data["ranking"]) == 2
    assert broken_rules(history) == {}


def test_a_table_of_twenty_ranks_in_one_flat_answer() -> None:
    engine = island("model", *["loyal"] * 19, **RANKING)
    history = engine.run()
    fields = fields_in(asked_for(engine, "Partners")[0])
    assert [*fields] == ["explanation", *RANKS]
    assert all(len(fields[rank]["enum"]) == 20 for rank in RANKS)
    assert {field["type"] for field in fields.values()} == {"string"}
    assert broken_rules(history) == {}


def test_who_is_asked_may_decline_and_then_nothing_is_said() -> None:
    def shy(request: CompletionRequest) -> str:
        answer = "accept" if request.session == "Ben" else "decline"
        return json.dumps({"explanation": "because", "answer": answer})

    answer = on_form("Consent", shy)
    history = island(*["model"] * 4, answer=answer, seed=1, phases=PHASES, decline=True).run()
    assert broken_rules(history) == {}
    told = asides(history)
    for asked, answered, after in zip(told, told[1:], [*told[2:], None], strict=False):
        if "partner" not in asked.data or asked.data["partner"] is None:
            continue
        host, partner = str(asked.player_id), asked.data["partner"]
        assert asked.content == f"asks {partner} aside"
        assert answered.player_id == partner
        assert {*answered.visibility} == {host, partner}
        accepts = partner == "Ben"
        word = "accepts" if accepts else "declines"
        assert answered.content == f"{word} the talk with {host}"
        speaks = after is not None and "cut" not in after.data and after.data.get("to") == partner
        assert speaks == accepts


def test_silence_is_no_consent() -> None:
    mute = on_form("Consent", lambda _: "?")
    history = island(*["model"] * 3, answer=mute, phases=PHASES, decline=True).run()
    answers = [event for event in asides(history) if "accepts" in event.data]
    assert answers
    assert all(event.fell_back and not event.data["accepts"] for event in answers)
    assert broken_rules(history) == {}


def test_finalists_take_jurors_aside_who_are_asked_nothing_but_to_answer() -> None:
    engine = island(*["model"] * 4, seed=2, phases=PHASES, jurors_aside=True, pairing="ranking")
    history = engine.run()
    final = history.rounds[-1]
    begun = [event for event in asides(history, 3) if "partner" in event.data]
    assert {event.player_id for event in begun} == {*final.active_player_ids}
    for event in begun:
        others = {*history.usage} - {event.player_id}
        assert {*event.data["candidates"]} == others
    jurors = {*final.eliminated_player_ids}
    by_jurors = [event for event in asides(history, 3) if event.player_id in jurors]
    assert by_jurors
    assert all("to" in event.data for event in by_jurors)
    questions = [one.messages[0].text for one in asked_for(engine, "Partner")]
    assert len(questions) == 2
    assert all("a juror too" in question for question in questions)
    assert broken_rules(history) == {}


def test_a_person_ranks_by_number_and_ends_with_nobody() -> None:
    console, shown = typed("Ben", "ben", "cleo", "nobody")
    history = island("human", *["random"] * 4, console=console, seed=2, **RANKING).run()
    ranking = next(event for event in asides(history) if event.player_id == "Ada")
    assert ranking.content == "ranks Ben, Cleo"
    told = "\n".join(shown)
    assert told.count("third (a number from 1 to 5") == 1
    assert "fourth (" not in told
    because = "a player who is not ranked above, or nobody, which ends the list"
    assert f"'Ben' does not fit here: choose {because}." in " ".join(told.split())
    assert told.count("  5  nobody") == 1


@pytest.mark.parametrize(
    ("settings", "words", "missing"),
    [
        (
            RANKING,
            "Leaving a player off your list declines them; your list may be empty.",
            "may decline",
        ),
        (RANKING, "The pair whose two ranks have the smallest sum is matched first", "the final:"),
        ({"phases": PHASES, "decline": True}, "A player who is asked may decline", "rank"),
        ({"phases": PHASES, "jurors_aside": True}, "- Sidebars in the final: ", "may decline"),
        (WAYS[-1], "no ranks are asked for", "\n\n"),
        (WAYS[-1], "A player who is asked may decline", "\n\n"),
        (
            {"phases": PHASES},
            "- Sidebars: each player in the game may take another player",
            "decline",
        ),
    ],
)
def test_rules_tell_how_pairs_arise(settings: dict[str, Any], words: str, missing: str) -> None:
    rules = DeliberationsGame.model_validate(settings).rules(players=5)
    assert words in rules
    assert missing not in rules


def test_each_question_tells_that_declining_is_a_choice() -> None:
    model = Model()
    for settings in WAYS:
        island(*["model"] * 4, model=model, seed=2, **settings).run()
    asked = {one.schema_name: one.messages[0].text for one in model.asked}
    assert "or nobody? First your reason" in asked["Partner"]
    assert "Leaving a player off your list declines them." in asked["Partners"]
    assert "You may decline" in asked["Consent"]
    assert "\n\nDo you accept or decline?" in asked["Consent"]


def test_the_form_keeps_its_ranks_however_long_a_reason_may_be() -> None:
    form = give_room(rank_partners(3), 300)
    schema = schema_of(form, dict.fromkeys(RANKS[:3], ("Ben", "nobody")))
    assert schema["required"] == ["explanation", "first", "second", "third"]


@cache
def fair(way: int) -> str:
    names = ("model", "random", "model", "model", "loyal")
    answer = on_form("Partners", ranks_in_order)
    return island(*names, answer=answer, seed=7, **WAYS[way]).run().to_json()


def ranks_in_order(request: CompletionRequest) -> str:
    """Rank all players in the order in which the request lists them."""
    fields = fields_in(request)
    names = fields["first"]["enum"]
    answer = dict(zip([*fields][1:], names, strict=False))
    return json.dumps(answer | {"explanation": f"{request.session} has thought about it"})


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_fair_games_of_models_break_no_rule(way: int) -> None:
    assert broken_rules(history_from_json(fair(way))) == {}
    assert verdict(json.loads(fair(way))) == ""


@pytest.mark.parametrize(
    ("way", "plant", "rule"), FAULTS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_a_planted_fault_is_caught(way: int, plant: Callable[[Log], None], rule: str) -> None:
    assert_caught(plant, fair(way), rule)


def test_a_rigged_lot_among_pairs_is_caught() -> None:
    """Ann's pair and another cost the same; the log has the one that the seed did not draw."""
    triangle = ranked("BC", "CA", "AB", "")
    names = ["model"] * 4
    engine = island(*names, answer=triangle, seed=0, phases=PHASES, pairing="ranking")
    log = json.loads(engine.run().to_json())
    told = find(log, "members", 1)
    pair = told[0]["data"]["members"]
    alone = next(name for name in ("Ada", "Ben", "Cleo") if name not in pair)
    order = [event["player_id"] for event in find(log, "ranking", 1)]
    rigged = sorted((pair[0], alone), key=order.index)
    rename = dict(zip([*pair, alone], [*rigged, pair[1]], strict=True))
    for event in [*told, *find(log, "to", 1)]:
        retell(event, rename)
    waiting = [event["data"]["members"] for event in told[1:]]
    waiting.sort(key=lambda members: order.index(members[0]))
    for event, members in zip(told[1:], waiting, strict=True):
        event["data"]["members"] = members
        event["visibility"] = members
        event["content"] = f"{members[0]} has no talk this time."
    found = broken_rules(tampered(log))
    assert "sidebars" not in found
    assert any("the pairs, as the seed draws" in breach for breach in found["draws"])


def retell(event: Log, rename: dict[str, str]) -> None:
    """Tell an event of a sidebar of others."""
    data = event["data"]
    event["visibility"] = [rename.get(name, name) for name in event["visibility"]]
    if "members" in data:
        data["members"] = [rename.get(name, name) for name in data["members"]]
        first = data["members"][0]
        both = " and ".join(data["members"])
        pair = f"{both} talk in private; {first} begins."
        event["content"] = pair if len(data["members"]) == 2 else f"{first} has no talk this time."
        return
    speaker = rename.get(event["player_id"], event["player_id"])
    event.update(player_id=speaker, role=f"player {speaker}")
    data["to"] = rename.get(data["to"], data["to"])
