"""Play OpenSpiel's games at the table, and compare with OpenSpiel alone.

`uv run --extra openspiel benchmarks/openspiel.py [games] [resume] [speed] [models] [GAME ...]`

- `games`: each of the 109 games with random seats to its end, its log checked against OpenSpiel's
  own replay of the logged actions; some two minutes.
- `resume`: ten games with people's seats, their journals cut at every tenth line and resumed.
- `speed`: what a move takes over OpenSpiel's loop that also renders every legal action, in batches.
- `models`: eight games, each once with a seat of the embedded model; chess takes long.

Without a word the first three. With names of games only these.
"""

import asyncio
import gc
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import pyspiel

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.openspiel.checker import opening_in
from engine.games.openspiel.game import OpenSpielGame
from engine.games.openspiel.library import playable, read_word, usual_players
from engine.history import History
from engine.runs.batch import play_many, vary_seed
from player import PlayerConfig
from protocol.turn import Prompt, Turn
from providers import Completion

PARTS = ("games", "resume", "speed", "models")
RESUMED = (
    "tic_tac_toe", "connect_four", "kuhn_poker", "leduc_poker", "liars_dice", "goofspiel",
    "backgammon", "hanabi", "negotiation", "oh_hell",
)  # fmt: skip
MODELS = (
    "chess", "connect_four", "leduc_poker", "liars_dice", "goofspiel", "hanabi", "bargaining",
    "colored_trails",
)  # fmt: skip
MOST_OVERHEAD = 60.0
LONG = 8
MOVES = ("move", "forced")
SECONDS = 0.15
MOST_GAMES = 60
PAIRS = 3


def config_of(word: str, seed: int, seats: Sequence[str], folder: Path | None) -> GameEngineConfig:
    """Return a game with a seat for each of `seats`, PROVIDER:MODEL."""
    players = []
    for number, seat in enumerate(seats):
        provider, _, model = seat.partition(":")
        players.append(PlayerConfig(player_id=f"Player {number}", provider=provider, model=model))
    game = OpenSpielGame(game=word)
    return GameEngineConfig(player_configs=players, game=game, seed=seed, logs_dir=folder)


def random_seats(word: str) -> list[str]:
    """Return random seats, as many as a game usually has."""
    return ["scripted:random"] * usual_players(read_word(word))


def replay(history: History) -> tuple[list[float], str]:
    """Return what OpenSpiel alone returns for the logged actions, and its last state in words."""
    state = pyspiel.load_game(opening_in(history).word).new_initial_state()
    pending: dict[int, int] = {}
    for event in history.events:
        if event.kind == "chance":
            for action in event.data["actions"]:
                state.apply_action(action)
        if event.kind not in MOVES:
            continue
        if not state.is_simultaneous_node():
            state.apply_action(event.data["action"])
            continue
        pending[event.data["player"]] = event.data["action"]
        players = range(state.num_players())
        due = [player for player in players if state.legal_actions(player)]
        if len(pending) == len(due):
            state.apply_actions([pending.get(player, 0) for player in players])
            pending = {}
    assert state.is_terminal(), "the logged actions do not end the game"
    return state.returns(), str(state)


def play_all(words: Sequence[str]) -> bool:
    """Play each game once; return whether all ended with OpenSpiel's own returns and no breach."""
    wrong = 0
    moves = 0
    begun = time.perf_counter()
    for word in words:
        history = GameEngine(config_of(word, 7, random_seats(word), None)).run()
        returns, _ = replay(history)
        scores = [*history.outcome.scores.values()] if history.outcome else []
        breaches = [found for rule in OpenSpielGame.check(history).values() for found in rule]
        moves += sum(event.kind in MOVES for event in history.events)
        if history.status != "finished" or scores != returns or breaches:
            wrong += 1
            print(f"{word}: {history.status} {scores}, OpenSpiel {returns}; {breaches[:2]}")
    took = time.perf_counter() - begun
    print(f"{len(words)} games, {moves:,} moves in {took:.0f} s: {wrong} differ from OpenSpiel")
    return not wrong


