"""Games in the hall: begun, watched, stopped, resumed and forked; none harms another."""

import asyncio
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import history_from_json
from engine.record.journal import Journal
from engine.server import hall as hall_module
from engine.server.frames import StreamFrame
from engine.server.hall import Hall
from engine.server.seats import Conflict
from engine.views.perspective import history_in
from player import PlayerConfig
from tests.support.programs import run_python
from tests.support.tables import own_games
from tests.support.web.halls import (
    SHORT,
    config_of,
    end_of,
    events_in,
    models_asked,
    open_hall,
    until,
    watch,
)

SMALL: dict[str, dict[str, int]] = {
    "conversation": {"length": 6},
    "dilemma": {"max_rounds": 1},
    "guest": {"max_steps": 12},
    "talks": {"depth": 1, "max_iterations": 4},
}


@pytest.mark.parametrize("game", own_games())
async def test_a_scripted_game_is_sent_as_its_log_has_it_in_every_view(
    game: str, tmp_path: Path
) -> None:
    scripts = ",".join(f"scripted:{name}" for name in [*GAMES[game].strategies][:4])
    config = config_of(scripts, game={"name": game}, seed=3)
    async with open_hall(tmp_path) as hall:
        name = await hall.begin(config)
        views = ["", "*", *config.player_ids]
        lists = await asyncio.gather(*(watch(hall, name, view) for view in views))
        await until(lambda: not hall.games)
        again = await asyncio.gather(*(watch(hall, name, view) for view in views))
    history = history_from_json((tmp_path / f"{name}.json").read_bytes())
    assert (history.status, [*tmp_path.glob("*.jsonl")]) == ("finished", [])
    for view, live, later in zip(views, lists, again, strict=True):
        seen = history_in(history, view).events
        expected = [(event.index, event.content, event.data) for event in seen]
        for frames in (live, later):
            sent = events_in(frames)
            assert [(one["index"], one["content"], one["data"]) for one in sent] == expected
            assert end_of(frames)["status"] == "finished"
            assert end_of(frames)["log"] == name
    rounds = {event.index: log.round_index for log in history.rounds for event in log.events}
    assert {one["index"]: one["round"] for one in events_in(lists[1])} == rounds


async def test_games_of_the_hall_are_those_of_the_terminal(tmp_path: Path) -> None:
    config = config_of("scripted:greedy,scripted:random")
    alone = await GameEngine(config.model_copy(update={"logs_dir": None})).play()
    async with open_hall(tmp_path) as hall:
        name = await hall.begin(config)
        await watch(hall, name)
        history = await hall.history(name)
    found, expected = (
        [(event.kind, event.content, event.data) for event in one.events]
        for one in (history, alone)
    )
    assert found == expected


async def test_games_of_models_share_one_loop_and_one_factory_apart_from_the_web(
    tmp_path: Path,
) -> None:
    threads = set()
    async with models_asked(delay=0.01), open_hall(tmp_path) as hall:
        config = config_of("ollama:a,ollama:b")
        names = [await hall.begin(config) for _ in range(6)]
        for game in hall.games.values():
            game.engine.subscribe(lambda _: threads.add(threading.current_thread().name))
        lists = await asyncio.gather(*(watch(hall, name) for name in names))
        assert len(hall.loops.factory.clients) == 2
    assert threads == {"games"}
    assert len({*names}) == 6
    assert {end_of(frames)["status"] for frames in lists} == {"finished"}
    contents = [[one["content"] for one in events_in(frames)] for frames in lists]
    assert all(content == contents[0] for content in contents)


