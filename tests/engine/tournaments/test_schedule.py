"""Who meets whom: everybody as often, in every seat, with everybody."""

from collections import Counter
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from engine.tournaments.schedule import even_table
from engine.tournaments.schedule.draw import Draw, count_draws
from engine.tournaments.schedule.even_table import MOST_TRIALS, TRIALS, choose_table, try_table
from engine.tournaments.settings import TournamentSettings
from tests.support.tournaments.cups import cup_of


def check_even(settings: TournamentSettings, draws: list[Draw]) -> None:
    """Check how often all play, in which seats and with whom, which is counted here too."""
    exposure = count_draws(settings, draws)
    assert int(exposure.games.max() - exposure.games.min()) <= 1
    assert int((exposure.seats.max(axis=1) - exposure.seats.min(axis=1)).max()) <= 2
    counted = Counter(pair for draw in draws for pair in permutations(draw.seats, 2))
    for one, other in product(exposure.places, repeat=2):
        met = exposure.meetings[exposure.places[one], exposure.places[other]]
        assert met == counted[one, other]
    meetings = [counted[pair] for pair in combinations(exposure.places, 2)]
    assert max(meetings) - min(meetings) <= 4


@pytest.mark.parametrize(
    ("entrants", "table", "games"), [(20, 5, 400), (50, 8, 63), (9, 8, 120), (2, 2, 20), (7, 3, 24)]
)
def test_all_play_as_often_in_all_seats_with_all(entrants: int, table: int, games: int) -> None:
    settings = cup_of(entrants, table, games)
    draws = list(settings.draw())
    assert len(draws) == games
    check_even(settings, draws)
    assert all(len(set(draw.seats)) == table for draw in draws)


@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 10**6))
@examples(max_examples=20, deadline=None, derandomize=True)
def test_any_schedule_is_even(entrants: int, table: int, seed: int) -> None:
    table = min(table, entrants)
    settings = cup_of(entrants, table, -(-10 * entrants // table), seed=seed)
    check_even(settings, list(settings.draw()))


@pytest.mark.parametrize(("met", "trials"), [(0, TRIALS), (100, MOST_TRIALS)])
def test_more_tables_are_tried_only_while_two_would_meet_too_often(
    met: int, trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exposure, tried = count_draws(cup_of(4, 3, 1), []), []
    # Of any three entrants, two have met that often.
    exposure.meetings[[0, 1, 2, 3], [1, 0, 3, 2]] += met

    def watched(*trial: Any) -> tuple[int, float, list[int]]:
        tried.append(trial[3])
        return try_table(*trial)

    monkeypatch.setattr(even_table, "try_table", watched)
    choose_table(exposure, Random(1))
    assert tried == [*range(trials)]


def test_entrants_that_are_added_play_until_they_have_caught_up() -> None:
    before = list(cup_of(6, 3, 20).draw())
    later = list(cup_of(7, 3, 60).draw(before))
    assert all("e06" in draw.seats for draw in later[:10])
    exposure = count_draws(cup_of(7, 3, 60), before + later)
    assert int(exposure.games.max() - exposure.games.min()) <= 1


def test_a_tournament_that_goes_on_or_grows_keeps_its_draws() -> None:
    whole = list(cup_of(7, 3, 40).draw())
    small = list(cup_of(7, 3, 25).draw())
    assert whole[:25] == small
    assert [*small, *cup_of(7, 3, 40).draw(small)] == whole
    assert list(cup_of(7, 3, 40, seed=1).draw()) != whole


def test_a_mirrored_table_is_played_in_every_rotation_with_one_seed() -> None:
    settings = cup_of(5, 3, 8, schedule={"balanced": {"mirror": True}})
    draws = list(settings.draw())
    first = draws[0].seats
    assert [draw.seats for draw in draws[:3]] == [
        first,
        (first[2], first[0], first[1]),
        (first[1], first[2], first[0]),
    ]
    assert [draw.block for draw in draws] == [
        *["cup_000000"] * 3,
        *["cup_000003"] * 3,
        *["cup_000006"] * 2,
    ]
    assert len({draw.seed for draw in draws}) == 3
    assert [*draws[:4], *settings.draw(draws[:4])] == draws
