"""Who sits where when strategies are compared by substitution, and what each substitution changes.

Inside one conversation all share the same sum, so a place at one table says little of a strategy.
What says more is what changes when it takes another's seat: the same deal, the same lots, another
player.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.labs.conversation.selfplay import Setting
from engine.statistics import Estimate, estimate_of

RANDOM, SILENT, RING = "random", "silent", "ring"
SETTINGS = tuple(
    Setting(*numbers)
    for numbers in (
        (5, 10, 20, 20), (5, 10, 10, 50), (10, 10, 20, 50), (10, 20, 20, 100), (10, 20, 10, 100), (10, 20, 20, 20),
        (2, 20, 10, 30), (3, 30, 20, 40), (4, 8, 6, 24), (5, 20, 20, 50), (6, 16, 40, 60), (8, 4, 10, 30),
        (10, 10, 10, 30), (10, 50, 20, 200), (15, 10, 30, 60), (20, 6, 12, 50),
    )
)  # fmt: skip


class Seating(NamedTuple):
    """A table: which strategy sits where, and what it shows: `subject` among `company` ("" for its own kind)."""

    subject: str
    company: str
    seats: tuple[str, ...]


def seatings(names: Sequence[str], players: int, randoms: int, start: int = 0) -> list[Seating]:
    """Return all tables of a comparison, at each of which the last `randoms` seats talk at random.

    Self-play: all other seats are of one strategy. Swapped: the first of them is taken by another.
    Left out: the seats go round among all strategies, from `start` on, and that table is compared
    with those where the seats of one strategy are silent. Where all seats talk at random there is
    nothing to compare.

    >>> [seating.seats for seating in seatings(("greedy", "weave"), 3, 1)][:3]
    [('greedy', 'greedy', 'random'), ('weave', 'weave', 'random'), ('weave', 'greedy', 'random')]
    """
    free = max(0, players - randoms)
    if not free:
        return []
    rest = (RANDOM,) * randoms
    alone = [Seating(name, "", (name,) * free + rest) for name in names]
    swapped = [
        Seating(name, company, (name, *(company,) * (free - 1), *rest))
        for company in names
        for name in names
        if name != company
    ]
    ring = [names[(start + seat) % len(names)] for seat in range(free)]
    left_out = [
        Seating(name, RING, (*[SILENT if seat == name else seat for seat in ring], *rest))
        for name in names
    ]
    return [*alone, *swapped, Seating("", RING, (*ring, *rest)), *left_out]


def change_of(values: Sequence[float], base: Sequence[float]) -> Estimate:
    """Return the mean of the paired differences, and its standard error (0.0 of less than two).

    >>> change_of((2.0, 3.0, 4.0), (1.0, 1.0, 1.0))
    Estimate(mean=2.0, error=0.5773502691896258)
    """
    gaps = [value - other for value, other in zip(values, base, strict=True)]
    return estimate_of(gaps) if gaps else Estimate(0.0, 0.0)


class Standing(NamedTuple):
    """How a strategy does: alone among its own, as one seat among others, and what the ring of all owes to it.

    `shared` and `own` are what one seat of it changes at the tables of others, for all and for that
    seat.
    """

    name: str
    self_play: Estimate
    shared: Estimate
    own: Estimate
    worst: float
    ring: Estimate


Results = Mapping[tuple[str, str], Sequence[tuple[float, float]]]


def standings(names: Sequence[str], results: Results) -> list[Standing]:
    """Return the strategies by their mean in self-play, best first.

    `results` has, by subject and company of each seating, the shared score a turn and the total of
    the first seat in each conversation, in the same order of deals everywhere.
    """
    rows = []
    for name in names:
        own = results[name, ""]
        swaps = [
            (results[name, company], results[company, ""]) for company in names if company != name
        ]
        shared = [change_of(firsts(after), firsts(before)) for after, before in swaps]
        rows.append(
            Standing(
                name,
                change_of(firsts(own), [0.0] * len(own)),
                change_of(
                    [x for after, _ in swaps for x in firsts(after)],
                    [x for _, b in swaps for x in firsts(b)],
                ),
                change_of(
                    [x for after, _ in swaps for x in seconds(after)],
                    [x for _, b in swaps for x in seconds(b)],
                ),
                min((change.mean for change in shared), default=0.0),
                change_of(firsts(results["", RING]), firsts(results[name, RING])),
            )
        )
    return sorted(rows, key=lambda row: -row.self_play.mean)


def firsts(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return the shared scores."""
    return [shared for shared, _ in pairs]


def seconds(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return the totals of the first seat."""
    return [own for _, own in pairs]
