"""`studies.py`: run many seeded games, or read logs, and show tables, CSV and pictures."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.main import CommandFailed, ExitCode, suggest_next
from engine.cli.parser import LOGS, Parser, fit_to_terminal, given_values, join_words, lone_words
from engine.cli.settings import add_settings
from labs import LOG_STUDIES, STUDIES, log_study, study_class

if TYPE_CHECKING:
    from labs.study import AnyStudy, Report

PROGRAM = "studies.py"
ABOUT = (
    "Run a study: many seeded games, or the logs of a folder, and what they show as a table, as "
    "CSV and as pictures."
)
FOLDER = LOGS / "studies"
EXAMPLES = """examples:
  uv run studies.py                       every study and its question
  uv run studies.py dilemma ranks         ranks of all agents, and who exploits which other
  uv run studies.py dilemma ranks --repetitions 50 --agents tit_for_tat,bully,gradual
  uv run studies.py dilemma ranks --help  the options of one study
  uv run studies.py deliberations logs    the votes in a folder of deliberations
"""
LOG_EXAMPLES = """examples:
  uv run studies.py {game}             what it asks
  uv run studies.py {game} logs        all finished games in logs/
  uv run studies.py {game} cup         those of the tournament in logs/cup
  uv run studies.py {game} logs cup --out votes --no-pictures
"""


def study_from(words: Sequence[str]) -> ExitCode:
    """Run the study named in `words`, or list all studies; raise ValueError for invalid options."""
    game, kind = asked_study(words)
    options = study_parser(game, kind).read(words)
    if game is None or kind is None:
        games = [game] if game else [*STUDIES]
        for one in games:
            for name in STUDIES[one]:
                print_study(f"{one} {name}", study_class(one, name))
        if game is None:
            for one in LOG_STUDIES:
                print_study(f"{one} FOLDER", log_study(one))
        first = next(iter(STUDIES[games[0]]))
        return suggest_next(f"studies.py {games[0]} {first}")
    if game in LOG_STUDIES:
        return suggest_next(study_logs(game, options))
    study = study_of(kind, options)
    run_study(study, game, options)
    # After a game's last study, suggest its first.
    names = [*STUDIES[game], *STUDIES[game]]
    return suggest_next(f"studies.py {game} {names[names.index(study.name) + 1]}")


def asked_study(words: Sequence[str]) -> "tuple[str | None, type[AnyStudy] | None]":
    """Return the game and the study named in `words`, or None for each that is not named."""
    _, rest = study_options().read_known(words)
    names = lone_words(rest)
    if not names:
        return None, None
    from protocol.suggest import one_of

    game = one_of(names[0], {**STUDIES, **LOG_STUDIES}, "game")
    if game in LOG_STUDIES:
        return game, log_study(game)
    if len(names) == 1:
        return game, None
    return game, study_class(game, one_of(names[1], STUDIES[game], f"study of {game}"))


def study_parser(game: str | None, kind: "type[AnyStudy] | None") -> Parser:
    """Return the argument parser of a study, or of the list of studies if `kind` is None."""
    shared = [study_options()]
    if kind is None:
        parser = Parser(PROGRAM, ABOUT, EXAMPLES, parents=shared)
    elif game in LOG_STUDIES:
        parser = Parser(PROGRAM, getdoc(kind), LOG_EXAMPLES.format(game=game), parents=shared)
    else:
        parser = Parser(PROGRAM, kind.__doc__, parents=shared)
    parser.add_argument("game", nargs="?", help=", ".join([*STUDIES, *LOG_STUDIES]))
    if game in LOG_STUDIES:
        parser.add_argument(
            "folders",
            nargs="*",
            metavar="FOLDER",
            help="a folder of logs, a tournament's folder or its name in logs/, or a log; without "
            "one the study's questions are listed",
        )
    else:
        parser.add_argument(
            "study", nargs="?", help="the study's name; without it, the game's studies are listed"
        )
    if kind is not None:
        add_settings(parser.add_argument_group("options of this study"), kind)
    return parser


def study_options() -> Parser:
    """Return the parser of the options that all studies share."""
    parser = Parser(PROGRAM, ABOUT, add_help=False)
    parser.add_value(
        "--out", "DIR", f"where CSV and pictures go (default: {FOLDER}/GAME-STUDY)", Path
    )
    parser.add_number(
        "--processes",
        "number of processes, at most 256 (default: one per core); the result is the same",
    )
    parser.add_flag("--no-pictures", "write tables only")
    return parser


def print_study(words: str, kind: type) -> None:
    """Print a study's name and the first line of its question."""
    about = (kind.__doc__ or "").partition("\n")[0]
    # The name is padded, so that the questions of all studies align.
    print(fit_to_terminal(f"{words:25}{about}\n"), end="")


