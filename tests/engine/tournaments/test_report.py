"""The files of a report: the same bytes each time, and names in them are only ever names."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from engine.record.yaml import read_yaml
from engine.report.csv import FORMULA
from engine.tournaments.anchors import AnchorScale
from engine.tournaments.report.card import Origin, escape, report_card
from engine.tournaments.report.figures import axis_of, matrix_of
from engine.tournaments.report.files import KINDS, pairs_csv, ratings_csv, write_report
from engine.tournaments.report.page import report_html
from engine.tournaments.report.sentences import effects_in, reason_texts
from engine.tournaments.report.tables import bias_table, rating_table, standings_parts
from engine.tournaments.standings.standings import EffectRow, GameCounts, Standings
from engine.views.screen import Screen, grid_of
from engine.views.terminal import Page
from protocol.text import clean
from tests.page.test_colours import THEMES, colour, contrast
from tests.support.histories import small_history
from tests.support.hostile import STRINGS
from tests.support.narrowing import not_none
from tests.support.paths import ROOT
from tests.support.tournaments.rated import dealt_rows, game_rows, standings_from
from tests.support.web.browser import PHONE, browser, open_page
from tests.support.web.markup import PAYLOADS

__all__ = ["browser"]
ORIGIN = Origin(
    "tournament.py rate cup --html", "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z", "ab" * 32
)
COUNTS = GameCounts(64, {"finished": 60, "void": 3, "failed": 1}, {"failed": {"no answer": 1}})
HOSTILE = tuple(dict.fromkeys((*STRINGS, *PAYLOADS)))
SEATS = 8
ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]|&(?:lt|gt|amp|#64);")
ENTRY = re.compile(r"    (@misc\{[A-Za-z0-9-]+,|  \w+ = \{[\w ,;:.()-]*\},|\})")
ADDRESS = re.compile(r"://|www[.]", re.IGNORECASE)


@pytest.fixture(scope="module")
def found() -> Standings:
    return standings_from(dealt_rows(), COUNTS, targets=("wins", "places"), covariates=("seat",))


def spoiled(texts: tuple[str, ...]) -> Standings:
    """Return standings in which every name and text is one of `texts`."""
    rows = []
    for number in range(4):
        places = [(f"{place} {text}", place) for place, text in enumerate(texts, 1)]
        seats = places[number:] + places[:number]
        for row, text in zip(game_rows(number, *seats), texts, strict=True):
            told = dict.fromkeys(("provider", "model", "game"), text)
            rows.append(row | told | {"game_id": f"{number}"})
    counts = GameCounts(9, {"finished": 4, texts[0]: 1}, {texts[1]: {texts[2]: 1}})
    known = {f"{place} {text}": 1500.0 for place, text in enumerate(texts[:3], 1)}
    anchors = {"all": AnchorScale(ratings=known, source=texts[5])}
    terms = {"name": texts[3], "game": texts[4], "against": f"1 {texts[0]}", "anchors": anchors}
    return standings_from(rows, counts, min_games=1, **terms)


def portions() -> list[tuple[str, ...]]:
    texts = [*HOSTILE, *HOSTILE[: -len(HOSTILE) % SEATS]]
    return [tuple(texts[first : first + SEATS]) for first in range(0, len(texts), SEATS)]


def test_the_same_standings_give_the_same_bytes(found: Standings, tmp_path: Path) -> None:
    one = write_report(found, ORIGIN, tmp_path / "one", KINDS)
    two = write_report(found, ORIGIN, tmp_path / "two", KINDS)
    names = {"ratings.json", "ratings.csv", "pairs.csv", "card.md", "report.html"}
    for stem in ("intervals", "matrix", "intervals-places", "matrix-places"):
        names |= {f"{stem}.png", f"{stem}.svg"}
    assert {path.name for path in one} == names
    for path, other in zip(one, two, strict=True):
        assert path.read_bytes() == other.read_bytes(), path.name


def test_numbers_have_no_time_in_them(found: Standings, tmp_path: Path) -> None:
    write_report(found, ORIGIN, tmp_path, KINDS)
    for name in ("ratings.json", "ratings.csv", "pairs.csv"):
        assert "2026-01" not in (tmp_path / name).read_text("utf-8")
    for name in ("card.md", "report.html"):
        assert "2026-01-01 to 2026-01-02" in (tmp_path / name).read_text("utf-8")


def test_sheets_have_a_row_an_entrant_and_a_row_a_pair(found: Standings) -> None:
    ratings = [*csv.DictReader(io.StringIO(ratings_csv(found)))]
    assert len(ratings) == 2 * 5
    assert {row["target"] for row in ratings} == {"wins", "places"}
    for row in ratings:
        assert float(row["low"]) < float(row["rating"]) < float(row["high"])
        assert int(row["rank_first"]) <= int(row["rank_last"])
    pairs = [*csv.DictReader(io.StringIO(pairs_csv(found)))]
    assert len(pairs) == 2 * 10
    for pair in pairs:
        assert float(pair["wins"]) <= float(pair["meetings"])


def test_an_axis_holds_all_but_ends_without_data(found: Standings) -> None:
    (table, _) = found.targets
    axis = axis_of(table.rows)
    for row in table.rows:
        assert axis.low <= row.low < row.high <= axis.high
        assert 0 <= axis.percent(row.low) < axis.percent(row.high) <= 100
    assert axis_of((replace(table.rows[0], high=1e9), *table.rows[1:])).high < 1e4


def test_both_halves_of_the_matrix_add_up(found: Standings) -> None:
    (_, table) = found.targets
    matrix = not_none(matrix_of(table))
    shares = {(cell.x, cell.y): int(cell.share) for cell in matrix.cells}
    assert len(shares) == 5 * 4
    size = matrix.cell
    for (x, y), share in shares.items():
        column, row = (x - matrix.left) // size, y // size
        mirrored = [
            other
            for (left, top), other in shares.items()
            if ((left - matrix.left) // size, top // size) == (row, column)
        ]
        assert share + mirrored[0] in (99, 100, 101)


@pytest.mark.parametrize("entrants", [4, 25])
def test_long_names_beside_the_matrix_are_told_apart(entrants: int, tmp_path: Path) -> None:
    """They differ only behind the first thirty letters, and part at a separator if they must."""
    names = [f"compatible:some-provider/some-model-{number:02}" for number in range(entrants)]
    rows = []
    for number in range(entrants):
        played = [names[number], names[(number + 1) % entrants]]
        rows += game_rows(number, *((name, place) for place, name in enumerate(played, 1)))
    standings = standings_from(rows, targets=("places",), min_games=1)
    matrix = not_none(matrix_of(standings.targets[0]))
    assert {"".join(lines) for lines in matrix.labels} == {*names}
    assert {len(lines) for lines in matrix.labels} == {2 if matrix.roomy else 1}
    html = report_html(standings, ORIGIN)
    for lines in matrix.labels:
        assert all(f">{line}</tspan>" in html for line in lines)
    assert matrix.left > 6 * max(len(line) for lines in matrix.labels for line in lines)


class Reader(HTMLParser):
    """Counts tags, and gathers text and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.tags.append(name)
            self.values.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def test_no_name_is_markup_in_the_page() -> None:
    plain = read(report_html(spoiled(tuple(f"name {n}" for n in range(SEATS))), ORIGIN))
    for texts in portions():
        reader = read(report_html(spoiled(texts), ORIGIN))
        assert reader.tags == plain.tags, texts
        assert "script" not in reader.tags
        shown = "".join(reader.text)
        for text in texts:
            assert " ".join(str(clean(text)).split()) in " ".join(shown.split())


