"""How well ratings predict held-out games, compared with Elo and equal chances."""

from dataclasses import dataclass

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints
from engine.ratings.direction import FOLDS, folds_of, held_out, usual_fit
from engine.ratings.estimate import Fit
from engine.ratings.results import Results
from engine.ratings.scales import ELO
from engine.ratings.targets import TARGETS

# The most that a game can move an Elo rating, in logits.
STEP = 32 / ELO.factor


@dataclass(frozen=True, slots=True)
class Prediction:
    """The mean log loss of a held-out game, in nats; lower is better.

    It is measured on `games` games in 10 folds of blocks. `fitted` uses ratings fitted to the other
    folds. `uniform` gives every seat the same chance. `elo` uses the ratings of Elo (1978) after
    one pass over the other folds, in which each pair of seats at a table is a duel, and a game
    moves a rating by at most 32 points.
    """

    games: int
    fitted: float
    elo: float
    uniform: float


def prediction_of(fit: Fit, seed: int = 0) -> Prediction | None:
    """Return how well a fit's ratings predict games, or None for points or fewer than 10 blocks."""
    rated, whole = fit.results, fit.likelihood
    if whole is None or fit.blocks < FOLDS:
        return None
    fold = folds_of(rated, seed)
    fitted = held_out(whole, fold, usual_fit)
    elo = np.zeros((FOLDS, whole.parameters))
    elo[:, : whole.entrants] = elo_skills(rated, fit.target, fit.direction, fold)
    by_elo = held_out(whole, fold, lambda number, _: elo[number])
    by_chance = whole.value(np.zeros(whole.parameters))
    return Prediction(rated.games, *(-each / rated.games for each in (fitted, by_elo, by_chance)))


def elo_skills(rated: Results, target: str, direction: str, fold: Ints) -> Floats:
    """Return the entrants' Elo ratings in logits (FOLDS, K), from all games outside each fold."""
    rule = TARGETS[target].rule
    assert rule is not None
    key, chosen = rule.choices(rated.columns["place"], direction)
    # The key is reversed because the worst is chosen first.
    key = -key if direction == "bottom" else key
    skills = np.zeros((FOLDS, len(rated.entrants)))
    begins = np.searchsorted(rated.game, np.arange(rated.games + 1))
    for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        seats = slice(begin, end)
        table = rated.entrant[seats]
        surplus = _surplus(skills[:, table], key[seats], chosen[seats])
        surplus[fold[begin]] = 0.0
        skills[:, table] += STEP / (end - begin - 1) * surplus
    return skills


def _surplus(skills: Floats, key: Floats, chosen: Bools) -> Floats:
    """Return each seat's wins at its table minus Elo's expectation; `key` orders the seats."""
    better = key[:, np.newaxis] < key
    level = (key[:, np.newaxis] == key) & chosen & ~np.eye(len(key), dtype=np.bool_)
    apart = skills[:, :, np.newaxis] - skills[:, np.newaxis]
    known = better | better.T | level
    won = np.where(known, better + level / 2 - 1 / (1 + np.exp(-apart)), 0.0)
    return np.asarray(won.sum(axis=2), np.float64)
