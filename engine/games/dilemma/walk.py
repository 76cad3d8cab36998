"""A game between two tables: nobody is asked, and once no flip is to come the moves repeat themselves."""

from collections.abc import Set as AbstractSet

from engine.games.dilemma.rules import OTHER, Flips
from engine.games.dilemma.tables import Table


def walk(one: Table, two: Table, moves: int, flips: Flips) -> tuple[str, str]:
    """Return both sides' moves as they took effect, the same as if both had been asked turn by turn."""
    block = len(one.answers[0])
    turns = -(-moves // block)
    first, second, states = walk_noise(one, two, block, turns, flips) if flips[0] or flips[1] else ([], [], (0, 0))
    played, replied = walk_quiet(one, two, turns - len(first), states)
    return ("".join(first) + played)[:moves], ("".join(second) + replied)[:moves]


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


def walk_quiet(one: Table, two: Table, turns: int, states: tuple[int, int]) -> tuple[str, str]:
    """Return both sides' moves from these states on without a flip; where both states come again, so does the rest."""
    answers, replies, onward, other_onward = one.answers, two.answers, one.turns, two.turns
    first: list[str] = []
    second: list[str] = []
    seen: dict[tuple[int, int], int] = {}
    while len(first) < turns and states not in seen:
        seen[states] = len(first)
        state, other = states
        answer, reply = answers[state], replies[other]
        first.append(answer)
        second.append(reply)
        states = onward[state][answer + reply], other_onward[other][reply + answer]
    return repeated(first, seen.get(states, 0), turns), repeated(second, seen.get(states, 0), turns)


def repeated(answers: list[str], begun: int, turns: int) -> str:
    """Return the answers of so many turns: these, and from the turn number `begun` on the same again and again."""
    if len(answers) >= turns:
        return "".join(answers)
    cycle = answers[begun:]
    times, rest = divmod(turns - len(answers), len(cycle))
    return "".join(answers) + "".join(cycle) * times + "".join(cycle[:rest])


def turned(answer: str, begun: int, flips: AbstractSet[int]) -> str:
    """Return the answer that was given before move number `begun` as it takes effect with at least one flip."""
    if len(answer) == 1:
        return OTHER[answer]  # type: ignore[index]
    return "".join([OTHER[move] if number in flips else move for number, move in enumerate(answer, begun)])  # type: ignore[index]
