"""Print the engine's speed in scripted conversations, and how its log grows with their length.

uv run benchmarks/engine_speed.py
"""

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.conversation.playout import play_out
from engine.games.conversation.strategies import STRATEGIES
from engine.history import History
from engine.runs.seating import read_players
from providers import Completion, CompletionRequest


class FirstItem:
    """A model that always proposes the first legal item, to measure the size of the log."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer with the first legal item."""
        assert request.schema is not None
        item = request.schema["properties"]["item"]["enum"][0]
        return Completion(
            f'{{"rationale": "the first one is as good as any other one", "item": "{item}"}}'
        )


def game(players: int, length: int) -> GameEngine:
    """Return an engine of scripted random players that writes no files."""
    seats = read_players(",".join(["scripted:random"] * players))
    settings = {"name": "conversation", "length": length}
    return GameEngine(GameEngineConfig(player_configs=seats, logs_dir=None, game=settings))


def played(players: int, length: int) -> tuple[float, History]:
    """Return the best seconds of seven games, and the history."""
    best, history = float("inf"), None
    for _ in range(7):
        engine = game(players, length)
        begun = time.perf_counter()
        history = asyncio.run(engine.play())
        best = min(best, time.perf_counter() - begun)
    assert history is not None
    return best, history


def model_log(length: int) -> int:
    """Return the bytes of a finished log of five models, prompts included."""
    seats = read_players(",".join(["local"] * 5))
    settings = {"name": "conversation", "length": length}
    engine = GameEngine(GameEngineConfig(player_configs=seats, logs_dir=None, game=settings))
    for player in engine.players:
        player.client = FirstItem()  # type: ignore[attr-defined]
    return len(asyncio.run(engine.play()).to_json())


def main() -> None:
    """Measure and print."""
    short, _ = played(10, 200)
    long, history = played(10, 400)
    strategies = {f"p{seat}": STRATEGIES["random"] for seat in range(10)}
    begun = time.perf_counter()
    play_out(strategies, length=400)
    bare = time.perf_counter() - begun
    print(f"engine, 10 random players, log in memory   {len(history.rounds) / long:10,.0f} turns/s")
    print(f"rules and strategies alone                 {400 / bare:10,.0f} turns/s")
    print(f"time of 400 turns over that of 200         {long / short:10.2f}")
    print(f"log of 400 turns over that of 200, models  {model_log(400) / model_log(200):10.2f}")


if __name__ == "__main__":
    main()
