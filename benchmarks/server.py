"""Print what the server and its page take, beside what they should.

`uv run --group dev benchmarks/server.py [ROWS ...]` needs no key and no network; the rows of the
browser need Debian's chromium. All of it takes a quarter of an hour on two cores. Those who watch,
and the server of the models, are processes of their own. Where other work wants the processors too,
trust processor times and counts: the time in which a sleeping thread wakes is printed beside.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.serving.browsing import browsing
from benchmarks.serving.delivery import delivery
from benchmarks.serving.figures import FULL, SHORT, USUAL, Figure, load
from benchmarks.serving.games import games
from benchmarks.serving.listing import listing
from benchmarks.serving.sizes import install, sizes, start
from benchmarks.serving.surviving import cuts, kills

Measure = Callable[[int], Iterator[Figure]]
ROWS: dict[str, Measure] = {
    "sizes": sizes,
    "start": start,
    "delivery": delivery,
    "games": games,
    "list": listing,
    "browser": browsing,
    "cuts": cuts,
    "kills": kills,
}


def main() -> None:
    """Measure, print a line as soon as it is there, and exit with 1 if a goal is missed."""
    options = read_options()
    chosen = options.rows or [*ROWS]
    print(f"processors wanted at the beginning: {load()}", flush=True)
    missed = 0
    for name in chosen:
        for figure in (ROWS | {"install": install})[name](options.effort):
            print(figure.line(), flush=True)
            missed += figure.good is False
    print(f"processors wanted at the end: {load()}")
    sys.exit(1 if missed else 0)


def read_options() -> argparse.Namespace:
    """Return the options; `--help` explains them."""
    about, _, more = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=more)
    parser.add_argument(
        "rows",
        nargs="*",
        metavar="ROWS",
        help=f"which: {', '.join(ROWS)} (default: all of these), or install, which downloads all "
        "packages anew",
    )
    for effort, name, meaning in (
        (SHORT, "--short", "fewer repetitions, and smaller folders"),
        (FULL, "--full", "100 kills instead of 10"),
    ):
        parser.add_argument(name, dest="effort", action="store_const", const=effort, help=meaning)
    parser.set_defaults(effort=USUAL)
    options = parser.parse_args()
    unknown = {*options.rows} - {*ROWS, "install"}
    if unknown:
        parser.error(f"expected ROWS of {', '.join(ROWS)}, install: got {', '.join(unknown)}")
    return options


if __name__ == "__main__":
    main()
