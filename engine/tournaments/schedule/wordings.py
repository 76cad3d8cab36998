"""The wording of the rules in each game; wordings are spread evenly over games and seats."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from engine.rng import number
from engine.tournaments.schedule.draw import Draw


def deal_wordings(
    wordings: int, seed: int, draws: Sequence[Draw], fresh: Iterable[Draw]
) -> Iterator[Draw]:
    """Yield the `fresh` games that follow `draws`, each with a wording from 1 to `wordings`.

    All games of a block have the same wording. Of the wordings with the fewest blocks, a new block
    gets the one that its entrants had least often, both overall and in their current seats. The
    seed breaks ties.
    """
    if wordings == 1:
        yield from fresh
        return
    shares = Counter[tuple[object, ...]]()
    by_block: dict[str, int] = {}
    for place, draw in enumerate(chain(draws, fresh)):
        is_fresh = place >= len(draws)
        if draw.block not in by_block:
            wording = least_used(wordings, seed, draw, shares) if is_fresh else draw.wording
            by_block[draw.block] = wording
            shares[wording,] += 1
        wording = by_block[draw.block]
        shares.update((wording, *sitting) for sitting in sittings(draw))
        if is_fresh:
            yield replace(draw, wording=wording)


def least_used(wordings: int, seed: int, draw: Draw, shares: Counter[tuple[object, ...]]) -> int:
    """Return the wording of a new block; `shares` counts blocks, entrants and seats by wording."""

    def cost(wording: int) -> tuple[int, int, int]:
        used = sum(shares[wording, *sitting] for sitting in sittings(draw))
        return shares[wording,], used, number(seed, "wording", draw.number, wording)

    return min(range(1, wordings + 1), key=cost)


def sittings(draw: Draw) -> list[tuple[object, ...]]:
    """Return each entrant of a game twice: alone, and with its seat."""
    return [sitting for seat, name in enumerate(draw.seats) for sitting in ((name,), (name, seat))]
