"""The report as one HTML file without scripts or requests, with every text escaped."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.record.files import read_text
from engine.spending.costs import dollar_text
from engine.tournaments.report.card import Origin, cite_text
from engine.tournaments.report.figures import axis_of, matrix_of
from engine.tournaments.report.numbers import (
    chance_text,
    count_text,
    counts_text,
    end_texts,
    percent_text,
    rank_text,
)
from engine.tournaments.report.sentences import (
    about_target,
    beside_table,
    effects_in,
    exposure_text,
    first_paragraph,
    sensitivity_text,
)
from engine.tournaments.report.tables import answering_table, sensitivity_table, wording_table
from engine.tournaments.standings.standings import Standings, TargetTable
from engine.views.page import policy_hash, read_page, without_comments
from protocol.text import clean

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
# Matches only colours and typefaces; the style sheet's other rules are for the game page.
ROOT_RULE = re.compile(r"^:root[^{]*\{[^}]*\}", re.MULTILINE)
POLICY = "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"


def report_html(standings: Standings, origin: Origin) -> str:
    """Return a tournament's report as HTML: the tables, then the data behind them."""
    made = ", ".join(f"{name} {version}" for name, version in standings.made_with.items())
    return rendered_report(
        "page.html",
        page=standings,
        paragraph=first_paragraph(standings),
        origin=origin,
        sections=[_section_of(table, standings) for table in standings.targets],
        records={entrant.entrant: entrant for entrant in standings.entrants},
        facts=facts_text(standings, origin),
        min_games=standings.settings.get("min_games", 0),
        effects=effects_in(standings),
        exposure=exposure_text(standings),
        seats=seats_had(standings),
        cite=cite_text(standings, origin),
        made=f"Made with {made}." if made else "",
    )


def _section_of(table: TargetTable, standings: Standings) -> dict[str, Any]:
    return {
        "table": table,
        "about": about_target(table),
        "axis": axis_of(table.rows or table.below),
        "matrix": matrix_of(table),
        "beside": beside_table(table, standings),
    }


def rendered_report(template: str, **values: Any) -> str:
    """Return the page rendered from a template, in the style of all reports."""
    style = style_sheet()
    policy = POLICY.format(style=policy_hash(style))
    return page_templates().get_template(template).render(values, style=style, policy=policy)


def facts_text(standings: Standings, origin: Origin) -> str:
    """Return the line below the name: entrants, games, seats per table, and dates."""
    entrants, seats = count_text(len(standings.entrants), "entrant"), seats_had(standings)
    tables = f"tables of {len(seats)}" if seats else ""
    parts = (entrants, counts_text(standings.counts), tables, origin.dates)
    return " · ".join(filter(None, parts))


def seats_had(standings: Standings) -> list[int]:
    """Return the numbers of the seats that were used."""
    return sorted({seat for entrant in standings.entrants for seat in entrant.seats})


def fewest(met: Mapping[str, int]) -> str:
    """Return how often an entrant met the others, as a range in words."""
    if not met:
        return "never"
    low, high = min(met.values()), max(met.values())
    return f"{low} times each" if low == high else f"{low} to {high} times"


@cache
def style_sheet() -> str:
    """Return the report's style: the arena's colours and typefaces, and its own rules."""
    colours = ROOT_RULE.findall(read_page("arena.css"))
    return without_comments("\n".join([*colours, read_text(HERE / "page.css")]))


@cache
def page_templates() -> "Environment":
    """Return the template environment, which escapes and cleans every value."""
    # Imported here so that tables load without it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    rendering = Environment(
        loader=FileSystemLoader(HERE),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=visible,
    )
    rendering.globals.update(
        ranks=rank_text,
        percent=percent_text,
        chance=chance_text,
        dollars=dollar_text,
        fewest=fewest,
        ends=end_texts,
        answering=answering_table,
        by_wording=wording_table,
        by_choice=sensitivity_table,
        choices=sensitivity_text,
    )
    return rendering


def visible(value: Any) -> Any:
    """Return a value without invisible characters; template markup stays unchanged."""
    return clean(value) if type(value) is str else value
