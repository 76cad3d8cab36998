"""Play TextArena's games at the table: all families, and a hundred in a row beside one another.

`uv run --extra textarena benchmarks/textarena.py [families] [row] [GAME ...]`

- `families`: each of some 70 families with scripts to its end, its log checked against TextArena's
  own replay; two minutes at most.
- `row`: a hundred games one after the other, then again beside each other: each log is the same
  both times, so no game leaves a trace in another.

Without a word both; with ids of games only these.
"""

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# In the place of this file's folder: there the package textarena would be this file.
sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.textarena.game import TextArenaGame
from engine.games.textarena.library import find_text_game, open_games
from player import PlayerConfig

PARTS = ("families", "row")
MANY = 100
# These take seconds to begin.
SLOW = ("RushHour-v0", "Set-v0", "Sokoban-v0")


def engine_of(game_id: str, seed: int) -> GameEngine:
    """Return a game of as many scripts as it needs at least."""
    players = []
    for number in range(find_text_game(game_id).counts[0]):
        name = f"Player {number}"
        players.append(PlayerConfig(player_id=name, provider="scripted", model="brackets"))
    game = TextArenaGame(game=game_id)
    return GameEngine(GameEngineConfig(player_configs=players, game=game, seed=seed, logs_dir=None))


def told_in(engine: GameEngine) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return what was told in a game, without the time."""
    return [(event.kind, event.content, event.visibility) for event in engine.history.events]


def play_families(games: Sequence[str]) -> bool:
    """Play each game to its end; return whether all logs pass their checks."""
    wrong = 0
    for game_id in games:
        begin = time.perf_counter()
        history = engine_of(game_id, 7).run()
        breaches = [line for lines in TextArenaGame.check(history).values() for line in lines]
        wrong += bool(breaches) or history.status != "finished"
        moves = sum(event.kind == "move" for event in history.events)
        took = time.perf_counter() - begin
        print(f"{game_id:32} {moves:4} moves {took:6.2f} s {breaches[:1] or 'checked'}")
    print(f"{len(games)} games: {wrong} wrong")
    return not wrong


async def play_beside(engines: Sequence[GameEngine]) -> None:
    """Play all games in one loop, so that their moves alternate."""
    await asyncio.gather(*(engine.play() for engine in engines))


def play_row(games: Sequence[str]) -> bool:
    """Play many games in a row and then beside each other; return whether they are the same."""
    quick = [game_id for game_id in games if game_id not in SLOW]
    words = [quick[number % len(quick)] for number in range(MANY)]
    before = random.getstate()
    alone = []
    for seed, game_id in enumerate(words):
        engine = engine_of(game_id, seed)
        engine.run()
        alone.append(told_in(engine))
    engines = [engine_of(game_id, seed) for seed, game_id in enumerate(words)]
    asyncio.run(play_beside(engines))
    other = sum(told_in(engine) != told for engine, told in zip(engines, alone, strict=True))
    kept = random.getstate() == before
    print(f"{MANY} games in a row and beside each other: {other} differ; random kept: {kept}")
    return kept and not other


def main(words: Sequence[str]) -> int:
    """Run the parts that are asked for; 0 if all is well."""
    parts = [word for word in words if word in PARTS] or PARTS
    games = [word for word in words if word not in PARTS]
    if not games:
        firsts = {find_text_game(game_id).family: game_id for game_id in reversed(open_games())}
        games = [*reversed(firsts.values())]
    good = True
    if "families" in parts:
        good &= play_families(games)
    if "row" in parts:
        good &= play_row(games)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
