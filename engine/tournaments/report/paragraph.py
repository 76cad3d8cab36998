"""The first paragraph of a report: who leads and how sure that is, in plain words."""

from collections.abc import Iterator
from math import isnan

from engine.spending.costs import total_cost
from engine.tournaments.report.numbers import count_text, dollar_text, end_texts, percent_text
from engine.tournaments.report.sentences import names_text
from engine.tournaments.standings.standings import Standings, TargetTable

# From this share of failed answers on an entrant is named.
OFTEN = 0.05


def first_paragraph(standings: Standings) -> str:
    """Return the leaders, the undecided pairs, entrants without answers or rating, and the cost."""
    leading = leader_sentences(standings.targets[0]) if standings.targets else ()
    return " ".join((*leading, *answer_sentences(standings), cost_sentence(standings)))


def leader_sentences(table: TargetTable) -> Iterator[str]:
    """Yield who leads a table and how sure that is, and how many pairs are undecided."""
    if not table.rows:
        yield "No entrant has played enough games for a rank."
        return
    best, scale = table.rows[0], table.kind.scale
    name = best.entrant
    low, high = end_texts(best, scale)
    interval = f" (95 % interval {low} to {high})" if low else ""
    rating = f"{table.kind.heading.lower()}, {scale.text(best.rating)} {scale.unit}{interval}"
    others = [other for other in table.first_group if other != name]
    apart = f"but {names_text(others)} may be as good" if others else "and all others are worse"
    yield f"{name} has the highest rating {rating}, {apart}."
    if best.best is not None:
        yield f"The chance that {name} is the best is {percent_text(best.best)}."
    judged = [pair for pair in table.pairs if not isnan(pair.p_adjusted)]
    undecided = sum(not pair.is_apart for pair in judged)
    if judged:
        verb = "is" if undecided < 2 else "are"
        yield f"Of {count_text(len(judged), 'pair')} {undecided or 'none'} {verb} undecided."


def answer_sentences(standings: Standings) -> Iterator[str]:
    """Yield who did not answer, and who is not rated for it."""
    unrated = [record.entrant for record in standings.unrated]
    if unrated:
        yield f"Not rated, for too few answers: {names_text(unrated)}."
    known = [each for each in standings.entrants if each.failed_asks.whole and not each.not_rated]
    shares = {each.entrant: each.failed_asks.share or 0.0 for each in known}
    failed = [
        f"{name} ({percent_text(share)} of its questions)"
        for name, share in shares.items()
        if share > OFTEN
    ]
    if failed:
        yield f"Often without an answer: {names_text(failed)}."
    elif known:
        whose = "Every rated entrant" if unrated else "Every entrant"
        yield f"{whose} answered at least {100 * (1 - OFTEN):.0f} % of its questions."


def cost_sentence(standings: Standings) -> str:
    """Return the cost of all games."""
    cost = total_cost(record.total_cost for record in standings.entrants)
    if cost is None:
        return "The cost of the games is unknown."
    return f"The games cost {dollar_text(cost)}." if cost else "The games cost nothing."
