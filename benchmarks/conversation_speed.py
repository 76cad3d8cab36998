"""How fast conversations are scored and played: `uv run benchmarks/conversation_speed.py`."""

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.games.conversation.playout import play_out
from engine.games.conversation.rules import is_over
from engine.games.conversation.scoring import Conversation, Item, RunningScore, score
from engine.games.conversation.state import after_turn, choose_item, start_conversation
from engine.games.conversation.strategies import STRATEGIES
from engine.games.conversation.visitor import Visitor

PLAYERS, SUBJECTS, BANK_SIZE, LENGTH, ROUNDS = 10, 20, 20, 1000, 30


def best(work: Callable[[], object]) -> float:
    """Return the processor seconds of the fastest of several runs."""
    times = []
    for _ in range(ROUNDS):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)


def conversation(length: int) -> Conversation:
    """Return a conversation of random turns, one in ten a pause."""
    rng = Random(length)
    players = [f"p{seat}" for seat in range(PLAYERS)]
    items = {}
    for player_id in players:
        for number in range(BANK_SIZE):
            subjects = tuple(rng.sample(range(SUBJECTS), 1 + number % 2))
            items[f"{player_id}: {number}"] = Item(
                f"{player_id}: {number}", player_id, subjects, rng.random()
            )
    turns = [None if rng.random() < 0.1 else rng.choice([*items]) for _ in range(length)]
    rankings = {player_id: rng.sample(range(SUBJECTS), SUBJECTS) for player_id in players}
    return Conversation(length, SUBJECTS, rankings, items, turns)


def run(talk: Conversation) -> RunningScore:
    """Return the running score after all turns."""
    running = RunningScore(length=talk.length, subjects=talk.subjects, rankings=talk.rankings)
    for item_id in talk.turns:
        running.speak(None if item_id is None else talk.items[item_id])
    return running


def deciding(seats: int) -> float:
    """Return the seconds of a decision of foresight in `seats` seats, all others random.

    Every run plays another conversation, since the analysis of a conversation's turns is cached.
    """
    seeds = count()

    def playing(name: str) -> float:
        names = [name] * seats + ["random"] * (PLAYERS - seats)
        strategies = {f"p{seat}": STRATEGIES[own] for seat, own in enumerate(names)}
        return best(lambda: play_out(strategies, bank_size=BANK_SIZE, length=100, seed=next(seeds)))

    return (playing("foresight") - playing("random")) / 100 / seats


def visit(seed: int) -> None:
    """Play a game of foresight as another simulator would, with a list of items as the history."""
    rng = Random(seed)
    state = start_conversation(
        [f"p{seat}" for seat in range(PLAYERS)],
        bank_size=BANK_SIZE,
        subjects=SUBJECTS,
        length=100,
        rng=rng,
    )
    visitors = {}
    for player_id, bank in state.banks.items():
        ranking = state.rankings[player_id]
        visitors[player_id] = Visitor(player_id, bank, ranking, players=PLAYERS, length=100)
    while not is_over(state.turns, 100):
        proposals = {}
        for player_id, visitor in visitors.items():
            item = visitor.propose([*state.turns])
            proposals[player_id] = None if item is None else item.id
        state = after_turn(state, choose_item(state, proposals, lambda: rng))


def time_of_visits() -> float:
    """Return the time of games of visitors over that of games in the arena, seats all foresight."""
    seats = {f"p{seat}": STRATEGIES["foresight"] for seat in range(PLAYERS)}
    seeds = count(1000)
    abroad = best(lambda: visit(next(seeds)))
    home = best(lambda: play_out(seats, bank_size=BANK_SIZE, length=100, seed=next(seeds)))
    return abroad / home


def main() -> None:
    """Measure, and print one line a figure."""
    talk, twice = conversation(LENGTH), conversation(2 * LENGTH)
    once_s, twice_s = best(lambda: score(talk)), best(lambda: score(twice))
    running_s, running_twice_s = (
        best(lambda: run(talk)) / LENGTH,
        best(lambda: run(twice)) / (2 * LENGTH),
    )
    running = run(talk)
    delta_s = best(lambda: [running.delta(item) for item in talk.items.values()]) / len(talk.items)
    seats = {f"p{seat}": STRATEGIES["random"] for seat in range(PLAYERS)}
    playing_s = best(lambda: play_out(seats, length=100)) / 100
    alone_s, all_s = deciding(1), deciding(PLAYERS)
    visits = time_of_visits()
    print(f"score, L={LENGTH}, P={PLAYERS}              {once_s * 1e3:8.2f} ms")
    print(f"  time of L={2 * LENGTH} / L={LENGTH}        {twice_s / once_s:8.2f}")
    print(f"RunningScore.speak                {running_s * 1e6:8.2f} us a turn")
    print(f"  a turn of L={2 * LENGTH} / L={LENGTH}      {running_twice_s / running_s:8.2f}")
    print(f"RunningScore.delta                {delta_s * 1e6:8.2f} us an item")
    print(f"play_out, random, P={PLAYERS}, L=100    {1 / playing_s:8.0f} turns/s")
    print(f"foresight, a lone seat of P={PLAYERS}     {alone_s * 1e3:8.2f} ms a decision")
    print(f"foresight, each of P={PLAYERS} seats      {all_s * 1e3:8.2f} ms a decision")
    print(f"  time of visitors / in the arena {visits:8.2f}")


if __name__ == "__main__":
    main()
