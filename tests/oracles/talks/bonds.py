"""How the group stands after each exchange, checked on a talk's log: feelings and coalitions."""

from collections.abc import Iterator, Set
from math import isclose

from engine.games.talks.archetypes import Move
from engine.history import History
from tests.oracles.reading import breach_at
from tests.oracles.talks.choices import dominant_one
from tests.oracles.talks.minds import Circle, TalkMoment, moments_of

EXACT_TO = 2e-6
EDGE = 1e-10
Groups = set[frozenset[str]]


def check_feelings(history: History) -> Iterator[str]:
    """Check each participant's feelings for each other one after every exchange."""
    for moment in moments_of(history):
        exchange = moment.exchange
        for name, mind in moment.after.minds.items():
            found = exchange.check.relationships[name]
            for other, due in mind.affinity.items():
                if not isclose(found[other], due, abs_tol=EXACT_TO):
                    told = f"{name} to feel {due:.6g} for {other} after turn {exchange.turn}"
                    yield breach_at(exchange.checked, f"{told}: got {found[other]:.6g}")


def check_groups(history: History) -> Iterator[str]:
    """Check who dominates, who stands together, what is in dispute, and how deep the talk is."""
    for moment in moments_of(history):
        check, numbers = moment.exchange.check, moment.terms.numbers
        values = {
            "depth": (check.depth, moment.after.depth),
            "dominant_speaker": (check.dominant_speaker, dominant_one(moment.after.turns, numbers)),
            "active_disagreement": (check.active_disagreement, is_disputed(moment)),
        }
        for name, (found, due) in values.items():
            if found != due:
                told = f"{name} {due} after turn {moment.exchange.turn}"
                yield breach_at(moment.exchange.checked, f"{told}: got {found}")
        yield from check_coalitions(moment)


def is_disputed(moment: TalkMoment) -> bool:
    """Return whether a CHALLENGE of the last three exchanges has no later SUPPORT by the two."""
    steps = moment.after.steps
    window = moment.terms.numbers.disagreement_window
    open_pairs: Groups = set()
    for step in steps[-window:]:
        pair = frozenset((step.speaker, str(step.target)))
        if step.move is Move.CHALLENGE:
            open_pairs.add(pair)
        elif step.move is Move.SUPPORT:
            open_pairs.discard(pair)
    return bool(open_pairs)


def check_coalitions(moment: TalkMoment) -> Iterator[str]:
    """Check the largest groups in which each likes each enough.

    A tiny bit less than `ally` is enough; exactly at that bound, either result is valid.
    """
    found = {frozenset(group) for group in moment.exchange.check.coalitions}
    numbers = moment.terms.numbers
    bound = numbers.ally - numbers.hair
    due = groups_of_friends(moment.after, bound + EDGE)
    if found in (due, groups_of_friends(moment.after, bound - EDGE)):
        return
    told = f"the coalitions {in_order(due)} after turn {moment.exchange.turn}"
    yield breach_at(moment.exchange.checked, f"{told}: got {in_order(found)}")


def in_order(groups: Groups) -> list[list[str]]:
    """Return groups as sorted lists."""
    return sorted([sorted(group) for group in groups])


def groups_of_friends(circle: Circle, bound: float) -> Groups:
    """Return the largest groups of at least two in which all like each other by `bound` or more."""
    friends: dict[str, set[str]] = {}
    for name, mind in circle.minds.items():
        liked = {other for other, liking in mind.affinity.items() if liking >= bound}
        friends[name] = {other for other in liked if circle.minds[other].affinity[name] >= bound}

    groups: Groups = set()
    grow_groups(frozenset(), set(friends), set(), friends, groups)
    return {group for group in groups if len(group) > 1}


def grow_groups(
    group: frozenset[str],
    open_to: Set[str],
    left_out: Set[str],
    friends: dict[str, set[str]],
    groups: Groups,
) -> None:
    """Add to `groups` all largest ones that have this `group` and some whom all of it like."""
    if not open_to and not left_out:
        groups.add(group)
    rest = set(open_to)
    out = set(left_out)
    for name in sorted(open_to):
        near = friends[name]
        grow_groups(group | {name}, rest & near, out & near, friends, groups)
        rest.discard(name)
        out.add(name)
