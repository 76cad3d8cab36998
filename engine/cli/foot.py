"""The foot of the screen of a game that is played: what it shows, and who may see that."""

from collections.abc import Iterator
from contextlib import contextmanager

from engine.cli.parser import Parser
from engine.engine import GameEngine
from engine.report.glance import Glance
from engine.views.foot import Foot
from engine.views.perspective import history_in
from engine.views.waiting import LastLine

PLAIN = "print line by line, as into a file: no foot that shows a talk at a glance"


def add_plain(parser: Parser) -> None:
    """Add the option that leaves out the foot of the screen."""
    parser.add_argument("--plain", action="store_true", help=PLAIN)


def look_at(engine: GameEngine, view: str) -> Glance | None:
    """Return a game at a glance as a `view` of it has it, None if it has no such look."""
    return engine.config.game.glance(history_in(engine.history, view))


@contextmanager
def last_line(foot: Foot, usual: str, *, spins: bool) -> Iterator[LastLine | None]:
    """Keep the last line of a screen: that of its foot, else a spinner that says what is `usual`.

    None where neither can be, or, unless it `spins`, where there is no foot.
    """
    with foot:
        if foot.stands:
            yield foot
        elif not spins:
            yield None
        else:
            with foot.console.status(usual) as status:
                yield status if foot.console.is_terminal else None
