"""Games in which agents are asked, turn by turn: illegal answers are replaced, flips applied."""

from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, TypeAlias

from engine.games.dilemma.agents.forms import Responder
from engine.games.dilemma.rules import BLOCK, OTHER, TRIPLES, Flips
from protocol.answer import IllegalAnswer


class MatchFault(NamedTuple):
    """An answer that was not three moves: the number, from 0, of its first move, and the reason."""

    move: int
    reason: str


SideFaults: TypeAlias = tuple[MatchFault, ...]
Faults: TypeAlias = tuple[SideFaults, SideFaults]
NO_FAULTS: Faults = ((), ())

# By moves of a turn: the legal answers, and the one that replaces an illegal answer.
ANSWERS: dict[int, tuple[frozenset[Any], Any]] = {
    1: (frozenset("CD"), "D"),
    BLOCK: (TRIPLES, ("D",) * BLOCK),
}


def ask_both(
    one: Responder,
    two: Responder,
    moves: int,
    block: int,
    flips: Flips,
    *,
    guarded: tuple[bool, bool] = (True, True),
) -> tuple[str, str, Faults]:
    """Return both sides' moves, such as "CCD", as they took effect, and the faults.

    "Agents are unaware of their opponents' move": both are asked before either learns the other's
    answer. A guarded responder is passed lists of its own, so it cannot spoil the record or what
    the other sees. Moves of the last turn beyond `moves` are cut, so they score nothing.
    """
    first: list[Any] = []
    second: list[Any] = []
    guard1, guard2 = guarded
    own1, told1 = ([], []) if guard1 else (first, second)
    own2, told2 = ([], []) if guard2 else (second, first)
    faults1: list[MatchFault] = []
    faults2: list[MatchFault] = []
    legal, fallback = ANSWERS[block]
    noisy = turns_with_flips(flips, block) if flips[0] or flips[1] else ()
    # Both sides and both lengths of a turn are written out: each call costs a tenth of the speed.
    for move in range(0, moves, block):
        try:
            answer1 = one(own1, told1)
            if answer1 not in legal:
                raise illegal_answer(answer1)
        except (Exception, SystemExit) as fault:
            answer1 = fallback
            faults1.append(fault_record(move, fault))
        try:
            answer2 = two(own2, told2)
            if answer2 not in legal:
                raise illegal_answer(answer2)
        except (Exception, SystemExit) as fault:
            answer2 = fallback
            faults2.append(fault_record(move, fault))
        if noisy and move in noisy:
            answer1 = apply_flips(answer1, move, flips[0])
            answer2 = apply_flips(answer2, move, flips[1])
        if block == 1:
            first.append(answer1)
            second.append(answer2)
            if guard1:
                own1.append(answer1)
                told1.append(answer2)
            if guard2:
                own2.append(answer2)
                told2.append(answer1)
        else:
            first.extend(answer1)
            second.extend(answer2)
            if guard1:
                own1.extend(answer1)
                told1.extend(answer2)
            if guard2:
                own2.extend(answer2)
                told2.extend(answer1)
    played = "".join(first)
    answered = "".join(second)
    return played[:moves], answered[:moves], (tuple(faults1), tuple(faults2))


def turns_with_flips(flips: Flips, block: int) -> AbstractSet[int]:
    """Return the first move number of each turn in which a move of either side is flipped."""
    return {move - move % block for side in flips for move in side}


def apply_flips(
    answer: Any,
    move: int,
    flips: AbstractSet[int],
) -> Any:
    """Return an answer, a move or three, as it takes effect when `move` is its first number."""
    if isinstance(answer, str):
        return OTHER[answer] if move in flips else answer  # type: ignore[index]
    played = []
    for number, own in enumerate(answer, move):
        played.append(OTHER[own] if number in flips else own)
    return tuple(played)


def illegal_answer(answer: object) -> IllegalAnswer:
    """Return the error for an answer that is not made of moves."""
    return IllegalAnswer(f"expected three moves, each C or D: {answer!r:.80}")


def fault_record(move: int, fault: BaseException) -> MatchFault:
    """Return the record of what an agent did wrong."""
    return MatchFault(move, f"{type(fault).__name__}: {fault}"[:200])
