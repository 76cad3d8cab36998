"""Each instrument finds what scripts were told to do, within its interval, and nothing else."""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.report.charts import Lines
from labs.bias.estimators import Effect
from labs.deliberations.counting import FIRST_OUT, KIND, LIST, PARTNER, PROMISES, SPEAKING, WINS
from labs.deliberations.facts import GameFacts, game_facts
from labs.deliberations.findings import APPEALS, QUESTIONS, VoteReport
from tests.support.narrowing import instance, not_none
from tests.support.planted.votes import PLANTS, WORD, planted_game

GAMES = 40
SHARE = 0.5
# The table, the row, and how far beyond chance a plant of SHARE is: the part of 1 - chance by which
# a vote is more likely a hit, or of the chance by which it is less likely one.
FOUND = [
    ("first listed", LIST, "out: place 1", SHARE, 0),
    ("first listed", LIST, "wins: place 1", SHARE, 0),
    ("last speaker", SPEAKING, "out: spoke last", SHARE, 0),
    ("last speaker", SPEAKING, "wins: spoke last", SHARE, 0),
    ("own bloc", KIND, "out: same provider", 0, SHARE),
    ("own bloc", KIND, "wins: same provider", SHARE, 0),
    ("betrayer", PARTNER, "out: partner, the voter chose", SHARE, 0),
    ("betrayer", PARTNER, "out: partner, both chose", SHARE, 0),
    ("betrayer", PARTNER, "out: partner, the other chose", 0, SHARE),
    ("promise breaker", PROMISES, "not to vote against, said to all", 0, SHARE),
    ("promise keeper", PROMISES, "to vote against, said alone", SHARE, 0),
]
QUIET = {
    "first listed": (SPEAKING, KIND, PARTNER, PROMISES),
    "last speaker": (KIND, PARTNER, PROMISES),
    "own bloc": (LIST, SPEAKING, PARTNER),
    "betrayer": (LIST, SPEAKING, KIND),
    "promise breaker": (LIST, SPEAKING, KIND, PARTNER),
    "promise keeper": (LIST, SPEAKING, KIND),
    "nothing": (LIST, SPEAKING, KIND, PARTNER, PROMISES, WINS, FIRST_OUT, APPEALS),
}


@cache
def planted(plant: str, share: float = SHARE, star: float = 0.0) -> tuple[GameFacts, ...]:
    games = [planted_game(PLANTS[plant], seed, share, star=star) for seed in range(GAMES)]
    return tuple(map(game_facts, games))


@cache
def told(plant: str, share: float = SHARE, star: float = 0.0) -> VoteReport:
    return VoteReport(planted(plant, share, star), Counter(), seed=0)


def effect_of(report: VoteReport, table: str, name: str) -> Effect:
    return report.effects[table][name]


def holds(effect: Effect, truth: float) -> bool:
    low, high = effect.interval
    return low <= truth <= high


@pytest.mark.parametrize(("plant", "table", "name", "more", "less"), FOUND)
def test_each_plant_is_found(plant: str, table: str, name: str, more: float, less: float) -> None:
    effect = effect_of(told(plant), table, name)
    chance = not_none(effect.share) - effect.estimate
    assert holds(effect, more * (1 - chance) - less * chance)
    # Few jurors have one finalist of their own alone.
    assert effect.votes < 40 or not holds(effect, 0)
    assert effect.games <= GAMES


@pytest.mark.parametrize("plant", QUIET)
def test_nothing_else_is_found(plant: str) -> None:
    report = told(plant)
    for table in QUIET[plant]:
        for name, effect in report.effects[table].items():
            assert report.p_adjusted.get(f"{table}: {name}", 1.0) > 0.05, (table, name, effect)


def test_long_speakers_are_found_in_logits_of_a_deviation() -> None:
    report = told("long talk", share=1.0)
    for aim, final in (("out", False), ("wins", True)):
        words: list[int] = []
        for game in planted("long talk", share=1.0):
            for around in game.rounds:
                for ballot in around.ballots:
                    if around.final == final:
                        words += ballot.words.values()
        effect = effect_of(report, APPEALS, f"{aim}: longer pitch")
        assert holds(effect, WORD * float(np.std(words)))
    assert not holds(effect_of(report, APPEALS, "out: longer pitch"), 0)
    # Who has more votes leaves.
    assert effect_of(report, APPEALS, "leaves: longer pitch").interval[0] > 0


def test_a_star_wins_and_the_first_victim_is_known() -> None:
    """With all voting together in a share of games, the truth is that share and a fair lot."""
    report = told("nothing", star=SHARE)
    wins = effect_of(report, WINS, "west:three")
    assert holds(wins, SHARE * (1 - 1 / 5))
    assert not holds(wins, 0)
    # Two of five seats are of the model of whoever is voted out first.
    first = effect_of(report, FIRST_OUT, "north:one")
    assert holds(first, SHARE * (1 - 2 / 5))
    assert not holds(first, 0)


def test_a_table_of_one_model_tells_nothing_of_models() -> None:
    games = []
    for game in planted("nothing")[:5]:
        seats = [replace(seat, entrant="north:one") for seat in game.seats]
        games.append(replace(game, seats=tuple(seats)))
    report = VoteReport(games, Counter(), seed=0).report()
    headings = [table.heading for table in report.tables]
    assert WINS not in headings
    assert LIST in headings
    assert f"{WINS}: no result, because fewer than two games had several models." in report.findings


def test_places_in_the_list_are_a_picture_with_chance_and_intervals() -> None:
    charts = VoteReport(planted("first listed"), Counter(), seed=0).report().charts
    chart = instance(next(chart for chart in charts if chart.title == LIST), Lines)
    assert [*chart.x] == [*range(1, len(chart.x) + 1)]
    votes, chance = chart.series["votes"], chart.series["by chance"]
    assert votes[0] > 0.5 + chance[0] / 2 - chart.spreads["votes"][0]
    assert all(share < fair for share, fair in zip(votes[1:4], chance[1:4], strict=True))


def test_one_game_is_too_few_for_any_number() -> None:
    report = VoteReport(planted("nothing")[:1], Counter(), seed=0).report()
    assert report.tables == ()
    assert report.charts == ()
    assert sum("no result, because" in finding for finding in report.findings) == len(QUESTIONS)
