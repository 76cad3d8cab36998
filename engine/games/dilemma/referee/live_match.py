"""A match whose answers come from outside: all games of a round are played at once."""

from dataclasses import dataclass
from typing import TypeAlias

from engine.games.dilemma.referee.asking import Faults, MatchFault, SideFaults
from engine.games.dilemma.referee.dispatch import flips_of
from engine.games.dilemma.referee.match import Match, draws_seed
from engine.games.dilemma.rules import Flips, Pair, Points, flip_moves, score_of_moves

Reasons: TypeAlias = tuple[str | None, str | None]
SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class BlockObservation:
    """An agent's input, "the game history and score-thus-far", own moves and points first.

    `block` is how many moves are asked for; `draws` seeds the stream from which this agent draws in
    this game.
    """

    history: tuple[Pair, ...]
    score: Points
    block: int
    draws: int


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A game so far: the players, its length, the flips to come, and each side's moves.

    `moves` is the length of the game in moves of one side; `played` has each side's moves as they
    took effect, such as "CCD".
    """

    players: tuple[str, str]
    moves: int
    block: int
    seed: int
    flips: Flips
    played: tuple[str, str] = ("", "")
    faults: Faults = ((), ())

    @property
    def over(self) -> bool:
        """Whether all moves are played."""
        return len(self.played[0]) >= self.moves

    def observe(self, side: int) -> BlockObservation:
        """Return the present input of the agent on `side`, 0 or 1."""
        my_moves = self.played[side]
        opponent = self.played[1 - side]
        pairs: tuple[Pair, ...] = tuple(zip(my_moves, opponent, strict=True))  # type: ignore[arg-type]
        return BlockObservation(
            pairs,
            score_of_moves(my_moves, opponent),
            self.block,
            draws_seed(self.seed, SIDES[side]),
        )

    def after(self, answers: tuple[str, str], reasons: Reasons = (None, None)) -> "LiveMatch":
        """Return the game after both answers, such as "CCD".

        A reason says why an answer is not the player's own; it makes a fault.
        """
        (first, faults), (second, other_faults) = map(self._side_after, (0, 1), answers, reasons)
        return LiveMatch(
            self.players,
            self.moves,
            self.block,
            self.seed,
            self.flips,
            (first, second),
            (faults, other_faults),
        )

    def _side_after(
        self,
        side: int,
        answer: str,
        reason: str | None,
    ) -> tuple[str, SideFaults]:
        played, faults = self.played[side], self.faults[side]
        if reason:
            faults = (*faults, MatchFault(len(played), reason))
        return played + flip_moves(answer, len(played), self.flips[side]), faults

    def to_match(self) -> Match:
        """Return the finished game; moves of its last turn beyond its length are cut."""
        first, second = (played[: self.moves] for played in self.played)
        score = score_of_moves(first, second)
        return Match(
            first,
            second,
            score,
            self.flips,
            self.faults,
        )


def start_match(
    players: tuple[str, str],
    moves: int,
    block: int,
    flip_params: tuple[float, float],
    seed: int,
) -> LiveMatch:
    """Return a game before its first move, with the flips that `play_match` draws from `seed`."""
    return LiveMatch(
        players,
        moves,
        block,
        seed,
        flips_of(moves, flip_params, seed),
    )