@pytest.mark.parametrize(
    ("began", "ended", "dates"),
    [
        ("2026-01-01T10", "2026-01-01T11", "2026-01-01"),
        ("2026-01-01T10", "2026-01-03T09", "2026-01-01 to 2026-01-03"),
        ("2026-01-01T10", "", "2026-01-01"),
        ("", "", ""),
    ],
)
def test_a_card_has_the_days_of_its_games(began: str, ended: str, dates: str) -> None:
    assert Origin("rate", began, ended).dates == dates


def test_no_name_is_markup_on_the_card() -> None:
    plain = report_card(spoiled(tuple(f"name {n}" for n in range(SEATS))), ORIGIN)
    for texts in portions():
        card = report_card(spoiled(texts), ORIGIN)
        assert card.count("\n") == plain.count("\n"), texts
        _, front, body = card.split("---\n", 2)
        facts = read_yaml(front)
        assert facts["name"] == clean(texts[3])
        assert len(facts["entrants"]) == SEATS
        for line in body.splitlines():
            bare = ESCAPED.sub("", line)
            assert bare.count("|") in bars(plain)
            assert ENTRY.fullmatch(line) or not re.search(r"[<>`*_\[\]{}@~]", bare), line
            assert not ADDRESS.search(line), line


def bars(card: str) -> set[int]:
    """Return how many bars the lines of a card have: none, or one more than a table's columns."""
    return {line.count("|") for line in card.splitlines()}


def test_a_text_at_the_beginning_of_a_line_is_no_list() -> None:
    texts = ("1. a", "- a", "+ a", "= a", "# a", "2024) a", "v1.2")
    inert = ["1\\. a", "\\- a", "\\+ a", "\\= a", "\\# a", "2024\\) a", "v1.2"]
    assert [escape(text) for text in texts] == inert


