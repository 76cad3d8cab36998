"""Wordings of a tournament: dealt evenly over games and seats, in the rows, and in the ratings."""

from collections import Counter
from dataclasses import asdict, replace
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from engine.ratings import Results
from engine.ratings.wordings import widen_rating
from engine.tournaments.report.card import Origin, report_card
from engine.tournaments.report.page import report_html
from engine.tournaments.report.tables import wording_table
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.schedule.wordings import deal_wordings
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.targets import fit_target, rating_rows, wording_rows
from tests.support.tournaments.cups import cup_of, scripts
from tests.support.tournaments.rated import Row, dealt_rows, standings_from

SCRIPTS = scripts("loyal", "grudge", "random")


def mirrored(games: int) -> TournamentSettings:
    """Return a tournament whose tables are each played in all rotations of their seats."""
    game, schedule = {"name": "deliberations"}, {"balanced": {"mirror": True}}
    return cup_of(3, 3, games, seated=SCRIPTS, game=game, schedule=schedule)


def dealt(cup: TournamentSettings, wordings: int) -> list[Draw]:
    return list(deal_wordings(wordings, cup.seed, (), cup.draw()))


def lean(draws: list[Draw], wordings: int) -> tuple[int, int, int]:
    """Return how far wordings are apart: in games, in an entrant's games, in those of its seats."""
    games: Counter[object] = Counter(draw.wording for draw in draws)
    played: Counter[object] = Counter()
    for draw in draws:
        for seat, name in enumerate(draw.seats):
            played.update([(name, draw.wording), (name, seat, draw.wording)])

    def apart(keys: list[tuple[object, ...]]) -> int:
        counts = [[played[(*key, one)] for one in range(1, wordings + 1)] for key in keys]
        return max(max(each) - min(each) for each in counts)

    names = sorted({name for draw in draws for name in draw.seats})
    seats = range(len(draws[0].seats))
    of_games = [games[one] for one in range(1, wordings + 1)]
    by_seat: list[tuple[object, ...]] = [(name, seat) for name in names for seat in seats]
    return max(of_games) - min(of_games), apart([(name,) for name in names]), apart(by_seat)


@given(st.integers(2, 10), st.integers(2, 5), st.integers(2, 4), st.integers(0, 10**6))
@examples(max_examples=15, deadline=None, derandomize=True)
def test_wordings_are_even_over_games_entrants_and_seats(
    entrants: int, table: int, wordings: int, seed: int
) -> None:
    table = min(table, entrants)
    cup = cup_of(entrants, table, 12 * entrants, seed=seed)
    games, own, seats = lean(dealt(cup, wordings), wordings)
    assert games <= 1
    assert own <= 6
    assert seats <= 6


def test_the_games_of_a_deal_share_a_wording() -> None:
    draws = dealt(mirrored(72), 3)
    deals = groupby(draws, lambda draw: draw.block)
    blocks = [{draw.wording for draw in block} for _, block in deals]
    assert all(len(block) == 1 for block in blocks)
    assert Counter(wording for block in blocks for wording in block) == {1: 8, 2: 8, 3: 8}


@pytest.mark.parametrize("begun", [0, 1, 7, 30])
def test_a_tournament_that_goes_on_deals_the_same_wordings(begun: int) -> None:
    cup = mirrored(31)
    whole = dealt(cup, 3)
    rest = deal_wordings(3, cup.seed, whole[:begun], cup.draw(whole[:begun]))
    assert whole[:begun] + list(rest) == whole
    other = dealt(cup.model_copy(update={"seed": 1}), 3)
    assert [draw.wording for draw in other] != [draw.wording for draw in whole]


def test_one_wording_changes_no_draw() -> None:
    cup = cup_of(4, 3, 9)
    assert {draw.wording for draw in cup.draw()} == {1}
    assert "wordings" not in cup.public()


def test_wordings_that_a_game_lacks_are_refused_before_play() -> None:
    with pytest.raises(ValueError, match=r"a wording that has deliberations/rules\.j2, which is 1"):
        cup_of(3, 3, 9, seated=SCRIPTS, game={"name": "deliberations"}, wordings=2)