async def test_a_game_that_breaks_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a game breaks at, even a fault of the program, is that game's failure."""
    conversation = GAMES["conversation"]
    plan = conversation.plan

    def break_at(self: Any, state: Any) -> Any:
        if self.length == 5 and api.requests:
            raise ZeroDivisionError("no rule says so")
        return plan(self, state)

    monkeypatch.setattr(conversation, "plan", break_at)
    # The server is slow enough that whoever watches is there before the game breaks.
    async with models_asked(delay=0.5) as api, open_hall(tmp_path) as hall:
        broken = await hall.begin(config_of("ollama:a,scripted:random", game=SHORT | {"length": 5}))
        watching = asyncio.create_task(watch(hall, broken))
        whole = await hall.begin(config_of("scripted:greedy,scripted:random"))
        ends = [end_of(await watching), end_of(await watch(hall, whole))]
        assert [end["status"] for end in ends] == ["failed", "finished"]
        assert ends[0]["reason"] == "ZeroDivisionError: no rule says so"
        await until(lambda: not hall.games)
        with pytest.raises(ValueError, match="no rule says so"):
            await hall.feed(broken)


async def test_a_game_is_in_the_folder_as_soon_as_it_is_begun(tmp_path: Path) -> None:
    """Whatever happens then, it can go on: also a game that waits for its turn."""
    async with open_hall(tmp_path) as hall:
        config = config_of("scripted:greedy,scripted:random", game=SHORT | {"length": 100})
        names = [await hall.begin(config) for _ in range(20)]
        assert {*names} <= {path.stem for path in tmp_path.iterdir()}


