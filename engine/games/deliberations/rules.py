"""Who is on the island, which round is the final, who leaves, and who ends on which place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.voting import most_in, still_tied, sum_ballots


@dataclass(frozen=True, slots=True)
class Island:
    """The state of a game: who plays, who left, first to last, who won, each round's votes.

    `revotes` are the votes of second ballots, by round; `immune` cannot be voted out in the round
    under way.
    """

    player_ids: tuple[str, ...]
    eliminated: tuple[str, ...] = ()
    winner: str | None = None
    tallies: tuple[Mapping[str, int], ...] = ()
    revotes: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    immune: str | None = None

    @property
    def ballots(self) -> tuple[Mapping[str, int], ...]:
        """The votes of all ballots, first ballots and revotes."""
        return (*self.tallies, *self.revotes.values())

    @property
    def active(self) -> tuple[str, ...]:
        """Those who are left, in seat order."""
        return tuple(player_id for player_id in self.player_ids if player_id not in self.eliminated)

    @property
    def final(self) -> bool:
        """Whether the coming round is "Round N - 1": two are left, and one is voted the winner."""
        return len(self.active) == 2

    @property
    def rounds_left(self) -> int:
        """How many rounds are still to come: N - 1 at the start, none once there is a winner."""
        if self.winner:
            return 0
        return len(self.active) - 1


def land(player_ids: Sequence[str]) -> Island:
    """Return the island before its first round.

    ValueError for fewer than three players, who would leave nobody to choose the winner, and for
    ids that are empty or not unique.
    """
    count = len(player_ids)
    if count < 3:
        raise ValueError(
            f"expected at least 3 players, so that the last two have a jury: got {count}"
        )
    unique = len(set(player_ids)) == count
    if not unique or "" in player_ids:
        ids = list(player_ids)
        raise ValueError(f"expected player ids that differ and are not empty: got {ids!r}")
    return Island(tuple(player_ids))


def head_of_round(island: Island) -> str:
    """Return which round begins, who is in the game, and who left it in which round."""
    number = len(island.eliminated) + 1
    last = len(island.player_ids) - 1
    final = ", the final" if island.final else ""
    head = f"Round {number} of {last}{final}. In the game: {', '.join(island.active)}."
    if not island.eliminated:
        return head

    left = []
    for round_index, player_id in enumerate(island.eliminated, 1):
        left.append(f"{player_id} (round {round_index})")
    return f"{head} Out: {', '.join(left)}."


def apply_verdict(
    island: Island,
    selected: str,
    tally: Mapping[str, int],
    revote: Mapping[str, int] | None = None,
) -> Island:
    """Return the island after a vote.

    "The player with most votes is elminated"; in round N - 1 "the player with most votes wins the
    game". ValueError if `selected` is no longer in the game.
    """
    active = list(island.active)
    if island.winner is not None or selected not in active:
        raise ValueError(f"expected one of the active players {active!r}: got {selected!r}")

    tallies = (*island.tallies, dict(tally))
    revotes = dict(island.revotes)
    if revote:
        revotes[len(tallies)] = dict(revote)
    after = replace(island, tallies=tallies, revotes=revotes, immune=None)
    if island.final:
        return replace(after, winner=selected)
    return replace(after, eliminated=(*island.eliminated, selected))


def placements(island: Island) -> dict[str, int]:
    """Return the places of a finished game, in seat order.

    The winner is first, the runner-up second; the others follow, who left last before who left
    first.
    """
    runner_up = [player_id for player_id in island.active if player_id != island.winner]
    ranked = [island.winner, *runner_up, *reversed(island.eliminated)]
    places = {}
    for player_id in island.player_ids:
        places[player_id] = ranked.index(player_id) + 1
    return places


def figures(island: Island) -> dict[str, dict[str, float]]:
    """Return each player's votes by round, and the round in which it left, if it did."""
    found: dict[str, dict[str, float]] = {player_id: {} for player_id in island.player_ids}
    for number, tally in enumerate(island.tallies, 1):
        for player_id, votes in tally.items():
            found[player_id][f"votes {number}"] = votes
    for number, revote in island.revotes.items():
        for player_id, votes in revote.items():
            found[player_id][f"revote {number}"] = votes
    for number, player_id in enumerate(island.eliminated, 1):
        found[player_id]["left in round"] = number
    return found


def summarise(island: Island) -> str:
    """Return how the game ended, in a sentence."""
    winner = str(island.winner)
    (second,) = (player_id for player_id in island.active if player_id != winner)
    votes = island.tallies[-1]
    won = votes[winner]
    cast = sum(votes.values())
    return f"{winner} wins with {won} of {cast} votes{way_won(island)}; {second} is second."


def way_won(island: Island) -> str:
    """Return by what the winner was chosen if the first votes of the final did not tell."""
    last = len(island.tallies)
    votes = island.tallies[-1]
    if len(most_in(votes)) == 1:
        return ""
    revote = island.revotes.get(last)
    if revote is None:
        return ", by lot"
    tied = most_in(revote)
    if len(tied) == 1:
        return ", by a revote"

    of_rounds = [*island.tallies[:-1]]
    of_rounds += [tally for number, tally in island.revotes.items() if number < last]
    before = sum_ballots(of_rounds)
    against = {name: before.get(name, 0) for name in tied}
    equal = still_tied(votes, revote, against, final_round=True)
    return ", by lot" if len(equal) > 1 else ", by the votes against it in the rounds"