class RandomPerson:
    """Somebody who answers at random, in the order of questions alone."""

    def __init__(self) -> None:
        self.draws = random.Random(5)
        self.asked = 0

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Answer with any legal move, drawn by what is asked."""
        self.asked += 1
        draws = random.Random(prompt.sha256)
        return Completion(turn.answer(move=draws.choice(turn.choices["move"])).model_dump_json())

    def release(self) -> None:
        """Nobody waits here."""


def play_person(config: GameEngineConfig, path: Path | None = None) -> tuple[str, bytes, int]:
    """Play or resume a game of a person; return its log, its last journal, and its questions."""
    person = RandomPerson()
    answerers = {"Player 0": person}
    if path is None:
        engine = GameEngine(config, answerers=answerers)
    else:
        engine = GameEngine.resume(path, config, answerers=answerers)
    assert config.logs_dir is not None
    kept: list[bytes] = []
    fold = engine._fold
    journal = config.logs_dir / "game.jsonl"

    async def keep() -> None:
        kept.append(await asyncio.to_thread(journal.read_bytes))
        await fold()

    engine._fold = keep  # type: ignore[method-assign]
    engine.run()
    log = next(config.logs_dir.glob("*.json")).read_text(encoding="utf-8")
    return log, kept[0], person.asked


def resume_all(words: Sequence[str]) -> bool:
    """Cut the journals of games anywhere and resume them; return whether all logs are the same."""
    total = 0
    wrong = 0
    for word in words:
        with tempfile.TemporaryDirectory() as place:
            count, failures = cut_and_resume(word, Path(place))
        total += count
        wrong += failures
    print(f"{len(words)} games killed and resumed {total} times: {wrong} came out otherwise")
    return not wrong


def cut_and_resume(word: str, folder: Path) -> tuple[int, int]:
    """Return how often one game was resumed, and how often it came out otherwise."""
    seats = random_seats(word)
    seats[0] = "human"
    whole = folder / "whole"
    config = still(config_of(word, 7, seats, whole))
    expected, journal, asked = play_person(config)
    lines = journal.splitlines(keepends=True)
    cuts = range(1, len(lines) + 1, max(1, len(lines) // 10))
    wrong = 0
    for cut in cuts:
        there = folder / str(cut)
        there.mkdir()
        (there / "game.jsonl").write_bytes(b"".join(lines[:cut]) + b'{"torn')
        again = config.model_copy(update={"logs_dir": there})
        log, _, repeated = play_person(again, there / "game.jsonl")
        known = sum(b'"kind": "answer"' in line for line in lines[:cut])
        wrong += log != expected or repeated != asked - known
    return len(cuts), wrong


def still(config: GameEngineConfig) -> GameEngineConfig:
    """Return a config whose clock stands still, so that equal games have equal bytes."""
    from tests.support.tables import NOON

    return config.model_copy(update={"clock": lambda: NOON, "game_id": "game"})


def bare_batch(word: str, players: int, games: int) -> tuple[float, int]:
    """Return the CPU seconds and the moves of OpenSpiel's own loop, legal actions in words."""
    draws = random.Random(7)
    moves = 0
    begun = time.process_time()
    for _ in range(games):
        state = pyspiel.load_game(word).new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draws.choices(outcomes, weights)[0])
                continue
            at_once = state.is_simultaneous_node()
            movers = range(players) if at_once else (state.current_player(),)
            actions = []
            for player in movers:
                legal = state.legal_actions(player)
                for action in legal:
                    state.action_to_string(player, action)
                actions.append(draws.choice(legal) if legal else 0)
                moves += bool(legal)
            if at_once:
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0])
        state.returns()
    return time.process_time() - begun, moves


def our_batch(word: str, games: int) -> tuple[float, int]:
    """Return the CPU seconds and the moves of as many games at our table, logs in memory."""
    configs = vary_seed(config_of(word, 7, random_seats(word), None), games)
    begun = time.process_time()
    histories = asyncio.run(play_many(configs))
    took = time.process_time() - begun
    moves = 0
    for history in histories:
        assert history.status == "finished", history.reason
        moves += sum(event.kind in MOVES for event in history.events)
    return took, moves


def measure_speed(words: Sequence[str]) -> bool:
    """Print the overhead of each game; return whether that of all long games is small enough."""
    gc.set_threshold(50_000, 20, 50)
    long = []
    print(f"{'game':28} {'moves':>7} {'bare us':>8} {'ours us':>8} {'over us':>8}")
    for word in words:
        if "SAMPLED" in str(read_word(word).kind.chance_mode):
            continue
        players = usual_players(read_word(word))
        took, _ = bare_batch(word, players, 1)
        games = min(MOST_GAMES, max(2, int(SECONDS / took)))
        pairs = []
        for _ in range(PAIRS):
            bare, bare_moves = bare_batch(word, players, games)
            ours, our_moves = our_batch(word, games)
            pairs.append((ours / our_moves, bare / bare_moves, our_moves / games))
        our_time, bare_time, moves = min(pairs, key=lambda pair: pair[0] - pair[1])
        over = 1e6 * (our_time - bare_time)
        if moves >= LONG:
            long.append((over, word))
        print(f"{word:28} {moves:7.1f} {1e6 * bare_time:8.1f} {1e6 * our_time:8.1f} {over:8.1f}")
    long.sort()
    above = [f"{word} {over:.0f}" for over, word in long if over > MOST_OVERHEAD]
    middle = long[len(long) // 2][0] if long else 0.0
    print(
        f"{len(long)} games of {LONG} moves or more: median {middle:.0f} us over; above 60: {above}"
    )
    return not above


def play_models(words: Sequence[str], model: str = "local") -> bool:
    """Play games with one seat of a model; return whether all ended and pass their checks."""
    good = True
    for word in words:
        seats = random_seats(word)
        seats[-1] = model
        begun = time.perf_counter()
        history = GameEngine(config_of(word, 7, seats, None)).run()
        took = time.perf_counter() - begun
        breaches = [found for rule in OpenSpielGame.check(history).values() for found in rule]
        usage = history.usage[f"Player {len(seats) - 1}"]
        good = good and history.status == "finished" and not breaches
        summary = history.outcome.summary if history.outcome else history.reason
        print(
            f"{word:16} {history.status}, {usage.asks} questions, {usage.fallbacks} fallbacks, "
            f"{took:.0f} s, {len(breaches)} breaches; {summary}"
        )
    return good


def main() -> None:
    """Run the parts that are asked for; exit 1 if one of them finds a fault."""
    words = sys.argv[1:]
    parts = [word for word in words if word in PARTS] or [*PARTS[:3]]
    named = [word for word in words if word not in PARTS]
    good = True
    if "games" in parts:
        good &= play_all(named or playable())
    if "resume" in parts:
        good &= resume_all(named or RESUMED)
    if "speed" in parts:
        good &= measure_speed(named or playable())
    if "models" in parts:
        good &= play_models(named or MODELS)
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
