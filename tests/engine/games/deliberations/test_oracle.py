"""The oracle passes every kind of fair game and names the rule a planted fault breaks."""

import json
from collections.abc import Callable
from functools import cache

import pytest

from engine.history import history_from_json
from providers import CompletionRequest
from tests.oracles.judge import ORACLES, broken_rules
from tests.support.histories import of_kind
from tests.support.island import Model, engine_of, island, plain, scripted_island
from tests.support.planted.deliberations import PLANTED
from tests.support.planted.log import Log, assert_caught, first, tampered, verdict
from tests.support.planted.ties import PLANTED_TIES

EVERYTHING = ["sidebars", "confessionals", "pitches", "votes"]
PLAYERS = ("model", "random", "model", "model", "loyal")
ASKED: Log = {"questions": True, "debrief": True, "probes": "votes"}


@cache
def fair() -> str:
    """Return the log of a fair game of five with every event; its last model abstains once."""

    def answer(request: CompletionRequest) -> str:
        once = "Round 2" not in request.messages[0].text and request.session == "Dan"
        if "Round 3" in request.messages[0].text and request.schema_name == "Pitch":
            return '{"plan": "", "text": "I am the one to keep."}'
        return '{"vote": "me"}' if once and request.schema_name == "Vote" else plain(request)

    settings: Log = {"phases": EVERYTHING, "memory": {"Ada": "summary"}, **ASKED}
    return island(*PLAYERS, answer=answer, seed=4, **settings).run().to_json()


def test_a_fair_game_breaks_no_rule() -> None:
    history = history_from_json(fair())
    kinds = {event.kind for event in history.events}
    assert kinds >= {"fault", "sidebar", "confessional", "summary", "vote"}
    assert kinds >= {"question", "answer", "debrief", "probe"}
    assert broken_rules(history) == {}
    assert verdict(json.loads(fair())) == ""
    assert {*ORACLES["deliberations"]} == {rule for _, rule in PLANTED + PLANTED_TIES if rule}, (
        "every rule has a fault that it catches"
    )


@pytest.mark.parametrize("part", range(4))
def test_scripted_games_break_no_rule(part: int) -> None:
    """200 games of 3 to 12 players, 10 % of ballots invalid; a quarter use every setting."""
    every: Log = {"phases": EVERYTHING, "memory": "summary", "reveal_tally": True, "messages": 3}
    more = every | ASKED if part == 3 else {}
    for seed in range(50 * part, 50 * part + 50):
        history = scripted_island(3 + seed % (6 if more else 10), seed, spoil=0.1, **more).run()
        assert broken_rules(history) == {}


@pytest.mark.parametrize(
    ("plant", "rule"), PLANTED, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_planted_fault_is_caught_by_the_check_and_by_the_rule_it_breaks(
    plant: Callable[[Log], None], rule: str
) -> None:
    assert_caught(plant, fair(), rule)


@pytest.mark.parametrize("fell_back", [True, False], ids=["an abstention", "a ballot"])
def test_a_voter_abstains_if_and_only_if_it_fell_back(*, fell_back: bool) -> None:
    log = json.loads(fair())
    votes = [event for one in log["rounds"] for event in one["events"] if event["kind"] == "vote"]
    vote = next(event for event in votes if event["fell_back"] is fell_back)
    vote["fell_back"] = not fell_back
    (breach,) = broken_rules(tampered(log))["ballots"]
    assert "an abstention if and only if no legal name came" in breach


def test_a_name_that_a_ballot_has_in_escapes_is_that_name() -> None:
    """A model may write any letter as JSON's \\u and four digits, and a slash behind another."""
    seats = ",".join(f"{name}=compatible:m" for name in ("\u5929", "Zo\u00eb", "\U0001f98a", "A/B"))
    model = Model(lambda request: plain(request).replace("/", "\\/"))
    history = engine_of("deliberations", seats, model).run()
    texts = [event.attempts[-1].text for event in of_kind(history, "vote")]
    assert any("\\u" in text for text in texts)
    assert broken_rules(history) == {}

    log = json.loads(history.to_json())
    vote = first(log, "vote", 1)
    other = next(name for name in vote["data"]["candidates"] if name != vote["data"]["vote"])
    vote["attempts"][-1]["text"] = json.dumps({"explanation": "no", "vote": other})
    assert "lost votes" in broken_rules(tampered(log))


def test_a_rigged_tie_is_caught_though_the_other_had_as_many_votes() -> None:
    for seed in range(50):
        log = json.loads(scripted_island(4, seed).run().to_json())
        result = first(log, "result", 3)
        tied = [name for name, count in result["data"]["tally"].items() if count == 1]
        if len(tied) == 2:
            loser = next(name for name in tied if name != result["data"]["selected"])
            result["data"]["selected"] = loser
            among = " and ".join(tied)
            told = f"In a random draw between {among}, {loser} wins the game with 1 vote."
            result["content"] = told
            places = log["outcome"]["placements"]
            for name in tied:
                places[name] = 3 - places[name]
            assert {*broken_rules(tampered(log))} == {"draws"}
            return
    pytest.fail("no final was tied")


def test_what_was_cut_within_a_sentence_is_a_quote_all_the_same() -> None:
    def answer(request: CompletionRequest) -> str:
        return plain(request).replace("says text", "says text and goes on and on and on")

    history = island("model", "model", "random", answer=answer, words=8).run()
    cut = [event for event in history.events if event.data.get("cut") and event.attempts]
    assert cut
    assert all(event.content.endswith("…") for event in cut)
    assert broken_rules(history) == {}
    cut[0].content = "I never said this…"
    assert {*broken_rules(history)} >= {"quotes"}


def test_hostile_logs_are_findings_and_no_crash() -> None:
    """Whatever a log holds in place of plain data, it yields findings or is refused as no log."""
    log = json.loads(fair())
    for event in (event for one in log["rounds"] for event in one["events"]):
        event["data"] = {}
    assert {*broken_rules(tampered(log))} >= {"ballots", "verdicts", "narration", "sidebars"}
    log["rounds"] = []
    assert "rounds" in broken_rules(tampered(log))
