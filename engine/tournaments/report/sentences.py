"""The sentences of a report: its first paragraph, and the notes next to a table."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isnan

from engine.ratings.prediction import Prediction
from engine.spending.costs import dollar_text, total_cost
from engine.tournaments.report.numbers import (
    count_text,
    counts_text,
    end_texts,
    percent_text,
    share_text,
)
from engine.tournaments.standings.standings import (
    EffectRow,
    EntrantRecord,
    GameCounts,
    Sensitivity,
    Standings,
    TargetTable,
)
from protocol.text import list_names

RANKED = (
    "A rank is a range. Ranks, and the interval in the sentence, hold for all pairs at once, at "
    "95 % (max-t; Hothorn, Bretz and Westfall 2008). Entrants with the same best rank should not "
    "be ordered."
)
# How many entrants and reasons are named; the rest are only counted.
NAMED_FIRST = 6
NAMED_REASONS = 4
# Entrants with more than this share of failed answers are named.
OFTEN = 0.05
Beside = tuple[str, tuple[str, ...]]


def about_target(table: TargetTable) -> str:
    """Describe a table's target, the direction in which places are read, and the ranks."""
    read = table.kind.directions.get(table.direction, "")
    return " ".join(part for part in (table.kind.about, read, RANKED) if part)


def beside_table(table: TargetTable, standings: Standings) -> tuple[Beside, ...]:
    """Return the notes next to a table: headings with their sentences."""
    first_group = list_names(table.first_group, NAMED_FIRST) if len(table.first_group) > 1 else ""
    is_main = table is standings.targets[0]
    groups: dict[str, Iterable[str]] = {
        "In one sentence": () if is_main else [table.sentence],
        "First group": [first_group],
        "Plan": standings.plan if is_main else (),
        "Scale": table.scale,
        "Based on": resting_texts(table, standings),
        "Covariates": effect_texts(table),
        "Do the games fit one scale?": [table.misfit.sentence],
        "Prediction": prediction_texts(table.prediction),
        "Parts": part_texts(table),
        "Notes": table.notes,
    }
    known = ((heading, tuple(filter(None, texts))) for heading, texts in groups.items())
    return tuple(beside for beside in known if beside[1])


def resting_texts(table: TargetTable, standings: Standings) -> Iterator[str]:
    """Yield sentences on rated games, reasons for unrated ones, tie-breaks and shared providers."""
    games = count_text(table.games, "rated game")
    blocks = count_text(table.blocks, "block")
    yield f"{games} in {blocks}. Games so far: {counts_text(standings.counts)}."
    yield from reason_texts(standings.counts)
    if standings.lots.part:
        share = share_text(standings.lots)
        yield f"A random tie-break decided the places of {share} of the seats."
    if standings.same_provider.part and has_providers(standings):
        share = share_text(standings.same_provider)
        yield f"At {share} of the tables, two models shared a provider."


def reason_texts(counts: GameCounts) -> Iterator[str]:
    """Yield, by status, the most frequent reasons why games are not rated."""
    for status, reasons in counts.reasons.items():
        often = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
        for reason, number in often[:NAMED_REASONS]:
            yield f"{count_text(number, 'game')} {status}: {reason.rstrip('.')}."
        rest = sum(number for _, number in often[NAMED_REASONS:])
        if rest:
            yield f"{count_text(rest, 'game')} {status} for other reasons."


def effect_texts(table: TargetTable) -> Iterator[str]:
    """Yield each covariate's effect with its interval."""
    for effect in table.covariates:
        size = f"{effect.estimate:+.3f} {effect.unit}"
        yield f"{effect.name}: {size} [{effect.low:.3f}, {effect.high:.3f}]."


def sensitivity_text(found: Sensitivity) -> str:
    """Return a sentence on the ranks that depend on rating choices, and their farthest moves."""
    farthest = _farthest_moves(found)
    if not farthest:
        return "No rank depends on these choices."
    return f"Ranks that depend on the choice: {list_names(farthest, NAMED_FIRST)}."


def _farthest_moves(found: Sensitivity) -> list[str]:
    """Return the largest move of each entrant whose rank changes, in descending order of size."""
    moved = []
    for entrant, rank in found.ranks.items():
        for variant in found.variants:
            other = variant.ranks.get(entrant, rank)
            choice = f"without {variant.name}" if variant.left_out else variant.name
            moved.append((abs(other - rank), entrant, f"{entrant} ({rank}; {other} {choice})"))
    # The sort is stable, so the first of equal moves is kept.
    farthest: dict[str, str] = {}
    for move, entrant, text in sorted(moved, key=lambda each: -each[0]):
        if move:
            farthest.setdefault(entrant, text)
    return [*farthest.values()]


