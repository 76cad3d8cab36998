"""A data set's card: a README.md with front matter for data hubs.

All text in the card is escaped.
"""

from collections.abc import Mapping

import yaml

from engine.exchange.dataset.tables import PACKED, PARQUET, TABLES, Contents
from engine.report.tables import Table
from engine.tournaments.report.card import escape, markdown_table
from protocol.text import clean

SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
)
MOST_ENTRANTS = 200
LONGEST_NAME = 300
WHAT_TABLES = {
    "games": "every game that was drawn, rated or not, with its status and the SHA-256 of its log",
    "seats": "every seat of each finished game, the basis of all ratings except for void games; "
    "words is the mean of its public speeches",
    "events": "everything that happened, with who saw it",
    "votes": "every ballot, with its candidates in the order its voter read",
}
NOT_SAID = """A rating holds for these entrants, these settings, this game and these opponents.
It does not cover other tables, other settings or other tasks, nor how safe or useful a model is.
Do not order entrants with the same best rank. Seats with failed answers are counted
(`fallbacks`), and their rows are as played; `outlived` is the number of players who had left before
the first failure, so that a rating can count a seat only as long as it answered."""
NEVER = """Prompts, system texts, raw answers, settings of clients and keys are never exported."""


def data_card(name: str, contents: Contents, facts: Mapping[str, str]) -> str:
    """Return a data set's card; `facts` describe the sources of the data set."""
    files = {table: _main_file(table, contents.sizes) for table in TABLES}
    words = " Nor is what players said and thought: `content` and `reasoning` are empty."
    parts = [
        front_matter(name, facts["license"], "ratings", sum(contents.rows.values()), files),
        f"# {escape(name)}",
        "## Tables",
        tables_part(contents),
        "## How it was made",
        facts_part(contents, facts),
        "## Who plays",
        entrants_part(contents),
        "## What the ratings are, and are not",
        NOT_SAID,
        "To reproduce the numbers:\n\n    uv run tournament.py rate seats.jsonl.gz",
        "## What it does not contain",
        NEVER + (words if facts.get("words") == "left out" else ""),
    ]
    return "\n\n".join(parts) + "\n"


def _main_file(table: str, sizes: Mapping[str, int]) -> str:
    parquet = f"{table}{PARQUET}"
    return parquet if parquet in sizes else f"{table}{PACKED}"


def front_matter(name: str, license_id: str, tag: str, rows: int, files: Mapping[str, str]) -> str:
    """Return the metadata for data hubs; `files` maps each table to its file, the default first."""
    configs: list[dict[str, str | bool]] = [
        {"config_name": table, "data_files": file} for table, file in files.items()
    ]
    configs[0]["default"] = True
    # Each value is on one line, so none can close the front matter.
    head = {
        "license": license_id,
        "pretty_name": " ".join(str(clean(name, LONGEST_NAME)).split()),
        "tags": ["games", "llm", "multi-agent", tag],
        "size_categories": [next((size for bound, size in SIZES if rows < bound), "n>100M")],
        "configs": configs,
    }
    dumped = yaml.safe_dump(head, sort_keys=False, allow_unicode=False)
    return f"---\n{dumped}---"


def tables_part(contents: Contents) -> str:
    """Return the card's list of tables, with their row counts, sizes and columns."""
    rows = tuple(
        (table, contents.rows[table], _sizes_of(table, contents.sizes), what)
        for table, what in WHAT_TABLES.items()
    )
    lines = markdown_table(Table("", ("table", "rows", "bytes", "what"), rows))
    for table, columns in TABLES.items():
        named = ", ".join(f"`{column}`" for column in columns)
        lines.append(f"\nColumns of {table}: {named}.")
    return "\n".join(lines)


def _sizes_of(table: str, sizes: Mapping[str, int]) -> str:
    files = (f"{table}{PACKED}", f"{table}{PARQUET}")
    return ", ".join(f"{file}: {sizes[file]:,}" for file in files if file in sizes)


def facts_part(contents: Contents, facts: Mapping[str, str]) -> str:
    """Return the card's list of facts, including how many games ended in each way."""
    lines = [f"- {label}: {escape(value)}" for label, value in facts.items() if value]
    statuses = sorted(contents.statuses.items())
    lines += [f"- games {escape(status)}: {count:,}" for status, count in statuses]
    if contents.doubtful:
        lines.append(
            "- games whose jurors' lines are not counted as votes, because they are unreliable: "
            f"{contents.doubtful:,}"
        )
    if contents.began:
        lines.append(f"- played: {escape(contents.began)} to {escape(contents.ended)}")
    return "\n".join(lines)


def entrants_part(contents: Contents) -> str:
    """Return the card's table of entrants with their numbers of rated games."""
    entrants = sorted(contents.entrants.items())
    listed = Table("", ("entrant", "rated games"), tuple(entrants[:MOST_ENTRANTS]))
    lines = markdown_table(listed)
    more = len(entrants) - MOST_ENTRANTS
    if more > 0:
        lines.append(f"\nAnd {more} more, in the table of seats.")
    return "\n".join(lines)
