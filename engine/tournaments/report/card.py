"""The card: the tables in Markdown under YAML front matter, and how to cite them."""

import json
import re
from dataclasses import asdict, dataclass

from engine.report.tables import Table
from engine.tournaments.report.numbers import count_text, counts_text
from engine.tournaments.report.sentences import (
    about_target,
    beside_table,
    first_paragraph,
    sensitivity_text,
)
from engine.tournaments.report.tables import (
    detail_tables,
    rating_table,
    record_table,
    sensitivity_table,
    unrated_table,
)
from engine.tournaments.standings.standings import (
    Sensitivity,
    Standings,
    TargetTable,
    attributes_of,
    map_parts,
)
from protocol.text import clean, one_line

# Characters that are markup anywhere, at the start of a line, or in an address.
MARKS = re.compile(r"[\\`*_{}\[\]<>#|~!&@$]|^[-+=]|(?<=:)/|(?<=www)\.", re.IGNORECASE)
NUMBERED = re.compile(r"^(\d+)([.)])")
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"}
# The length of the date in an ISO 8601 time.
DAY = len("2026-01-31")
# How many digits of a fingerprint are shown.
DIGITS = 16
# All characters except letters, digits and marks without meaning in BibTeX, TeX or an address.
ODD = re.compile(r"(?:[^\w ,;:.()-]|_|(?<!\d)\.|\.(?!\d))+")


@dataclass(frozen=True, slots=True)
class Origin:
    """Facts from the ledger and the command line; times are in ISO 8601, or "" if unknown.

    `command` is the part after `uv run`; `ledger`, `settings` and `rows` are fingerprints
    (SHA-256); `verified` is the fingerprint of all logs, rows and ratings, or "" unless every log
    was replayed.
    """

    command: str
    began: str = ""
    ended: str = ""
    ledger: str = ""
    settings: str = ""
    rows: str = ""
    verified: str = ""

    @property
    def dates(self) -> str:
        """The day of the games, or their first and last day."""
        first, last = self.began[:DAY], self.ended[:DAY]
        return first if first == last or not last else f"{first} to {last}"


def report_card(standings: Standings, origin: Origin) -> str:
    """Return the card, with every name and text escaped for YAML and Markdown."""
    lines = card_facts(standings, origin)
    lines += ["", f"# {escape(standings.title)}", "", escape(first_paragraph(standings)), ""]
    lines += [escape(standings.sentence), ""]
    for table in standings.targets:
        lines += target_lines(table, standings)
    if standings.unrated:
        lines += ["## Not rated", "", *markdown_table(unrated_table(standings)), ""]
    if standings.sensitivity:
        lines += _sensitivity_lines(standings.sensitivity)
    records = markdown_table(record_table(standings.entrants))
    lines += ["## Failures and costs", "", *records, "", "## What a rating does not say", ""]
    lines += [f"- {escape(note)}" for note in standings.notes]
    lines += ["", *_citation_lines(standings, origin)]
    return "\n".join(lines) + "\n"


def _sensitivity_lines(found: Sensitivity) -> list[str]:
    lines = ["## Ranks by other choices", "", escape(sensitivity_text(found))]
    return [*lines, "", *markdown_table(sensitivity_table(found)), ""]


def _citation_lines(standings: Standings, origin: Origin) -> list[str]:
    lines = ["## Reproduce and cite", "", f"    uv run {one_line(origin.command)}", ""]
    lines += [escape(cite_text(standings, origin)), ""]
    return [*lines, *(f"    {line}" for line in bibtex_lines(standings, origin))]


def target_lines(table: TargetTable, standings: Standings) -> list[str]:
    """Return a target's table with the data behind it, in Markdown."""
    lines = [f"## {escape(table.kind.heading)}", "", escape(about_target(table)), ""]
    lines += [*markdown_table(rating_table(table, standings)), ""]
    for shown in detail_tables(table):
        lines += [f"{shown.heading}:", "", *markdown_table(shown), ""]
    for name, sentences in beside_table(table, standings):
        lines.append(f"- {escape(name)}: {escape(' '.join(sentences))}")
    return [*lines, ""]


def card_facts(standings: Standings, origin: Origin) -> list[str]:
    """Return the lines of the front matter; each value is JSON, which is valid YAML."""
    firsts = {table.target: table.first_group for table in standings.targets}
    values = {
        "name": standings.name,
        "game": standings.game,
        "license": str(standings.settings.get("license") or "other").lower(),
        "entrants": [record.entrant for record in standings.entrants],
        "games": counts_text(standings.counts),
        "targets": list(firsts),
        "first_group": firsts,
        "not_rated": {record.entrant: record.not_rated for record in standings.unrated},
        "made_with": dict(standings.made_with),
    }
    values |= {name: value for name, value in asdict(origin).items() if value and name != "command"}
    facts = map_parts(clean, values).items()
    return ["---", *(f"{name}: {json.dumps(value)}" for name, value in facts), "---"]


def markdown_table(table: Table) -> list[str]:
    """Return a table in Markdown, with numbers aligned to the right."""
    rules = ["---:" if is_number else ":---" for is_number in table.numeric()]
    rows = [[escape(cell) for cell in row] for row in (table.columns, *table.texts())]
    rows.insert(1, rules)
    return [f"| {' | '.join(cells)} |" for cells in rows]


def escape(text: str) -> str:
    r"""Return a text on one line, with all markup escaped (CommonMark 0.31, 2.4).

    >>> print(escape("a | [b](http://c) <d>"))
    a \| \[b\](http:\//c) &lt;d&gt;
    """
    escaped = MARKS.sub(lambda match: ENTITIES.get(match[0]) or f"\\{match[0]}", one_line(text))
    return NUMBERED.sub(r"\1\\\2", escaped)


def cite_text(standings: Standings, origin: Origin) -> str:
    """Return a citation of the tables, on one line."""
    played = f"played {origin.dates}" if origin.dates else ""
    parts = filter(None, [what_was_played(standings), played, *made_from(standings, origin)])
    return f"{'; '.join(parts)}."


def what_was_played(standings: Standings) -> str:
    """Return a phrase with the tournament's name, number of entrants, game and number of games."""
    entrants = count_text(len(standings.entrants), "entrant")
    games = counts_text(standings.counts)
    return f"{standings.name}: a tournament of {entrants} in {standings.game}; {games}"


def made_from(standings: Standings, origin: Origin) -> list[str]:
    """Return the versions and fingerprints needed to reproduce the tables."""
    made = " ".join(f"{name} {version}" for name, version in standings.made_with.items())
    seals = attributes_of(origin, "settings", "ledger", "rows", "verified").items()
    return [*filter(None, [made]), *(f"{name} {seal[:DIGITS]}" for name, seal in seals if seal)]


def bibtex_lines(standings: Standings, origin: Origin) -> list[str]:
    """Return the BibTeX entry; users add the author and address."""
    key = re.sub(r"[^A-Za-z0-9-]+", "-", standings.name).strip("-")
    fields = {"title": what_was_played(standings), "year": origin.ended[:4]}
    fields["note"] = "; ".join(made_from(standings, origin))
    lines = [f"@misc{{{key or 'tournament'},"]
    for name, text in fields.items():
        if text:
            lines.append(f"  {name} = {{{ODD.sub(' ', one_line(text)).strip()}}},")
    return [*lines, "}"]
