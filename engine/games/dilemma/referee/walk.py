"""Games between two automata without asking: after the last flip the moves repeat themselves."""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from engine.games.dilemma.referee.automata import Automaton
from engine.games.dilemma.rules import OTHER, Flips, Points, score_of_moves


class Walked(NamedTuple):
    """Both sides' moves so far, such as "CCD", and the states that they lead to."""

    first: str
    second: str
    state: int
    other: int


class Cycle(NamedTuple):
    """What two automata play without flips: moves once, then moves for ever and their points."""

    begun: str
    other_begun: str
    moves: str
    other_moves: str
    points: Points


NOTHING = Walked("", "", 0, 0)


def walk(one: Automaton, two: Automaton, moves: int, flips: Flips) -> tuple[str, str, Points]:
    """Return both sides' moves as they took effect and their points: the same as by asking."""
    walked = walk_noise(one, two, moves, flips) if flips[0] or flips[1] else NOTHING
    cycle = find_cycle(one, two, walked.state, walked.other)
    first = (walked.first + cycle.begun)[:moves]
    second = (walked.second + cycle.other_begun)[:moves]

    times, rest = divmod(moves - len(first), len(cycle.moves))
    tail, other_tail = cycle.moves[:rest], cycle.other_moves[:rest]
    own, others = score_of_moves(first + tail, second + other_tail)
    points = own + times * cycle.points[0], others + times * cycle.points[1]
    first += cycle.moves * times + tail
    second += cycle.other_moves * times + other_tail
    return first, second, points


def walk_noise(one: Automaton, two: Automaton, moves: int, flips: Flips) -> Walked:
    """Walk up to the last turn that has a flip."""
    answers, replies = one.answers, two.answers
    onward, other_onward = one.turns, two.turns
    block = len(answers[0])
    noisy, other_noisy = ({move // block for move in side if move < moves} for side in flips)

    first: list[str] = []
    second: list[str] = []
    state = other = 0
    for turn in range(max(noisy | other_noisy, default=-1) + 1):
        answer, reply = answers[state], replies[other]
        if turn in noisy:
            answer = flip_moves(answer, turn * block, flips[0])
        if turn in other_noisy:
            reply = flip_moves(reply, turn * block, flips[1])
        first.append(answer)
        second.append(reply)
        state = onward[state][answer + reply]
        other = other_onward[other][reply + answer]
    return Walked("".join(first), "".join(second), state, other)


@lru_cache(maxsize=1024)
def find_cycle(one: Automaton, two: Automaton, state: int, other: int) -> Cycle:
    """Return what both sides play from these states on without a flip.

    They have finitely many states, so a pair of states comes again, and so does all that followed.
    """
    answers: list[str] = []
    replies: list[str] = []
    seen: dict[tuple[int, int], int] = {}
    while (state, other) not in seen:
        seen[state, other] = len(seen)
        answer, reply = one.answers[state], two.answers[other]
        answers.append(answer)
        replies.append(reply)
        state = one.turns[state][answer + reply]
        other = two.turns[other][reply + answer]

    start = seen[state, other]
    moves, other_moves = "".join(answers[start:]), "".join(replies[start:])
    return Cycle(
        "".join(answers[:start]),
        "".join(replies[:start]),
        moves,
        other_moves,
        score_of_moves(moves, other_moves),
    )


def flip_moves(answer: str, begun: int, flips: AbstractSet[int]) -> str:
    """Return the answer to the turn at move number `begun` as it takes effect.

    At least one of its moves is in `flips`.
    """
    if len(answer) == 1:
        return OTHER[answer]  # type: ignore[index]
    played = ""
    for number, move in enumerate(answer, begun):
        played += OTHER[move] if number in flips else move  # type: ignore[index]
    return played
