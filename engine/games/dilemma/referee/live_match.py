"""A match whose caller supplies the answers, so that all games of a round run concurrently."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.games.dilemma.referee.asking import Faults, MatchFault, SideFaults
from engine.games.dilemma.referee.dispatch import flips_of
from engine.games.dilemma.referee.match import Match, draws_seed
from engine.games.dilemma.rules import Flips, Pair, Points, flip_moves, score_of_moves


# Each side gets a new object every turn; a named tuple is created twice as fast as a dataclass.
class BlockObservation(NamedTuple):
    """An agent's input, "the game history and score-thus-far", with its own side first."""

    history: tuple[Pair, ...]
    score: Points
    block: int
    draws: int


class LiveMatch(NamedTuple):
    """A game so far: the players, its length, all its flips, and each side's moves so far.

    `moves` is the number of moves per side; `draws` seeds each side's stream; `played` has each
    side's moves after flips, such as "CCD"; `seen` has both sides' moves as each side sees them.
    """

    players: tuple[str, str]
    moves: int
    block: int
    draws: tuple[int, int]
    flips: Flips
    played: tuple[str, str] = ("", "")
    seen: tuple[tuple[Pair, ...], tuple[Pair, ...]] = ((), ())
    score: Points = (0, 0)
    faults: Faults = ((), ())

    @property
    def over(self) -> bool:
        """Whether all moves have been played."""
        return len(self.played[0]) >= self.moves

    def observe(self, side: int) -> BlockObservation:
        """Return the current input of the agent on `side`, 0 or 1."""
        score = self.score[::-1] if side else self.score
        return BlockObservation(self.seen[side], score, self.block, self.draws[side])

    def after(
        self, answers: Sequence[str], reasons: Sequence[str | None] = (None, None)
    ) -> "LiveMatch":
        """Return the game after both sides' answers, each such as "CCD".

        A reason states why an answer is not the player's own; it is recorded as a fault.
        """
        begun = len(self.played[0])
        first, second = map(flip_moves, answers, (begun, begun), self.flips)
        played = self.played[0] + first, self.played[1] + second
        pairs: Any = tuple(zip(first, second, strict=True))
        other_pairs: Any = tuple(zip(second, first, strict=True))
        faults, other_faults = self.faults
        why, other_why = reasons
        return LiveMatch(
            self.players,
            self.moves,
            self.block,
            self.draws,
            self.flips,
            played,
            (self.seen[0] + pairs, self.seen[1] + other_pairs),
            score_of_moves(*played),
            (_with_fault(faults, begun, why), _with_fault(other_faults, begun, other_why)),
        )

    def to_match(self) -> Match:
        """Return the finished game; moves of the last turn beyond the game's length are cut."""
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
    return LiveMatch(
        players,
        moves,
        block,
        (draws_seed(seed, "first"), draws_seed(seed, "second")),
        flips_of(moves, flip_params, seed),
    )


def _with_fault(faults: SideFaults, begun: int, reason: str | None) -> SideFaults:
    """Return a side's faults, with a fault added at move `begun` if there is a reason."""
    return (*faults, MatchFault(begun, reason)) if reason else faults