def prediction_texts(found: Prediction | None) -> Iterator[str]:
    """Yield sentences on how well the ratings predict held-out games."""
    if found is not None:
        worse = f"{found.elo:.3f} of Elo and {found.uniform:.3f} of equal chances"
        yield f"Log loss of a held-out game: {found.fitted:.3f} nats, {worse}."
        if found.fitted >= found.uniform:
            yield "The ratings predict no better than equal chances."


def part_texts(table: TargetTable) -> Iterator[str]:
    """Yield the groups of entrants that no game connects, if there are several."""
    if len(table.parts) > 1:
        for place, part in enumerate(table.parts, 1):
            yield f"{place}: {list_names(part, NAMED_FIRST)}."


def effects_in(standings: Standings) -> tuple[EffectRow, ...]:
    """Return the tables' covariates and the effects that instruments of bias measured.

    A covariate that an instrument also measures appears once, with the instrument's adjusted p.
    """
    instruments = {effect.name for effect in standings.bias}
    effects = [
        replace(effect, name=f"{effect.name}, in {table.target}")
        for table in standings.targets
        for effect in table.covariates
        if f"{table.target} by {effect.name}" not in instruments
    ]
    return (*effects, *standings.bias)


def exposure_text(standings: Standings) -> str:
    """Describe in words how evenly the games are distributed among the entrants."""
    exposure = standings.exposure
    games = between_text(exposure.games, "game")
    seats = between_text(exposure.seats, "time")
    meetings = between_text(exposure.meetings, "time")
    even = f"Each entrant played {games}, had each seat {seats}, and met each other {meetings}."
    share = f" Tables with two models from one provider: {share_text(standings.same_provider)}."
    return even + share if has_providers(standings) else even


def has_providers(standings: Standings) -> bool:
    """Return whether the entrants come from several providers."""
    return len({record.provider for record in standings.entrants}) > 1


def between_text(bounds: tuple[int, int], noun: str) -> str:
    """Return a range from a minimum to a maximum count, with its noun.

    >>> between_text((3, 3), "game"), between_text((3, 5), "game")
    ('3 games', '3 to 5 games')
    """
    low, high = bounds
    return count_text(low, noun) if low == high else f"{low:,} to {high:,} {noun}s"


def first_paragraph(standings: Standings) -> str:
    """Return the text on leaders, undecided pairs, failures, unrated entrants and the cost."""
    leading = leader_sentences(standings.targets[0]) if standings.targets else ()
    return " ".join((*leading, *answer_sentences(standings), cost_sentence(standings)))


def leader_sentences(table: TargetTable) -> Iterator[str]:
    """Yield sentences on a table's leader, its certainty, and the number of undecided pairs."""
    if not table.rows:
        yield "No entrant has played enough games for a rank."
        return
    yield _leader_text(table)
    best = table.rows[0]
    if best.best is not None:
        yield f"The chance that {best.entrant} is the best is {percent_text(best.best)}."
    judged = [pair for pair in table.pairs if not isnan(pair.p_adjusted)]
    undecided = sum(not pair.is_apart for pair in judged)
    if judged:
        verb = "is" if undecided < 2 else "are"
        yield f"Of {count_text(len(judged), 'pair')} {undecided or 'none'} {verb} undecided."


def _leader_text(table: TargetTable) -> str:
    best = table.rows[0]
    scale = table.kind.scale
    name = best.entrant
    low, high = end_texts(best, scale)
    interval = f" (95 % interval {low} to {high})" if low else ""
    rating = f"{table.kind.heading.lower()}, {scale.text(best.rating)} {scale.unit}{interval}"
    others = [other for other in table.first_group if other != name]
    apart = (
        f"but {list_names(others, NAMED_FIRST)} may be as good"
        if others
        else "and all others are worse"
    )
    return f"{name} has the highest rating {rating}, {apart}."


def answer_sentences(standings: Standings) -> Iterator[str]:
    """Yield sentences on entrants that are unrated, or that often failed to answer."""
    unrated = [record.entrant for record in standings.unrated]
    if unrated:
        yield f"Not rated, for too few answers: {list_names(unrated, NAMED_FIRST)}."
    known = [each for each in standings.entrants if each.failed_asks.whole and not each.not_rated]
    failed = [*_often_failed(known)]
    if failed:
        yield f"Often without an answer: {list_names(failed, NAMED_FIRST)}."
    elif known:
        whose = "Every rated entrant" if unrated else "Every entrant"
        yield f"{whose} answered at least {100 * (1 - OFTEN):.0f} % of its questions."


def _often_failed(entrants: Iterable[EntrantRecord]) -> Iterator[str]:
    for entrant in entrants:
        share = entrant.failed_asks.share or 0.0
        if share > OFTEN:
            yield f"{entrant.entrant} ({percent_text(share)} of its questions)"


def cost_sentence(standings: Standings) -> str:
    """Return a sentence on the cost of all games."""
    cost = total_cost(record.total_cost for record in standings.entrants)
    if cost is None:
        return "The cost of the games is unknown."
    return f"The games cost {dollar_text(cost)}." if cost else "The games cost nothing."
