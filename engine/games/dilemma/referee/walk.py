"""Games between two automata, played from tables: after the last flip, the moves reach a cycle."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from engine.games.dilemma.referee.automata import Automaton
from engine.games.dilemma.rules import Flips, Points, flip_moves, score_of_moves


class Walked(NamedTuple):
    """Both sides' moves so far, such as "CCD", and the states that they lead to."""

    first: str
    second: str
    state: int
    other: int


class Cycle(NamedTuple):
    """The game of two automata without flips: an opening, then a cycle, and the cycle's points."""

    begun: str
    other_begun: str
    moves: str
    other_moves: str
    points: Points


NOTHING = Walked("", "", 0, 0)


def walk(
    one: Automaton,
    two: Automaton,
    moves: int,
    flips: Flips,
) -> tuple[str, str, Points]:
    """Return both sides' moves after flips, the same as from `ask_both`, and the points."""
    walked = walk_noise(one, two, moves, flips) if flips[0] or flips[1] else NOTHING
    cycle = find_cycle(one, two, walked.state, walked.other)
    first = (walked.first + cycle.begun)[:moves]
    second = (walked.second + cycle.other_begun)[:moves]

    times, rest = divmod(moves - len(first), len(cycle.moves))
    tail = cycle.moves[:rest]
    other_tail = cycle.other_moves[:rest]

    gain, other_gain = cycle.points
    own, others = score_of_moves(first + tail, second + other_tail)
    own += times * gain
    others += times * other_gain

    first += cycle.moves * times
    second += cycle.other_moves * times
    return first + tail, second + other_tail, (own, others)


def walk_noise(
    one: Automaton,
    two: Automaton,
    moves: int,
    flips: Flips,
) -> Walked:
    """Return both sides' moves through the last turn that has a flip, and the states after it."""
    answers = one.answers
    replies = two.answers
    onward = one.turns
    other_onward = two.turns
    block = len(answers[0])
    noisy = turns_of(flips[0], moves, block)
    other_noisy = turns_of(flips[1], moves, block)
    last = max(noisy | other_noisy, default=-1)

    first: list[str] = []
    second: list[str] = []
    state = other = 0
    for turn in range(last + 1):
        answer = answers[state]
        reply = replies[other]
        if turn in noisy:
            answer = flip_moves(answer, turn * block, flips[0])
        if turn in other_noisy:
            reply = flip_moves(reply, turn * block, flips[1])
        first.append(answer)
        second.append(reply)
        state = onward[state][answer + reply]
        other = other_onward[other][reply + answer]
    return Walked("".join(first), "".join(second), state, other)


def turns_of(
    flips: AbstractSet[int],
    moves: int,
    block: int,
) -> set[int]:
    """Return the numbers, from 0, of the turns with a flip among the first `moves` moves."""
    return {move // block for move in flips if move < moves}


@lru_cache(maxsize=1024)
def find_cycle(
    one: Automaton,
    two: Automaton,
    state: int,
    other: int,
) -> Cycle:
    """Return both sides' moves from these states on, without flips, as an opening and a cycle."""
    answers: list[str] = []
    replies: list[str] = []
    seen: dict[tuple[int, int], int] = {}
    while (state, other) not in seen:
        seen[state, other] = len(seen)
        answer = one.answers[state]
        reply = two.answers[other]
        answers.append(answer)
        replies.append(reply)
        state = one.turns[state][answer + reply]
        other = two.turns[other][reply + answer]

    start = seen[state, other]
    begun, moves = split_at(start, answers)
    other_begun, other_moves = split_at(start, replies)
    return Cycle(
        begun=begun,
        other_begun=other_begun,
        moves=moves,
        other_moves=other_moves,
        points=score_of_moves(moves, other_moves),
    )


def split_at(turn: int, answers: Sequence[str]) -> tuple[str, str]:
    """Return the moves of the turns before `turn`, and the moves from `turn` on."""
    return "".join(answers[:turn]), "".join(answers[turn:])
