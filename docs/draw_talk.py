"""Make docs/pictures/talk.png: a scripted talk in a terminal, as the next speaker is chosen.

uv run --group dev python docs/draw_talk.py
"""

import io
import shlex
import shutil
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console, Group

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from docs.take_picture import ARGUMENTS, save_picture  # noqa: E402
from engine.cli.talks.discuss import read_talk_options, talk_config  # noqa: E402
from engine.cli.talks.stage import Stage  # noqa: E402
from engine.engine import GameEngine  # noqa: E402
from engine.games.talks.game import TalksGame  # noqa: E402
from engine.history import Event  # noqa: E402
from engine.views.foot import Foot  # noqa: E402
from engine.views.glance import glance_lines  # noqa: E402
from engine.views.screen import Screen  # noqa: E402

PICTURE = ROOT / "docs" / "pictures" / "talk.png"
WIDTH, ROOM = 80, 15
COMMAND = 'uv run talks.py "Ethics of AI" --depth 3 --participants 5 --offline --pace 3 --seed 3'
# The exchange about to begin, and how many earlier ones are shown.
NEXT, SHOWN = 8, 2
COLOURS = 128
# Rendered at twice its size, a picture stays sharp on any screen.
SCALE = 2


class Paper(Screen):
    """A terminal that records its lines."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        Console.__init__(
            self,
            file=io.StringIO(),
            record=True,
            width=WIDTH,
            force_terminal=True,
            color_system="standard",
            highlight=False,
            no_color=False,
        )


def play_talk() -> GameEngine:
    """Return the engine of a finished scripted talk."""
    _, _, _, *words = shlex.split(COMMAND)
    config = talk_config(read_talk_options(words))
    engine = GameEngine(config.model_copy(update={"logs_dir": None}))
    engine.run()
    return engine


def cut_at_choice(engine: GameEngine) -> list[Event]:
    """Truncate a talk after a choice of the next speaker; return the last utterances before it."""
    rounds = engine.history.rounds
    del rounds[NEXT:]
    events = rounds[-1].events
    kinds = [event.kind for event in events]
    del events[kinds.index("selection") + 1 :]
    return [event for event in engine.history.events if event.kind == "utterance"][-SHOWN:]


def screen_of(engine: GameEngine) -> str:
    """Return the terminal's content as SVG."""
    paper = Paper()
    stage = Stage(Foot(paper), paper, engine, explaining=False)
    for event in cut_at_choice(engine):
        stage.show_event(event)
    glance = TalksGame.glance(engine.history)
    paper.print(Group(*glance_lines(glance, paper, WIDTH - 1, ROOM)))
    return paper.export_svg(title=COMMAND)


def photograph_svg(drawn: str) -> bytes:
    """Render an SVG as a PNG picture."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS])
        page = browser.new_context(offline=True, device_scale_factor=SCALE).new_page()
        page.set_content(f"<body style='margin:0;width:1000px'>{drawn}</body>")
        taken = page.locator("svg").first.screenshot(omit_background=True)
        browser.close()
    return taken


def main() -> None:
    """Play the talk, and take a picture of it."""
    save_picture(photograph_svg(screen_of(play_talk())), PICTURE, COLOURS)


if __name__ == "__main__":
    main()
