"""What the picture of a game of deliberations shows."""

from engine.games.deliberations.game import DeliberationsGame
from engine.history import History
from engine.report.charts import Heat
from tests.support.narrowing import instance, not_none
from tests.support.tables import run_game


def test_votes_are_those_of_the_outcome() -> None:
    players = ",".join(["scripted:random"] * 4)
    history: History = run_game("deliberations", players, seed=3)
    votes = instance(DeliberationsGame.charts(history)["votes"], Heat)
    assert [*votes.columns] == ["round 1", "round 2", "to win"]
    for name, cells in zip(votes.rows, votes.cells, strict=True):
        figures = not_none(history.outcome).figures[name]
        assert [*cells] == [figures.get(f"votes {number}") for number in (1, 2, 3)]
    assert sum(cell or 0 for cells in votes.cells for cell in cells) == 4 + 3 + 2
    history.rounds.clear()
    assert DeliberationsGame.charts(history) == {}
