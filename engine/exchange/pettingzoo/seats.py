"""Which seats of a table policies play, read from a list such as "policy,scripted:tit_for_tat"."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.config import GameEngineConfig
from engine.games import GAMES, read_game
from engine.runs.seating import read_players

POLICY = "policy"
# How a seat is called that somebody outside answers for.
OUTSIDE = "human"
USUAL_SEATS = 4
Players = int | str | Sequence[str] | None


def read_table(
    game: str, players: Players, logs_dir: Path | None, settings: dict[str, Any]
) -> tuple[GameEngineConfig, list[str]]:
    """Return what games are made from, and the ids of the players that policies play.

    `players` is how many policies there are, or a seat each: "policy", "NAME=policy", or what else
    may sit in the arena. ValueError says what cannot be.
    """
    chosen = read_game(game) | settings
    rules = dict(chosen)
    called = GAMES[rules.pop("name")].model_validate(rules).seats()
    words = list_seats(players, len(called) or USUAL_SEATS)
    listed = [word.removesuffix(POLICY) + OUTSIDE if is_policy(word) else word for word in words]
    seats = read_players(",".join(listed), called)
    config = GameEngineConfig(game=chosen, player_configs=seats, logs_dir=logs_dir)
    pairs = zip(config.player_ids, words, strict=True)
    trained = [player_id for player_id, word in pairs if is_policy(word)]
    if not trained:
        raise ValueError(
            f"expected a seat that a policy plays, such as policy,scripted:NAME: got {players!r}"
        )
    return config, trained


def list_seats(players: Players, usual: int) -> list[str]:
    """Return the words of all seats; None: `usual` policies."""
    if players is None:
        players = usual
    if isinstance(players, int):
        return [POLICY] * players
    listed = players.split(",") if isinstance(players, str) else players
    return [word for word in map(str.strip, listed) if word]


def is_policy(word: str) -> bool:
    """Return whether the word of a seat, perhaps with a name before it, means a policy."""
    _, _, seat = word.rpartition("=")
    return seat.strip() == POLICY
