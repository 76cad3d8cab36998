"""What screens and pages look like where games are large, or tell the same thing twice."""

import io
from collections.abc import Mapping, Sequence

import pytest
from rich.console import Console

from engine.history import History, RoundLog, Seat
from engine.report.charts import Lines
from engine.report.tables import Cell, Table
from engine.views.blocks import Block, RoundHeading, blocks
from engine.views.perspective import Shown
from engine.views.plots import draw
from engine.views.terminal import Live
from engine.views.typst import PAGE, document
from tests.support.histories import add
from tests.support.own_views import OwnParts


def history_of(names: Sequence[str], eliminated: Sequence[str]) -> History:
    """Return a game in its only round, in which some are out."""
    history = History("parley", 1, "game", 0, {})
    history.players = [Seat(name, "scripted", "greedy") for name in names]
    active = tuple(name for name in names if name not in eliminated)
    history.rounds = [RoundLog(1, False, active, tuple(eliminated))]
    return history


def heading_of(shown: Sequence[Block]) -> str:
    """Return what the heading of the only round says."""
    (heading,) = [block for block in shown if isinstance(block, RoundHeading)]
    return heading.note


@pytest.mark.parametrize(
    ("told", "note"),
    [
        ("Round 2. In the game: Ada, Ben. Out: Cleo.", ""),
        ("Round 2 of 4 begins.", "Ada, Ben; out: Cleo"),
    ],
)
def test_a_heading_says_who_is_out_unless_the_game_does_at_once(told: str, note: str) -> None:
    history = history_of(["Ada", "Ben", "Cleo"], ["Cleo"])
    add(history, history.rounds[0], "narration", told)
    assert heading_of([*blocks(history)]) == note


def test_a_heading_counts_many_players() -> None:
    names = [f"Player{number:02}" for number in range(33)]
    history = history_of(names, names[:3])
    add(history, history.rounds[0], "standing", "Games of 6 moves.")
    assert heading_of([*blocks(history)]) == "30 players; 3 are out"


def test_what_has_dots_itself_stands_on_lines_of_its_own() -> None:
    history = history_of(["Ada", "Ben", "Cleo"], [])
    page = io.StringIO()
    with Live(Console(width=80, file=page), history, kept={"match"}) as live:
        for told in ("Ada 9 CCC · Ben 9 CCC", "Ada 5 DDD · Cleo 5 DDD"):
            add(history, history.rounds[0], "match", told, seen=())
            live.event(history.rounds[0].events[-1])
    lines = [line.strip() for line in page.getvalue().splitlines()]
    assert lines[-3:] == ["1      match:", "Ada 9 CCC · Ben 9 CCC", "Ada 5 DDD · Cleo 5 DDD"]


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ((0.5, 0.746), ["0.500", "0.746"]),
        ((58.145, 47.0), ["58.15", "47.00"]),
        ((1234.567, 0.25), ["1234.6", "0.2"]),
        ((104, 6), ["104", "6"]),
    ],
)
def test_large_numbers_have_fewer_decimals(
    cells: tuple[float, float], texts: Sequence[str]
) -> None:
    table = Table("", ("score",), tuple((cell,) for cell in cells))
    assert [row[0] for row in table.texts()] == texts


@pytest.mark.parametrize(
    ("cells", "numeric"),
    [
        (("100 %", "5 %"), True),
        (("$0.0012", "unknown"), False),
        (("$0.0012", None), True),
        (("-", "+0.15", "0"), True),
        (("17%", "8%"), True),
        (("round 1", "2"), False),
    ],
)
def test_words_for_numbers_are_set_as_numbers(cells: Sequence[Cell], numeric: bool) -> None:
    rows = tuple((cell,) for cell in cells)
    assert Table("", ("share",), rows).numeric() == [numeric]
    assert Table("", ("player",), rows).numeric() == [False]


def test_a_wide_table_goes_on_below_with_the_players_again() -> None:
    rounds = tuple(f"round {number}" for number in range(1, 31))
    rows = tuple((place, f"Player{place:02}", *range(100, 130)) for place in range(1, 34))
    table = Table("Result", ("place", "player", *rounds), rows)
    parts = table.split(PAGE)
    assert len(parts) > 1
    found: list[str] = []
    for part in parts:
        assert part.columns[:2] == ("place", "player")
        assert sum(len(name) + 2 for name in part.columns) <= PAGE
        found += part.columns[2:]
    assert tuple(found) == rounds
    text = document(history_of(["Ada"], []), Shown(game=OwnParts([table])))
    assert text.count('#sheet("Result"') == len(parts)


@pytest.mark.parametrize("series", [2, 33, 60])
def test_many_curves_keep_their_room(series: int) -> None:
    curves: Mapping[str, Sequence[float]] = {
        f"Player{number:02}": (1.0, 2.0, number) for number in range(series)
    }
    figure = draw(Lines("Points", "round", "points", (1, 2, 3), curves))
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_position().height > 0.5
    assert axes.get_position().width > 0.25
