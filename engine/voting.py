"""Votes by plurality, with a drawn tie: who votes for whom, who is selected, and how that is told."""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Verdict(NamedTuple):
    """Who is selected, the votes of each candidate, and who had the most of them: several if a lot was drawn."""

    selected: str
    tally: dict[str, int]
    tied: tuple[str, ...]


def electorate(
    active: Sequence[str], eliminated: Sequence[str], *, final_round: bool
) -> dict[str, tuple[str, ...]]:
    """Return the candidates of each voter: the active players, but never oneself.

    "Each active player submits a private vote for who to eliminate"; in the final round "permute
    the eliminated players": it is they who vote for the winner. ValueError if a voter has nobody to
    vote for.

    >>> electorate(["ann", "ben"], ["cleo"], final_round=True)
    {'cleo': ('ann', 'ben')}
    """
    voters = eliminated if final_round else active
    candidates = {
        voter: tuple(player_id for player_id in active if player_id != voter) for voter in voters
    }
    if not all(candidates.values()):
        raise ValueError(f"expected somebody to vote for: the active players are {list(active)!r}")
    return candidates


def plurality(
    votes: Mapping[str, str | None], candidates: Sequence[str], rng: random.Random
) -> Verdict:
    """Return the verdict of `votes`, by voter, None for an abstention.

    "The player with most votes is eliminated. If there is a tie, one of the players tied for the
    most votes is eliminated at random." With no vote at all everybody is tied. ValueError for a
    vote for no candidate.
    """
    if not candidates:
        raise ValueError(f"expected at least one candidate: got {candidates!r}")
    tally = dict.fromkeys(candidates, 0)
    for voter, vote in votes.items():
        if vote is not None and vote not in tally:
            raise ValueError(
                f"expected the vote of {voter} to be one of {', '.join(candidates)}: got {vote!r}"
            )
        if vote is not None:
            tally[vote] += 1
    most = max(tally.values())
    tied = tuple(candidate for candidate, count in tally.items() if count == most)
    return Verdict(rng.choice(tied), tally, tied)


def announcement(verdict: Verdict, *, final_round: bool, reveal_tally: bool = False) -> str:
    """Return who leaves or wins, with how many votes; the votes of the others only with `reveal_tally`.

    >>> announcement(Verdict("ann", {"ann": 2, "ben": 1}, ("ann",)), final_round=False, reveal_tally=True)
    'ann is eliminated with 2 votes. The votes: ann 2, ben 1.'
    """
    count = verdict.tally[verdict.selected]
    fate = "wins the game" if final_round else "is eliminated"
    sentence = f"{verdict.selected} {fate} with {count} vote{'' if count == 1 else 's'}."
    if not reveal_tally:
        return sentence
    ranked = sorted(verdict.tally.items(), key=lambda pair: -pair[1])
    return (
        f"{sentence} The votes: {', '.join(f'{candidate} {votes}' for candidate, votes in ranked)}."
    )
