"""A match: one game between two agents, in turns of three moves or of one."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from hashlib import blake2b
from operator import index
from random import Random
from typing import Any, NamedTuple, TypeAlias

from engine.games.dilemma.agents.forms import Agent, Seat
from engine.games.dilemma.referee.automata import table_of
from engine.games.dilemma.referee.dispatch import NO_FLIPS, flips_of, table_game
from engine.games.dilemma.referee.seats import asked, hands_out, tabled
from engine.games.dilemma.rules import (
    BLOCK,
    OTHER,
    TRIPLES,
    Flips,
    Move,
    Pair,
    Points,
    check_flip_params,
    score_of_moves,
)


class Fault(NamedTuple):
    """An answer that was not three moves: before which move it was asked for, counted from 0, and what was wrong."""

    move: int
    reason: str


Faults: TypeAlias = tuple[tuple[Fault, ...], tuple[Fault, ...]]
NO_FAULTS: Faults = ((), ())


class Match(NamedTuple):
    """A game as it was played: each side's moves as they took effect, points, flipped move numbers, and faults."""

    first: str
    second: str
    score: Points
    flips: Flips = NO_FLIPS
    faults: Faults = NO_FAULTS

    @property
    def moves(self) -> list[Pair]:
        """The pairs of moves as played, oldest first, the first agent's move first."""
        return list(zip(self.first, self.second, strict=True))  # type: ignore[arg-type]


def play_match(
    first: Agent,
    second: Agent,
    moves: int,
    *,
    block: int = BLOCK,
    flip_params: Sequence[float] = (0, 0),
    seed: int = 0,
    flips: Flips | None = None,
) -> Match:
    """Play a game of `moves` moves of each side and return it.

    `block` 3 asks for three moves a turn, of which nobody sees anything before both have answered;
    `block` 1 plays the classic game. `flips` forces which move numbers of each side are flipped, in
    place of the draw by `flip_params`. "An illegal answer counts as D D D and as a fault." Raises
    ValueError for numbers with which no game can be played.

    >>> from engine.games.dilemma.agents import AGENTS
    >>> play_match(AGENTS["tit_for_tat"], AGENTS["defector"], 6).score
    (3, 18)
    """
    check_match(moves, block, flip_params)
    if flips is not None:
        flips = forced(flips)
    one, two = table_of(first, block), table_of(second, block)
    if one and two:
        return Match(*table_game((one, two), moves, flip_params, seed, flips))
    if flips is None:
        flips = flips_of(moves, flip_params, seed)
    asked_one = (
        tabled(one, block) if one else asked(first, block, partial(own_stream, seed, "first"))
    )
    asked_two = (
        tabled(two, block) if two else asked(second, block, partial(own_stream, seed, "second"))
    )
    guarded = not one and hands_out(first), not two and hands_out(second)
    return referee(asked_one, asked_two, moves, block, flips, guarded=guarded)


def check_match(moves: int, block: int, flip_params: Sequence[float]) -> None:
    """Raise ValueError, with a sentence that names what is wrong, for numbers with which no game can be played."""
    if type(moves) is not int or moves < 0:
        raise ValueError(f"expected moves to be a whole number of at least 0: {moves!r}")
    if block not in (1, BLOCK):
        raise ValueError(f"expected block to be 1 or {BLOCK}: {block!r}")
    check_flip_params(flip_params)


def forced(flips: Any) -> Flips:
    """Return the forced flips of each side as sets; ValueError unless they are two collections of whole numbers."""
    try:
        own, others = (frozenset(map(index, side)) for side in flips)
    except (TypeError, ValueError):
        raise ValueError(
            f"expected flips to be a pair of sets of flipped move numbers: {flips!r:.80}"
        ) from None
    return own, others


def draws_lots(first: Agent, second: Agent, block: int, flip_params: Sequence[float]) -> bool:
    """Return whether the seed of a match between these may matter: for flips, or for an agent that is no table."""
    return bool(flip_params[0]) or table_of(first, block) is None or table_of(second, block) is None


def draws_of(seed: int, side: str) -> int:
    """Return the number that seeds the own stream of the agent on `side` of a match; it tells nothing of the flips."""
    digest = blake2b(repr((seed, side)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def own_stream(seed: int, side: str) -> Random:
    """Return the stream from which the agent on `side` of a match draws."""
    return Random(draws_of(seed, side))


def referee(
    one: Seat,
    two: Seat,
    moves: int,
    block: int,
    flips: Flips,
    *,
    guarded: tuple[bool, bool] = (True, True),
) -> Match:
    """Play both seats against each other: "agents are unaware of their opponents' move", both answer before it is told.

    A guarded seat has lists of its own, so it cannot spoil the record or what the other sees.
    """
    first, second = list[Move](), list[Move]()
    guard1, guard2 = guarded
    own1, told1 = ([], []) if guard1 else (first, second)
    own2, told2 = ([], []) if guard2 else (second, first)
    faults: tuple[list[Fault], list[Fault]] = ([], [])
    legal, fallback = ANSWERS[block]
    noisy = {move - move % block for side in flips for move in side} if flips[0] or flips[1] else ()
    for move in range(0, moves, block):
        try:
            answer1 = one(own1, told1)
            if answer1 not in legal:
                raise IllegalAnswer(answer1)
        except (Exception, SystemExit) as fault:
            answer1 = fallback
            faults[0].append(fault_of(move, fault))
        try:
            answer2 = two(own2, told2)
            if answer2 not in legal:
                raise IllegalAnswer(answer2)
        except (Exception, SystemExit) as fault:
            answer2 = fallback
            faults[1].append(fault_of(move, fault))
        if noisy and move in noisy:
            answer1, answer2 = flipped(answer1, move, flips[0]), flipped(answer2, move, flips[1])
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
    return recorded(first, second, flips, moves, (tuple(faults[0]), tuple(faults[1])))


def recorded(
    first: Sequence[str], second: Sequence[str], flips: Flips, moves: int, faults: Faults
) -> Match:
    """Return the match; what the last turn has beyond `moves` is cut, so it scores nothing."""
    played, answered = "".join(first)[:moves], "".join(second)[:moves]
    return Match(played, answered, score_of_moves(played, answered), flips, faults)


def flipped(answer: Any, move: int, flips: AbstractSet[int]) -> Any:
    """Return the answer that was given before move number `move`, a move or three, as it takes effect."""
    if isinstance(answer, str):
        return OTHER[answer] if move in flips else answer  # type: ignore[index]
    return tuple(
        [OTHER[own] if number in flips else own for number, own in enumerate(answer, move)]
    )


def fault_of(move: int, fault: BaseException) -> Fault:
    """Return the record of what an agent did wrong."""
    return Fault(move, f"{type(fault).__name__}: {fault}"[:200])


class IllegalAnswer(ValueError):  # noqa: N818 - named by the kind of wrongness
    """An answer that is not made of moves."""

    def __str__(self) -> str:
        return f"expected three moves, each C or D: {self.args[0]!r:.80}"


ANSWERS: dict[int, tuple[frozenset[Any], Any]] = {
    1: (frozenset("CD"), "D"),
    BLOCK: (TRIPLES, ("D",) * BLOCK),
}
