"""A match: one game between two agents, in turns of one or three moves."""

from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from operator import index
from random import Random
from typing import Any, NamedTuple

from engine.games.dilemma.agents.forms import Agent
from engine.games.dilemma.referee.asking import NO_FAULTS, Faults, ask_both
from engine.games.dilemma.referee.automata import automaton_of
from engine.games.dilemma.referee.dispatch import NO_FLIPS, flips_of, play_automata
from engine.games.dilemma.referee.responders import hands_out, responder_of
from engine.games.dilemma.rules import (
    BLOCK,
    Flips,
    Pair,
    Points,
    check_flip_params,
    score_of_moves,
)


class Match(NamedTuple):
    """A finished game: each side's moves after flips, points, flipped moves, and faults."""

    first: str
    second: str
    score: Points
    flips: Flips = NO_FLIPS
    faults: Faults = NO_FAULTS

    @property
    def moves(self) -> list[Pair]:
        """The pairs of moves as played, oldest first, each with the first agent's move first."""
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
    """Play a game of `moves` moves per side and return it.

    With `block` 3, each turn takes three moves, which neither side sees before both have answered;
    `block` 1 is the classic game. `flips` has the numbers of each side's flipped moves; if it
    is None, they are drawn from `seed` with the chances in `flip_params`. "An illegal answer counts
    as D D D and as a fault." Raises ValueError for invalid numbers.

    >>> from engine.games.dilemma.agents import AGENTS
    >>> play_match(AGENTS["tit_for_tat"], AGENTS["defector"], 6).score
    (3, 18)
    """
    check_match(moves, block, flip_params)
    if flips is not None:
        flips = check_forced(flips)
    first_machine = automaton_of(first, block)
    second_machine = automaton_of(second, block)
    if first_machine and second_machine:
        machines = (first_machine, second_machine)
        return Match(*play_automata(machines, moves, flip_params, seed, flips))

    if flips is None:
        flips = flips_of(moves, flip_params, seed)
    played, answered, faults = ask_both(
        responder_of(first, first_machine, block, partial(own_stream, seed, "first")),
        responder_of(second, second_machine, block, partial(own_stream, seed, "second")),
        moves,
        block,
        flips,
        guarded=(
            first_machine is None and hands_out(first),
            second_machine is None and hands_out(second),
        ),
    )
    return Match(played, answered, score_of_moves(played, answered), flips, faults)


def check_match(
    moves: int,
    block: int,
    flip_params: Sequence[float],
) -> None:
    """Raise ValueError, naming the parameter, if no game can be played with these numbers."""
    if type(moves) is not int or moves < 0:
        raise ValueError(f"expected moves to be a whole number of at least 0: {moves!r}")
    if block not in (1, BLOCK):
        raise ValueError(f"expected block to be 1 or {BLOCK}: {block!r}")
    check_flip_params(flip_params)


def check_forced(flips: Any) -> Flips:
    """Return `flips` as two sets of whole numbers, or raise ValueError if it is invalid."""
    try:
        first, second = flips
        return frozenset(map(index, first)), frozenset(map(index, second))
    except (TypeError, ValueError):
        raise ValueError(
            f"expected flips to be a pair of sets of flipped move numbers: {flips!r:.80}"
        ) from None


def seed_matters(
    first: Agent,
    second: Agent,
    block: int,
    flip_params: Sequence[float],
) -> bool:
    """Return whether a match may depend on its seed, because of flips or an agent's draws."""
    if flip_params[0]:
        return True
    return automaton_of(first, block) is None or automaton_of(second, block) is None


def draws_seed(seed: int, side: str) -> int:
    """Return the seed for the agent on `side`; it reveals nothing about the match's flips."""
    digest = blake2b(repr((seed, side)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def own_stream(seed: int, side: str) -> Random:
    """Return the random stream of the agent on `side` ("first" or "second") of a match."""
    return Random(draws_seed(seed, side))
