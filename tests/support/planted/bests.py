"""Simulated tournaments with a known best entrant."""

import numpy as np

from engine.ratings import Results, fit
from engine.ratings.placings import placing_chances
from engine.rng import number

ENTRANTS, TABLES, GAMES = (4, 6, 10), (2, 4), (20, 60, 200)
# Standard deviations of the entrants' skills, in logits.
DEVIATIONS = (0.1, 0.3, 1.0)


def play_known(turn: int) -> tuple[Results, str]:
    """Return the results of a Plackett-Luce tournament, and its best entrant."""
    rng = np.random.default_rng(number(0, "best", turn))
    entrants, table, games = (int(rng.choice(each)) for each in (ENTRANTS, TABLES, GAMES))
    skills = rng.normal(0, rng.choice(DEVIATIONS), entrants)
    tables = np.argsort(rng.random((games, entrants)), axis=1)[:, :table]
    worth = skills[tables] + rng.gumbel(size=tables.shape)
    places = 1 + (worth[:, np.newaxis, :] > worth[:, :, np.newaxis]).sum(axis=2)
    rows = []
    for game in range(games):
        for entrant, place in zip(tables[game].tolist(), places[game].tolist(), strict=True):
            rows.append({"game_id": f"g{game:03}", "entrant": f"e{entrant}", "place": place})
    return Results.from_rows(rows), f"e{np.argmax(skills)}"


def chances_to_be_best(turn: int) -> list[tuple[float, bool]]:
    """Return each entrant's chance to be the best of a tournament, and whether it is."""
    results, best = play_known(turn)
    chances = placing_chances(fit(results, min_games=1), 1, turn)
    return [(chance, name == best) for name, chance in chances.items()]
