"""Time the scoring, strategies and engine of conversations, and compare beliefs about banks.

`uv run benchmarks/conversation_speed.py [score] [play] [engine] [banks]`. Times are processor
times, the fastest of several runs. `banks` plays each deal twice with `foresight` in all seats:
once with the right belief about how banks are dealt, and once with the wrong one.
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, best_seconds, main, row
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.conversation.playout import play_out
from engine.games.conversation.record import COMPOSITIONS, Composition
from engine.games.conversation.scoring import Conversation, Item, Tail, bonuses_of
from engine.games.conversation.scoring import score as score_of
from engine.games.conversation.strategies import STRATEGIES, Strategy, foresight
from engine.report.statistics import estimate_of
from engine.runs.seating import read_players
from labs.conversation.selfplay import Setting
from tests.support.tables import config_for

PLAYERS, SUBJECTS, BANK_SIZE, LENGTH = 10, 20, 20, 1000
# Small banks, where the way they are dealt matters most, and larger ones.
BANKS = (
    Setting(10, 1, 10, 20),
    Setting(10, 3, 20, 60),
    Setting(5, 5, 10, 30),
    Setting(10, 7, 20, 50),
    Setting(5, 10, 20, 20),
)
BANK_SEED = 10_000_000
TWELVE = ("contrarian", "bandwagon", "grudge", "loyal", "random", "random") * 2


def conversation(length: int) -> Conversation:
    """Return a conversation of random turns, about one in ten of them a pause."""
    rng = Random(length)
    players = [f"p{seat}" for seat in range(PLAYERS)]
    items = {}
    for player_id in players:
        for number in range(BANK_SIZE):
            subjects = tuple(rng.sample(range(SUBJECTS), 1 + number % 2))
            item_id = f"{player_id}: {number}"
            items[item_id] = Item(item_id, player_id, subjects, rng.random())
    turns = [None if rng.random() < 0.1 else rng.choice([*items]) for _ in range(length)]
    rankings = {player_id: rng.sample(range(SUBJECTS), SUBJECTS) for player_id in players}
    return Conversation(length, SUBJECTS, rankings, items, turns)


def running_score(talk: Conversation) -> float:
    """Return the shared score, added up turn by turn."""
    bonuses = bonuses_of(talk.rankings)
    tail = Tail()
    shared = 0.0
    for item_id in talk.turns:
        item = None if item_id is None else talk.items[item_id]
        if item is not None:
            shared += tail.outlook(bonuses).delta(item).shared
        tail = tail.after(item)
    return shared


def score(short: bool) -> Iterator[Row]:
    """Score random conversations, whole and turn by turn."""
    times = 5 if short else 30
    talk, twice = conversation(LENGTH), conversation(2 * LENGTH)
    once_s = best_seconds(lambda: score_of(talk), times)
    twice_s = best_seconds(lambda: score_of(twice), times)
    basis = f"{LENGTH:,} turns, {PLAYERS} players"
    yield row("scoring a conversation", once_s * 1e3, "ms", basis)
    yield row("time of 2,000 turns over that of 1,000", twice_s / once_s, "", "scoring")
    running_s = best_seconds(lambda: running_score(talk), times) / LENGTH
    yield row("the running score", running_s * 1e6, "us a turn", basis)


def play_seconds(names: list[str], times: int) -> float:
    """Return the seconds for 100 turns without the engine; new seeds prevent cache hits."""
    seeds = count()
    strategies = {f"p{seat}": STRATEGIES[name] for seat, name in enumerate(names)}
    return best_seconds(
        lambda: play_out(strategies, bank_size=BANK_SIZE, length=100, seed=next(seeds)), times
    )


def play(short: bool) -> Iterator[Row]:
    """Time conversations with only the rules and strategies."""
    times = 5 if short else 30
    basis = f"{PLAYERS} seats, 100 turns"
    at_random = play_seconds(["random"] * PLAYERS, times)
    yield row("`play_out`, random players", 100 / at_random, "turns/s", basis)
    one = play_seconds(["foresight", *["random"] * (PLAYERS - 1)], times)
    what = "a decision of `foresight`"
    yield row(what, (one - at_random) * 10, "ms", f"a lone seat of {PLAYERS}")
    every = play_seconds(["foresight"] * PLAYERS, times)
    yield row(what, (every - at_random) * 10 / PLAYERS, "ms", f"each of {PLAYERS} seats")


def engine_of(seats: str, length: int) -> GameEngine:
    """Return the engine of a conversation that writes no files."""
    settings = {"name": "conversation", "length": length}
    players = read_players(seats)
    return GameEngine(GameEngineConfig(player_configs=players, logs_dir=None, game=settings))


def engine(short: bool) -> Iterator[Row]:
    """Time scripted games with the engine."""
    times = 3 if short else 7
    seats = ",".join(["scripted:random"] * PLAYERS)
    once, twice = (
        best_seconds(lambda turns=turns: engine_of(seats, turns).run(), times)  # type: ignore[misc]
        for turns in (200, 400)
    )
    basis = f"{PLAYERS} random players, log in memory"
    yield row("the engine in a conversation", 400 / twice, "turns/s", basis)
    yield row("time of 400 turns over that of 200", twice / once, "", basis)
    with tempfile.TemporaryDirectory() as folder:

        def deliberate() -> None:
            seated = ",".join(f"scripted:{name}" for name in TWELVE)
            config = config_for("deliberations", seated, Path(folder), game_id=None)
            GameEngine(config).run()

        took = best_seconds(deliberate, 3 * times)
    yield row("12 scripts deliberate", took * 1e3, "ms a game", "log on disk", most=60)


def believing(composition: Composition) -> Strategy:
    """Return `foresight` with the belief that banks are dealt by `composition`."""
    return lambda seen, rng: foresight(seen._replace(composition=composition), rng)


def shared_a_turn(setting: Setting, dealt: Composition, believed: Composition, seed: int) -> float:
    """Return the shared score per turn if all seats play `foresight` with the belief `believed`."""
    players, bank_size, subjects, length = setting
    seats = {f"p{seat}": believing(believed) for seat in range(players)}
    played = play_out(
        seats,
        bank_size=bank_size,
        subjects=subjects,
        length=length,
        seed=seed,
        composition=dealt,
    )
    return score_of(played.conversation).shared / length


def banks(short: bool) -> Iterator[Row]:
    """Compare `foresight` under the right and the wrong belief about how banks are dealt."""
    games = range(BANK_SEED, BANK_SEED + (20 if short else 400))
    for setting in BANKS:
        for dealt in COMPOSITIONS:
            means = {}
            for believed in COMPOSITIONS:
                means[believed] = [shared_a_turn(setting, dealt, believed, seed) for seed in games]
            right, wrong = means.pop(dealt), means.popitem()[1]
            gain = estimate_of([a - b for a, b in zip(right, wrong, strict=True)])
            basis = f"P/B/S/L {'/'.join(map(str, setting))}, {len(games)} paired games"
            shared = estimate_of(right)
            what = f"`foresight` with banks dealt by {dealt}"
            yield row(what, f"{shared.mean:.3f} ± {shared.error:.3f}", "a turn", basis)
            what = f"its gain from believing {dealt}"
            yield row(what, f"{gain.mean:+.4f} ± {gain.error:.4f}", "a turn", basis)


if __name__ == "__main__":
    main(str(__doc__), {"score": score, "play": play, "engine": engine, "banks": banks})
