"""Read games of TextArena (Guertler et al. 2025) from each player's reward.

TextArena has no log format. Its `close()` returns rewards by player number and game info, and
users write the lines themselves: `{"env_id": ..., "rewards": {"0": 1, "1": -1},
"models": {"0": name, "1": name}, "game_info": {"0": {"invalid_move": false, "turn_count": 7}}}`.
A file is JSON lines, one JSON game, or a JSON list of games. Places follow from the rewards.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.exchange.foreign import (
    Line,
    excerpt,
    foreign_name,
    foreign_number,
    others_in,
    parse_json,
    read_foreign,
)
from engine.exchange.game import (
    ForeignGame,
    Format,
    Reading,
    Row,
    entrant_rows,
    read_parts,
    refuse_fewer,
    set_scores,
)
from engine.exchange.pairs import table_lines

NAMES = ("models", "players", "agents", "model_names", "names")
FACTS = frozenset({"env_id", "rewards", "game_info", "game_id", "id"})
KNOWN = FACTS | {*NAMES}


class TextArena(Format):
    """JSON with one game per line, or with all games in one list."""

    name = "textarena"
    about = "rewards of TextArena"
    suffixes = (".jsonl", ".ndjson", ".json")

    def games(self, path: Path, reading: Reading) -> Iterator[ForeignGame]:
        """Yield a file's games; add unreadable games to the skips."""
        games: Iterable[tuple[int, Any]] = table_lines(path, reading.skips)
        if path.suffix.lower() == ".json":
            content = parse_json(read_foreign(path))
            games = enumerate(content if isinstance(content, list) else [content], 1)
        return read_parts(games, rewarded_game, reading, f"{path.name}, game")


def rewarded_game(line: Any, game_id: str, reading: Reading) -> ForeignGame:
    """Return one game; raise ValueError if fewer than two players have rewards."""
    if not isinstance(line, dict):
        raise ValueError(f"expected a game: got {excerpt(line)}")
    others_in(line, KNOWN, reading.unknown)
    rewards = by_number(line.get("rewards"), "rewards")
    refuse_fewer(rewards, "rewards")
    names = names_of_players(line, [*rewards])
    facts = by_number(line.get("game_info") or {}, "game_info")
    rows = entrant_rows("textarena", game_id, names.values(), reading.makers)
    scores = []
    for row, (key, reward) in zip(rows, rewards.items(), strict=True):
        row["environment"] = str(line.get("env_id", ""))[:200]
        _set_asks(row, facts.get(key))
        scores.append(foreign_number(reward, f"the reward of player {key}"))
    set_scores(rows, scores)
    return ForeignGame(game_id, rows)


def _set_asks(row: Row, facts: Any) -> None:
    if isinstance(facts, Mapping):
        row["asks"] = int(foreign_number(facts.get("turn_count") or 0, "turn_count"))
        row["fallbacks"] = int(facts.get("invalid_move") is True)


def by_number(value: Any, what: str) -> dict[str, Any]:
    """Return the parts of a mapping or list by player number (as text), in numerical order."""
    if isinstance(value, list):
        return {str(number): part for number, part in enumerate(value)}
    if not isinstance(value, dict):
        raise ValueError(f"expected {what} by player: got {excerpt(value)}")
    for key in value:
        if not (key.isascii() and key.isdigit()):
            raise ValueError(f"expected {what} by number of player: got {excerpt(key)}")
    return {key: value[key] for key in sorted(value, key=int)}


def names_of_players(line: Line, keys: list[str]) -> dict[str, str]:
    """Return the names in the first of the NAMES fields that is filled, by player.

    Raise ValueError if all these fields are empty.
    """
    for column in NAMES:
        if not line.get(column):
            continue
        named = by_number(line[column], column)
        return {key: foreign_name(named.get(key), f"who player {key} is") for key in keys}
    raise ValueError("expected the players, under models or players")
