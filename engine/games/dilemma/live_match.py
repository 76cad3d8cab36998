"""A game at the table: who has played what so far, when its answers come from outside, all games of a round at once."""

from dataclasses import dataclass, replace

from engine.games.dilemma.referee.dispatch import flips_of
from engine.games.dilemma.referee.match import Fault, Faults, Match, draws_of, flipped
from engine.games.dilemma.rules import Flips, Pair, Points, score_of_moves

SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent is passed, "the game history and score-thus-far", own moves and points first, and what it needs.

    `block` is how many moves are asked for; `draws` seeds the stream from which this agent draws in
    this game.
    """

    history: tuple[Pair, ...]
    score: Points
    block: int
    draws: int


@dataclass(frozen=True, slots=True)
class Sitting:
    """A game so far: the players, its length, the flips to come, and each side's moves as they took effect."""

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

    def observe(self, side: int) -> Observation:
        """Return what the agent on `side` is passed now."""
        own, opponent = self.played[side], self.played[1 - side]
        pairs: tuple[Pair, ...] = tuple(zip(own, opponent, strict=True))  # type: ignore[arg-type]
        return Observation(
            pairs, score_of_moves(own, opponent), self.block, draws_of(self.seed, SIDES[side])
        )

    def after(
        self, answers: tuple[str, str], reasons: tuple[str | None, str | None] = (None, None)
    ) -> "Sitting":
        """Return the game after both answers, such as "CCD"; a reason says why an answer is not the player's own."""
        begun = len(self.played[0])
        sides = zip(self.played, answers, self.flips, strict=True)
        first, second = (
            played + "".join(flipped((*answer,), begun, flips)) for played, answer, flips in sides
        )
        one, two = (
            (*had, Fault(begun, why)) if why else had
            for had, why in zip(self.faults, reasons, strict=True)
        )
        return replace(self, played=(first, second), faults=(one, two))

    def match(self) -> Match:
        """Return the finished game; what its last turn has beyond its length is cut."""
        first, second = (played[: self.moves] for played in self.played)
        return Match(first, second, score_of_moves(first, second), self.flips, self.faults)


def sit_down(
    players: tuple[str, str], moves: int, block: int, flip_params: tuple[float, float], seed: int
) -> Sitting:
    """Return a game before its first move; its flips are those that `play_match` draws from the same seed."""
    return Sitting(players, moves, block, seed, flips_of(moves, flip_params, seed))
