"""Compare a model, with and without advice, with random and greedy scripts in one seat of five.

`uv run benchmarks/model_seats.py [GAMES] [PROVIDER:MODEL]` needs no key: the default is 5 games
of the embedded model. The four other seats are greedy, and every kind of seat plays the same deals.
A game takes about a minute.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.runs.processes import progress_bar
from engine.runs.seating import read_players
from engine.statistics import estimate_of

LENGTH = 20


def play(seat: str, advice: str, seed: int, factory: ClientFactory) -> tuple[float, float, int]:
    """Return the shared score a turn, the seat's final score, and the model's fallbacks."""
    game = {"name": "conversation", "length": LENGTH, "advice": advice}
    players = read_players(",".join([f"Ada={seat}", *["scripted:greedy"] * 4]))
    config = GameEngineConfig.model_validate(
        {"player_configs": players, "game": game, "seed": seed}
    )
    history = GameEngine(config, factory=factory).run()
    if history.outcome is None:
        raise SystemExit(f"the game of seed {seed} {history.status}: {history.reason}")
    shared = history.outcome.shared["shared"] / LENGTH
    return shared, history.outcome.scores["Ada"], history.usage["Ada"].fallbacks


def mean_and_error(values: list[float]) -> str:
    """Return mean and standard error as a cell of the table."""
    mean, error = estimate_of(values)
    return f"{mean:6.3f} ± {error:.3f}"


def main() -> None:
    """Print a row for each kind of seat."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    model = sys.argv[2] if len(sys.argv) > 2 else "local"
    factory = ClientFactory()
    print(f"one seat of five, the others greedy; {games} games of {LENGTH} turns")
    print(f"{'seat':34}{'shared a turn':>18}{'own final score':>18}  fallbacks")
    for seat, advice in (
        (model, "deltas"),
        (model, "none"),
        ("scripted:random", "none"),
        ("scripted:greedy", "none"),
    ):
        what = f"{seat}{f', advice {advice}' if seat == model else ''}"
        with progress_bar(what) as bar:
            rows = [
                play(seat, advice, seed, factory)
                for seed in bar.track(range(games), description=what)
            ]
        shared, own, fallbacks = zip(*rows, strict=True)
        cells = f"{mean_and_error([*shared]):>18}{mean_and_error([*own]):>18}"
        print(f"{what:34}{cells}  {sum(fallbacks)}", flush=True)


if __name__ == "__main__":
    main()
