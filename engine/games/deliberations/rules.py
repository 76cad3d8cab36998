"""The rules of the game: its rounds, the remaining players, and the places at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.games.deliberations.schedule import refuse_no_jury
from engine.round_phases.voting import (
    Tally,
    ballots_against,
    most_in,
    still_tied,
    votes_in_words,
)


@dataclass(frozen=True, slots=True)
class Island:
    """The state of a game: its players, the players that left, the winner, and the votes.

    `eliminated` is in order of leaving. `tallies` has each round's votes, empty for a round without
    a vote; `revotes` has the votes of revotes by round. If `num_rounds` is None, each round
    eliminates one player until the finalists are left. `immune` cannot be voted out in this round.
    """

    player_ids: tuple[str, ...]
    eliminated: tuple[str, ...] = ()
    winner: str | None = None
    tallies: tuple[Tally, ...] = ()
    finalists: int = 2
    num_rounds: int | None = None
    revotes: Mapping[int, Tally] = field(default_factory=dict)
    immune: str | None = None

    @property
    def ballots(self) -> tuple[Tally, ...]:
        """The votes of all ballots: first ballots, then revotes."""
        return (*self.tallies, *self.revotes.values())

    @property
    def active(self) -> tuple[str, ...]:
        """The remaining players, in seat order."""
        return tuple(player_id for player_id in self.player_ids if player_id not in self.eliminated)

    @property
    def round_index(self) -> int:
        """The number of the next round, counted from 1."""
        return len(self.tallies) + 1

    @property
    def last_round(self) -> int:
        """The number of the final: "round N - 1" if N - 2 rounds eliminate one player each."""
        return self.num_rounds or len(self.player_ids) - self.finalists + 1

    @property
    def final(self) -> bool:
        """Whether the next round is the final, in which the vote chooses the winner."""
        return self.round_index == self.last_round


def land(player_ids: Sequence[str], finalists: int = 2) -> Island:
    """Return a new island; raise ValueError for too few players or invalid ids."""
    refuse_no_jury(len(player_ids), finalists)
    ids = list(player_ids)
    if "" in ids or len({*ids}) < len(ids):
        raise ValueError(f"expected distinct player ids that are not empty: got {ids!r}")
    return Island(tuple(ids), finalists=finalists)


def head_of_round(island: Island, *, vote: bool = True) -> str:
    """Return a line with the round's number, the remaining players, and when the others left."""
    title = f"Round {island.round_index} of {island.last_round}"
    if island.final:
        title += ", the final"
    if not vote:
        title += ", without a vote"
    head = f"{title}. In the game: {', '.join(island.active)}."
    left = [f"{player_id} (round {number})" for player_id, number in leaving_rounds(island).items()]
    return f"{head} Out: {', '.join(left)}." if left else head


def leaving_rounds(island: Island) -> dict[str, int]:
    """Return the round in which each eliminated player left, in order of leaving."""
    voted = (number for number, tally in enumerate(island.tallies, 1) if tally)
    return dict(zip(island.eliminated, voted, strict=False))


def end_without_vote(island: Island) -> Island:
    """Return the island after a round without a vote."""
    return replace(island, tallies=(*island.tallies, {}))


def apply_verdict(
    island: Island,
    selected: str,
    tally: Tally,
    revote: Tally | None = None,
) -> Island:
    """Return the island after a vote.

    "The player with most votes is elminated [sic]"; in round N - 1 "the player with most votes wins
    the game". Raises ValueError if `selected` is no longer in the game.
    """
    active = list(island.active)
    if island.winner is not None or selected not in active:
        raise ValueError(f"expected one of the active players {active!r}: got {selected!r}")

    revotes = dict(island.revotes)
    if revote:
        revotes[island.round_index] = dict(revote)

    after = replace(island, tallies=(*island.tallies, dict(tally)), revotes=revotes, immune=None)
    if island.final:
        return replace(after, winner=selected)
    return replace(after, eliminated=(*island.eliminated, selected))


def placements(island: Island) -> dict[str, int]:
    """Return the players' places in a finished game, in seat order.

    The winner is first. The other finalists follow by votes, and equal votes share a place. The
    eliminated players are last, in reverse order of leaving.
    """
    votes = island.tallies[-1]
    others = others_by_votes(island)
    places = {str(island.winner): 1}
    for player_id in others:
        places[player_id] = 2 + sum(votes[rival] > votes[player_id] for rival in others)
    for gone, player_id in enumerate(island.eliminated):
        places[player_id] = len(island.player_ids) - gone
    return {player_id: places[player_id] for player_id in island.player_ids}


def others_by_votes(island: Island) -> list[str]:
    """Return the finalists that did not win, most votes first, with ties in seat order."""
    votes = island.tallies[-1]
    others = [player_id for player_id in island.active if player_id != island.winner]
    return sorted(others, key=lambda player_id: -votes[player_id])


def figures(island: Island) -> dict[str, dict[str, float]]:
    """Return each player's votes by round, and the round in which it left, if any."""
    tallies: dict[str, dict[str, float]] = {player_id: {} for player_id in island.player_ids}
    for name, tally in named_tallies(island).items():
        for player_id, votes in tally.items():
            tallies[player_id][name] = votes
    for player_id, number in leaving_rounds(island).items():
        tallies[player_id]["left in round"] = number
    return tallies


def named_tallies(island: Island) -> dict[str, Tally]:
    """Return the votes of every ballot, by names such as "votes 2" and "revote 2"."""
    tallies = {f"votes {number}": tally for number, tally in enumerate(island.tallies, 1)}
    revotes = {f"revote {number}": revote for number, revote in island.revotes.items()}
    return tallies | revotes


def summarise(island: Island) -> str:
    """Return a sentence that says how the game ended."""
    winner = str(island.winner)
    votes = island.tallies[-1]
    cast = votes_in_words(sum(votes.values()))
    way = way_won(island)
    return f"{winner} wins with {votes[winner]} of {cast}{way}; {places_behind(island)}."


def places_behind(island: Island) -> str:
    """Return text with the places of the finalists that did not win."""
    votes = island.tallies[-1]
    second, *thirds = others_by_votes(island)
    behind = f"{second} is second"
    for third in thirds:
        if votes[third] < votes[second]:
            behind = f"{behind} and {third} third"
        else:
            behind = f"{second} and {third} share the second place"
    return behind


def way_won(island: Island) -> str:
    """Return the tie-break that chose the winner, or "" if the final's first ballot decided."""
    votes = island.tallies[-1]
    if len(most_in(votes)) == 1:
        return ""
    revote = island.revotes.get(len(island.tallies))
    if revote is None:
        return ", by a random draw"
    tied = most_in(revote)
    if len(tied) == 1:
        return ", by a revote"

    last = len(island.tallies)
    revotes = [tally for number, tally in island.revotes.items() if number < last]
    against = ballots_against(tied, [*island.tallies[:-1], *revotes])
    equal = still_tied(votes, revote, against, final_round=True)
    if len(equal) > 1:
        return ", by a random draw"
    return ", by the votes against it in the rounds"
