"""What a gap takes in a table that judges all pairs: the planned games, played and rated."""

from math import log

from engine.ratings import Results, compare, fit, games_needed
from engine.ratings.intervals import NORMAL
from engine.ratings.table_power import critical_of_equals
from engine.rng import array_stream

GAP = 100 * log(10) / 400  # Elo, in logits


def is_shown(entrants: int, games: int, turn: int) -> bool:
    """Play a tournament in which the first two differ by GAP; return whether its table shows it."""
    rng = array_stream(turn)
    skill = [GAP / 2, -GAP / 2, *[0.0] * (entrants - 2)]
    rows = []
    for game in range(games):
        worth = skill + rng.gumbel(size=entrants)
        for place, entrant in enumerate((-worth).argsort().tolist(), 1):
            rows.append({"game_id": str(game), "entrant": str(entrant), "place": place})
    compared = compare(fit(Results.from_rows(rows), min_games=1), seed=turn)
    chances = {frozenset((pair.entrant, pair.other)): pair.p_adjusted for pair in compared.pairs}
    return chances[frozenset("01")] < 0.05


def test_a_table_shows_the_planned_gap_four_times_in_five() -> None:
    """In the games of one pair named in advance it shows it less than half the time."""
    entrants, tournaments = 6, 100
    critical = critical_of_equals(entrants, entrants)
    shown = {}
    for level in (NORMAL, critical):
        games = games_needed(GAP, entrants, entrants, critical=level)
        shown[level] = sum(is_shown(entrants, games, turn) for turn in range(tournaments))
    assert 0.66 < shown[critical] / tournaments < 0.9
    assert shown[NORMAL] / tournaments < 0.5


def test_more_pairs_need_a_greater_z_and_every_simulated_table_is_reported() -> None:
    assert critical_of_equals(2, 2) == NORMAL
    before = NORMAL
    for entrants in (3, 5, 9):
        heard: list[tuple[int, int]] = []
        found = critical_of_equals(entrants, 3, watch=lambda *done, heard=heard: heard.append(done))
        assert found == critical_of_equals(entrants, 3) > before
        tables = len(heard)
        assert heard == [(done, tables) for done in range(1, tables + 1)]
        before = found
