"""A game between two tables: nobody is asked, and once no flip is to come the moves repeat themselves."""

from collections.abc import Set as AbstractSet

from engine.games.dilemma.rules import OTHER, Flips, Points, score_of_moves
from engine.games.dilemma.tables import Table


def walk(one: Table, two: Table, moves: int, flips: Flips) -> tuple[str, str, Points]:
    """Return both sides' moves as they took effect and their points, the same as if both had been asked every turn."""
    block = len(one.answers[0])
    turns = -(-moves // block)
    first, second, states = walk_noise(one, two, block, turns, flips) if flips[0] or flips[1] else ([], [], (0, 0))
    begun = len(first) + walk_quiet(one, two, turns, states, first, second)
    head, other_head = "".join(first[:begun])[:moves], "".join(second[:begun])[:moves]
    cycle, other_cycle = "".join(first[begun:]), "".join(second[begun:])
    times, rest = divmod(moves - len(head), len(cycle)) if cycle else (0, 0)
    once, again = (
        score_of_moves(head + cycle[:rest], other_head + other_cycle[:rest]),
        score_of_moves(cycle, other_cycle),
    )
    points = once[0] + times * again[0], once[1] + times * again[1]
    return head + cycle * times + cycle[:rest], other_head + other_cycle * times + other_cycle[:rest], points


def walk_noise(
    one: Table, two: Table, block: int, turns: int, flips: Flips
) -> tuple[list[str], list[str], tuple[int, int]]:
    """Return both sides' moves up to the last turn that has a flip, and the states after it."""
    answers, replies, onward, other_onward = one.answers, two.answers, one.turns, two.turns
    noisy, other_noisy = ({move // block for move in side} for side in flips)
    first: list[str] = []
    second: list[str] = []
    state = other = 0
    for turn in range(min(turns, max(noisy | other_noisy) + 1)):
        answer, reply = answers[state], replies[other]
        if turn in noisy:
            answer = turned(answer, turn * block, flips[0])
        if turn in other_noisy:
            reply = turned(reply, turn * block, flips[1])
        first.append(answer)
        second.append(reply)
        state, other = onward[state][answer + reply], other_onward[other][reply + answer]
    return first, second, (state, other)


def walk_quiet(  # noqa: PLR0917 - it goes on with both sides' lists
    one: Table, two: Table, turns: int, states: tuple[int, int], first: list[str], second: list[str]
) -> int:
    """Add both sides' answers from these states on without a flip, until there are `turns` or both states come again.

    Return after how many of the added turns the part begins that then comes again and again.
    """
    answers, replies, onward, other_onward = one.answers, two.answers, one.turns, two.turns
    seen: dict[tuple[int, int], int] = {}
    while len(first) < turns and states not in seen:
        seen[states] = len(seen)
        state, other = states
        answer, reply = answers[state], replies[other]
        first.append(answer)
        second.append(reply)
        states = onward[state][answer + reply], other_onward[other][reply + answer]
    return seen.get(states, len(seen))


def turned(answer: str, begun: int, flips: AbstractSet[int]) -> str:
    """Return the answer that was given before move number `begun` as it takes effect with at least one flip."""
    if len(answer) == 1:
        return OTHER[answer]  # type: ignore[index]
    return "".join([OTHER[move] if number in flips else move for number, move in enumerate(answer, begun)])  # type: ignore[index]
