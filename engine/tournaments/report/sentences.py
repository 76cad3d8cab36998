"""The sentences next to a table: its target, the data behind it, and how well the games fit."""

from collections.abc import Sequence
from dataclasses import replace

from engine.ratings.prediction import Prediction
from engine.tournaments.report.numbers import count_text, counts_text, share_text
from engine.tournaments.standings.standings import (
    EffectRow,
    GameCounts,
    Sensitivity,
    Standings,
    TargetTable,
)

RANKED = (
    "A rank is a range: it holds for all pairs at once, as does the interval of the sentence, at "
    "95 % (max-t; Hothorn, Bretz and Westfall 2008). Equal first ranks are equal."
)
# How many entrants, and reasons, are named before the others are only counted.
NAMED_FIRST = 6
NAMED_REASONS = 4
Beside = tuple[str, tuple[str, ...]]


def about_target(table: TargetTable) -> str:
    """Return the table's target, how to read its order, and the meaning of a rank."""
    read = table.kind.directions.get(table.direction, "")
    return " ".join(part for part in (table.kind.about, read, RANKED) if part)


def beside_table(table: TargetTable, standings: Standings) -> tuple[Beside, ...]:
    """Return the basis of a table: headings with their sentences."""
    first_group = names_text(table.first_group) if len(table.first_group) > 1 else ""
    groups: tuple[tuple[str, Sequence[str]], ...] = (
        ("In one sentence", [table.sentence if table is not standings.targets[0] else ""]),
        ("First group", [first_group]),
        ("Plan", standings.plan if table is standings.targets[0] else ()),
        ("Scale", table.scale),
        ("Based on", resting_texts(table, standings)),
        ("Covariates", effect_texts(table)),
        ("Do the games fit one scale?", [table.misfit.sentence]),
        ("Prediction", prediction_texts(table.prediction)),
        ("Parts", part_texts(table)),
        ("Notes", table.notes),
    )
    kept = []
    for heading, sentences in groups:
        some = tuple(filter(None, sentences))
        if some:
            kept.append((heading, some))
    return tuple(kept)


def names_text(names: Sequence[str]) -> str:
    """Return names as a list, of which a long one is cut to how many more there are."""
    shown = names[:NAMED_FIRST]
    more = len(names) - len(shown)
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), *shown[-1:]) if part)


def resting_texts(table: TargetTable, standings: Standings) -> list[str]:
    """Return how many games are rated, why others are not, and the share of random tie-breaks."""
    games = count_text(table.games, "rated game")
    blocks = count_text(table.blocks, "block")
    texts = [f"{games} in {blocks}; drawn: {counts_text(standings.counts)}."]
    texts += reason_texts(standings.counts)
    if standings.lots.part:
        share = share_text(standings.lots)
        texts.append(f"A random tie-break decided the places of {share} of the seats.")
    if standings.same_provider.part and has_providers(standings):
        texts.append(
            f"At {share_text(standings.same_provider)} of the tables two models had one provider."
        )
    return texts


def reason_texts(counts: GameCounts) -> list[str]:
    """Return why games are not rated: the most frequent reasons of each status."""
    texts = []
    for status, reasons in counts.reasons.items():
        often = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
        for reason, number in often[:NAMED_REASONS]:
            texts.append(f"{count_text(number, 'game')} {status}: {reason.rstrip('.')}.")
        rest = sum(number for _, number in often[NAMED_REASONS:])
        if rest:
            texts.append(f"{count_text(rest, 'game')} {status} for other reasons.")
    return texts


def effect_texts(table: TargetTable) -> list[str]:
    """Return each covariate with its interval."""
    unit = table.kind.scale.fitted_unit
    texts = []
    for effect in table.covariates:
        ends = f"[{effect.low:.3f}, {effect.high:.3f}]"
        texts.append(f"{effect.name}: {effect.estimate:+.3f} {unit} {ends}.")
    return texts


def sensitivity_text(found: Sensitivity) -> str:
    """Return which ranks depend on the choice, with the choice that moves each farthest."""
    moved = []
    for entrant, rank in found.ranks.items():
        known = [each for each in found.variants if entrant in each.ranks]
        far = max(known, key=lambda each: abs(each.ranks[entrant] - rank), default=None)
        if far and far.ranks[entrant] != rank:
            choice = f"without {far.name}" if far.left_out else far.name
            text = f"{entrant} ({rank}; {far.ranks[entrant]} {choice})"
            moved.append((-abs(far.ranks[entrant] - rank), text))
    if not moved:
        return "No rank depends on these choices."
    texts = [text for _, text in sorted(moved, key=lambda each: each[0])]
    return f"Ranks that depend on the choice: {names_text(texts)}."


def prediction_texts(found: Prediction | None) -> list[str]:
    """Return how well the ratings predict games that they were not made from."""
    if found is None:
        return []
    worse = [
        f"{loss:.3f} of {name}"
        for name, loss in (("Elo", found.elo), ("equal chances", found.uniform))
    ]
    sentences = [f"Log loss of a held-out game: {found.fitted:.3f} nats, {' and '.join(worse)}."]
    if found.fitted >= found.uniform:
        sentences.append("The ratings predict no better than equal chances.")
    return sentences


def part_texts(table: TargetTable) -> list[str]:
    """Return the parts between which no game was played, if there are several."""
    if len(table.parts) < 2:
        return []
    return [f"{place}: {names_text(part)}." for place, part in enumerate(table.parts, 1)]


def effects_in(standings: Standings) -> tuple[EffectRow, ...]:
    """Return the covariates of the tables and the instruments of bias.

    A covariate that an instrument measures too is shown once, with the instrument's adjusted p.
    """
    instruments = {effect.name for effect in standings.bias}
    effects = []
    for table in standings.targets:
        for effect in table.covariates:
            if f"{table.target} by {effect.name}" not in instruments:
                effects.append(replace(effect, name=f"{effect.name}, in {table.target}"))
    return (*effects, *standings.bias)


def exposure_text(standings: Standings) -> str:
    """Return how evenly the entrants played, in a sentence."""
    exposure = standings.exposure
    games = between_text(exposure.games, "game")
    seats = between_text(exposure.seats, "time")
    meetings = between_text(exposure.meetings, "time")
    even = f"Each entrant played {games}, had each seat {seats}, and met each other {meetings}."
    if not has_providers(standings):
        return even
    share = share_text(standings.same_provider)
    return f"{even} Tables with two models of one provider: {share}."


def has_providers(standings: Standings) -> bool:
    """Return whether the entrants are of several providers."""
    return len({record.provider for record in standings.entrants}) > 1


def between_text(bounds: tuple[int, int], noun: str) -> str:
    """Return a count from the least to the most.

    >>> between_text((3, 3), "game"), between_text((3, 5), "game")
    ('3 games', '3 to 5 games')
    """
    low, high = bounds
    return count_text(low, noun) if low == high else f"{low:,} to {high:,} {noun}s"
