"""Write docs/figures.md, and provide the rows, options and timers that all benchmarks use.

uv run --group dev --all-extras benchmarks/figures.py [--short | --full] [--offline]

This command runs each script and writes its rows to the page, with date, commit and machine.
Scripts that take longer than five minutes run with `--short` unless `--full` is set.

A script passes its parts to `main`: functions that yield rows. `main` prints a line for each row,
or JSON with `--json`. It reports and skips parts whose package is missing, and exits with 1 if a
goal was missed.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "figures.md"
# Each script, and whether it takes longer than five minutes in full.
SCRIPTS = {
    "newcomer.py": False,
    "conversation_speed.py": False,
    "dilemma_speed.py": False,
    "guest_speed.py": False,
    "calls.py": False,
    "server.py": True,
    "server_security.py": True,
    "ratings.py": True,
    "measure.py": True,
    "survival.py": True,
    "tournament_survival.py": True,
    "talks.py": False,
    "libraries.py": True,
    "information.py": True,
}
SHORT_RUN = "short run"


@dataclass(frozen=True)
class Row:
    """One figure: `basis` says what was measured, and `good` whether it met its goal, if any."""

    figure: str
    value: str
    unit: str
    basis: str = ""
    goal: str = ""
    good: bool | None = None


Part = Callable[[bool], Iterator[Row]]


def row(
    figure: str,
    value: float | str,
    unit: str = "",
    basis: str = "",
    *,
    most: float | None = None,
    least: float | None = None,
) -> Row:
    """Return a row, with a goal of at most `most` or at least `least`."""
    goal, good = "", None
    if most is not None:
        goal, good = f"<= {digits(most)}", float(value) <= most
    if least is not None:
        goal, good = f">= {digits(least)}", float(value) >= least
    return Row(figure, value if isinstance(value, str) else digits(value), unit, basis, goal, good)


def none_of(figure: str, bad: Sequence[str], count: int, basis: str = "") -> Row:
    """Return a row with the number of bad cases (the goal is 0); print the first ten on stderr."""
    for each in bad[:10]:
        say(f"  bad: {each[:300]}")
    return Row(figure, f"{len(bad)} of {count:,}", "", basis, "0", not bad)


def digits(value: float) -> str:
    """Return a number with three significant digits, or rounded to an integer if 100 or more."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def say(words: str) -> None:
    """Report progress on stderr."""
    print(words, file=sys.stderr, flush=True)


def best_seconds(work: Callable[[], object], times: int = 5) -> float:
    """Return the processor seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (0.0, 0.0)
    return statistics.median(values), statistics.quantiles(values, n=100)[98]


def main(about: str, parts: Mapping[str, Part], *, online: str = "") -> None:
    """Run the parts named on the command line, or all; part `online` needs the package index."""
    first, _, more = about.partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=more)
    named = f"which: {', '.join(parts)} (default: all of these)"
    parser.add_argument("parts", nargs="*", metavar="PART", help=named)
    parser.add_argument("--short", action="store_true", help="fewer repetitions")
    parser.add_argument("--offline", action="store_true", help="use no package index")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each row")
    options = parser.parse_args()
    unknown = sorted({*options.parts} - {*parts})
    if unknown:
        parser.error(f"expected PART of {', '.join(parts)}: got {', '.join(unknown)}")
    missed = 0
    for name in options.parts or [each for each in parts if not options.offline or each != online]:
        try:
            for each in parts[name](options.short):
                print(json.dumps(asdict(each)) if options.json else line_of(each), flush=True)
                missed += each.good is False
        except ModuleNotFoundError as error:
            say(f"{name}: skipped, {error}")
    sys.exit(1 if missed else 0)


def line_of(each: Row) -> str:
    """Return a row as a line of text."""
    verdict = {None: "", True: "good", False: "MISSED"}[each.good]
    figure = f"{each.figure} ({each.basis})" if each.basis else each.figure
    return f"{figure:<78} {each.value:>18} {each.unit:<12} {each.goal:<12}{verdict}".rstrip()


def rows_of(script: str, *options: str) -> list[Row]:
    """Run a script and return its rows; raise SystemExit if it fails."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), "--json", *options]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in {0, 1}:
        sys.exit(f"{script} failed: exit code {done.returncode}")
    return [Row(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith("{")]


def processor_name() -> str:
    """Return the model of this machine's processor."""
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.processor() or platform.machine()


def page_of(found: Mapping[str, list[Row]], shortened: Sequence[str]) -> str:
    """Return the page with all rows."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    day, load, cores = datetime.now(UTC).date(), os.getloadavg()[1], os.cpu_count()
    lines = [
        "# Figures",
        "",
        "`uv run --group dev --all-extras benchmarks/figures.py` writes this page from the",
        "scripts in `benchmarks/`. Each also runs alone and says in `--help` what it measures.",
        "",
        f"Measured on {day} at commit {commit.strip()} with Python {platform.python_version()} on",
        f"{cores} cores ({processor_name()}); on average {load:.1f} processes wanted a core.",
        f'A "{SHORT_RUN}" repeats less. `--full` repeats everything in full.',
        "",
        "| figure | value | unit | basis | goal | script |",
        "|---|---|---|---|---|---|",
    ]
    for script, rows in found.items():
        for each in rows:
            basis = [each.basis] if each.basis else []
            basis += [SHORT_RUN] if script in shortened else []
            goal = f"{each.goal}, missed" if each.good is False else each.goal
            cells = (each.figure, each.value, each.unit, ", ".join(basis), goal, f"`{script}`")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write_page() -> None:
    """Run the scripts and write the page."""
    first, _, more = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(description=first, epilog=more)
    parser.add_argument("--short", action="store_true", help="run every script with --short")
    parser.add_argument("--full", action="store_true", help="run no script with --short")
    parser.add_argument("--offline", action="store_true", help="use no package index")
    options = parser.parse_args()
    shortened = [name for name, long in SCRIPTS.items() if options.short or long > options.full]
    found = {}
    for script in SCRIPTS:
        say(f"{script} ...")
        words = [*["--short"] * (script in shortened), *["--offline"] * options.offline]
        found[script] = rows_of(script, *words)
    PAGE.write_text(page_of(found, shortened), encoding="utf-8")
    say(f"{PAGE} has {sum(map(len, found.values()))} figures")


if __name__ == "__main__":
    write_page()
