"""Standings: what is shown of games whose numbers were worked out by hand."""

import json
import random
import re
from dataclasses import replace
from itertools import combinations

import pytest

from engine.ratings import PairGap, Rating, Results, fit
from engine.tournaments.anchors import one_anchor
from engine.tournaments.report.files import ratings_json
from engine.tournaments.standings.closing import closing_sentence
from engine.tournaments.standings.standings import GameCounts, Standings, map_parts, short_number
from tests.support.narrowing import not_none
from tests.support.tournaments.rated import dealt_rows, duels, game_rows, standings_from


def row_of(found: Standings, entrant: str) -> Rating:
    (table,) = found.targets
    (row,) = [row for row in (*table.rows, *table.below) if row.entrant == entrant]
    return row


def test_failures_are_counted_by_seat_and_by_answer() -> None:
    """Ada: 1 of 10 seats, 5 of 100 answers; Wilson 1927: (.0179, .4042) and (.0215, .1118)."""
    rows = duels("Ada", "Ben", 5, 5)
    rows[0]["fallbacks"] = 5
    ada, ben = standings_from(rows, min_games=5).entrants
    assert (ada.failed_seats.part, ada.failed_seats.whole) == (1, 10)
    assert ada.failed_seats.low == pytest.approx(0.0179, abs=1e-4)
    assert ada.failed_seats.high == pytest.approx(0.4042, abs=1e-4)
    assert (ada.failed_asks.part, ada.failed_asks.whole) == (5, 100)
    assert ada.failed_asks.low == pytest.approx(0.0215, abs=1e-4)
    assert ada.failed_asks.high == pytest.approx(0.1118, abs=1e-4)
    assert ben.failed_seats.share == 0
    assert (ada.cost, ada.tokens, ada.games) == (0.25, 100, 10)
    assert ada.seats == {1: 10}
    assert ben.seats == {2: 10}


def test_failures_without_questions_count_as_questions() -> None:
    rows = [row | {"asks": None} for row in duels("Ada", "Ben", 5, 5)]
    rows[0]["fallbacks"] = 3
    ada, ben = standings_from(rows, min_games=5).entrants
    assert (ada.failed_asks.part, ada.failed_asks.whole) == (3, 3)
    assert ben.failed_asks.whole == 0


def test_who_failed_is_rated_as_long_as_it_answered() -> None:
    """Cleo fails at once in ten games that Ben then leaves first: these tell nothing of Cleo."""
    rows = []
    for number in range(30):
        order = ("Ada", 1), ("Ben", 2 + number % 2), ("Cleo", 3 - number % 2)
        rows += game_rows(number, *order)
    for row in rows[:30]:
        row["outlived"] = 0 if row["entrant"] == "Cleo" else None
    (table,) = standings_from(rows, min_games=5).targets
    by_name = {row.entrant: row for row in table.answering}
    assert {name: row.censored.games for name, row in by_name.items()} == {
        "Ada": 30, "Ben": 30, "Cleo": 20,
    }  # fmt: skip
    assert [row.plain.games for row in table.answering] == [30] * 3
    for each in table.answering:
        assert each.price == pytest.approx(each.plain.rating - each.censored.rating)
    (few,) = standings_from(rows, min_games=25).targets
    assert {row.entrant for row in few.answering} == {"Ada", "Ben"}
    bare = [row | {"outlived": None, "fallbacks": 1} for row in rows]
    assert standings_from(bare, min_games=5).targets[0].answering == ()


def test_without_the_anchor_nobody_is_rated_while_it_answered() -> None:
    rows = []
    for number in range(12):
        rows += game_rows(number, ("Ada", 1), ("Ben", 2), ("Cleo", 3))
        rows[-3]["outlived"] = 0
    (table,) = standings_from(rows, min_games=5, anchors=one_anchor("Ada")).targets
    assert any("while they answered" in note and "anchor" in note for note in table.notes)


