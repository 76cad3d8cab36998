"""Standings as tables and sentences for a terminal; `engine/views/terminal.py` prints them."""

from collections.abc import Iterator, Sequence

from engine.ratings import Rating, Scale
from engine.report.tables import Cell, Facts, Part, Sentence, Table, TableRow
from engine.spending.costs import dollar_text
from engine.tournaments.report.numbers import (
    chance_text,
    counts_text,
    end_texts,
    ends_text,
    interval_text,
    percent_text,
    rank_text,
)
from engine.tournaments.report.sentences import (
    beside_table,
    effects_in,
    first_paragraph,
    sensitivity_text,
)
from engine.tournaments.standings.standings import (
    EntrantRecord,
    Sensitivity,
    Standings,
    TargetTable,
)

RATING_COLUMNS = (
    "rank", "entrant", "rating", "low", "high", "games", "failed", "best", "top 3", "cost/game",
    "model",
)  # fmt: skip
ANSWERING = "While they answered, from the worst place up"
ANSWERING_COLUMNS = (
    "entrant", "all choices", "low", "high", "games",
    "before failing", "low", "high", "games", "price of failing",
)  # fmt: skip
PAIR_COLUMNS = (
    "entrant", "against", "gap", "low", "high", "p", "p, all pairs", "q", "met", "ahead",
)  # fmt: skip
RECORD_COLUMNS = (
    "entrant", "seats", "failed", "95 %", "answers", "failed", "95 %", "tokens/game", "cost/game",
)  # fmt: skip
BIAS_COLUMNS = ("what", "effect", "low", "high", "unit", "p", "share")
BELOW = "-"


def standings_parts(standings: Standings) -> Iterator[Part]:
    """Yield a summary, each target's table with its notes and details, and the records."""
    yield Facts(standings.name, (("games", counts_text(standings.counts)),))
    yield Sentence(first_paragraph(standings))
    for table in standings.targets:
        yield from _target_parts(table, standings)
    if standings.unrated:
        yield unrated_table(standings)
    yield record_table(standings.entrants)
    if standings.bias:
        yield bias_table(standings)
    if standings.sensitivity:
        yield sensitivity_table(standings.sensitivity)
        yield Sentence(sensitivity_text(standings.sensitivity))
    if standings.sentence:
        yield Sentence(standings.sentence)


def _target_parts(table: TargetTable, standings: Standings) -> Iterator[Part]:
    yield rating_table(table, standings)
    facts: list[tuple[str, str]] = []
    for heading, (first, *others) in beside_table(table, standings):
        facts += [(heading, first), *(("", sentence) for sentence in others)]
    yield Facts("", facts)
    yield from detail_tables(table)
    if table.against:
        yield against_table(table, str(standings.settings["against"]))


def bias_table(standings: Standings) -> Table:
    """Return the table of the covariates and of the effects that instruments of bias measured."""
    rows = []
    for effect in effects_in(standings):
        numbers = effect.estimate, effect.low, effect.high
        ends = chance_text(effect.p_adjusted), interval_text(effect.share, effect.share_interval)
        rows.append((effect.name, *numbers, effect.unit, *ends))
    return Table("Bias; p is adjusted for all", BIAS_COLUMNS, rows)


def rating_table(table: TargetTable, standings: Standings) -> Table:
    """Return a target's table; entrants with too few games come last, without a rank."""
    records = {record.entrant: record for record in standings.entrants}
    scale = table.kind.scale
    rows = [_rating_cells(row, records[row.entrant], scale) for row in table.all_rows]
    return Table(heading_of(table), RATING_COLUMNS, rows, ("entrant", "failed"))


def _rating_cells(row: Rating, record: EntrantRecord, scale: Scale) -> TableRow:
    rank = rank_text(row.ranks) or BELOW
    shares = (record.failed_seats.share, row.best, row.top_3)
    percents = [percent_text(share) or BELOW for share in shares]
    rating = interval_cells(row, scale)
    return (rank, row.entrant, *rating, *percents, dollar_text(record.cost), record.who)


