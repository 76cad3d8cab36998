"""Juries asked again: tables of answers worked by hand, and jurors whose habits are known."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from engine.rng import stream
from labs.bias.estimators import Effect, jury_effects

Answer = dict[str, Any]
# Which of the two finalists a juror takes: by their names in the game, as they are listed, and as
# the juror reads their names.
Habit = Callable[[list[str], list[str]], str]

FINALISTS = ("Player 2", "Player 10")
FIRST, SECOND = FINALISTS


def answers_of(
    game: str, juror: str, habit: Habit, listed: tuple[str, str] = FINALISTS
) -> list[Answer]:
    """Return what a juror of one habit answers to the five permutations."""
    asked = {
        "again": ([*listed], [*listed]),
        "order": ([*listed[::-1]], [*listed[::-1]]),
        "label": ([*listed], [*listed[::-1]]),
        "both": ([*listed[::-1]], [*listed]),
        "placebo": ([*listed], [*listed]),
    }
    original = habit([*listed], [*listed])
    found = []
    for permutation, (who, read) in asked.items():
        chosen = habit(who, read)
        told = answer(game, juror, permutation, who.index(chosen) + 1, chosen)
        found.append(told | {"original": original})
    return found


def juries(habit: Habit, finals: int = 6, jurors: int = 3) -> list[Answer]:
    """Return the answers of finals that list the two in both orders in turn."""
    found = []
    for final in range(finals):
        listed = (FIRST, SECOND) if final % 2 else (SECOND, FIRST)
        for juror in range(jurors):
            found += answers_of(f"g{final}", f"j{juror}", habit, listed)
    return found


def by_merit(who: list[str], read: list[str]) -> str:
    """Take Player 10, wherever and however it is named."""
    return SECOND


def by_place(who: list[str], read: list[str]) -> str:
    """Take the first in the list."""
    return who[0]


def by_name(who: list[str], read: list[str]) -> str:
    """Take who is called Player 2."""
    return who[read.index(FIRST)]


def figures(effect: Effect) -> tuple[float, float, tuple[float, float]]:
    return effect.estimate, effect.error, effect.interval


def test_a_juror_who_goes_by_merit_shows_exactly_nothing() -> None:
    effects = jury_effects(juries(by_merit))
    assert {*effects} == {
        "order", "label", "order flips", "label flips", "both flips",
        "order verdicts", "label verdicts", "both verdicts",
    }  # fmt: skip
    for effect in effects.values():
        assert figures(effect) == (0.0, 0.0, (0.0, 0.0))
    assert effects["order"].share == 0.5


@pytest.mark.parametrize(
    ("habit", "moves", "other", "first"),
    [(by_place, "order", "label", 1.0), (by_name, "label", "order", 0.5)],
)
def test_a_juror_who_takes_the_first_or_a_name_is_found(
    habit: Habit, moves: str, other: str, first: float
) -> None:
    """Player 2 sorts before Player 10, as people count."""
    effects = jury_effects(juries(habit))
    assert effects["order"].share == first
    assert figures(effects[moves]) == (1.0, 0.0, (1.0, 1.0))
    assert figures(effects[other]) == (0.0, 0.0, (0.0, 0.0))
    assert effects[f"{moves} flips"].estimate == effects[f"{moves} verdicts"].estimate == 1.0
    assert effects[f"{other} flips"].estimate == effects[f"{other} verdicts"].estimate == 0.0
    assert effects["both flips"].estimate == 1.0


def answer(game: str, juror: str, permutation: str, place: int, chosen: str | None) -> Answer:
    told = {"game": game, "juror": juror, "permutation": permutation, "original": "a"}
    return {**told, "place_chosen": place, "chosen": chosen}


def table_of(lines: Iterable[Sequence[str]]) -> list[Answer]:
    """Return answers of jurors that voted for a, listed before b: in the game, again and turned."""
    found = []
    for number, (game, again, turned) in enumerate(lines):
        places = {"again": "ab".index(again) + 1, "order": "ba".index(turned) + 1}
        for change, chosen in (("again", again), ("order", turned), ("placebo", again)):
            place = places.get(change, places["again"])
            found.append(answer(game, f"j{number}", change, place, chosen))
    return found


def test_a_table_by_hand() -> None:
    """Three finals that a won by all votes; whom jurors choose again, and with the list turned.

    Order: in x both jurors choose the first of both lists (+1), in y and z the same finalist twice.
    Flips: three of five when turned, one of five again.
    """
    lines = [line.split() for line in ("x a b", "x a b", "y b b", "y a a", "z a a")]
    effects = jury_effects(table_of(lines))
    assert effects["order"].estimate == pytest.approx(2 / 5)
    assert effects["order"].votes == 5
    assert effects["order"].games == 3
    # First in the list: x again, turned, twice; y's one again a, once turned b; z again a.
    assert effects["order"].share == pytest.approx((4 + 1 + 1 + 1) / 10)
    assert effects["order flips"].estimate == pytest.approx(3 / 5 - 1 / 5)
    assert effects["order flips"].share == pytest.approx(3 / 5)
    # x falls to b; y, once all a's, is tied again and turned; z stays.
    assert effects["order verdicts"].share == pytest.approx(2 / 3)
    assert effects["order verdicts"].estimate == pytest.approx(2 / 3 - 1 / 3)
    assert {*effects} == {"order", "order flips", "order verdicts"}


def test_noise_alone_is_no_effect() -> None:
    """Jurors who toss a coin flip half the time, turned or not: the interval holds nothing."""
    rng = np.random.default_rng(2)
    coins = juries(lambda who, read: who[rng.integers(2)], finals=60, jurors=5)
    for effect in jury_effects(coins).values():
        low, high = effect.interval
        assert low < 0 < high
        assert effect.error > 0
    assert jury_effects(coins)["order flips"].share == pytest.approx(0.5, abs=0.1)


def test_a_lean_to_the_first_is_in_its_interval() -> None:
    """Who takes the first three times in four has an effect of .75 - .25."""
    rng = np.random.default_rng(9)
    answers = juries(lambda who, read: who[int(rng.random() > 0.75)], finals=80, jurors=5)
    low, high = jury_effects(answers)["order"].interval
    assert 0.3 < low < 0.5 < high < 0.7


def test_intervals_do_not_depend_on_the_order_of_answers() -> None:
    rng = np.random.default_rng(10)
    answers = juries(lambda who, read: who[rng.integers(2)], finals=20)
    assert jury_effects(answers) == jury_effects(answers[::-1])


def test_answers_without_a_choice_are_left_out() -> None:
    answers = juries(by_place)
    silent = answers_of("g9", "j9", by_place)
    for each in silent:
        each["chosen"] = each["place_chosen"] = None
    abstained = [each | {"original": None} for each in answers_of("g9", "j8", by_place)]
    asked = answers_of("g9", "j7", by_place)
    once = [each for each in asked if each["permutation"] not in ("again", "placebo")]
    assert jury_effects([*answers, *silent, *abstained, *once]) == jury_effects(answers)


def test_jurors_whom_any_other_words_move_show_no_effect_of_names() -> None:
    """Each is deterministic and has no bias, and any change of its prompt is a new toss."""
    changed = []
    for number, each in enumerate(juries(by_merit, finals=40, jurors=5)):
        if each["permutation"] != "again":
            chosen = FINALISTS[stream(3, each["permutation"], number).randrange(2)]
            each |= {"chosen": chosen}
        changed.append(each)
    effects = jury_effects(changed)
    for name in ("label flips", "label verdicts", "order flips", "order verdicts"):
        low, high = effects[name].interval
        assert low < 0 < high, name
    assert effects["label flips"].share == pytest.approx(0.5, abs=0.1)
    without = [each for each in changed if each["permutation"] != "placebo"]
    assert {*jury_effects(without)} == {"order", "label"}


def test_fewer_than_two_finals_tell_nothing() -> None:
    assert jury_effects(juries(by_place, finals=1)) == {}
    assert jury_effects([]) == {}


def test_answers_that_cannot_be_read() -> None:
    told = "a permutation out of order, label, both, again, placebo: 'mood'"
    with pytest.raises(ValueError, match=told):
        jury_effects([answer("g", "j", "mood", 1, "a")])
    with pytest.raises(ValueError, match="'j' of 'g' has two for 'order'"):
        jury_effects([answer("g", "j", "order", 1, "a")] * 2)
