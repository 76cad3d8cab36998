"""A void game says so wherever its scores stand: in the terminal, documents, tables and JSON."""

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from engine.history import History, PlayerUsage
from engine.report.tables import Facts, Part, Sentence
from engine.runs.catalogue import catalogue
from engine.views.event_csv import events_csv
from engine.views.jsonl import result_line
from engine.views.perspective import Shown
from engine.views.terminal import Live, print_history
from engine.views.typst import compile_pdf, document
from tests.support.histories import small_history
from tests.support.own_views import OwnParts

WORDS = "Ada answered 3 of 20, Ben answered 0 of 1"
RED = "\x1b[1;31m"
REPORT: tuple[Part, ...] = (Facts("Measures", (("Depth", "1"),)), Sentence("Quality Score: 67/100"))


@pytest.fixture
def void() -> History:
    history = small_history()
    history.usage |= {"Ada": PlayerUsage(20, 25, 17), "Ben": PlayerUsage(1, 1, 1)}
    return history


def screen() -> Console:
    return Console(file=io.StringIO(), width=100, force_terminal=True, color_system="standard")


def shown_on(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_end_screen_is_red_and_sums_nothing_up(void: History) -> None:
    console = screen()
    Live(console, void).closing(REPORT)
    shown = shown_on(console)
    assert f"{RED}void: {WORDS}" in shown
    assert "Measures" in shown
    assert "Quality" not in shown
    assert "Result (void)" in shown
    assert "Shared (void)" in shown
    assert "wins by far" not in shown


def test_a_valid_game_is_summed_up(void: History) -> None:
    void.usage |= {"Ada": PlayerUsage(20, 25, 2), "Ben": PlayerUsage(1, 1)}
    console = screen()
    Live(console, void).closing(REPORT)
    assert "void" not in shown_on(console)
    assert "Quality Score: 67/100" in shown_on(console)
    assert "wins by far" in shown_on(console)


@pytest.mark.parametrize("view", ["*", "Ada", "Ben"])
def test_the_review_says_it_at_its_head_and_at_its_end(void: History, view: str) -> None:
    console = screen()
    print_history(void, console, Shown(view, game=OwnParts(REPORT)))
    head, _, rest = shown_on(console).partition("Result")
    assert WORDS in head
    assert f"{RED}void: {WORDS}" in rest
    assert "Quality" not in rest


def test_a_document_says_it_in_red(void: History, tmp_path: Path) -> None:
    text = document(void, Shown(game=OwnParts(REPORT)))
    assert f'#warning("void: {WORDS}")' in text
    assert f'("void", "{WORDS}", )' in text
    assert "Quality" not in text
    source = tmp_path / "void.typ"
    source.write_text(text, encoding="utf-8")
    compile_pdf(source, tmp_path / "void.pdf")
    assert (tmp_path / "void.pdf").stat().st_size


def test_every_row_of_events_says_it(void: History) -> None:
    rows = [*csv.DictReader(io.StringIO(events_csv(void)))]
    assert {row["void"] for row in rows} == {WORDS}
    rows = [*csv.DictReader(io.StringIO(events_csv(small_history())))]
    assert {row["void"] for row in rows} == {""}


def test_the_list_of_games_says_it(void: History, tmp_path: Path) -> None:
    (tmp_path / "void.json").write_text(void.to_json(), encoding="utf-8")
    (tmp_path / "valid.json").write_text(small_history().to_json(), encoding="utf-8")
    table = catalogue(tmp_path)
    cells = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert {row["name"]: row["void"] for row in cells} == {"void": "Ada 3/20, Ben 0/1", "valid": ""}


def test_programs_read_it(void: History) -> None:
    assert json.loads(result_line(void))["void"] == WORDS
    assert json.loads(result_line(small_history()))["void"] == ""
