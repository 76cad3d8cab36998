"""Votes with marked options: how often a marked option is chosen, compared with chance.

An option can be marked for any reason, such as being listed first, being from the voter's provider
or having talked with the voter. A random vote hits one of m marked options among k with probability
m / k.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from labs.bias.estimators.clusters import Effect, chance_effect


@dataclass
class MarkedVotes:
    """Whether each vote hit a marked option, and the chance of a hit.

    `left_out` counts votes without information.
    """

    hits: list[bool] = field(default_factory=list)
    chances: list[float] = field(default_factory=list)
    games: list[str] = field(default_factory=list)
    left_out: int = 0

    @classmethod
    def of_all(cls, parts: Iterable["MarkedVotes"]) -> "MarkedVotes":
        """Return the votes of all parts together."""
        whole = cls()
        for part in parts:
            whole.hits += part.hits
            whole.chances += part.chances
            whole.games += part.games
            whole.left_out += part.left_out
        return whole

    def add_vote(
        self,
        game: str,
        options: Sequence[str],
        chosen: str | None,
        marked: Collection[str],
    ) -> None:
        """Add a vote between distinct `options`; other names in `marked` are ignored."""
        held = {*options}.intersection(marked)
        if chosen not in options or not 0 < len(held) < len(options):
            self.left_out += 1
            return
        self.add_case(game, chosen in held, len(held) / len(options))

    def add_case(self, game: str, hit: bool, chance: float) -> None:
        """Add a case: whether it was a hit, and how likely a hit was by chance."""
        self.games.append(game)
        self.hits.append(hit)
        self.chances.append(chance)

    @property
    def tells(self) -> bool:
        """Whether there are cases from at least two games, which a standard error requires."""
        return len({*self.games}) > 1

    def effect(self) -> Effect:
        """Return the excess of hits over chance, with errors clustered by game.

        Raises ValueError for fewer than two games.
        """
        effect = chance_effect(self.hits, self.chances, self.games)
        return replace(effect, left_out=self.left_out)
