"""Whether a finished game kept its rules, as its own checker says."""

from typing import Any

from engine.game import Game
from engine.games import GAMES
from engine.history import History, check_version
from protocol.suggest import one_of


def game_of(history: History) -> type[Game[Any]]:
    """Return the game that a log is of; ValueError if it is unknown."""
    return GAMES[one_of(history.game, GAMES, "game")]


def breaches_in(history: History, name: str) -> dict[str, list[str]]:
    """Return the breaches of each rule in the log called `name`; all empty: the game was fair.

    ValueError if its rules cannot be checked.
    """
    game = game_of(history)
    if not game.checks:
        others = [other for other, one in GAMES.items() if one.checks]
        raise ValueError(
            f"{history.game} has no rules checker; those that have one are {', '.join(others)}"
        )
    check_version(history.game, history.game_version, game.version)
    if history.status != "finished":
        raise ValueError(f"expected a finished game: {name} is {history.status}")
    return game.check(history)