def test_a_cost_that_is_not_known_is_not_made_up() -> None:
    rows = duels("Ada", "Ben", 5, 5)
    rows[3]["cost"] = None
    found = standings_from(rows, min_games=5)
    assert [record.cost for record in found.entrants] == [0.25, None]
    assert "$" not in found.sentence


def test_too_few_games_stand_below_the_line() -> None:
    found = standings_from(duels("Ada", "Ben", 12, 8) + duels("Ada", "Cleo", 1, 1, first=50))
    (table,) = found.targets
    assert {row.entrant for row in table.rows} == {"Ada", "Ben"}
    (cleo,) = table.below
    assert (cleo.entrant, cleo.ranks, cleo.games) == ("Cleo", None, 2)


def test_all_tied_are_equal() -> None:
    rows = []
    for number in range(30):
        rows += game_rows(number, ("Ada", 1), ("Ben", 1), ("Cleo", 1))
    (table,) = standings_from(rows).targets
    assert [row.ranks for row in table.rows] == [(1, 3)] * 3
    assert {round(row.rating, 6) for row in table.rows} == {1500}
    assert table.first_group == ("Ada", "Ben", "Cleo")


def test_who_always_wins_has_no_upper_end() -> None:
    found = standings_from(duels("Ada", "Ben", 30, 0))
    assert row_of(found, "Ada").open_end == "upper"
    assert row_of(found, "Ben").open_end == "lower"
    (table,) = found.targets
    assert any("Ada" in note and "prior" in note for note in table.notes)


def test_parts_that_no_game_joins_are_rated_apart() -> None:
    found = standings_from(duels("Ada", "Ben", 20, 10) + duels("Cleo", "Dan", 20, 10, first=100))
    (table,) = found.targets
    assert table.parts == (("Ada", "Ben"), ("Cleo", "Dan"))
    parts = {row.entrant: row.part for row in table.rows}
    assert parts == {"Ada": 1, "Ben": 1, "Cleo": 2, "Dan": 2}
    together = {frozenset((pair.entrant, pair.other)) for pair in table.pairs}
    assert together == {frozenset(("Ada", "Ben")), frozenset(("Cleo", "Dan"))}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        # Ada before Ben in both games; with Cleo, who is tied with Ben once, half each.
        ("places", {("Ada", "Ben"): (2, 2), ("Ada", "Cleo"): (2, 2), ("Ben", "Cleo"): (2, 1.5)}),
        # Only games that one of the two won tell of wins.
        ("wins", {("Ada", "Ben"): (2, 2), ("Ada", "Cleo"): (2, 2), ("Ben", "Cleo"): (0, 0)}),
    ],
)
def test_pairs_count_who_was_ahead(
    target: str, expected: dict[tuple[str, str], tuple[float, float]]
) -> None:
    rows = game_rows(1, ("Ada", 1), ("Ben", 2), ("Cleo", 2))
    rows += game_rows(2, ("Cleo", None), ("Ben", 2), ("Ada", 1))
    (table,) = standings_from(rows, targets=(target,), min_games=1).targets
    found = {}
    for pair in table.pairs:
        one, other = sorted((pair.entrant, pair.other))
        wins = pair.wins if one == pair.entrant else pair.meetings - pair.wins
        found[one, other] = pair.meetings, wins
    assert found == expected


def test_nobody_stands_alone_beside_one_who_may_be_first_too() -> None:
    """Bo is worse than Ada; Cy, rated below Bo with a wide interval, may yet be the best."""
    (table,) = standings_from(duels("Ada", "Bo", 20, 20)).targets
    places = (("Ada", 0.9, (1, 2)), ("Bo", 0.5, (2, 3)), ("Cy", 0.4, (1, 3)))
    rows = tuple(rated_row(*place) for place in places)
    pairs = [wide_pair("Ada", "Bo", 0.1), wide_pair("Ada", "Cy", 0.9), wide_pair("Bo", "Cy", 0.9)]
    table = replace(table, target="points", critical=1.96, rows=rows, pairs=tuple(pairs))
    three = fit(Results.from_rows(game_rows(1, ("Ada", 1), ("Bo", 2), ("Cy", 3))), "places")
    told = closing_sentence(table, 20, None, three)
    assert told.startswith("Ada and Cy are not significantly different: 0.50 points [-0.40, 1.40]")
    pairs[1] = wide_pair("Ada", "Cy", 0.2)
    alone = closing_sentence(replace(table, pairs=tuple(pairs)), 20, None, three)
    assert alone == "Ada is alone in first place, 0.50 points [0.40, 0.60] ahead of Bo."


