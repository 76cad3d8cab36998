"""Run a study: many seeded games, and what they show as a table, as CSV and as pictures."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.parser import LOGS, Parser, add_settings
from engine.labs import STUDIES, study_class

# Whatever is slow to import comes after the options are read: --help and a typing error are
# answered at once.
if TYPE_CHECKING:
    from engine.labs.study import AnyStudy, Report

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 5
EXAMPLES = """examples:
  uv run studies.py                                     every study, with what it asks
  uv run studies.py dilemma ranks                       ranks of all agents, with intervals, and who exploits whom
  uv run studies.py dilemma ranks --repetitions 50 --agents tit_for_tat,bully,gradual
  uv run studies.py dilemma ranks --help                the options of one study
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what `argv` says and return the exit code: 0 done, 1 failed, 2 bad input, 5 interrupted."""
    try:
        following = run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the output (`| head`) has enough; nothing more may be written there, at exit
        # neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except ValueError as error:
        return complain(str(error), USAGE)
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}", FAILED)
    except RuntimeError as error:
        return complain(str(error), FAILED)
    except KeyboardInterrupt:
        return complain(
            "interrupted; nothing was written, and the same command begins again", INTERRUPTED
        )
    print(f"Next: uv run {following}", file=sys.stderr)
    return OK


def run(words: list[str]) -> str:
    """Do what `words` say and return the command to try next; ValueError says what is wrong with them."""
    parser = common(Parser("studies.py", __doc__, EXAMPLES, add_help=False))
    early, _ = parser.parse_known_args([word for word in words if word not in {"-h", "--help"}])
    if early.game is None:
        common(Parser("studies.py", __doc__, EXAMPLES)).read(words)
        return list_studies([*STUDIES])
    from protocol.suggest import one_of

    game = one_of(early.game, STUDIES, "game")
    if early.study is None:
        common(Parser("studies.py", __doc__, EXAMPLES)).read(words)
        return list_studies([game])
    kind = study_class(game, one_of(early.study, STUDIES[game], f"study of {game}"))
    parser = common(Parser("studies.py", kind.__doc__))
    add_settings(parser.add_argument_group(f"options of {game} {kind.name}"), kind)
    options = parser.read(words)
    return conduct(study_of(kind, options), game, options)


def common(parser: Parser) -> Parser:
    """Add the options of all studies to `parser` and return it."""
    parser.add_argument("game", nargs="?", help=", ".join(STUDIES))
    parser.add_argument(
        "study", nargs="?", help="its name; without one those of the game are listed"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"for CSV and pictures ({LOGS}/studies/GAME-STUDY)"
    )
    parser.add_argument(
        "--processes", type=int, metavar="N", help="(one a core) the result is the same with any"
    )
    parser.add_argument("--no-pictures", action="store_true", help="tables only")
    return parser


def list_studies(games: Sequence[str]) -> str:
    """Print the studies of `games` and return the command to try next."""
    for game in games:
        for name in STUDIES[game]:
            about = (study_class(game, name).__doc__ or "").partition("\n")[0]
            print(f"{game:13}{name:12}{about}")
    return f"studies.py {games[0]} {next(iter(STUDIES[games[0]]))}"


def study_of(kind: "type[AnyStudy]", options: argparse.Namespace) -> "AnyStudy":
    """Return the study with the options that were given; ValueError says which cannot be."""
    from pydantic import ValidationError

    from protocol.suggest import explain

    given = {
        name: value
        for name in kind.model_fields
        if (value := getattr(options, name, None)) is not None
    }
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise ValueError(explain(error, kind.model_fields)) from None


def conduct(study: "AnyStudy", game: str, options: argparse.Namespace) -> str:
    """Do the study, show and write what came of it, and return the command to try next."""
    from engine.labs.processes import spread

    tasks = study.tasks()
    results = spread(study.work, tasks, processes=options.processes, label=f"{game} {study.name}")
    report = study.report(results)
    show(report)
    folder = options.out or LOGS / "studies" / f"{game}-{study.name}"
    for path in write(report, folder, pictures=not options.no_pictures):
        print(f"wrote {path}", file=sys.stderr)
    names = [*STUDIES[game]]
    return f"studies.py {game} {names[(names.index(study.name) + 1) % len(names)]}"


def show(report: "Report") -> None:
    """Print the tables and what they say."""
    from engine.views.terminal import Screen, grid_of, safe_text

    screen = Screen()
    screen.print(safe_text(report.title, "bold"))
    for table in report.tables:
        screen.print()
        screen.print(safe_text(table.heading, "bold"))
        screen.print(grid_of(table, safe_text))
    screen.print()
    for finding in report.findings:
        screen.print(safe_text(finding))


def write(report: "Report", folder: Path, *, pictures: bool) -> list[Path]:
    """Write a CSV file for each table, and two pictures for each chart; return the files."""
    from engine.report.csv import csv_text

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in (*report.tables, *report.sheets):
        path = folder / f"{stem(table.heading)}.csv"
        path.write_text(csv_text(table.columns, table.rows), encoding="utf-8", newline="")
        written.append(path)
    if pictures:
        from engine.views.plots import save_chart

        for chart in report.charts:
            written += save_chart(chart, folder / stem(chart.title))
    return written


def stem(heading: str) -> str:
    """Return a heading as the name of a file."""
    return "-".join(
        "".join(letter if letter.isalnum() else " " for letter in heading.casefold()).split()
    )


def complain(sentence: str, code: int) -> int:
    """Say on stderr what is wrong and return the exit code."""
    print(f"studies.py: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