def heading_of(table: TargetTable) -> str:
    """Return a heading: target, unit, the end from which places are read, and covariates."""
    end = f", from the {table.direction}" if table.kind.directions else ""
    covariates = ", ".join(effect.name for effect in table.covariates)
    terms = f", with {covariates}" if covariates else ""
    return f"{table.kind.heading}, {table.unit}{end}{terms}"


def detail_tables(table: TargetTable) -> Iterator[Table]:
    """Yield the tables with further ratings of the entrants, if any."""
    if table.answering:
        yield answering_table(table)
    if table.wordings:
        yield wording_table(table)


def interval_cells(rating: Rating, scale: Scale) -> TableRow:
    """Return a rating, the ends of its interval, and the number of games."""
    low, high = end_texts(rating, scale)
    return scale.text(rating.rating), low or BELOW, high or BELOW, rating.games


def answering_table(table: TargetTable) -> Table:
    """Return the entrants' ratings from all choices, and from those before their failures."""
    scale = table.kind.scale
    rows = []
    for row in table.answering:
        plain, censored = interval_cells(row.plain, scale), interval_cells(row.censored, scale)
        rows.append((row.entrant, *plain, *censored, scale.text(row.price)))
    return Table(ANSWERING, ANSWERING_COLUMNS, rows)


def wording_table(table: TargetTable) -> Table:
    """Return the ratings under each wording of the rules, and their spread."""
    text = table.kind.scale.text
    wordings = sorted({number for row in table.wordings for number in row.points})
    rows = []
    for row in table.wordings:
        points = [text(row.points.get(number)) or BELOW for number in wordings]
        rows.append((row.entrant, *points, text(row.between)))
    columns = "entrant", *(f"wording {number}" for number in wordings), "deviation"
    return Table("By wording of the rules", columns, rows)


def unrated_table(standings: Standings) -> Table:
    """Return a table of the unrated entrants and the reasons."""
    rows = [(record.entrant, record.not_rated, record.who) for record in standings.unrated]
    return Table("Not rated", ("entrant", "why", "model"), rows)


def sensitivity_table(found: Sensitivity) -> Table:
    """Return the ranks under each way of rating, and with each entrant or provider left out."""
    whole = [each for each in found.variants if not each.left_out]
    kinds = sorted({each.left_out for each in found.variants} - {""})
    rows = []
    for entrant, rank in found.ranks.items():
        cells: list[Cell] = [entrant, rank, *(each.ranks.get(entrant, BELOW) for each in whole)]
        cells += [_range_without_one(found, kind, entrant) for kind in kinds]
        rows.append(cells)
    names = [each.name.removeprefix("by ") for each in whole]
    turns = [f"one {kind} out" for kind in kinds]
    heading = f"Ranks by {found.target}, and by other choices"
    return Table(heading, ("entrant", "rank", *names, *turns), rows, turns)


def _range_without_one(found: Sensitivity, kind: str, entrant: str) -> str:
    ranks = [each.ranks.get(entrant) for each in found.variants if each.left_out == kind]
    known = [each for each in ranks if each]
    return rank_text((min(known), max(known))) if known else BELOW


def against_table(table: TargetTable, against: str) -> Table:
    """Return the pairs that include `against`; opponents farthest ahead of it come first."""
    rows: list[Sequence[Cell]] = []
    for pair in table.against:
        gap = map(table.kind.scale.text, (pair.gap, pair.low, pair.high))
        chances = map(chance_text, (pair.p, pair.p_adjusted, pair.q))
        rows.append((pair.entrant, pair.other, *gap, *chances, pair.meetings, pair.wins))
    return Table(f"{table.kind.heading}, against {against}", PAIR_COLUMNS, rows)


def record_table(records: tuple[EntrantRecord, ...]) -> Table:
    """Return a table of the entrants' failures and costs."""
    rows = []
    for record in records:
        cells: list[Cell] = [record.entrant]
        for share in (record.failed_seats, record.failed_asks):
            cells += [share.whole, percent_text(share.share) or BELOW, ends_text(share.ends)]
        tokens = None if record.tokens is None else round(record.tokens)
        rows.append((*cells, tokens, dollar_text(record.cost)))
    return Table("Failures and costs", RECORD_COLUMNS, rows)
