"""Seatings for comparing strategies by substitution, and the effect of each substitution.

All players in a conversation share one score, so a rank at one table says little about a strategy.
The change in score when the strategy replaces one player, on the same deal and draws, says more.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import NamedTuple, TypeAlias

from engine.report.statistics import Estimate, estimate_of
from labs.conversation.selfplay import Setting

RANDOM = "random"
SILENT = "silent"
RING = "ring"
SETTINGS = (
    Setting(5, 10, 20, 20),
    Setting(5, 10, 10, 50),
    Setting(10, 10, 20, 50),
    Setting(10, 20, 20, 100),
    Setting(10, 20, 10, 100),
    Setting(10, 20, 20, 20),
    Setting(2, 20, 10, 30),
    Setting(3, 30, 20, 40),
    Setting(4, 8, 6, 24),
    Setting(5, 20, 20, 50),
    Setting(6, 16, 40, 60),
    Setting(8, 4, 10, 30),
    Setting(10, 10, 10, 30),
    Setting(10, 50, 20, 200),
    Setting(15, 10, 30, 60),
    Setting(20, 6, 12, 50),
)


class Seating(NamedTuple):
    """The strategy of each seat at a table that tests `subject` among `company`.

    `company` is "" in self-play and `RING` at a table of all strategies; `subject` is "" if no
    strategy of the ring is silent.
    """

    subject: str
    company: str
    seats: tuple[str, ...]


# The shared score per turn and the first seat's total in each conversation, by subject and company.
# All lists have their deals in the same order.
Scores: TypeAlias = Sequence[tuple[float, float]]
Results: TypeAlias = Mapping[tuple[str, str], Scores]


class Substitution(NamedTuple):
    """A strategy's success in self-play, as one seat among others, and in a ring of all strategies.

    `shared` is the effect of one seat on the shared score at other strategies' tables. `own` is the
    effect on that seat's total. `worst` is the smallest shared effect at any other strategy's
    tables. `ring` is how much the ring loses when this strategy's seats are silent.
    """

    name: str
    self_play: Estimate
    shared: Estimate
    own: Estimate
    worst: float
    ring: Estimate


def seatings(
    names: Sequence[str],
    players: int,
    randoms: int,
    start: int = 0,
) -> list[Seating]:
    """Return all tables of a comparison; the last `randoms` seats of each are random.

    In self-play, all other seats have one strategy. In a swap, another strategy takes the first of
    these seats. In a ring, the seats go to all strategies in turn, beginning with number `start`;
    each further ring silences one strategy. Returns no tables if all seats are random.

    >>> [seating.seats for seating in seatings(("greedy", "weave"), 3, 1)][:3]
    [('greedy', 'greedy', 'random'), ('weave', 'weave', 'random'), ('weave', 'greedy', 'random')]
    """
    free = max(0, players - randoms)
    if not free:
        return []
    rest = (RANDOM,) * randoms
    ring = [names[seat % len(names)] for seat in range(start, start + free)]
    return [
        *(Seating(name, "", (name,) * free + rest) for name in names),
        *swapped_seatings(names, free, rest),
        *ring_seatings(names, ring, rest),
    ]


def swapped_seatings(names: Sequence[str], free: int, rest: tuple[str, ...]) -> Iterator[Seating]:
    """Yield each strategy's tables with another strategy in the first seat."""
    for company in names:
        others = (company,) * (free - 1) + rest
        for name in names:
            if name != company:
                yield Seating(name, company, (name, *others))


def ring_seatings(
    names: Sequence[str],
    ring: Sequence[str],
    rest: tuple[str, ...],
) -> Iterator[Seating]:
    """Yield the ring of all strategies, then the rings in which one strategy is silent."""
    yield Seating("", RING, (*ring, *rest))
    for name in names:
        left = [SILENT if seat == name else seat for seat in ring]
        yield Seating(name, RING, (*left, *rest))


def change_of(values: Sequence[float], base: Sequence[float]) -> Estimate:
    """Return the mean of the paired differences and its standard error (nan for fewer than two).

    >>> change_of((2.0, 6.0), (1.0, 1.0))
    Estimate(mean=3.0, error=2.0)
    """
    gaps = [value - base_value for value, base_value in zip(values, base, strict=True)]
    return estimate_of(gaps) if gaps else Estimate(0.0, nan)


def compare_by_substitution(names: Sequence[str], results: Results) -> list[Substitution]:
    """Return how well each strategy does, best in self-play first."""
    rows = [_substitution(name, names, results) for name in names]
    return sorted(rows, key=lambda row: -row.self_play.mean)


def _worst_change(name: str, companies: Sequence[str], results: Results) -> float:
    """Find the strategy whose tables a seat helps least, and return its effect there."""
    changes = []
    for company in companies:
        changes.append(shared_change(results[name, company], results[company, ""]).mean)
    return min(changes, default=0.0)


def _substitution(
    name: str,
    names: Sequence[str],
    results: Results,
) -> Substitution:
    companies = [company for company in names if company != name]
    after: list[tuple[float, float]] = []
    before: list[tuple[float, float]] = []
    for company in companies:
        after += results[name, company]
        before += results[company, ""]

    return Substitution(
        name,
        self_play=estimate_of(shared_of(results[name, ""])),
        shared=shared_change(after, before),
        own=change_of([own for _, own in after], [own for _, own in before]),
        worst=_worst_change(name, companies, results),
        ring=shared_change(results["", RING], results[name, RING]),
    )


def shared_change(after: Scores, before: Scores) -> Estimate:
    """Return the mean increase of the shared score from `before` to `after`, with its error."""
    return change_of(shared_of(after), shared_of(before))


def shared_of(scores: Scores) -> list[float]:
    """Return the shared scores per turn."""
    return [shared for shared, _ in scores]
