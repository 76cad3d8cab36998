"""Games and event loops: one loop for many games, a game inside a loop, and loops of threads."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import Event, History
from engine.runs.replay import fork
from player import PlayerConfig
from tests.support.tables import config_for

MANY = 200


async def test_scripted_games_in_one_loop_take_turns_round_by_round() -> None:
    """While one plays a round, none of the others waits for more than that."""
    order: list[tuple[int, int]] = []
    engines = [GameEngine(config_for("dilemma", seed=seed)) for seed in range(MANY)]
    for number, engine in enumerate(engines):

        def note(event: Event, number: int = number, engine: GameEngine = engine) -> None:
            del event
            order.append((number, len(engine.history.rounds)))

        engine.subscribe(note)
    histories = await asyncio.gather(*(engine.play() for engine in engines))
    assert all(history.status == "finished" for history in histories)
    turns = [order[0]]
    for one in order:
        if one != turns[-1]:
            turns.append(one)
    assert len(turns) == sum(len(history.rounds) for history in histories) > MANY
    assert {number for number, _ in turns[:MANY]} == {*range(MANY)}


async def test_another_task_is_heard_between_the_rounds() -> None:
    engine = GameEngine(config_for("conversation"))
    playing = asyncio.create_task(engine.play())
    seen = set()
    while not playing.done():
        seen.add(len(engine.history.rounds))
        await asyncio.sleep(0)
    assert seen >= {*range(1, len(engine.history.rounds) + 1)}


async def test_a_scripted_game_is_stopped_between_its_rounds() -> None:
    engine = GameEngine(config_for("conversation"))
    playing = asyncio.create_task(engine.play())
    await asyncio.sleep(0)
    begun = len(engine.history.rounds)
    engine.interrupt()
    assert (await playing).status == "running"
    assert len(engine.history.rounds) == begun == 1


async def test_a_game_is_run_replayed_and_forked_where_a_loop_is_running(tmp_path: Path) -> None:
    log = GameEngine(config_for("conversation", logs_dir=tmp_path)).run()
    assert log.status == "finished"
    engine = fork(log, 8, [PlayerConfig(player_id="Ada", provider="human")], tmp_path)
    assert engine.journal is not None
    path = tmp_path / f"{engine.history.game_id}.jsonl"
    engine.interrupt()
    await engine.play()
    begun = GameEngine.replay(path)
    assert begun.status == "running"
    assert contents_of(begun)[:8] == contents_of(log)[:8]


def contents_of(history: History) -> list[str]:
    return [event.content for event in history.events]


def test_what_breaks_a_game_inside_a_loop_is_raised_there() -> None:
    class BrokenPhaseError(Exception):
        """A phase of a game is wrong."""

    class Broken(GameEngine):
        async def _play_rounds(self) -> None:
            raise BrokenPhaseError

    async def run_inside() -> None:
        Broken(config_for("conversation")).run()

    with pytest.raises(BrokenPhaseError):
        asyncio.run(run_inside())


@pytest.mark.parametrize("game", GAMES)
def test_games_are_made_and_played_in_threads(game: str, tmp_path: Path) -> None:
    """Each thread has its own loop; the bytes are those of the main thread."""
    alone = GameEngine(config_for(game, logs_dir=tmp_path / "alone")).run()
    together = threading.Barrier(3)

    def play(number: int) -> str:
        together.wait(30)
        return GameEngine(config_for(game, logs_dir=tmp_path / str(number))).run().to_json()

    with ThreadPoolExecutor(3) as threads:
        logs = [*threads.map(play, range(3))]
    assert logs == [alone.to_json()] * 3
    for number in range(3):
        assert (tmp_path / str(number) / "game.json").read_text() == alone.to_json()


def test_a_game_in_a_thread_is_stopped_from_another(tmp_path: Path) -> None:
    engine = GameEngine(config_for("conversation", logs_dir=tmp_path))
    begun, stopped = threading.Event(), threading.Event()

    def hold(_event: Event) -> None:
        begun.set()
        assert stopped.wait(30)

    engine.subscribe(hold)
    with ThreadPoolExecutor(1) as threads:
        playing = threads.submit(engine.run)
        assert begun.wait(30)
        engine.interrupt()
        stopped.set()
        history = playing.result(30)
    assert (history.status, len(history.rounds)) == ("running", 1)
    engine.interrupt()
    assert GameEngine.resume(tmp_path / "game.jsonl").run().status == "finished"
