"""The tables of standings and the paths of files that `rate` and `play` print at the end."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.parser import join_words

if TYPE_CHECKING:
    from engine.report.tables import Part, Title
    from engine.tournaments.sources.source import Source
    from engine.tournaments.standings.standings import Standings


def print_parts(parts: "Iterable[Title | Part]") -> None:
    """Print tables and sentences about a tournament."""
    from engine.views.screen import Screen
    from engine.views.terminal import Page

    page = Page(Screen())
    for part in parts:
        page.show(part)
    page.console.print()


def write_rated_files(
    found: "Standings",
    source: "Source",
    command: str,
    folder: Path,
    kinds: Collection[str],
    *,
    verified: bool = False,
) -> str:
    """Write files that `command` can reproduce, and return a sentence with their paths."""
    from engine.tournaments.report.card import Origin
    from engine.tournaments.report.files import ratings_json, write_report
    from engine.tournaments.verify import digest_of_all

    settings = source.settings.sha256 if source.settings else ""
    rows = "" if source.ledger else source.sha256
    seal = digest_of_all(source, ratings_json(found)) if verified else ""
    origin = Origin(command, source.began, source.ended, source.ledger, settings, rows, seal)
    written = write_report(found, origin, folder, kinds)
    return f"Written to {folder}: {', '.join(path.name for path in written)}"


def leave_behind(folder: Path) -> "Standings | None":
    """Show a tournament's current tables, write its files, and return the standings, if any."""
    from engine.ratings import Results
    from engine.tournaments.plan.promise import method_with_plan
    from engine.tournaments.report.files import KINDS
    from engine.tournaments.report.tables import standings_parts
    from engine.tournaments.sources.find import read_cup
    from engine.tournaments.standings.method import Method
    from engine.tournaments.standings.rate import rated_standings

    source = read_cup(folder)
    if source.settings is None or not source.rows:
        return None
    results = Results.from_rows(source.rows)
    method = method_with_plan(source, Method.of(source.settings))
    standings = rated_standings(method, results, source.counts)
    print_parts(standings_parts(standings))
    command = join_words(["tournament.py", "rate", source.name, "--html"])
    print(write_rated_files(standings, source, command, folder, KINDS))
    return standings
