"""What measuring a model takes at most, before anything is asked."""

from collections.abc import Iterable

from engine.runs.dry_run import Bound, rehearse
from engine.tournaments.measure.suite import Suite
from engine.tournaments.table import config_of, first_tables
from player import PlayerConfig


def bound_suite(
    suite: Suite, model: PlayerConfig, tasks: Iterable[str], *, quick: bool
) -> tuple[Bound, int]:
    """Return what all games of these tasks take at most, and how many there are.

    One game of each table is rehearsed, and stands for those that are like it. Nobody is asked.
    """
    total = Bound()
    games = 0
    for name in tasks:
        if suite.missing_extra(name):
            continue
        settings = suite.settings(name, model, quick=quick)
        tables = [*first_tables(settings)]
        for place, draw in enumerate(tables):
            alike = len(range(place, settings.games, len(tables)))
            bounds = rehearse(config_of(settings, draw, None))
            for _ in range(alike):
                total = sum(bounds.values(), total)
        games += settings.games
    return total, games
