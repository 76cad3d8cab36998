"""A game at a glance: in the room it has, its text never acts, and it is drawn seldom."""

import io
import threading
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from engine.engine import GameEngine
from engine.games.talks.game import TalksGame
from engine.history import History
from engine.report.tables import Dial, Glance
from engine.views.foot import EVERY, Foot
from engine.views.glance import bar_of, glance_lines
from engine.views.perspective import EVERYTHING, PUBLIC, history_in
from engine.views.screen import Screen
from tests.support.tables import config_for

HOSTILE = "\x1b[2J\x1b]0;title\x07[bold red]\u202e" + "W" * 90
WIDE = (
    "日本語の名前日本語の名前",
    "👩\u200d👩\u200d👧 family",
    "אבגדה",
    "Wolfeschlegelsteinhausen",
)


def glance_of(names: Sequence[str]) -> Glance:
    players = tuple(Dial(name, 0.1 * place, "0.50 2 turns") for place, name in enumerate(names))
    news = (("now", " ".join(names)), ("ends", "x" * 300))
    return Glance(" ".join(names), news, players, (Dial("convergence", 0.4, "0.40", mark=0.8),))


@pytest.mark.parametrize(
    ("share", "mark", "bar"),
    [
        (0.0, None, "────"),
        (0.5, None, "━━──"),
        (1.7, None, "━━━━"),
        (-1.0, 0.0, "┃───"),
        (0.25, 1.0, "━──┃"),
    ],
)
def test_a_bar_is_as_full_as_its_share(share: float, mark: float | None, bar: str) -> None:
    assert bar_of(share, 4, mark) == bar


@pytest.mark.parametrize("room", [3, 6, 15, 40])
@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_line_is_too_wide_and_there_are_not_too_many(width: int, room: int) -> None:
    names = (*WIDE, HOSTILE, *map(str, range(7)))
    lines = glance_lines(glance_of(names), Screen(), width, room)
    assert len(lines) <= room
    for line in lines:
        assert cell_len(line.plain) <= width
        assert line.plain.isprintable()


def test_who_does_not_fit_is_counted() -> None:
    names = [str(number) for number in range(12)]
    shown = [line.plain for line in glance_lines(glance_of(names), Screen(), 80, 10)]
    kept = [line.split()[0] for line in shown if "2 turns" in line]
    assert kept == names[-len(kept) :]
    assert f"and {12 - len(kept)} more" in shown


def held() -> History:
    return GameEngine(config_for("talks", seed=3, settings={"depth": 2})).run()


def test_a_watcher_is_told_why_and_a_participant_only_what_it_heard() -> None:
    history = held()
    names = [seat.player_id for seat in history.players]
    told = str(TalksGame.glance(history))
    assert all(word in told for word in ("urgency", "payoff", "convergence", "want to conclude"))
    for view in (*names, PUBLIC):
        heard = TalksGame.glance(history_in(history, view))
        assert not heard.measures
        assert [label for label, _ in heard.news] == ["last"]
        assert not any(word in str(heard) for word in ("urgency", "payoff", "convergence"))
        assert [dial.label for dial in heard.players] == names


def test_the_reasons_are_those_of_the_log() -> None:
    """Cut off before its last words, a talk has one that is about to speak."""
    history = held()
    events = history.rounds[-1].events
    (choice,) = [event for event in events if event.kind == "selection"]
    del events[events.index(choice) + 1 :]
    glance = TalksGame.glance(history)
    data = choice.data
    now = dict(glance.news)["now"]
    assert now.startswith(f"{data['speaker']}: {data['move']}")
    assert f"urgency {data['wishes'][data['speaker']]['urgency']:.2f}" in now
    assert f"payoff {data['adjusted'][data['move']]:.2f}" in now
    (speaks,) = [dial for dial in glance.players if dial.chosen]
    assert speaks.label == data["speaker"]
    assert speaks.words.endswith("speaks")


def test_a_host_takes_no_turns_and_a_thesis_stays_private() -> None:
    settings = {"depth": 1, "host": True, "theses": "ask"}
    history = GameEngine(config_for("talks", seed=3, settings=settings)).run()
    (host, *_) = [event.player_id for event in history.events if event.kind == "host"]
    theses = [event.content for event in history.events if event.kind == "thesis"]
    assert theses
    for view in (EVERYTHING, PUBLIC, history.players[0].player_id):
        glance = TalksGame.glance(history_in(history, view))
        assert host not in [dial.label for dial in glance.players]
        assert ("host", f"{host}: coda") in glance.news
        assert not [thesis for thesis in theses if thesis in str(glance)]


class Terminal(io.StringIO):
    """A terminal that counts what is written to it."""

    writes = 0

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


class Window(Screen):
    """A screen on such a terminal, of 24 lines."""

    def __init__(self, file: Terminal) -> None:
        self.turn = threading.RLock()
        Console.__init__(self, file=file, force_terminal=True, width=80, height=24, no_color=False)


def test_nothing_is_drawn_while_nothing_happens() -> None:
    """Two hundred lines in a row are printed, and drawn around far less often."""
    file = Terminal()
    screen = Window(file)
    looks = []

    def look() -> Glance:
        looks.append(1)
        return glance_of(["Ada", "Ben"])

    with Foot(screen, look) as foot:
        for number in range(200):
            with foot.below():
                screen.print(f"line {number}")
        assert looks
        assert file.writes - 200 <= 3 * len(looks) + 3
        while foot.due.is_set():
            foot.over.wait(EVERY)
        drawn, written = len(looks), file.writes
        foot.update(Text())
        assert not foot.due.is_set()
        foot.update(Text("Ada thinks ..."))
        assert foot.due.is_set() or len(looks) > drawn
    assert file.writes > written
    assert file.getvalue().count("line ") == 200
