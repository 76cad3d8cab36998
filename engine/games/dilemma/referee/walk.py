"""A game between two tables: nobody is asked, and once no flip is to come the moves repeat themselves."""

from collections.abc import Set as AbstractSet
from functools import lru_cache

from engine.games.dilemma.referee.automata import Table
from engine.games.dilemma.rules import OTHER, Flips, Points, score_of_moves


def walk(one: Table, two: Table, moves: int, flips: Flips) -> tuple[str, str, Points]:
    """Return both sides' moves as they took effect and their points, the same as if both had been asked every turn."""
    first, second, states = (
        walk_noise(one, two, moves, flips) if flips[0] or flips[1] else ("", "", (0, 0))
    )
    begun, answered, cycle, reply, again = orbit(one, two, *states)
    first, second = (first + begun)[:moves], (second + answered)[:moves]
    times, rest = divmod(moves - len(first), len(cycle))
    once = score_of_moves(first + cycle[:rest], second + reply[:rest])
    points = once[0] + times * again[0], once[1] + times * again[1]
    return first + cycle * times + cycle[:rest], second + reply * times + reply[:rest], points


def walk_noise(
    one: Table, two: Table, moves: int, flips: Flips
) -> tuple[str, str, tuple[int, int]]:
    """Return both sides' moves up to the last turn that has a flip, and the states after it."""
    answers, replies, onward, other_onward = one.answers, two.answers, one.turns, two.turns
    block = len(answers[0])
    noisy, other_noisy = ({move // block for move in side if move < moves} for side in flips)
    first: list[str] = []
    second: list[str] = []
    state = other = 0
    for turn in range(max(noisy | other_noisy, default=-1) + 1):
        answer, reply = answers[state], replies[other]
        if turn in noisy:
            answer = turned(answer, turn * block, flips[0])
        if turn in other_noisy:
            reply = turned(reply, turn * block, flips[1])
        first.append(answer)
        second.append(reply)
        state, other = onward[state][answer + reply], other_onward[other][reply + answer]
    return "".join(first), "".join(second), (state, other)


@lru_cache(maxsize=1024)
def orbit(one: Table, two: Table, state: int, other: int) -> tuple[str, str, str, str, Points]:
    """Return what both sides play from these states on without a flip: once, then for ever, and the points of that.

    Tables have few states, so both come again, and with them all that followed.
    """
    answers, replies, onward, other_onward = one.answers, two.answers, one.turns, two.turns
    first: list[str] = []
    second: list[str] = []
    seen: dict[tuple[int, int], int] = {}
    while (state, other) not in seen:
        seen[state, other] = len(seen)
        answer, reply = answers[state], replies[other]
        first.append(answer)
        second.append(reply)
        state, other = onward[state][answer + reply], other_onward[other][reply + answer]
    begun = seen[state, other]
    cycle, answered = "".join(first[begun:]), "".join(second[begun:])
    return (
        "".join(first[:begun]),
        "".join(second[:begun]),
        cycle,
        answered,
        score_of_moves(cycle, answered),
    )


def turned(answer: str, begun: int, flips: AbstractSet[int]) -> str:
    """Return the answer that was given before move number `begun` as it takes effect with at least one flip."""
    if len(answer) == 1:
        return OTHER[answer]  # type: ignore[index]
    moves = enumerate(answer, begun)
    return "".join(OTHER[move] if number in flips else move for number, move in moves)  # type: ignore[index]
