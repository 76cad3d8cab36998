"""When a talk ends, checked on its log: each criterion, their order, and the stop."""

from collections.abc import Iterator
from dataclasses import asdict
from math import isclose

from engine.games.talks.archetypes import Move
from engine.games.talks.log.payloads import Stop
from engine.history import History, payload_of
from tests.oracles.reading import breach_at, events_of
from tests.oracles.talks.minds import Circle, TalkMoment, moments_of
from tests.oracles.talks.reading import HAIR, TalkTerms, logged_exchanges
from tests.oracles.talks.worths import agreement_in, staleness_of, worth_of_move

ROUNDING = 2e-6


def check_criteria(history: History) -> Iterator[str]:
    """Check the value, the bound and the verdict of every criterion after each exchange."""
    for moment in moments_of(history):
        for name, expected in criteria_due(moment).items():
            got = getattr(moment.exchange.check, name)
            if not same(got, expected):
                told = f"{name} {expected} after turn {moment.exchange.turn}"
                yield breach_at(moment.exchange.checked, f"{told}: got {got}")


def same(found: object, due: object) -> bool:
    """Return whether two values are equal, apart from the log's rounding of numbers."""
    if isinstance(due, float) and isinstance(found, float | int):
        return isclose(found, due, abs_tol=ROUNDING)
    return found == due


def criteria_due(moment: TalkMoment) -> dict[str, object]:
    """Return every criterion after an exchange, by its name in the log."""
    terms, circle = moment.terms, moment.after
    exchanges = len(circle.steps)
    verdicts = verdicts_due(moment)
    return {
        "exchanges": exchanges,
        "aspects": len(circle.aspects),
        "needed_aspects": terms.needed_aspects,
        "needed_exchanges": terms.needed_exchanges,
        "cap": terms.cap,
        "novelty": circle.novelty,
        "min_novelty": terms.min_novelty,
        "convergence": agreement_in(circle, terms.numbers),
        "min_convergence": terms.min_convergence,
        "stale": stale_due(circle, terms),
        **verdicts,
        "reason": reason_due(verdicts, exchanges, terms),
    }


def verdicts_due(moment: TalkMoment) -> dict[str, bool]:
    """Return whether each criterion is met.

    - "len(aspects_covered) >= min_aspects and exchange_count >= min_exchanges"
    - "if novelty < 0.3: # Less than 30% new content", in two of the last three turns
    - "conclude_votes = sum(... CONCLUDE > 0.7)", "threshold = len(all_participants) * 0.7"
    - "convergence_level > 0.8 and exchange_count > min_exchanges"
    """
    terms, circle = moment.terms, moment.after
    numbers = terms.numbers
    exchanges = len(circle.steps)
    agreement = agreement_in(circle, numbers)
    payoffs = conclude_worths(moment).values()
    votes = [payoff for payoff in payoffs if payoff > numbers.conclude_payoff + HAIR]
    needed = len(circle.minds) * numbers.conclude_share
    enough = len(circle.aspects) >= terms.needed_aspects
    return {
        "depth_complete": enough and exchanges >= terms.needed_exchanges,
        "novelty_exhausted": is_exhausted(circle, terms),
        "want_conclude": 0 < len(votes) >= needed - HAIR,
        "high_convergence": agreement > terms.min_convergence + HAIR
        and exchanges > terms.needed_exchanges,
    }


def is_exhausted(circle: Circle, terms: TalkTerms) -> bool:
    """Return whether a talk goes in circles: its last turns are stale, or only the last one."""
    stale = stale_due(circle, terms)
    if stale is None:
        return circle.novelty < terms.min_novelty
    return stale >= terms.numbers.stale_turns


def stale_due(circle: Circle, terms: TalkTerms) -> int | None:
    """Return how many of the last three turns were stale; None where only the last one counts.

    Neither a CONCLUDE nor silence counts as a turn.
    """
    if terms.circles == "once":
        return None
    return sum(staleness_of(circle.steps, terms)[-terms.numbers.stale_window :])


def conclude_worths(moment: TalkMoment) -> dict[str, float]:
    """Return each participant's payoff of concluding after an exchange."""
    after, terms = moment.after, moment.terms
    return {name: worth_of_move(Move.CONCLUDE, after, name, terms) for name in after.minds}


def reason_due(verdicts: dict[str, bool], exchanges: int, terms: TalkTerms) -> str | None:
    """Return why a talk must stop now, None if it goes on.

    Depth is a gate, then the first of novelty, consensus and convergence; `any` needs no gate,
    `all` needs everything. The cap is asked last, but always.
    """
    reasons = {
        "repetitive": verdicts["novelty_exhausted"],
        "consensus": verdicts["want_conclude"],
        "convergence": verdicts["high_convergence"],
    }
    met = [reason for reason, holds in reasons.items() if holds]
    deep = verdicts["depth_complete"]
    if terms.mode == "all":
        met = ["convergence"] if deep and len(met) == len(reasons) else []
    elif terms.mode == "flowchart" and not deep:
        met = []
    if met:
        return met[0]
    return "max_reached" if exchanges >= terms.cap else None


def check_conclude_votes(history: History) -> Iterator[str]:
    """Check how much each participant wants to conclude after each exchange."""
    for moment in moments_of(history):
        exchange = moment.exchange
        found = exchange.check.conclude_payoffs
        for name, worth in conclude_worths(moment).items():
            if not same(found[name], worth):
                told = f"{name} to want to conclude by {worth:.6g} after turn {exchange.turn}"
                yield breach_at(exchange.checked, f"{told}: got {found[name]:.6g}")


def check_stop(history: History) -> Iterator[str]:
    """Check that the talk stops when a criterion says so, for that reason, and not before."""
    moments = [*moments_of(history)]
    if not moments:
        yield "expected an exchange at least: got none"
    for place, moment in enumerate(moments, 1):
        exchange = moment.exchange
        reason = reason_due(verdicts_due(moment), len(moment.after.steps), moment.terms)
        last = place == len(moments)
        found = [payload_of(stop, Stop).reason for stop in events_of(exchange.log, "stop")]
        due = [] if reason is None else [reason]
        if found != due:
            told = f"the stops {due} after turn {exchange.turn}"
            yield breach_at(exchange.checked, f"{told}: got {found}")
        if last != (reason is not None):
            told = "the end" if reason else "no end"
            yield breach_at(exchange.checked, f"{told} after turn {exchange.turn}, {reason}")


def check_stop_data(history: History) -> Iterator[str]:
    """Check that a stop repeats the criteria of its check, and is shown with its figures."""
    for exchange in logged_exchanges(history):
        check = asdict(exchange.check)
        for stop in events_of(exchange.log, "stop"):
            for name, value in asdict(payload_of(stop, Stop)).items():
                if name in check and value != check[name]:
                    yield breach_at(stop, f"{name} {check[name]} of the last check: got {value}")
