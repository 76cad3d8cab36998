"""How players choose one another: plurality votes, ties, announcements, and pairing by rank."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from protocol.text import list_names

Tally = Mapping[str, int]  # votes by candidate
Votes = Mapping[str, str | None]  # by voter; None is an abstention
Pair = tuple[str, str]
Cost = tuple[int, int]  # the sum of both ranks, and the worse of them


class Verdict(NamedTuple):
    """The selected player, the votes for each candidate, and the candidates tied at the end.

    `tied` contains only the selected player if no random draw was needed. If there was a revote,
    `revote` counts its votes for the tied candidates. `against` counts the votes so far against
    each candidate still tied after the revote.
    """

    selected: str
    tally: dict[str, int]
    tied: tuple[str, ...]
    revote: dict[str, int] | None = None
    against: dict[str, int] | None = None

    @property
    def last_tally(self) -> dict[str, int]:
        """The votes in the last ballot, by candidate."""
        return self.tally if self.revote is None else self.revote


def electorate(
    active: Sequence[str],
    eliminated: Sequence[str],
    *,
    final_round: bool,
    standing: Sequence[str] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return the candidates for each voter: the active players except the voter.

    "Each active player submits a private vote for who to eliminate"; in the final round "permute
    the eliminated players": they vote for the winner. With `standing`, only those players are
    candidates, and a voter without candidates does not vote. Without `standing`, raises ValueError
    for a voter without candidates.

    >>> electorate(["ann", "ben"], ["cleo"], final_round=True)
    {'cleo': ('ann', 'ben')}
    """
    stand = active if standing is None else standing
    candidates: dict[str, tuple[str, ...]] = {}
    for voter in eliminated if final_round else active:
        others = tuple(player_id for player_id in stand if player_id != voter)
        if others:
            candidates[voter] = others
        elif standing is None:
            raise ValueError(
                f"expected a candidate to vote for: the active players are {list(active)!r}"
            )
    return candidates


def plurality(
    votes: Votes,
    candidates: Sequence[str],
    rng: random.Random,
) -> Verdict:
    """Return the verdict on `votes`, which are keyed by voter. A vote of None is an abstention.

    "The player with most votes is eliminated. If there is a tie, one of the players tied for the
    most votes is eliminated at random." Without any votes, all candidates are tied. Raises
    ValueError for a vote for a non-candidate.
    """
    if not candidates:
        raise ValueError(f"expected at least one candidate: got {candidates!r}")
    tally = count_votes(votes, candidates)
    tied = most_in(tally)
    return Verdict(rng.choice(tied), tally, tied)


def settle(
    verdict: Verdict,
    votes: Votes,
    before: Tally,
    rng: random.Random,
    *,
    final_round: bool,
) -> Verdict:
    """Return the verdict after a revote among the players tied in `verdict`; `votes` are by voter.

    The player with the most votes in the revote is selected. If several tie, the ballots against
    them decide, then a random draw. `before` counts the ballots against each player in earlier
    rounds, including revotes. Before the final, the current round's ballots also count, and the
    player with the most is eliminated. In the final, only ballots of earlier rounds count, and the
    player with the fewest wins.
    """
    revote = count_votes(votes, verdict.tied)
    tied = most_in(revote)
    if len(tied) == 1:
        return verdict._replace(selected=tied[0], tied=tied, revote=revote)

    ballots = [before] if final_round else [before, verdict.tally, revote]
    against = ballots_against(tied, ballots)
    tied = still_tied(verdict.tally, revote, against, final_round=final_round)
    return Verdict(rng.choice(tied), verdict.tally, tied, revote, against)


def ballots_against(
    names: Sequence[str],
    tallies: Iterable[Tally],
) -> dict[str, int]:
    """Return the total number of ballots against each of `names` in all tallies."""
    sums = sum_ballots(tallies)
    return {name: sums[name] for name in names}


def still_tied(
    tally: Tally,
    revote: Tally | None,
    against: Tally | None,
    *,
    final_round: bool,
) -> tuple[str, ...]:
    """Return the players tied at the end: the selected player, or several for a random draw.

    >>> equal = {"ann": 2, "ben": 2}
    >>> still_tied(equal, equal, {"ann": 3, "ben": 5}, final_round=True)
    ('ann',)
    """
    if against is not None and final_round:
        fewest = min(against.values())
        return tuple(name for name in against if against[name] == fewest)
    return most_in(next(last for last in (against, revote, tally) if last is not None))


def most_in(tally: Tally) -> tuple[str, ...]:
    """Return the candidates with the most votes in a tally, or () for an empty tally."""
    most = max(tally.values(), default=0)
    return tuple(candidate for candidate in tally if tally[candidate] == most)


def sum_ballots(tallies: Iterable[Tally]) -> Counter[str]:
    """Return each candidate's total number of votes in all tallies."""
    votes = Counter[str]()
    for tally in tallies:
        votes.update(tally)
    return votes


