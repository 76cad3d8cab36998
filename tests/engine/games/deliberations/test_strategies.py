"""What the scripts of the island say and whom they vote for."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from engine.games.deliberations.listening import Stance, named_as_foes
from engine.games.deliberations.strategies import ORDERS, STRATEGIES, friends_first
from engine.round_phases import RoundView
from engine.round_phases.asking import Line
from tests.support.histories import of_kind
from tests.support.island import island, scripted_island

SEEDS = range(40)
TRIPLES = {*map("".join, permutations("BCD"))}


def observed(*lines: str, options: str = "Ben Cleo Dan", final_round: bool = False) -> RoundView:
    """Return what Ann sees after lines such as "Ben: Cleo should leave." or "result: ..."."""
    told = [line.split(": ", 1) for line in lines]
    read = [
        Line("result", None, text) if author == "result" else Line("pitch", author, text)
        for author, text in told
    ]
    active = ("Ann", "Ben", "Cleo", "Dan")
    return RoundView("Ann", 1, final_round, active, (), tuple(options.split()), tuple(read))


def stances(name: str, seen: RoundView) -> set[Stance]:
    return {STRATEGIES[name](seen, Random(seed)) for seed in SEEDS}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ben should leave.", {"Ben"}),
        ("I stand with Ben. Cleo, however, must go!", {"Cleo"}),
        ("Benjamin and Cleopatra are gone", set()),
        ("Ben? Cleo? Anybody?", {"Ben", "Cleo"}),
        ("Player 12 is no Player 1", {"Player 1", "Player 12"}),
        ("Player 12 is dangerous", {"Player 12"}),
        ("", set()),
    ],
)
def test_whom_words_are_against(text: str, expected: set[str]) -> None:
    assert named_as_foes(text, ["Ben", "Cleo", "Player 1", "Player 12"]) == expected


@pytest.mark.parametrize(
    ("strategy", "lines", "expected"),
    [
        ("random", (), {"Ben", "Cleo", "Dan"}),
        ("random", ("Ben: Ann should leave.",), {"Ben", "Cleo", "Dan"}),
        ("grudge", (), {"Ben", "Cleo", "Dan"}),
        ("grudge", ("Ben: Ann should leave.", "Cleo: Dan should leave."), {"Ben"}),
        (
            "grudge",
            ("Ben: Ann should leave.", "Cleo: Ann must go.", "result: Eve is eliminated."),
            {"Cleo"},
        ),
        ("grudge", ("Ben: I stand with Ann.", "Eve: Ann must go."), {"Ben", "Cleo", "Dan"}),
        (
            "bandwagon",
            ("Ben: Dan should leave.", "Cleo: Dan must go.", "Dan: Ben must go."),
            {"Dan"},
        ),
        ("bandwagon", ("Ben: Dan should leave.", "Dan: Ben must go."), {"Ben", "Dan"}),
        (
            "bandwagon",
            ("Ben: Dan should leave.", "result: Eve is eliminated.", "Dan: Cleo must go."),
            {"Cleo"},
        ),
        ("bandwagon", ("Ben: I, Ben, am honest.",), {"Ben", "Cleo", "Dan"}),
        ("contrarian", ("Ben: Dan should leave.", "Dan: Cleo must go."), {"Ben"}),
        ("contrarian", (), {"Ben", "Cleo", "Dan"}),
        ("loyal", ("Ann: I stand with Cleo.", "Cleo: Dan must go."), {"Dan"}),
        ("loyal", ("Ann: I stand with Cleo.",), {"Ben", "Dan"}),
        (
            "loyal",
            ("Ann: I stand with Cleo.", "Cleo: Dan must go. Ann too.", "Cleo: Ben must go."),
            {"Ben"},
        ),
        ("loyal", ("Ann: I stand with Eve.", "Eve: Dan must go."), {"Ben", "Cleo", "Dan"}),
    ],
)
def test_whom_scripts_oppose(strategy: str, lines: tuple[str, ...], expected: set[str]) -> None:
    assert {stance.against for stance in stances(strategy, observed(*lines))} == expected


def test_loyal_keeps_its_ally() -> None:
    assert {stance.ally for stance in stances("loyal", observed())} == {"Ben", "Cleo", "Dan"}
    found = {stance.ally for stance in stances("loyal", observed("Ann: I stand with Dan."))}
    assert found == {"Dan"}


ATTACKS = ("Ben: Dan should leave.", "Cleo: Dan must go.", "Dan: Ben must go.")


@pytest.mark.parametrize(
    ("stance", "orders"),
    [
        (Stance(None), TRIPLES),
        (Stance("Cleo"), {"BD", "DB"}),
        (Stance("Cleo", "Dan"), {"DB"}),
    ],
)
def test_scripts_rank_an_ally_first_and_a_foe_never(stance: Stance, orders: set[str]) -> None:
    drawn = [friends_first(observed(), stance, Random(seed)) for seed in range(200)]
    assert {"".join(name[0] for name in names) for names in drawn} == orders


@pytest.mark.parametrize(
    ("strategy", "lines", "orders"),
    [
        ("random", (), {"", *"BCD", *map("".join, permutations("BCD", 2)), *TRIPLES}),
        ("grudge", ("Ben: Ann should leave.", "Ben: Ann must go.", *ATTACKS), {"CD", "DC"}),
        ("grudge", ATTACKS, TRIPLES),
        ("bandwagon", ATTACKS, {"CBD"}),
        ("contrarian", ATTACKS, {"DBC"}),
    ],
)
def test_each_script_has_its_own_order_of_partners(
    strategy: str, lines: tuple[str, ...], orders: set[str]
) -> None:
    seen, order = observed(*lines), ORDERS[STRATEGIES[strategy]]
    drawn = [order(seen, Stance(None), Random(seed)) for seed in range(200)]
    assert {"".join(name[0] for name in names) for names in drawn} == orders


def test_the_random_script_ranks_anybody_in_a_game() -> None:
    """Friends alone would always be all but one: a random ranking has any length."""
    history = island(*["random"] * 6, seed=1, phases=["sidebars", "votes"], pairing="ranking").run()
    lengths = [len(e.data["ranking"]) for e in history.events if "ranking" in e.data]
    assert {*lengths} > {0, 1, 2}


@pytest.mark.parametrize("name", STRATEGIES)
def test_scripts_are_pure(name: str) -> None:
    seen = observed("Ben: Ann should leave.", "Cleo: Dan must go.")
    assert STRATEGIES[name](seen, Random(3)) == STRATEGIES[name](seen, Random(3))


@pytest.mark.parametrize("name", STRATEGIES)
def test_with_nobody_to_name_nothing_breaks(name: str) -> None:
    alone = RoundView("Ann", 1, False, ("Ann",), (), (), ())
    assert STRATEGIES[name](alone, Random(0)).against is None


def test_scripts_never_answer_illegally_and_their_pitches_differ() -> None:
    phases = ["sidebars", "confessionals", "pitches", "votes"]
    for seed in range(30):
        history = scripted_island(3 + seed % 10, seed, phases=phases, memory="summary").run()
        assert not of_kind(history, "fault")
        assert max(Counter(event.content for event in of_kind(history, "pitch")).values()) <= 3
