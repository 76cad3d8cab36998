"""A match whose answers come from outside: all games of a round are played at once."""

from dataclasses import dataclass, replace

from engine.games.dilemma.referee.asking import Faults, MatchFault, apply_flips
from engine.games.dilemma.referee.dispatch import flips_of
from engine.games.dilemma.referee.match import Match, draws_seed
from engine.games.dilemma.rules import Flips, Pair, Points, score_of_moves

SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class BlockObservation:
    """What an agent is passed, "the game history and score-thus-far", own moves and points first.

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
        """Return what the agent on `side`, 0 or 1, is passed now."""
        own, opponent = self.played[side], self.played[1 - side]
        pairs: tuple[Pair, ...] = tuple(zip(own, opponent, strict=True))  # type: ignore[arg-type]
        score = score_of_moves(own, opponent)
        return BlockObservation(pairs, score, self.block, draws_seed(self.seed, SIDES[side]))

    def after(
        self, answers: tuple[str, str], reasons: tuple[str | None, str | None] = (None, None)
    ) -> "LiveMatch":
        """Return the game after both answers, such as "CCD".

        A reason says why an answer is not the player's own; it makes a fault.
        """
        begun = len(self.played[0])
        played, faults = list(self.played), list(self.faults)
        for side, answer in enumerate(answers):
            effect = apply_flips((*answer,), begun, self.flips[side])
            played[side] += "".join(effect)
            reason = reasons[side]
            if reason:
                faults[side] = (*faults[side], MatchFault(begun, reason))
        first, second = played
        one, two = faults
        return replace(self, played=(first, second), faults=(one, two))

    def to_match(self) -> Match:
        """Return the finished game; what its last turn has beyond its length is cut."""
        first, second = (played[: self.moves] for played in self.played)
        return Match(first, second, score_of_moves(first, second), self.flips, self.faults)


def start_match(
    players: tuple[str, str],
    moves: int,
    block: int,
    flip_params: tuple[float, float],
    seed: int,
) -> LiveMatch:
    """Return a game before its first move, with the flips that `play_match` draws from `seed`."""
    return LiveMatch(players, moves, block, seed, flips_of(moves, flip_params, seed))