async def test_a_stopped_game_goes_on_with_the_same_events(tmp_path: Path) -> None:
    async with models_asked(delay=0.01) as api, open_hall(tmp_path) as hall:
        whole = await hall.begin(config_of("ollama:a,scripted:random"))
        expected = events_in(await watch(hall, whole))
        name = await hall.begin(config_of("ollama:a,scripted:random"))
        feed = await hall.feed(name)
        await until(lambda: len(feed.page("*", -1, 99)) > len(expected) // 2)
        await hall.stop(name)
        first = await watch(hall, name)
        assert end_of(first)["status"] == "interrupted"
        assert 0 < len(events_in(first)) < len(expected)
        await until(lambda: not hall.games)
        with pytest.raises(Conflict, match="is not being played"):
            await hall.stop(name)
        assert end_of(await watch(hall, name))["status"] == "interrupted"
        asked = len(api.requests)
        await hall.resume(name)
        with pytest.raises(Conflict, match="already being played"):
            await hall.resume(name)
        last = events_in(first)[-1]["index"]
        rest = await watch(hall, name, after=last)
        assert "reset" not in {one.kind for one in rest}
        assert end_of(rest)["status"] == "finished"
        found = [(one["index"], one["content"]) for one in events_in(first) + events_in(rest)]
        assert found == [(one["index"], one["content"]) for one in expected]
        assert len(api.requests) - asked < asked
        await until(lambda: not hall.games)
        with pytest.raises(Conflict, match="is over"):
            await hall.resume(name)


async def test_only_so_many_games_are_played_at_once(tmp_path: Path) -> None:
    async with open_hall(tmp_path, max_games=2) as hall:
        config = config_of("human,scripted:random")
        names = [await hall.begin(config) for _ in range(2)]
        with pytest.raises(Conflict, match="2 games are being played, the limit set by"):
            await hall.begin(config)
        await hall.stop(names[0])
        await until(lambda: len(hall.games) == 1)
        await hall.begin(config)


async def sit(hall: Hall, name: str, player_id: str, choices: Mapping[str, str]) -> int:
    """Answer a seat's questions until the game is over; return how many there were."""
    answered = 0
    seat = hall.seats(name)[player_id]
    while name in hall.games:
        question = seat.question
        if question is None:
            await asyncio.sleep(0.002)
            continue
        values = dict(choices)
        for blank in question["fields"]:
            values.setdefault(blank["name"], blank["choices"][0] if blank["choices"] else "Well.")
        seat.answer(question["number"], values)
        answered += 1
    return answered


@pytest.mark.parametrize("game", own_games())
async def test_people_play_every_game_at_once_from_their_own_seats(
    game: str, tmp_path: Path
) -> None:
    script = f"scripted:{next(iter(GAMES[game].strategies))}"
    seats = f"human,human,{script},{script}"
    config = config_of(seats, game={"name": game, **SMALL.get(game, {})}, seed=3)
    async with open_hall(tmp_path) as hall:
        name = await hall.begin(config)
        ids = [*hall.seats(name)]
        assert ids == [player.player_id for player in config.player_configs[:2]]
        answered = await asyncio.gather(*(sit(hall, name, one, {}) for one in ids))
        history = await hall.history(name)
    assert history.status == "finished"
    assert answered == [history.usage[player_id].asks for player_id in ids]
    assert sum(answered) > 0
    assert [history.usage[player_id].fallbacks for player_id in ids] == [0, 0]


async def test_an_open_question_outlives_a_stop(tmp_path: Path) -> None:
    async with open_hall(tmp_path) as hall:
        name = await hall.begin(config_of("human,scripted:random"))
        await until(lambda: hall.seats(name)["Ada"].question)
        feed = await hall.feed(name)
        frames: list[StreamFrame] = []

        async def follow() -> None:
            async for some in feed.follow("Ada", seat=True):
                frames.extend(some)

        def questions() -> list[Any]:
            return [json.loads(one.data) for one in frames if one.kind == "question"]

        following = asyncio.create_task(follow())
        await until(lambda: any(questions()))
        await hall.stop(name)
        await asyncio.wait_for(following, 10)
        await until(lambda: not hall.games)
        assert hall.seats(name) == {}
        assert len(Journal.load(tmp_path / f"{name}.jsonl").recorded) == 0
        await hall.resume(name)
        await until(lambda: hall.seats(name)["Ada"].question)
        again = hall.seats(name)["Ada"].question
        asked = next(filter(None, questions()))
        assert again is not None
        assert again["question"] == asked["question"]
        await sit(hall, name, "Ada", {})
        assert (await hall.history(name)).status == "finished"


async def test_an_answer_that_is_sent_again_after_a_resume_is_too_late(tmp_path: Path) -> None:
    """Whoever did not hear that its answer was taken sends it again."""
    async with open_hall(tmp_path) as hall:
        name = await hall.begin(config_of("human,scripted:random"))

        async def asked() -> dict[str, Any]:
            await until(lambda: hall.seats(name)["Ada"].question)
            question = hall.seats(name)["Ada"].question
            assert question is not None
            return question

        first = await asked()
        values = {one["name"]: one["choices"][0] for one in first["fields"] if one["choices"]}
        hall.seats(name)["Ada"].answer(first["number"], values)
        await until(lambda: hall.seats(name)["Ada"].question != first)
        second = await asked()
        await hall.stop(name)
        await until(lambda: not hall.games)
        await hall.resume(name)
        assert (await asked())["number"] == second["number"] == first["number"] + 1
        with pytest.raises(Conflict, match="no longer open"):
            hall.seats(name)["Ada"].answer(first["number"], values)


async def test_missed_deadlines_are_faults_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.server.seats.ANSWER_WITHIN", 0.01)
    async with open_hall(tmp_path) as hall:
        name = await hall.begin(config_of("human,scripted:random"))
        assert end_of(await watch(hall, name))["status"] == "finished"
        history = await hall.history(name)
    used = history.usage["Ada"]
    assert used.asks == used.fallbacks > 3
    faults = [event.content for event in history.events if event.kind == "fault"]
    assert any("did not answer within 0.01 s" in fault for fault in faults)
    assert any("is away" in fault for fault in faults)


async def test_others_go_on_from_a_finished_game(tmp_path: Path) -> None:
    async with open_hall(tmp_path) as hall:
        first = await hall.begin(config_of("scripted:greedy,scripted:random"))
        events = events_in(await watch(hall, first))
        await until(lambda: not hall.games)
        middle = events[len(events) // 2]["index"]
        other = PlayerConfig(player_id="Ada", provider="scripted", model="random")
        forked = await hall.fork(first, middle, [other])
        later = events_in(await watch(hall, forked))
        assert forked != first
        same = [one["content"] for one in events if one["index"] <= middle]
        assert [one["content"] for one in later][: len(same)] == same
        with pytest.raises(ValueError, match="expected an event from 0 to"):
            await hall.fork(first, 10_000, [other])
        person = PlayerConfig(player_id="Ben", provider="human")
        assert [*hall.seats(await hall.fork(first, 0, [person]))] == ["Ben"]


async def test_the_end_of_the_hall_ends_streams_first_and_loses_nothing(tmp_path: Path) -> None:
    async with models_asked(delay=0.02), open_hall(tmp_path) as hall:
        configs = [
            config_of("ollama:a,scripted:random", game=SHORT | {"length": 60}),
            config_of("human,scripted:random"),
            config_of("scripted:greedy,scripted:random", game=SHORT | {"length": 1000}),
        ]
        names = [await hall.begin(config) for config in configs * 3]
        feeds = [await hall.feed(name) for name in names[:2]]
        await until(lambda: len(feeds[0].page("*", -1, 9)) > 5 and feeds[1].page("*", -1, 9))
        watching = [asyncio.create_task(watch(hall, name)) for name in names[:2]]
        await until(lambda: hall.watchers == 2)
        hall.finish()
        lists = await asyncio.wait_for(asyncio.gather(*watching), 5)
        assert [end_of(frames)["status"] for frames in lists] == ["interrupted"] * 2
        with pytest.raises(Conflict, match="shutting down"):
            await hall.begin(configs[1])
        await hall.close()
        left = {history.game_id for history in hall.left}
        assert {names[0], names[1], names[3], names[4]} <= left
        assert left == {path.stem for path in tmp_path.glob("*.jsonl")}
    async with models_asked():
        for name in left:
            # A replay computes a game of scripts to its end.
            status = "finished" if name in names[2::3] else "running"
            assert GameEngine.replay(tmp_path / f"{name}.jsonl").status == status


async def test_a_call_that_never_ends_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hall_module.PATIENCE == 4
    monkeypatch.setattr(hall_module, "PATIENCE", 0.1)
    async with models_asked(delay=600) as api, open_hall(tmp_path) as hall:
        name = await hall.begin(config_of("ollama:a,scripted:random"))
        await until(lambda: api.requests)
        await asyncio.wait_for(hall.close(), 10)
        assert [history.game_id for history in hall.left] == [name]
        Journal.reopen(tmp_path / f"{name}.jsonl").close()
        assert not hall.loops.loop.is_running()


async def test_statuses_tell_who_thinks_and_what_was_spent(tmp_path: Path) -> None:
    async with models_asked(delay=0.3) as api, open_hall(tmp_path) as hall:
        name = await hall.begin(config_of("ollama:a,human"))
        await until(lambda: api.requests and hall.seats(name)["Ben"].question)
        status = hall.status(name)
        assert status is not None
        assert status["thinking"] == ["Ada", "Ben"]
        assert (status["status"], status["round"], status["retrying"]) == ("running", 1, None)
        feed = await hall.feed(name)
        found: list[dict[str, Any]] = []
        async for frames in feed.follow("*"):
            found += [json.loads(one.data) for one in frames if one.kind == "status"]
            if any(one["tokens"] for one in found):
                break
        assert found[-1]["tokens"] == 120
        assert found[-1]["thinking"] == ["Ben"]


FACES = "engine.cli.play, engine.cli.logs.review, engine.runs.batch"
OF_MODELS_AND_TERMINALS = {"aiohttp", "httpx2", "openai", "rich", "tenacity", "yaml"}
OF_THE_SERVER = {"fastapi", "starlette", "uvicorn", "websockets", "engine.server"}


@pytest.mark.parametrize(
    ("imported", "unwanted"),
    [("engine.server.listen", OF_MODELS_AND_TERMINALS), (FACES, OF_THE_SERVER)],
)
def test_a_start_imports_nothing_that_it_may_not_need(imported: str, unwanted: set[str]) -> None:
    """A server is at its link sooner, and `example.py` and `logs.py` start no slower for it."""
    names = run_python("-c", f"import sys, {imported}; print(*sys.modules)").stdout.split()
    assert imported.partition(",")[0] in names
    assert not unwanted & {*names}
