"""A tournament: in each round, all players play each other, and then the lowest scorers leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple

from engine.games.dilemma.referee.match import Match

Unit = Literal["turns", "moves"]
Ranking = list[tuple[str, int]]


class Encounter(NamedTuple):
    """One game of a round: its two players, and the match."""

    first: str
    second: str
    match: Match


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """One round: its number (from 1), moves per side, games, points, faults and players dropped."""

    index: int
    moves: int
    games: tuple[Encounter, ...]
    scores: Mapping[str, int]
    faults: Mapping[str, int]
    dropped: tuple[str, ...]
    why: str

    @property
    def table(self) -> Ranking:
        """The `(name, score)` pairs of this round, highest first, with ties in order of entry."""
        return sorted(self.scores.items(), key=lambda row: -row[1])


@dataclass(frozen=True, slots=True)
class DilemmaTournament:
    """A tournament so far: its entrants, round limit, rounds played, and correct quiz answers."""

    names: tuple[str, ...]
    max_rounds: int | None = None
    rounds: tuple[RoundRobin, ...] = ()
    understood: Mapping[str, int] = field(default_factory=dict)

    @property
    def active(self) -> tuple[str, ...]:
        """The names of players not dropped, in order of entry."""
        gone: set[str] = set()
        for played in self.rounds:
            gone.update(played.dropped)
        return tuple(name for name in self.names if name not in gone)

    @property
    def over(self) -> bool:
        """Whether "one agent would remain, all remaining are tied, or after `max_rounds`"."""
        if not self.rounds:
            return False
        last = self.rounds[-1]
        if len(self.active) < 2 or not last.dropped:
            return True
        return len(self.rounds) == self.max_rounds

    @property
    def table(self) -> Ranking:
        """The last round's `(name, score)` pairs, best first: "( (agentx 300) (agenty 225) )"."""
        return self.rounds[-1].table if self.rounds else []

    @property
    def winners(self) -> tuple[str, ...]:
        """The leaders of the last table; several leaders win jointly."""
        table = self.table
        return tuple(name for name, score in table if score == table[0][1])

    @property
    def faults(self) -> dict[str, int]:
        """Each entrant's number of faults in all rounds."""
        faults = {}
        for name in self.names:
            faults[name] = sum(played.faults.get(name, 0) for played in self.rounds)
        return faults

    def after(self, moves: int, games: Sequence[Encounter]) -> "DilemmaTournament":
        """Return the tournament after one more round of these games, with `moves` moves per side.

        The scores count only the games of this round, and the lowest scorers are `dropped`.
        """
        scores, faults = sums_of(self.active, games)
        dropped = lowest(scores)
        played = RoundRobin(
            index=len(self.rounds) + 1,
            moves=moves,
            games=tuple(games),
            scores=scores,
            faults=faults,
            dropped=dropped,
            why=why_dropped(dropped, scores),
        )
        return replace(self, rounds=(*self.rounds, played))


def pairings(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a round robin: "every agent plays every other agent", once."""
    return list(combinations(names, 2))


def draw_length(
    game_length: tuple[int, int],
    unit: Unit,
    block: int,
    rng: Random,
) -> int:
    """Return the moves per side: "a semi-random gameLength is used for all games in that round"."""
    drawn = rng.randint(*game_length)
    return drawn * block if unit == "turns" else drawn


def match_seed(rng: Random) -> int:
    """Return the seed of a match, drawn from the match's own random stream."""
    return rng.getrandbits(64)


def sums_of(
    names: Sequence[str],
    games: Sequence[Encounter],
) -> tuple[dict[str, int], dict[str, int]]:
    """Return each agent's points and faults over the games."""
    scores = dict.fromkeys(names, 0)
    faults = dict.fromkeys(names, 0)
    for first, second, match in games:
        for name, points, failed in zip((first, second), match.score, match.faults, strict=True):
            scores[name] += points
            faults[name] += len(failed)
    return scores, faults


def why_dropped(dropped: Sequence[str], scores: Mapping[str, int]) -> str:
    """Return a sentence that names any dropped players and the reason."""
    if dropped:
        least = scores[dropped[0]]
        return f"{', '.join(dropped)} dropped with the lowest score, {least}"
    most = max(scores.values())
    return f"no player dropped out: all have {most}, a joint win"


def lowest(scores: Mapping[str, int]) -> tuple[str, ...]:
    """Return all players tied for the lowest score, or none if that would drop every player.

    "After each round, the lowest scoring agent(s) are dropped."
    """
    least = min(scores.values())
    tied = [name for name in scores if scores[name] == least]
    return tuple(tied) if len(tied) < len(scores) else ()


def check_terms(
    game_length: tuple[int, int],
    unit: Unit,
    max_rounds: int | None,
) -> None:
    """Raise ValueError, naming the term, if no tournament can be played on these terms."""
    if not _is_range(game_length):
        raise ValueError(
            f"expected game_length to be two whole numbers, 1 <= low <= high: {game_length!r}"
        )
    if unit not in ("turns", "moves"):
        raise ValueError(f"expected unit to be turns or moves: {unit!r}")
    if max_rounds is not None and (type(max_rounds) is not int or max_rounds < 1):
        raise ValueError(
            f"expected max_rounds to be None or a whole number of at least 1: {max_rounds!r}"
        )


def _is_range(game_length: object) -> bool:
    """Return whether `game_length` is two whole numbers with 1 <= low <= high."""
    if not isinstance(game_length, Sequence) or [*map(type, game_length)] != [int, int]:
        return False
    low, high = game_length
    return bool(1 <= low <= high)
