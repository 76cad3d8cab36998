"""Planted believers are significantly different: the oracle, who knows nothing, and the liar."""

from functools import cache
from math import isclose
from statistics import fmean

from engine.games.deliberations.beliefs import BeliefScore, scored_probes
from engine.runs.check import check_log
from labs.bias.estimators import mean_effect
from labs.deliberations.facts import GameFacts, game_facts
from labs.deliberations.tables import belief_table
from tests.oracles.judge import broken_rules
from tests.support.planted.believers import BELIEVERS, believers_game

GAMES = 60
BATCH = 5


@cache
def games() -> tuple[GameFacts, ...]:
    return tuple(game_facts(believers_game(seed)) for seed in range(GAMES))


def scores_of(player_id: str, name: str) -> list[tuple[str, BeliefScore]]:
    """Return one score of all probes of a player, by game."""
    return [
        (game.game_id, score)
        for game in games()
        for probe in game.beliefs
        if probe.player_id == player_id
        for score in probe.scores
        if score.name == name
    ]


def values(player_id: str, name: str) -> list[float]:
    return [score.value for _, score in scores_of(player_id, name)]


def test_the_oracle_scores_nothing_and_the_liar_more_than_who_knows_nothing() -> None:
    """Of n names the liar's Brier score is 1 + 1/(n - 1), 2 of two, and so above (n - 1)/n."""
    oracle, uniform, liar = "Ada", "Ben", "Cleo"
    assert [*BELIEVERS] == ["oracle", "uniform", "liar"]
    for name in ("Brier", "log score", "votes Brier"):
        assert {*values(oracle, name)} == {0.0}
        assert fmean(values(liar, name)) > fmean(values(uniform, name))
    assert min(values(liar, "Brier")) > max(values(uniform, "Brier"))
    gains = [score.gain for _, score in scores_of(uniform, "Brier")]
    assert all(isclose(gain, 0, abs_tol=1e-12) for gain in gains)
    assert {round(1 / (1 - value)) for value in values(uniform, "Brier")} == {2, 3, 4, 5}


def test_the_oracle_gains_all_of_what_nothing_known_costs() -> None:
    for _, score in scores_of("Ada", "Brier"):
        assert any(isclose(score.gain, (n - 1) / n) for n in (2, 3, 4, 5))


def test_intervals_hold_the_mean_of_all_games() -> None:
    """Scripts expect from speeches: .95 intervals of a twelfth of the games hold the mean."""
    cases = scores_of("Dan", "Brier")
    truth = fmean(score.gain for _, score in cases)
    held = 0
    for begin in range(0, GAMES, BATCH):
        ids = {game.game_id for game in games()[begin : begin + BATCH]}
        batch = [(game_id, score.gain) for game_id, score in cases if game_id in ids]
        low, high = mean_effect([gain for _, gain in batch], [one for one, _ in batch]).interval
        held += low <= truth <= high
    # Of 12 with chance .95, 9 or fewer come once in 50 times.
    assert held >= 10


def test_the_study_tells_them_apart_by_their_intervals() -> None:
    gains = {}
    for entrant, name, mean, gain, low, high, _, count in belief_table(games()).rows:
        if name == "Brier":
            gains[entrant] = (float(str(mean)), float(str(gain)), float(str(low)), float(str(high)))
            assert count == GAMES
    assert gains["scripted:grudge"][0] == 0
    assert gains["scripted:grudge"][2] > 0
    assert isclose(gains["scripted:bandwagon"][1], 0, abs_tol=1e-12)
    assert gains["scripted:random"][3] < 0


def test_believers_change_no_game_and_break_no_rule() -> None:
    history = believers_game(3)
    assert broken_rules(history) == {}
    assert check_log(history) == ""
    assert [*scored_probes(history)]
