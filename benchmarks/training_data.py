"""Load exported decisions as a trainer would: `uv run --group hub benchmarks/training_data.py`.

`[GAMES] [PROVIDER:MODEL]`: by default 2 short conversations of two seats of the embedded model,
about a minute. They are exported as chats, loaded by the library `datasets` without a network, and
compared with the lines that were written.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.exchange.dataset.chat import DECISIONS, ChatFilter, write_chat
from engine.history import History
from engine.runs.seating import read_players

LENGTH = 6
NEEDED = {"prompt", "completion"}


def play(model: str, seed: int, factory: ClientFactory) -> History:
    """Return a short conversation of two seats of a model and a script."""
    game = {"name": "conversation", "length": LENGTH}
    players = read_players(f"{model},{model},scripted:greedy")
    values = {"player_configs": players, "game": game, "seed": seed, "logs_dir": None}
    config = GameEngineConfig.model_validate(values)
    return GameEngine(config, factory=factory).run()


def main() -> None:
    """Print how many decisions were written and loaded, and their columns."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from datasets import load_dataset

    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    model = sys.argv[2] if len(sys.argv) > 2 else "local"
    factory = ClientFactory()
    histories = [play(model, seed, factory) for seed in range(games)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        count = write_chat(histories, folder, ChatFilter())
        began = time.perf_counter()
        loaded = load_dataset(
            "json",
            data_files=str(folder / DECISIONS),
            split="train",
            cache_dir=str(folder / "cache"),
        )
        seconds = time.perf_counter() - began
        print(f"written: {count.decisions} decisions of {count.games} games, {count.size:,} bytes")
        print(f"loaded:  {loaded.num_rows} rows in {seconds:.1f} s: {', '.join(loaded.features)}")
        is_chat = loaded.features.keys() >= NEEDED
        roles = [message["role"] for message in loaded[0]["prompt"] + loaded[0]["completion"]]
        print(f"a chat:  {'yes' if is_chat else 'no'}; the first row's roles: {', '.join(roles)}")
    if loaded.num_rows != count.decisions or not is_chat:
        raise SystemExit("what was loaded is not what was written")


if __name__ == "__main__":
    main()