def test_no_name_is_a_formula_in_a_sheet() -> None:
    for texts in portions():
        found = spoiled(texts)
        for sheet in (ratings_csv(found), pairs_csv(found)):
            for line in csv.reader(io.StringIO(sheet, newline=""), strict=True):
                for cell in line:
                    is_number = re.fullmatch(r"-?\d+(\.\d+)?", cell)
                    assert is_number or not cell.lstrip(' \u3000"').startswith(FORMULA)


def test_no_name_moves_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for texts in portions()[::8]:
        page = Page(Screen(), small_history().players)
        for part in standings_parts(spoiled(texts)):
            page.show(part)
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "\u202e" not in out


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_asks_for_nothing_and_fits(
    browser: Browser, found: Standings, tmp_path: Path, scheme: str
) -> None:
    for name, standings in {"plain": found, "spoiled": spoiled(PAYLOADS[:SEATS])}.items():
        path = tmp_path / f"{name}.html"
        path.write_text(report_html(standings, ORIGIN), encoding="utf-8")
        seen = open_page(browser, path.as_uri(), viewport=PHONE, color_scheme=scheme)
        assert seen.requests == [path.as_uri()]
        assert (seen.dialogs, seen.errors) == ([], [])
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        first = sum(len(table.first_group) for table in standings.targets)
        assert seen.page.locator(".first").count() == first
        # The policy allows the page's own style, so it is styled.
        style = "getComputedStyle(document.querySelector('.rank'))"
        assert seen.page.evaluate(f"{style}.fontWeight") == "600"
        seen.page.context.close()


def test_the_most_frequent_reasons_are_named() -> None:
    reasons = {f"reason {place}": place for place in range(1, 8)}
    told = [*reason_texts(GameCounts(None, {"failed": 28}, {"failed": reasons}))]
    assert told[0] == "7 games failed: reason 7."
    assert told[-2:] == ["4 games failed: reason 4.", "6 games failed for other reasons."]


def test_what_an_instrument_measures_too_is_shown_once(found: Standings) -> None:
    assert [effect.name for effect in effects_in(found)] == ["seat, in wins", "seat, in places"]
    measured = replace(found, bias=(EffectRow("places by seat", 0.1, -0.1, 0.3, 0.4),))
    assert [effect.name for effect in effects_in(measured)] == ["seat, in wins", "places by seat"]


def test_letters_can_be_read_on_every_cell() -> None:
    sheet = (ROOT / "engine" / "tournaments" / "report" / "page.css").read_text("utf-8")
    shades = re.findall(r"fill: light-dark\((#\w{6}), (#\w{6})\)", sheet)
    assert len(shades) == 2 * 4 + 1
    for shade in shades:
        for theme, fill in zip(THEMES, shade, strict=True):
            assert contrast(colour("ink", theme), fill) >= 4.5


def test_a_page_shows_ratings_from_before_seats_failed() -> None:
    rows = dealt_rows()
    for row in rows:
        row["outlived"] = 0 if row["entrant"] == "e02" else None
    page = report_html(standings_from(rows, COUNTS), ORIGIN)
    shown = page[page.index("<h2>While they answered, from the worst place up</h2>") :]
    assert "price of failing" in shown


def test_a_page_tells_what_it_rests_on(found: Standings) -> None:
    text = " ".join("".join(read(report_html(found, ORIGIN)).text).split())
    for part in (
        "60 finished, 3 void, 1 failed, of 64 planned",
        "1 game failed: no answer.",
        "By wins",
        "By places",
        "seat: ",
        "uv run tournament.py rate cup --html",
        json.loads(json.dumps(found.sentence)),
    ):
        assert part in text


def test_failed_is_the_last_column_to_go(found: Standings) -> None:
    table = rating_table(found.targets[0], found)
    seen = set()
    for width in range(1, 140):
        columns = [str(column.header) for column in grid_of(table, width).columns]
        assert columns == [name for name in table.columns if name in columns]
        if len(columns) > 2:
            assert "failed" in columns
        seen.add(len(columns))
    assert seen == set(range(1, len(table.columns) + 1))


def test_the_bias_table_has_units_small_chances_and_the_interval_of_a_share(
    found: Standings,
) -> None:
    measured = EffectRow(
        "jury by provider", 1.2, 0.4, 2.0, 0.0002, unit="logits", share=0.5714,
        share_interval=(0.402, 0.729),
    )  # fmt: skip
    counted = EffectRow("jury again: label flips", 0.1, 0.0, 0.2, unit="share")
    *covariates, first, second = bias_table(replace(found, bias=(measured, counted))).rows
    assert first[4:] == ("logits", "< .001", "57.1 % [40.2-72.9]")
    assert second[4:] == ("share", "", "")
    assert {row[4] for row in covariates} == {"logits"}
