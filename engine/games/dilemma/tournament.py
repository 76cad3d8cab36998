"""A tournament: rounds in which everybody plays everybody, and after which the lowest are dropped."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from engine.games.dilemma.referee.match import Match

Unit: TypeAlias = Literal["turns", "moves"]
Table: TypeAlias = list[tuple[str, int]]


class Game(NamedTuple):
    """One game of a round: who played whom, and the match."""

    first: str
    second: str
    match: Match


@dataclass(frozen=True, slots=True)
class Round:
    """One round robin: its number from 1, its length in moves, its games, each one's points and faults, who is dropped.

    `why` says in a sentence who is dropped, or that nobody is, and why.
    """

    index: int
    moves: int
    games: tuple[Game, ...]
    scores: Mapping[str, int]
    faults: Mapping[str, int]
    dropped: tuple[str, ...]
    why: str

    @property
    def table(self) -> Table:
        """Return `(name, score)` of all who played this round, highest first; who ties stands in the order of entry."""
        return sorted(self.scores.items(), key=lambda row: -row[1])


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament so far: who entered, at most how many rounds are played, and the rounds.

    `understood` has the right answers of those who were asked about the rules before they played.
    """

    names: tuple[str, ...]
    max_rounds: int | None = None
    rounds: tuple[Round, ...] = ()
    understood: Mapping[str, int] = field(default_factory=dict)

    @property
    def active(self) -> tuple[str, ...]:
        """The names that have not been dropped, in the order of entry."""
        gone = {name for one in self.rounds for name in one.dropped}
        return tuple(name for name in self.names if name not in gone)

    @property
    def over(self) -> bool:
        """Whether it has ended: "one agent would remain, all remaining are tied, or after `max_rounds`"."""
        if not self.rounds:
            return False
        return (
            len(self.active) < 2
            or not self.rounds[-1].dropped
            or len(self.rounds) == self.max_rounds
        )

    @property
    def table(self) -> Table:
        """The last round's `(name, score)`, highest first: "( (agentx 300) (agenty 225) )"."""
        return self.rounds[-1].table if self.rounds else []

    @property
    def winners(self) -> tuple[str, ...]:
        """Who leads the last table: one, or several as a joint win."""
        return tuple(name for name, score in self.table if score == self.table[0][1])

    @property
    def faults(self) -> dict[str, int]:
        """The faults of each entry in all rounds."""
        return {name: sum(one.faults.get(name, 0) for one in self.rounds) for name in self.names}

    def after(self, moves: int, games: Sequence[Game]) -> "Tournament":
        """Return the tournament after one more round of these games, each of `moves` moves."""
        played = settle(len(self.rounds) + 1, moves, self.active, games)
        return replace(self, rounds=(*self.rounds, played))


def pairings(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return a round robin: "every agent plays every other agent", once, and none itself."""
    return list(combinations(names, 2))


def draw_length(game_length: tuple[int, int], unit: Unit, block: int, rng: Random) -> int:
    """Return the moves of all games of a round: "a semi-random gameLength is used for all games in that round"."""
    return rng.randint(*game_length) * (block if unit == "turns" else 1)


def match_seed(rng: Random) -> int:
    """Return the seed of a match, from the stream that bears the match's name."""
    return rng.getrandbits(64)


def settle(index: int, moves: int, names: Sequence[str], games: Sequence[Game]) -> Round:
    """Return the round: a score is the sum over the round's games only, and who is lowest is dropped."""
    scores, faults = Counter(dict.fromkeys(names, 0)), Counter(dict.fromkeys(names, 0))
    for first, second, match in games:
        for side, name in enumerate((first, second)):
            scores[name] += match.score[side]
            faults[name] += len(match.faults[side])
    dropped = lowest(scores)
    if dropped:
        why = f"{', '.join(dropped)} dropped with the lowest score, {scores[dropped[0]]}"
    else:
        why = f"nobody dropped: all have {max(scores.values())}, a joint win"
    return Round(index, moves, tuple(games), dict(scores), dict(faults), dropped, why)


def lowest(scores: Mapping[str, int]) -> tuple[str, ...]:
    """Return all who tie for the lowest score, nobody if that would leave nobody.

    "After each round, the lowest scoring agent(s) are dropped."
    """
    least = min(scores.values())
    tied = tuple(name for name, score in scores.items() if score == least)
    return tied if len(tied) < len(scores) else ()


def check_terms(game_length: tuple[int, int], unit: Unit, max_rounds: int | None) -> None:
    """Raise ValueError, with a sentence that names what is wrong, for terms on which no tournament can be played."""
    whole = isinstance(game_length, Sequence) and [type(turns) for turns in game_length] == [
        int,
        int,
    ]
    if not whole or not 1 <= game_length[0] <= game_length[1]:
        raise ValueError(
            f"expected game_length to be two whole numbers, 1 <= low <= high: {game_length!r}"
        )
    if unit not in ("turns", "moves"):
        raise ValueError(f"expected unit to be turns or moves: {unit!r}")
    if max_rounds is not None and (type(max_rounds) is not int or max_rounds < 1):
        raise ValueError(
            f"expected max_rounds to be None or a whole number of at least 1: {max_rounds!r}"
        )
