"""The files of a finished report; the same standings produce byte-identical files."""

import json
from collections.abc import Collection
from dataclasses import asdict, fields
from pathlib import Path

from engine.ratings import PairGap, Rating
from engine.record.files import write_whole, writing
from engine.report.csv import csv_text
from engine.tournaments.report.card import Origin, report_card
from engine.tournaments.standings.standings import (
    EntrantRecord,
    Standings,
    TargetTable,
    attributes_of,
    short_number,
)
from protocol.text import clean

# The kinds of files; pictures need matplotlib, which takes a second to load.
KINDS = ("json", "csv", "card", "png", "html")


def write_report(
    standings: Standings, origin: Origin, folder: Path, kinds: Collection[str] = KINDS
) -> list[Path]:
    """Write the files of these `kinds` into `folder`; return their paths, or raise DiskError."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    texts = report_texts(standings, origin, kinds)
    for name, text in texts.items():
        write_whole(folder / name, text)
    written = [folder / name for name in texts]
    if "png" in kinds:
        from engine.tournaments.report.figures import pictures_of
        from engine.views.plots import save_chart

        for stem, chart in pictures_of(standings):
            written += save_chart(chart, folder / stem)
    return written


def report_texts(standings: Standings, origin: Origin, kinds: Collection[str]) -> dict[str, str]:
    """Return the contents of the text files of these kinds, by file name."""
    texts: dict[str, str] = {}
    if "json" in kinds:
        texts["ratings.json"] = ratings_json(standings)
    if "csv" in kinds:
        texts["ratings.csv"] = ratings_csv(standings)
        texts["pairs.csv"] = pairs_csv(standings)
    if "card" in kinds:
        texts["card.md"] = report_card(standings, origin)
    if "html" in kinds:
        from engine.tournaments.report.page import report_html

        texts["report.html"] = report_html(standings, origin)
    return texts


def ratings_json(standings: Standings) -> str:
    """Return all numbers of the standings as JSON."""
    return json.dumps(standings.plain(), ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def ratings_csv(standings: Standings) -> str:
    """Return CSV: a row for each target and rated entrant, then one for each unrated entrant."""
    records = {record.entrant: record for record in standings.entrants}
    lines = [
        rating_line(row, table, records[row.entrant])
        for table in standings.targets
        for row in table.all_rows
    ]
    lines += [{"entrant": record.entrant} | record_cells(record) for record in standings.unrated]
    columns = tuple(dict.fromkeys(column for line in lines for column in line))
    rows = [visible_cells([line.get(column) for column in columns]) for line in lines]
    return csv_text(columns, rows)


def rating_line(row: Rating, table: TargetTable, record: EntrantRecord) -> dict[str, object]:
    """Return the cells of a rating by column."""
    first, last = row.ranks or (None, None)
    line: dict[str, object] = {
        "target": table.target,
        "entrant": row.entrant,
        "provider": record.provider,
        "model": record.model,
        "rank_first": first,
        "rank_last": last,
    }
    line |= attributes_of(row, "rating", "low", "high") | {"unit": table.unit}
    line |= attributes_of(row, "skill", "error", "games", "open_end", "best", "top_3")
    return line | answering_cells(row.entrant, table) | record_cells(record)


def record_cells(record: EntrantRecord) -> dict[str, object]:
    """Return the cells that do not depend on a rating, by column."""
    line = attributes_of(record, "provider", "model")
    for name in ("failed_seats", "failed_asks"):
        share = getattr(record, name)
        line |= {name: share.share, f"{name}_low": share.low, f"{name}_high": share.high}
    return line | attributes_of(record, "cost", "tokens", "not_rated")


def answering_cells(entrant: str, table: TargetTable) -> dict[str, object]:
    """Return the cells of an entrant's `Answering` row by column; all are None without a row."""
    rows = [row for row in table.answering if row.entrant == entrant]
    cells: dict[str, object] = {}
    for kind in ("plain", "censored"):
        for name in ("rating", "low", "high", "games"):
            key = f"bottom_{kind}_{name}"
            cells[key] = getattr(getattr(rows[0], kind), name) if rows else None
    return cells | {"price": rows[0].price if rows else None}


def pairs_csv(standings: Standings) -> str:
    """Return CSV with a row for each pair of each target."""
    rows = [
        visible_cells([table.target, table.unit, *asdict(pair).values()])
        for table in standings.targets
        for pair in table.pairs
    ]
    return csv_text(("target", "unit", *(field.name for field in fields(PairGap))), rows)


def visible_cells(cells: list[object]) -> list[object]:
    """Return cells without invisible characters, with numbers rounded as in `short_number`."""
    return [clean(short_number(cell)) for cell in cells]