def worded_rows(effect: float, seed: int, games: int = 240) -> list[Row]:
    """Return games of four entrants whose skills each wording of three moves by so many logits."""
    rng = np.random.default_rng(seed)
    skills = np.linspace(-0.6, 0.6, 4)
    moved = skills + rng.normal(0, effect, (3, 4))
    rows = []
    for game in range(games):
        wording = game % 3
        seated = rng.permutation(4)[:3]
        heard = moved[wording, seated] + rng.gumbel(size=3)
        places = (-heard).argsort().argsort() + 1
        for entrant, place in zip(seated.tolist(), places.tolist(), strict=True):
            row = {"game_id": f"{game}", "entrant": f"e{entrant}", "place": place}
            rows.append(row | {"wording": wording + 1, "asks": 1, "provider": "scripted"})
    return rows


METHOD = Method(name="cup", game="deliberations", targets=("places",))


def held(rows: list[Row]) -> tuple[int, int]:
    """Return how many true ratings the intervals hold with wordings, and without."""
    results = Results.from_rows(rows)
    fitted = fit_target("places", results, METHOD)
    spreads, _ = wording_rows(fitted, results, METHOD)
    scale = 400 / np.log(10)
    wide = plain = 0
    for row in rating_rows(fitted, {}):
        skill = np.linspace(-0.6, 0.6, 4)[int(row.entrant[1:])]
        true = 1500 + scale * skill
        found = widen_rating(row, spreads[row.entrant])
        wide += bool(found.low <= true <= found.high)
        plain += bool(row.low <= true <= row.high)
    return wide, plain


@pytest.mark.slow
def test_ratings_of_three_wordings_hold_the_truth_that_one_interval_misses() -> None:
    counts = np.array([held(worded_rows(0.5, seed)) for seed in range(150)])
    wide, plain = counts.sum(axis=0) / (150 * 4)
    assert 0.93 <= wide <= 0.97
    assert plain < 0.7


def test_standings_report_points_by_wording_and_widen_by_them() -> None:
    rows = worded_rows(0.8, seed=2)
    (table,) = standings_from(rows).targets
    (alone,) = standings_from([row | {"wording": 1} for row in rows]).targets
    assert alone.wordings == ()
    for row, before, spread in zip(table.rows, alone.rows, table.wordings, strict=True):
        assert row.entrant == before.entrant == spread.entrant
        assert (row.rating, row.ranks) == (before.rating, before.ranks)
        reach = max(spread.reach, before.high - before.rating)
        assert row.high - row.rating == pytest.approx(reach)
        assert {*spread.points} == {1, 2, 3}
    (second,) = standings_from([row for row in rows if row["wording"] == 2], min_games=7).targets
    rated = {row.entrant: row.rating for row in second.rows}
    for spread in table.wordings:
        assert spread.points[2] == pytest.approx(rated[spread.entrant])
    shown = wording_table(table)
    assert shown.columns == ("entrant", "wording 1", "wording 2", "wording 3", "deviation")
    assert [row[0] for row in shown.rows] == [row.entrant for row in table.rows]
    assert any("wordings of the rules disagree" in note for note in table.notes)


def test_files_show_points_by_wording_and_names_in_them_are_only_names() -> None:
    rows = [row | {"entrant": f"<b>{row['entrant']}"} for row in worded_rows(0.8, seed=2)]
    found = standings_from(rows)
    origin = Origin("tournament.py rate cup", "", "", "")
    page, card = report_html(found, origin), report_card(found, origin)
    for text in (page, card):
        shown = text[text.index("By wording of the rules") :]
        assert "wording 3" in shown
        assert "<b>" not in shown
    plain = [row | {"wording": 1} for row in rows]
    assert "By wording" not in report_html(standings_from(plain), origin)


def test_wordings_that_cannot_be_rated_are_said() -> None:
    rows = dealt_rows()
    for row in rows[-3:]:
        row.update({"wording": 2, "place": None})
    (table,) = standings_from(rows).targets
    assert table.wordings == ()
    assert any("There are no ratings by wording" in note for note in table.notes)


def test_a_draw_from_before_wordings_has_the_first() -> None:
    draw = Draw(0, "cup_000000", ("a", "b"), 1, "balanced", wording=2)
    bare = {name: value for name, value in asdict(draw).items() if name != "wording"}
    assert Draw(**bare) == replace(draw, wording=1)