def rated_row(entrant: str, rating: float, ranks: tuple[int, int]) -> Rating:
    return Rating(entrant, rating, rating - 1, rating + 1, rating, 0.1, 40, ranks)


def wide_pair(entrant: str, other: str, half: float) -> PairGap:
    z = 0.5 / (half / 1.96)
    p = 1.0 if half > 0.5 else 0.01
    return PairGap(entrant, other, 0.5, 0.5 - half, 0.5 + half, half, z, p, p, p)


def test_points_are_rated_in_their_own_unit() -> None:
    rows = []
    for number in range(30):
        payoffs = (3.0 + number % 2, 1.0)
        for row, payoff in zip(game_rows(number, ("Ada", 1), ("Ben", 2)), payoffs, strict=True):
            rows.append(row | {"payoff": payoff})
    found = standings_from(rows, targets=("points",))
    (table,) = found.targets
    assert table.unit == "payoff"
    assert [round(row.rating, 6) for row in table.rows] == [3.5, 1.0]
    assert found.sentence.startswith("Ada is alone in first place, 2.50 points [")
    assert table.pairs[0].wins == 30


def test_exposure_lots_and_providers_are_told() -> None:
    rows = game_rows(1, ("Ada", 1), ("Ben", 2), ("Cleo", 3), provider="openai")
    rows += game_rows(2, ("Ben", 1), ("Ada", 2), ("Dan", 3), provider="")
    rows[0]["lot"] = True
    found = standings_from(rows, min_games=1)
    assert found.exposure.games == (1, 2)
    assert found.exposure.seats == (0, 1)
    assert found.exposure.meetings == (0, 2)
    assert found.exposure.met["Ada"] == {"Ben": 2, "Cleo": 1, "Dan": 1}
    assert (found.lots.part, found.lots.whole) == (1, 6)
    assert (found.same_provider.part, found.same_provider.whole) == (1, 2)


def test_against_has_the_pairs_of_one() -> None:
    (table,) = standings_from(dealt_rows(), against="e02").targets
    assert {pair.other for pair in table.against} == {"e02"}
    assert len(table.against) == 4
    whole = {(pair.entrant, pair.other): pair.p_adjusted for pair in table.pairs}
    for pair in table.against:
        together = whole.get((pair.entrant, pair.other), whole.get((pair.other, pair.entrant)))
        # Fewer comparisons at once, smaller p.
        assert pair.p_adjusted <= not_none(together)


def test_the_closing_sentence_says_what_would_show() -> None:
    found = standings_from(duels("Ada", "Ben", 22, 18))
    (table,) = found.targets
    assert table.first_group == ("Ada", "Ben")
    # 40 games, variance v of the gap: 40 v 2.80^2 / 100^2 games in all, at half a dollar a game.
    assert found.sentence.startswith("Ada and Ben are not significantly different: 3")
    assert "more games (about $" in found.sentence
    assert found.sentence.endswith("a gap of 100 Elo would be significant.")
    apart = standings_from(duels("Ada", "Ben", 38, 2))
    assert apart.sentence.startswith("Ada is alone in first place, ")


