"""What watchers of one game are sent: all of it, in order, once, and nothing of another's view."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.history import Event
from engine.server import feed as feed_module
from engine.server.feed import MOST_AT_ONCE, Feed
from engine.server.frames import StreamFrame, plain_frame
from engine.server.live import LiveGame
from engine.server.routes.events import event_bytes
from providers import Usage
from tests.support.tables import config_for

PLAYERS = ("Ada", "Ben")


def told(event: Event) -> Mapping[str, Any]:
    return {"words": len(event.content.split())} if event.kind == "speech" else {}


def event(index: int, *seen_by: str, by: str | None = None, at: str = "then") -> Event:
    return Event(
        index,
        "speech",
        "Speech",
        f"player {by}" if by else "narrator",
        player_id=by,
        content=f"line {index} \u202e<b>",
        visibility=tuple(seen_by or PLAYERS),
        data={"secret": index},
        timestamp=at,
        reasoning="thinking" if by else "",
        usage=Usage(1, 2) if by else None,
    )


def append(feed: Feed, one: Event, round_index: int) -> None:
    feed.post(one, round_index)
    feed.collect()


def new_feed(events: int = 0) -> Feed:
    feed = Feed("game_1", "talks", PLAYERS, told)
    for index in range(events):
        append(feed, event(index), index // 2 + 1)
    return feed


@contextmanager
def others_running() -> Iterator[list[None]]:
    """Let another task run whenever it may; yield what has an item for each of its turns."""
    turns: list[None] = []

    async def other() -> None:
        while True:
            turns.append(None)
            await asyncio.sleep(0)

    running = asyncio.create_task(other())
    yield turns
    running.cancel()


async def take(frames: AsyncIterator[Any], count: int) -> list[StreamFrame]:
    """Return the next frames, at least so many."""
    found: list[StreamFrame] = []
    while len(found) < count:
        found += await asyncio.wait_for(anext(frames), 5)
    return found


def kinds(frames: list[StreamFrame]) -> list[str]:
    return [frame.kind for frame in frames]


def ids(frames: list[StreamFrame]) -> list[int]:
    """Return the numbers of events; each has its own as its cursor, behind the name of the view."""
    events = [frame for frame in frames if frame.kind == "event"]
    numbers = [json.loads(frame.data)["index"] for frame in events]
    assert [str(frame.id).rpartition(":")[2] for frame in events] == [*map(str, numbers)]
    return numbers


async def everything(feed: Feed, view: str, after: int = -1, **more: bool) -> list[StreamFrame]:
    found: list[StreamFrame] = []
    async for frames in feed.follow(view, after, **more):
        found += frames
    return found


async def test_frames_have_the_form_of_both_streams() -> None:
    hello, first = await take(new_feed(1).follow("*"), 2)
    assert hello.sse == (
        b"event: hello\ndata: "
        b'{"game":"talks","name":"game_1","status":"running","events":1,"version":1}\n\n'
    )
    assert first.sse.startswith(b"id: *:0\nevent: event\ndata: {")
    assert first.sse.endswith(b"}\n\n")
    assert first.sse.count(b"\n") == 4
    data = json.loads(first.data)
    assert json.loads(first.message) == {"type": "event", "id": "*:0", "data": data}
    assert "\u202e" not in first.data
    assert data["content"] == "line 0 \u202e<b>"
    assert (data["round"], data["facts"]) == (1, {"words": 3})


async def test_each_view_has_its_events_and_nothing_more() -> None:
    feed = new_feed()
    append(feed, event(0), 1)
    append(feed, event(1, "Ada", by="Ada"), 1)
    append(feed, event(2, by="Ben"), 2)
    feed.end({"status": "finished", "cost": 3, "outcome": {}})
    seen = {}
    for view in ("", "*", "Ada", "Ben"):
        frames = await everything(feed, view)
        seen[view] = [json.loads(frame.data) for frame in frames if frame.kind == "event"]
    found = {view: [one["index"] for one in events] for view, events in seen.items()}
    assert found == {"": [0, 1], "*": [0, 1, 2], "Ada": [0, 1, 2], "Ben": [0, 1]}
    assert [one["data"] for one in seen["*"]] == [{"secret": 0}, {"secret": 1}, {"secret": 2}]
    for view in ("", "Ada", "Ben"):
        assert all(one["data"] == {} for one in seen[view])
    thoughts = {view: [one["reasoning"] for one in events] for view, events in seen.items()}
    assert thoughts["Ada"] == ["", "thinking", ""]
    assert thoughts["Ben"] == ["", "thinking"]
    assert thoughts[""] == ["", ""]
    assert seen[""][1]["usage"] is None


async def test_a_watcher_goes_on_behind_what_it_has() -> None:
    feed = new_feed(5)
    feed.end({"status": "finished"})
    assert ids(await everything(feed, "", 1)) == [2, 3, 4]
    assert ids(await everything(feed, "", 4)) == []
    frames = await everything(feed, "", 5)
    assert kinds(frames[:2]) == ["hello", "reset"]
    assert ids(frames) == [0, 1, 2, 3, 4]


async def test_all_watchers_of_a_view_share_one_text() -> None:
    """A frame is encoded once: all who watch are handed the same object."""
    calls = 0

    def count(event: Event) -> Mapping[str, Any]:
        nonlocal calls
        calls += 1
        return {}

    feed = Feed("game_1", "talks", PLAYERS, count)
    for index in range(3):
        append(feed, event(index), 1)
    feed.end({"status": "finished"})
    lists = [await everything(feed, "") for _ in range(100)]
    assert calls == 3
    assert len({id(frames[2]) for frames in lists}) == 1


async def test_a_long_game_comes_in_parts_and_lets_others_run_between() -> None:
    feed = new_feed(3 * MOST_AT_ONCE)
    feed.end({"status": "finished"})
    with others_running() as turns:
        sizes = [len(frames) async for frames in feed.follow("")]
    assert max(sizes) <= MOST_AT_ONCE + 1
    assert len(turns) >= 2


async def test_what_a_view_has_not_leaves_no_trace_in_it() -> None:
    """No gap in the numbers, no time, no count and no frame tells that something is hidden."""
    sent: dict[int, list[list[Any]]] = {}
    for hidden in (0, 3):
        feed = new_feed(2)
        watching = feed.follow("Ben")
        frames = await take(watching, 3)
        feed.status({"status": "running", "thinking": ["Ada"], "tokens": hidden, "elapsed": hidden})
        frames += await take(watching, 1)
        for number in range(hidden):
            append(feed, event(2 + number, "Ada", at=f"later {number}"), 1)
            feed.status({"status": "running", "thinking": [], "tokens": 9 + number, "elapsed": 9})
            await asyncio.sleep(0.01)
        append(feed, event(2 + hidden, at=f"later {hidden}"), 1)
        feed.end({"status": "finished"})
        frames += [frame async for some in watching for frame in some]
        again = await everything(feed, "Ben")
        sent[hidden] = [[(one.kind, one.id) for one in some] for some in (frames, again)]
        texts = [one.data for one in feed.page("Ben", -1, 9)]
        sent[hidden].append([text.replace(f"line {2 + hidden}", "line 2") for text in texts])
        sent[hidden].append([one.data for one in again if one.kind != "event"])
    assert sent[0] == sent[3]


async def test_events_of_other_threads_come_once_and_in_order() -> None:
    feed = new_feed()

    def play() -> None:
        for index in range(2000):
            feed.post(event(index), 1)

    thread = threading.Thread(target=play)
    thread.start()
    frames = await take(feed.follow("*"), 2001)
    thread.join()
    assert ids(frames) == list(range(2000))


async def watched_in_one_stretch(players: str, patience: float) -> bool:
    """Return whether a viewer gets an event before the game that recorded it waits again."""
    game = LiveGame(PLAYERS)
    game.seat(GameEngine(config_for("conversation", players)), None)
    watched = threading.Event()

    async def stretch() -> bool:
        for listener in game.engine.listeners:
            listener(event(0))
        return watched.wait(patience)

    async def watch() -> None:
        async for frames in game.feed.follow("*"):
            if "event" in kinds([*frames]):
                watched.set()
                return

    watching = asyncio.create_task(watch())
    in_time = await asyncio.to_thread(asyncio.run, stretch())
    await asyncio.wait_for(watching, 5)
    return in_time


async def test_an_event_is_sent_before_a_script_computes() -> None:
    """With models alone, the events of a stretch are sent together."""
    assert await watched_in_one_stretch("Ada=ollama:m,Ben=scripted:greedy", 10)
    assert not await watched_in_one_stretch("Ada=ollama:m,Ben=ollama:m", 0.2)


async def test_a_resumed_game_tells_the_same_events_only_once() -> None:
    feed = new_feed(3)
    feed.end({"status": "interrupted"})
    hello, *_, end = await everything(feed, "")
    assert (json.loads(hello.data)["status"], end.kind) == ("interrupted", "end")
    feed.reopen()
    watching = feed.follow("", 2)
    (hello,) = await take(watching, 1)
    assert (hello.kind, json.loads(hello.data)["status"]) == ("hello", "running")
    for index in range(5):
        append(feed, event(index), 1)
    assert ids(await take(watching, 2)) == [3, 4]


async def test_only_the_seat_is_told_its_question() -> None:
    feed = new_feed()
    asked: dict[str, Any] = {"number": 1}
    feed.question("Ada", lambda: asked)
    feed.end({"status": "finished"})
    found = {}
    for view, seat in (("Ada", True), ("Ada", False), ("Ben", True), ("*", True), ("", True)):
        frames = await everything(feed, view, seat=seat)
        found[view, seat] = [one.data for one in frames if one.kind == "question"]
    assert found["Ada", True] == ['{"number":1}']
    assert found["Ada", False] == []
    assert found["Ben", True] == found["*", True] == found["", True] == ["null"]


async def test_a_question_that_is_over_is_taken_back() -> None:
    feed = new_feed()
    watching = feed.follow("Ada", seat=True)
    opening = await take(watching, 2)
    assert (kinds(opening), opening[1].data) == (["hello", "question"], "null")
    feed.question("Ada", lambda: {"number": 1})
    assert (await take(watching, 1))[0].data == '{"number":1}'
    append(feed, event(0), 1)
    assert kinds(await take(watching, 1)) == ["event"], "a question is told once"
    feed.question("Ada", lambda: None)
    assert (await take(watching, 1))[0].data == "null"


async def test_only_the_omniscient_view_is_told_of_costs_and_of_who_thinks() -> None:
    feed = new_feed()
    feed.status({"status": "running", "thinking": ["Ada"], "tokens": 9, "cost": 1.5, "round": 2})
    feed.end({"status": "stopped", "costs": {"Ada": 1}, "cost": 1.5, "usage": {"Ada": {}}})
    found = {}
    for view in ("*", "Ada", "Ben", ""):
        frames = await everything(feed, view)
        found[view] = [json.loads(frame.data) for frame in frames if frame.kind != "hello"]
    status, end = found["*"]
    assert (status["thinking"], status["tokens"], status["cost"]) == (["Ada"], 9, 1.5)
    assert end["costs"] == {"Ada": 1}
    for view, thinking in (("Ada", ["Ada"]), ("Ben", []), ("", [])):
        status, end = found[view]
        assert (status["round"], status["thinking"]) == (2, thinking)
        hidden = [status["tokens"], status["cost"], end["costs"], end["cost"], end["usage"]]
        assert hidden == [None] * 5


async def test_silence_is_broken_by_a_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "SILENCE", 0.01)
    feed = new_feed()
    watching = feed.follow("Ben")
    await take(watching, 1)
    assert await asyncio.wait_for(anext(watching), 5) == ()
    append(feed, event(0, "Ada"), 1)
    assert await asyncio.wait_for(anext(watching), 5) == ()


async def test_whoever_goes_is_counted_no_more() -> None:
    feed = new_feed(1)
    watching = feed.follow("")
    others = feed.follow("*")
    await take(watching, 2)
    await take(others, 2)
    waiting = asyncio.create_task(take(others, 1))
    await asyncio.sleep(0)
    assert feed.watchers == 2
    await watching.aclose()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert feed.watchers == 0


async def test_each_view_is_told_the_newest_status() -> None:
    feed = new_feed()
    watchers = [feed.follow(view) for view in ("", "", "*")]
    for watching in watchers:
        await take(watching, 1)
    for number in range(3):
        feed.status({"status": "running", "round": number})
        for watching in watchers:
            (status,) = await take(watching, 1)
            assert json.loads(status.data)["round"] == number


async def test_a_stream_holds_none_of_the_bytes_that_it_sent() -> None:
    async def batches() -> AsyncIterator[list[StreamFrame]]:
        yield [plain_frame("status", {})]
        yield []

    stream = event_bytes(batches())
    sent = [await anext(stream) for _ in range(2)]
    assert bytes(sent[-1]) == b"event: status\ndata: {}\n\n"
    await anext(stream)
    with pytest.raises(ValueError, match="released"):
        bytes(sent[-1])
