"""The quality of beliefs: proper scores of probes, calibration, and a comparison with ballots.

The percentages for the n players that can be selected are normalised to probabilities. The Brier
score (Brier 1950) is the sum of (p - 1) squared for the selected player and p squared for each
other player. It is 0 for a certain and correct forecast, (n - 1)/n for a uniform one, and 2 for a
certain and wrong one. The log score is -ln p of the selected player (Good 1952). Each vote against
the forecaster is a separate event with the score (p - happened) squared, where happened is 1 or 0.
Lower scores are better.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot, Decision, Expectation
from engine.report.statistics import mean

# Percentages are whole numbers, so a 0 counts as half a per cent.
LEAST = 0.005
BINS = 10
Said = Mapping[str, int]
Odds = Mapping[str, float]


class Bin(NamedTuple):
    """Forecasts in a tenth of the range 0 to 1: their number, mean, and share that came true."""

    cases: int
    said: float
    happened: float


class Foreseen(NamedTuple):
    """A player's probability of an event (`odds`), and that of an uninformed guess (`chance`)."""

    odds: float
    chance: float
    happened: bool


class BeliefScore(NamedTuple):
    """A score of a probe: its name, its value, and its improvement on an uninformed guess."""

    name: str
    value: float
    gain: float


@dataclass(frozen=True, slots=True)
class ScoredProbe:
    """A scored probe: its scores, its forecasts, and whether its percentages added up to 100."""

    player_id: str
    scores: tuple[BeliefScore, ...]
    foreseen: tuple[Foreseen, ...]
    adds_up: bool


def normalise(said: Said) -> dict[str, float]:
    """Return percentages as probabilities that add up to 1, all equal if none is above 0.

    >>> normalise({"ann": 30, "ben": 90})
    {'ann': 0.25, 'ben': 0.75}
    """
    total = sum(said.values())
    return {name: part / total if total else 1 / len(said) for name, part in said.items()}


def brier_score(odds: Odds, selected: str) -> float:
    """Return the Brier score of probabilities by name.

    >>> brier_score({"ann": 0.25, "ben": 0.75}, "ben")
    0.125
    """
    return sum((part - (name == selected)) ** 2 for name, part in odds.items())


def log_score(odds: Odds, selected: str) -> float:
    """Return the log score of the selected player's probability, which counts as at least LEAST."""
    return -log(max(odds[selected], LEAST))


def calibrate(foreseen: Iterable[Foreseen]) -> dict[str, Bin]:
    """Return the forecasts in each tenth, without empty tenths; the last tenth includes 1.

    >>> calibrate([Foreseen(0.25, 0.5, True), Foreseen(0.2, 0.5, False)])
    {'20 to 30 %': Bin(cases=2, said=0.225, happened=0.5)}
    """
    tenths: dict[int, list[Foreseen]] = {}
    for event in foreseen:
        tenths.setdefault(min(int(event.odds * BINS), BINS - 1), []).append(event)
    bins = {}
    for tenth, events in sorted(tenths.items()):
        said = mean([event.odds for event in events])
        happened = mean([event.happened for event in events])
        bins[f"{10 * tenth} to {10 * tenth + 10} %"] = Bin(len(events), said, happened)
    return bins


def gap_of(odds: Odds, ballot: Ballot | None) -> float | None:
    """Return a voter's highest probability minus that of its vote, or None without a usable vote.

    >>> gap_of({"ann": 0.25, "ben": 0.75}, Ballot("ann", ("ann", "ben")))
    0.5
    """
    if ballot is None or ballot.vote is None or ballot.vote not in odds:
        return None
    return max(odds[name] for name in ballot.candidates if name in odds) - odds[ballot.vote]


def scored_probes(history: History) -> Iterator[ScoredProbe]:
    """Score each usable probe on its ballots and result; raise ValueError for unreadable data."""
    for around in history.rounds:
        results = [event for event in around.events if event.kind == "result"]
        for event in around.events:
            if event.kind == "probe" and event.data.get("chances") and results:
                selected = payload_of(results[0], Decision).selected
                yield score_probe(event, around, selected)


def score_probe(event: Event, around: RoundLog, selected: str) -> ScoredProbe:
    """Score a probe from a round in which `selected` left or won."""
    belief = payload_of(event, Expectation)
    player_id = str(event.player_id)
    odds = normalise(belief.chances)
    uniform = 1 / len(odds)
    ballots = ballots_after(belief, around)
    votes = foreseen_votes(belief.against, player_id, ballots, final_round=around.final_round)
    selections = [Foreseen(part, uniform, name == selected) for name, part in odds.items()]
    scores = [*score_selection(odds, selected), *map(score_vote, votes)]
    gap = gap_of(odds, ballots.get(player_id))
    if gap is not None:
        scores.append(BeliefScore("gap to ballot", gap, -gap))
    adds_up = sum(belief.chances.values()) == 100
    return ScoredProbe(player_id, tuple(scores), (*selections, *votes), adds_up)


def score_selection(odds: Odds, selected: str) -> tuple[BeliefScore, BeliefScore]:
    """Return the Brier score and the log score, each with its gain over a uniform forecast."""
    uniform = 1 / len(odds)
    brier = brier_score(odds, selected)
    logs = log_score(odds, selected)
    return (
        BeliefScore("Brier", brier, 1 - uniform - brier),
        BeliefScore("log score", logs, -log(uniform) - logs),
    )


def foreseen_votes(
    against: Said, player_id: str, ballots: Mapping[str, Ballot], *, final_round: bool
) -> list[Foreseen]:
    """Return a player's forecasts of votes against it or, in the final, of votes for its rivals."""
    votes = []
    for voter, per_cent in against.items():
        ballot = ballots.get(voter)
        if ballot is not None and ballot.vote is not None:
            named = 1 / len(ballot.candidates)
            happened = (ballot.vote == player_id) is not final_round
            chance = 1 - named if final_round else named
            votes.append(Foreseen(per_cent / 100, chance, happened))
    return votes


def score_vote(vote: Foreseen) -> BeliefScore:
    """Return (p - happened) squared for a vote, where happened is 1 or 0.

    >>> score_vote(Foreseen(odds=0.5, chance=0.25, happened=False))
    BeliefScore(name='votes Brier', value=0.25, gain=-0.1875)
    """
    loss = (vote.odds - vote.happened) ** 2
    return BeliefScore("votes Brier", loss, (vote.chance - vote.happened) ** 2 - loss)


def ballots_after(belief: Expectation, around: RoundLog) -> dict[str, Ballot]:
    """Return the ballots that a probe predicts, by voter."""
    ballots = {}
    for event in around.events:
        if event.kind == "vote":
            ballot = payload_of(event, Ballot)
            if ballot.revote is belief.revote:
                ballots[str(event.player_id)] = ballot
    return ballots