def study_of(kind: "type[AnyStudy]", options: Namespace) -> "AnyStudy":
    """Return the study with these options; raise ValueError if any option is invalid."""
    from pydantic import ValidationError

    from protocol.suggest import explain

    try:
        return kind.model_validate(given_values(options, kind.model_fields))
    except ValidationError as error:
        raise ValueError(explain(error, kind.model_fields)) from None


def study_logs(game: str, options: Namespace) -> str:
    """Study logs of `game`, or list the study's questions if no folders are given.

    Returns the command to try next.
    """
    kind = log_study(game)
    folders: list[str] = options.folders
    if not folders:
        width = max(map(len, kind.questions)) + 2
        for table, question in kind.questions.items():
            print(fit_to_terminal(f"{table:{width}}{question}\n"), end="")
        return f"studies.py {game} {LOGS}"
    run_study(study_of(kind, options), game, options)
    if Path(folders[0]).is_file():
        return f"studies.py {game}"
    return f"tournament.py rate {join_words(folders[:1])}"


def run_study(study: "AnyStudy", game: str, options: Namespace) -> None:
    """Run a study, print its report, and write the report's files."""
    from engine.runs.processes import spread
    from labs.study import StudyError

    label = " ".join(dict.fromkeys((game, study.name)))
    try:
        results = spread(study.work, study.tasks(), processes=options.processes, label=label)
    except StudyError as error:
        raise CommandFailed(str(error)) from error
    report = _report_of(study, results, label)
    print_report(report)
    folder = options.out or FOLDER / label.replace(" ", "-")
    for path in write_report_files(report, folder, pictures=not options.no_pictures):
        print(f"wrote {path}", file=sys.stderr)


def _report_of(study: "AnyStudy", results: Sequence[Any], label: str) -> "Report":
    from engine.runs.processes import progress_bar

    with progress_bar(label) as bar:
        bar.add_task(f"{label}: reading them", total=None)
        return study.report(results)


def print_report(report: "Report") -> None:
    """Print the tables and the findings of a report."""
    from engine.views.screen import Screen, safe_text

    screen = Screen()
    screen.print(safe_text(report.title, "bold"))
    for table in report.tables:
        screen.print()
        screen.print(safe_text(table.heading, "bold"))
        screen.show(table)
    screen.print()
    for finding in report.findings:
        screen.print(safe_text(finding))


def write_report_files(report: "Report", folder: Path, *, pictures: bool) -> list[Path]:
    """Write each table of a report as CSV, draw its charts if wanted, and return the paths."""
    from engine.report.csv import csv_text

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in (*report.tables, *report.sheets):
        path = folder / f"{file_stem(table.heading)}.csv"
        path.write_text(csv_text(table.columns, table.rows), encoding="utf-8", newline="")
        written.append(path)
    if pictures:
        from engine.views.plots import save_chart

        for chart in report.charts:
            written += save_chart(chart, folder / file_stem(chart.title))
    return written


def file_stem(heading: str) -> str:
    """Return a heading as a file name.

    >>> file_stem("Ranks, with intervals (95 %)")
    'ranks-with-intervals-95'
    """
    letters = (letter if letter.isalnum() else " " for letter in heading.casefold())
    return "-".join("".join(letters).split())
