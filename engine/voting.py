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
    """Return who leaves or wins, by lot among whom, and with how many votes.

    `reveal_tally` adds the votes of all candidates, the most first.

    >>> verdict = Verdict("ben", {"ann": 2, "ben": 2, "dan": 1}, ("ann", "ben"))
    >>> announcement(verdict, final_round=False, reveal_tally=True)
    'By lot among ann and ben, ben is eliminated with 2 votes. ann: 2, ben: 2, dan: 1.'
    """
    sentence = fate_of(verdict, final_round=final_round)
    if len(verdict.tied) > 1:
        sentence = f"By lot among {listing(verdict.tied)}, {sentence}"
    if not reveal_tally:
        return sentence

    counts = [f"{name}: {votes}" for name, votes in most_first(verdict.tally)]
    return f"{sentence} {', '.join(counts)}."


def older_announcement(verdict: Verdict, *, final_round: bool, reveal_tally: bool = False) -> str:
    """Return an announcement as logs of version 1 have it: it does not tell a lot.

    >>> verdict = Verdict("ann", {"ann": 2, "ben": 1}, ("ann",))
    >>> older_announcement(verdict, final_round=False, reveal_tally=True)
    'ann is eliminated with 2 votes. The votes: ann 2, ben 1.'
    """
    sentence = fate_of(verdict, final_round=final_round)
    if not reveal_tally:
        return sentence

    counts = [f"{name} {votes}" for name, votes in most_first(verdict.tally)]
    return f"{sentence} The votes: {', '.join(counts)}."


def fate_of(verdict: Verdict, *, final_round: bool) -> str:
    """Return what happens to the one selected, and with how many votes."""
    count = verdict.tally[verdict.selected]
    fate = "wins the game" if final_round else "is eliminated"
    noun = "vote" if count == 1 else "votes"
    return f"{verdict.selected} {fate} with {count} {noun}."


def most_first(tally: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return each candidate with its votes, the most first."""
    return sorted(tally.items(), key=lambda entry: -entry[1])


def listing(names: Sequence[str]) -> str:
    """Return two or more names as a sentence lists them.

    >>> listing(["ann", "ben", "cleo"])
    'ann, ben and cleo'
    """
    *others, last = names
    return f"{', '.join(others)} and {last}"
