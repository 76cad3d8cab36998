"""Games that ask agents for moves turn by turn, replace illegal answers, and flip moves."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from engine.games.dilemma.agents.forms import Responder
from engine.games.dilemma.rules import BLOCK, TRIPLES, Flips, flip_moves
from protocol.answer import IllegalAnswer


class MatchFault(NamedTuple):
    """An invalid answer: the number of its first move, from 0, and the reason."""

    move: int
    reason: str


Grow = Callable[[Any], None]
SideFaults = tuple[MatchFault, ...]
Faults = tuple[SideFaults, SideFaults]
NO_FAULTS: Faults = ((), ())

# The legal answers and the replacement for an illegal answer, by number of moves per turn.
ANSWERS: dict[int, tuple[frozenset[Any], Any]] = {
    1: (frozenset("CD"), "D"),
    BLOCK: (TRIPLES, ("D",) * BLOCK),
}


class Asked(NamedTuple):
    """One side of a game in progress: its player, the moves that it sees, its flips and faults.

    `own` and `others` are copies of the record on a guarded side, and otherwise the record itself.
    `play` adds the side's moves to the record; `keep` and `hear` add to `own` and `others`.
    """

    answer: Responder
    own: list[Any]
    others: list[Any]
    guarded: bool
    play: Grow
    keep: Grow
    hear: Grow
    flips: AbstractSet[int]
    faults: list[MatchFault]


def ask_both(
    one: Responder,
    two: Responder,
    moves: int,
    block: int,
    flips: Flips,
    *,
    guarded: tuple[bool, bool] = (True, True),
) -> tuple[str, str, Faults]:
    """Return both sides' moves after flips, such as "CCD", and their faults.

    "Agents are unaware of their opponents' move": both are asked before either learns the other's
    answer. A guarded responder gets its own lists, so it cannot corrupt the record or the other
    side's view. Any moves beyond `moves` in the last turn are cut and score nothing.
    """
    first: list[Any] = []
    second: list[Any] = []
    sides = (
        side_of(one, (first, second), block, flips[0], guarded[0]),
        side_of(two, (second, first), block, flips[1], guarded[1]),
    )
    ask_turns(*sides, moves, block)
    played = "".join(first)[:moves]
    answered = "".join(second)[:moves]
    return played, answered, (tuple(sides[0].faults), tuple(sides[1].faults))


def side_of(
    answer: Responder,
    record: tuple[list[Any], list[Any]],
    block: int,
    flips: AbstractSet[int],
    guarded: bool,
) -> Asked:
    """Return a side before its first turn; `record` has both sides' moves, its own first."""
    own, others = ([], []) if guarded else record
    # The methods are bound once: binding takes almost as long as a turn of one move.
    if block == 1:
        grow = record[0].append, own.append, others.append
    else:
        grow = record[0].extend, own.extend, others.extend
    return Asked(answer, own, others, guarded, *grow, flips, [])


def ask_turns(
    one: Asked,
    two: Asked,
    moves: int,
    block: int,
) -> None:
    """Ask both sides turn by turn, and extend the record and each side's view."""
    # The code is repeated for both sides, since a function call for each would be a tenth slower.
    answer_one, own1, others1, guard1, play1, keep1, hear1, flips1, faults1 = one
    answer_two, own2, others2, guard2, play2, keep2, hear2, flips2, faults2 = two
    legal, fallback = ANSWERS[block]
    # The first move of each turn in which either side's move is flipped.
    noisy = {move - move % block for flipped in (flips1, flips2) for move in flipped}
    for move in range(0, moves, block):
        try:
            answer1 = answer_one(own1, others1)
            if answer1 not in legal:
                raise illegal_answer(answer1)
        except (Exception, SystemExit) as fault:
            answer1 = fallback
            faults1.append(fault_record(move, fault))
        try:
            answer2 = answer_two(own2, others2)
            if answer2 not in legal:
                raise illegal_answer(answer2)
        except (Exception, SystemExit) as fault:
            answer2 = fallback
            faults2.append(fault_record(move, fault))
        if noisy and move in noisy:
            answer1 = flip_moves(answer1, move, flips1)
            answer2 = flip_moves(answer2, move, flips2)
        play1(answer1)
        play2(answer2)
        if guard1:
            keep1(answer1)
            hear1(answer2)
        if guard2:
            keep2(answer2)
            hear2(answer1)


def illegal_answer(answer: object) -> IllegalAnswer:
    """Return the error for an answer that does not consist of moves."""
    return IllegalAnswer(f"expected three moves, each C or D: {answer!r:.80}")


def fault_record(move: int, fault: BaseException) -> MatchFault:
    """Return the record of an agent's mistake."""
    return MatchFault(move, f"{type(fault).__name__}: {fault}"[:200])
