"""Votes by plurality: who votes for whom, who is selected, ties by lot, and how it is announced."""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Verdict(NamedTuple):
    """Who is selected, the votes of each candidate, and who had most, several before a lot."""

    selected: str
    tally: dict[str, int]
    tied: tuple[str, ...]


def electorate(
    active: Sequence[str],
    eliminated: Sequence[str],
    *,
    final_round: bool,
) -> dict[str, tuple[str, ...]]:
    """Return the candidates of each voter: the active players, but never oneself.

    "Each active player submits a private vote for who to eliminate"; in the final round "permute
    the eliminated players": it is they who vote for the winner. ValueError if a voter has nobody to
    vote for.

    >>> electorate(["ann", "ben"], ["cleo"], final_round=True)
    {'cleo': ('ann', 'ben')}
    """
    candidates: dict[str, tuple[str, ...]] = {}
    for voter in eliminated if final_round else active:
        others = tuple(player_id for player_id in active if player_id != voter)
        if not others:
            raise ValueError(
                f"expected somebody to vote for: the active players are {list(active)!r}"
            )
        candidates[voter] = others
    return candidates


def plurality(
    votes: Mapping[str, str | None],
    candidates: Sequence[str],
    rng: random.Random,
) -> Verdict:
    """Return the verdict of `votes`, by voter, None for an abstention.

    "The player with most votes is eliminated. If there is a tie, one of the players tied for the
    most votes is eliminated at random." With no vote at all everybody is tied. ValueError for a
    vote for no candidate.
    """
    if not candidates:
        raise ValueError(f"expected at least one candidate: got {candidates!r}")
    tally = count_votes(votes, candidates)
    most = max(tally.values())
    tied = tuple(candidate for candidate in tally if tally[candidate] == most)
    return Verdict(rng.choice(tied), tally, tied)


def count_votes(votes: Mapping[str, str | None], candidates: Sequence[str]) -> dict[str, int]:
    """Return the votes of each candidate; ValueError for a vote for no candidate."""
    tally = dict.fromkeys(candidates, 0)
    for voter, vote in votes.items():
        if vote is None:
            continue
        if vote not in tally:
            names = ", ".join(candidates)
            raise ValueError(f"expected the vote of {voter} to be one of {names}: got {vote!r}")
        tally[vote] += 1
    return tally


def announcement(verdict: Verdict, *, final_round: bool, reveal_tally: bool = False) -> str:
    """Return who leaves or wins, with how many votes; `reveal_tally` adds those of all others.

    >>> verdict = Verdict("ann", {"ann": 2, "ben": 1}, ("ann",))
    >>> announcement(verdict, final_round=False, reveal_tally=True)
    'ann is eliminated with 2 votes. The votes: ann 2, ben 1.'
    """
    count = verdict.tally[verdict.selected]
    fate = "wins the game" if final_round else "is eliminated"
    noun = "vote" if count == 1 else "votes"
    sentence = f"{verdict.selected} {fate} with {count} {noun}."
    if not reveal_tally:
        return sentence

    parts = []
    for candidate in sorted(verdict.tally, key=lambda name: -verdict.tally[name]):
        parts.append(f"{candidate} {verdict.tally[candidate]}")
    return f"{sentence} The votes: {', '.join(parts)}."