def test_the_closing_sentence_agrees_with_the_ranks_of_all_pairs() -> None:
    """Ada and Ben are apart as one pair (z 2.3) and not among all ten (critical 2.7)."""
    rows = duels("Ada", "Ben", 29, 13)
    for place, other in enumerate(("Cleo", "Dan", "Eva"), 1):
        rows += duels("Ben", other, 30, 30, first=100 * place)
    found = standings_from(rows)
    (table,) = found.targets
    pair = next(pair for pair in table.pairs if {pair.entrant, pair.other} == {"Ada", "Ben"})
    assert pair.low > 0
    assert pair.p_adjusted > 0.05
    undecided = r"Ada and (\w+) are not significantly different: \d+ Elo \[-\d+, \d+\]"
    assert re.match(undecided, found.sentence)
    assert table.first_group[0] == "Ada"


def test_few_games_give_ratings_and_no_rank() -> None:
    found = standings_from(duels("Ada", "Ben", 9, 1), min_games=20)
    (table,) = found.targets
    assert (table.rows, table.first_group) == ((), ())
    assert [row.entrant for row in table.below] == ["Ada", "Ben"]
    assert found.sentence.startswith("Too few entrants have the 20 blocks needed")


def test_scripts_are_of_no_provider() -> None:
    tables = (("scripted", "scripted"), ("scripted", "openai"), ("openai", "openai"))
    rows = []
    for number, providers in enumerate(tables):
        for row, provider in zip(game_rows(number, ("Ada", 1), ("Ben", 2)), providers, strict=True):
            rows.append(row | {"provider": provider})
    found = standings_from(rows, min_games=1)
    assert (found.same_provider.part, found.same_provider.whole) == (1, 3)


def test_the_bytes_do_not_depend_on_the_order_of_rows() -> None:
    rows = dealt_rows()
    before = ratings_json(standings_from(rows, covariates=("seat",)))
    shuffled = rows.copy()
    random.Random(1).shuffle(shuffled)
    assert ratings_json(standings_from(shuffled, covariates=("seat",))) == before


def test_stopping_early_has_an_interval_of_its_own() -> None:
    """It is wider than that of one look: so the same two may be apart by the one alone."""
    rows = duels("Ada", "Ben", 28, 12)
    (table,) = standings_from(rows, planned=100, stop_pair=("Ada", "Ben")).targets
    assert table.pairs[0].low > 0
    (note,) = [note for note in table.notes if "may stop early" in note]
    assert "Ada and Ben are not significantly different: 1" in note
    (table,) = standings_from(dealt_rows(300), planned=300, stop_top=2).targets
    (note,) = [note for note in table.notes if "may stop early" in note]
    # The third best is the nearest to the second.
    assert "e03 and e02 are" in note


@pytest.mark.parametrize(
    ("number", "shown"),
    [(1234567.89, 1234568.0), (2 / 3, 0.6666667), (1.23456789e-5, 1.2346e-5), (-1e-12, 0.0)],
)
def test_numbers_have_seven_digits_and_nine_decimals(number: float, shown: float) -> None:
    assert repr(map_parts(short_number, {"rows": [number, 7]})["rows"]) == repr([shown, 7])


def test_a_report_is_headed_with_its_title_or_its_name() -> None:
    found = standings_from(dealt_rows())
    assert found.title == "cup"
    assert replace(found, settings={"title": "The Cup"}).title == "The Cup"


def test_json_has_all_numbers_and_none_that_json_lacks() -> None:
    counts = GameCounts(70, {"finished": 60, "void": 1}, {"void": {"nobody answered": 1}})
    found = standings_from(dealt_rows(), counts, targets=("wins", "places"))
    data = json.loads(ratings_json(found), parse_constant=pytest.fail)
    assert data["counts"]["reasons"] == {"void": {"nobody answered": 1}}
    assert [table["target"] for table in data["targets"]] == ["wins", "places"]
    for table in data["targets"]:
        assert len(table["covariance"]) == len(table["entrants"]) == 5
        assert len(table["pairs"]) == len([*combinations(table["entrants"], 2)])
    assert data["settings"]["min_games"] == 20