def count_votes(votes: Votes, candidates: Sequence[str]) -> dict[str, int]:
    """Return each candidate's votes; raise ValueError for a vote for any other player."""
    tally = dict.fromkeys(candidates, 0)
    for voter, vote in votes.items():
        if vote is None:
            continue
        if vote not in tally:
            names = ", ".join(candidates)
            raise ValueError(f"expected the vote of {voter} to be one of {names}: got {vote!r}")
        tally[vote] += 1
    return tally


def ballot_in_words(vote: str | None, *, final_round: bool, revote: bool) -> str:
    """Return the start of a ballot's line in the log, before any explanation."""
    purpose = "for" if final_round else "to eliminate"
    sentence = f"votes {purpose} {vote}" if vote else "gives no valid vote"
    return f"in the revote {sentence}" if revote else sentence


def announcement(
    verdict: Verdict,
    *,
    final_round: bool,
    reveal_tally: bool = False,
) -> str:
    """Return sentences that name any random draw, the selected player, and its votes.

    The steps of a revote, if any, come first. `reveal_tally` adds the votes for all candidates in
    each ballot, most first.

    >>> verdict = Verdict("ben", {"ann": 2, "ben": 2, "dan": 1}, ("ann", "ben"))
    >>> announcement(verdict, final_round=False, reveal_tally=True)
    'In a random draw between ann and ben, ben is eliminated with 2 votes. ann: 2, ben: 2, dan: 1.'
    """
    sentences = steps_of(verdict, final_round=final_round, reveal_tally=reveal_tally)
    count = verdict.last_tally[verdict.selected]
    fate = "wins the game" if final_round else "is eliminated"
    sentences.append(f"{way_of(verdict)}{verdict.selected} {fate} with {votes_in_words(count)}.")
    if reveal_tally:
        sentences.append(counts_of(verdict.last_tally))
    return " ".join(sentences)


def steps_of(
    verdict: Verdict,
    *,
    final_round: bool,
    reveal_tally: bool,
) -> list[str]:
    """Return the sentences that describe a revote, or [] if there was none."""
    steps = []
    if verdict.revote is not None:
        steps.append(all_tied(verdict.tally))
        if reveal_tally:
            steps.append(counts_of(verdict.tally))
    if verdict.against is not None:
        span = "in the rounds" if final_round else "in all ballots so far"
        steps += [
            f"In the revote, {all_tied(verdict.last_tally)}",
            f"Votes against them {span}: {counts_of(verdict.against)}",
        ]
    return steps


def way_of(verdict: Verdict) -> str:
    """Return words that name the tie-break, or "" if the first ballot decides."""
    if len(verdict.tied) > 1:
        preposition = "between" if len(verdict.tied) == 2 else "among"
        return f"In a random draw {preposition} {list_names(verdict.tied)}, "
    if verdict.against is not None:
        return "By these, "
    if verdict.revote is not None:
        return "In the revote, "
    return ""


def all_tied(tally: Tally) -> str:
    """Return the sentence that names the candidates tied for the most votes.

    >>> all_tied({"ann": 2, "ben": 2, "dan": 1})
    'ann and ben tied with 2 votes each.'
    """
    tied = most_in(tally)
    most = max(tally.values())
    return f"{list_names(tied)} tied with {votes_in_words(most)} each."


def counts_of(tally: Tally) -> str:
    """Return the votes for all candidates, most first.

    >>> counts_of({"ann": 1, "ben": 3})
    'ben: 3, ann: 1.'
    """
    return ", ".join(f"{name}: {votes}" for name, votes in most_first(tally)) + "."


def votes_in_words(count: int) -> str:
    """Return a number of votes in words, such as "1 vote"."""
    return f"{count} vote" if count == 1 else f"{count} votes"


def most_first(tally: Tally) -> list[tuple[str, int]]:
    """Return each candidate with its votes, most first."""
    return sorted(tally.items(), key=lambda entry: -entry[1])


def pair_by_ranking(
    rankings: Mapping[str, Sequence[str]],
    rng: random.Random,
) -> list[Pair]:
    """Return the pairs in the order they form; players without a pair stay alone.

    "Of all pairs in which each ranks the other, the one with the smallest sum of ranks (then the
    smaller worse rank, then lot), taken out, and again." Within a pair, the player whose ranking
    comes first in `rankings` is first.

    >>> rankings = {"ann": ["ben", "cleo"], "ben": ["cleo", "ann"], "cleo": ["ben"], "dan": ["ann"]}
    >>> pair_by_ranking(rankings, random.Random(0))
    [('ben', 'cleo')]
    """
    costs = mutual_costs(rankings)
    pairs = []
    while costs:
        least = min(costs.values())
        best = [pair for pair, cost in costs.items() if cost == least]
        made = rng.choice(best)
        pairs.append(made)
        costs = {pair: cost for pair, cost in costs.items() if {*made}.isdisjoint(pair)}
    return pairs


def mutual_costs(rankings: Mapping[str, Sequence[str]]) -> dict[Pair, Cost]:
    """Return the cost of each pair of players that rank each other, in the order of `rankings`."""
    costs = {}
    for first, second in combinations(rankings, 2):
        if second in rankings[first] and first in rankings[second]:
            there = rankings[first].index(second) + 1
            back = rankings[second].index(first) + 1
            costs[first, second] = (there + back, max(there, back))
    return costs
