"""Live events: the same frames by server-sent events and by WebSocket, cut and taken up again."""

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect as connect_socket

from engine.server.deadline import Deadline
from tests.support.tables import play_into
from tests.support.web.floods import open_stream
from tests.support.web.real_server import SEATED, Served, read_all, serving

Frame = dict[str, Any]


@pytest.fixture(scope="module")
def logs(logs: Path) -> Path:
    return play_into(logs, "dilemma", "conversation")


def frames_in(sent: bytes) -> list[Frame]:
    """Return the frames of an answer, each with its type, data and id."""
    _, _, body = sent.partition(b"\r\n\r\n")
    found = []
    for part in body.decode().split("\n\n"):
        frame: Frame = {}
        for line in part.split("\n"):
            name, _, value = line.partition(": ")
            if name in ("event", "id", "data", "retry"):
                frame[name] = value
        if "event" in frame:
            frame["data"] = json.loads(frame["data"])
            found.append(frame)
    return found


def whole_stream(served: Served, path: str, headers: dict[str, str] | None = None) -> bytes:
    with open_stream(served, path, headers) as client:
        return read_all(client, 5)


def messages_of(served: Served, path: str, headers: dict[str, str] | None = None) -> list[Frame]:
    url = f"ws://{served.host}{path}"
    with connect_socket(url, additional_headers=headers or served.bearer) as client:
        return [json.loads(message) for message in client]


def test_a_finished_game_is_streamed_from_hello_to_end(served: Served) -> None:
    sent = whole_stream(served, "/api/games/dilemma/events?as=*")
    head, _, body = sent.partition(b"\r\n\r\n")
    assert b"content-type: text/event-stream" in head
    assert b"content-security-policy" in head
    assert body.startswith(b"retry: 1000\n\n")
    frames = frames_in(sent)
    assert [frame["event"] for frame in (frames[0], frames[-1])] == ["hello", "end"]
    events = [frame for frame in frames if frame["event"] == "event"]
    page = served.get("/api/games/dilemma/events?as=*").json["events"]
    assert [frame["data"] for frame in events] == page
    assert [frame["id"] for frame in events] == [f"*:{event['index']}" for event in page]
    assert not [frame for frame in frames if "id" in frame and frame["event"] != "event"]


@pytest.mark.parametrize("view", ["*", "public", "Ada"])
def test_a_socket_tells_the_same(served: Served, view: str) -> None:
    frames = frames_in(whole_stream(served, f"/api/games/conversation/events?as={view}"))
    messages = messages_of(served, f"/api/games/conversation/stream?as={view}")
    told = [(one["event"], one.get("id"), one["data"]) for one in frames]
    assert [(one["type"], one.get("id"), one["data"]) for one in messages] == told


@pytest.mark.parametrize("cut", [0, 5, -2])
def test_a_cut_stream_goes_on_behind_its_last_event(served: Served, cut: int) -> None:
    whole = frames_in(whole_stream(served, "/api/games/dilemma/events?as=Ada"))
    ids = [frame["id"] for frame in whole if "id" in frame]
    assert ids == [f"Ada:{number}" for number in range(len(ids))]
    last = served.bearer | {"Last-Event-ID": ids[cut]}
    rest = frames_in(whole_stream(served, "/api/games/dilemma/events?as=Ada&after=-1", last))
    assert [frame["id"] for frame in rest if "id" in frame] == ids[cut + 1 :]
    messages = messages_of(served, f"/api/games/dilemma/stream?as=Ada&after={ids[cut]}")
    assert [one["id"] for one in messages if "id" in one] == ids[cut + 1 :]


def test_an_id_behind_the_game_is_answered_by_all_of_it(served: Served) -> None:
    for wrong in ("99999", "Ada:2"):
        frames = frames_in(whole_stream(served, f"/api/games/dilemma/events?as=*&after={wrong}"))
        assert [frame["event"] for frame in frames[:3]] == ["hello", "reset", "event"]
        assert frames[2]["id"] == "*:0"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("dilemma/{way}?as=nobody", 404),
        ("none/{way}", 404),
        ("dilemma/{way}?after=x", 422),
        ("dilemma/{way}?after=9999999999999999999999", 422),
    ],
)
def test_what_cannot_be_streamed_is_told(served: Served, path: str, status: int) -> None:
    events = f"/api/games/{path.format(way='events')}"
    answer = served.get(events, headers={"Accept": "text/event-stream"})
    assert answer.status == status
    assert answer.detail
    with pytest.raises(InvalidStatus) as refused:
        messages_of(served, f"/api/games/{path.format(way='stream')}")
    response = refused.value.response
    assert response.status_code == status
    assert json.loads(response.body or b"")["detail"] == answer.detail


def test_a_stream_needs_a_right(served: Served) -> None:
    other = served.key_of("conversation", "Ada")
    seat = served.key_of("dilemma", "Ada")
    asked = (({"Authorization": "Bearer x"}, "", 401), (other, "", 403), (seat, "?as=*", 403))
    for headers, query, status in asked:
        answer = served.get(
            f"/api/games/dilemma/events{query}",
            headers=headers | {"Accept": "text/event-stream"},
            bare=True,
        )
        assert answer.status == status
        with pytest.raises(InvalidStatus) as refused:
            messages_of(served, f"/api/games/dilemma/stream{query}", headers)
        assert refused.value.response.status_code == status


def test_a_seat_is_told_its_question_and_nobody_else_is(served: Served) -> None:
    name = served.begin(SEATED)["name"]
    key = served.key_of(name, "Ada")
    path = f"/api/games/{name}"
    with ExitStack() as stack:
        url = f"ws://{served.host}{path}/stream?as=Ada"
        seat, watcher = (
            stack.enter_context(connect_socket(url, additional_headers=shown))
            for shown in (key, served.bearer)
        )
        asked: Frame = {}
        while not asked.get("data") or asked["type"] != "question":
            asked = json.loads(seat.recv(timeout=20))
        question = asked["data"]
        assert {"number", "kind", "question", "fields", "silence", "left"} <= {*question}
        assert served.ask("DELETE", f"{path}/seats/Ada", b"", key, bare=True).status == 204
        kinds = {json.loads(message)["type"] for message in watcher}
        assert "question" not in kinds
        assert "end" in kinds
        rest = [json.loads(message) for message in seat]
        assert rest[-1]["type"] == "end"
        events = [one for one in rest if one["type"] == "event"]
        numbers = [one["data"]["index"] for one in events]
        assert numbers == sorted({*numbers})


def test_places_are_bounded_and_some_are_the_hosts(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", max_watchers=10) as served, ExitStack() as stack:
        name = served.begin(SEATED)["name"]
        path = f"/api/games/{name}/events"
        for who in (served.key_of(name, "Ada"), served.bearer):
            for _ in range(5):
                client = stack.enter_context(open_stream(served, path, who))
                assert b" 200 " in client.recv(100)
            answer = served.get(path, headers=who | {"Accept": "text/event-stream"}, bare=True)
            assert answer.status == 503
            assert answer.headers["retry-after"]
        assert served.get("/api/games").status == 200
        stack.close()
        assert served.post(f"/api/games/{name}/stop").status == 200


class Hasty(Deadline):
    unread_seconds = 0.3


def test_who_reads_nothing_is_cut_off_and_others_are_not(tmp_path: Path) -> None:
    logs = play_into(tmp_path / "logs", "conversation")
    log = json.loads((logs / "conversation.json").read_text())
    # Enough that no system keeps all of it unread.
    log["rounds"][0]["events"][0]["content"] = "x" * (8 << 20)
    (logs / "conversation.json").write_text(json.dumps(log | {"game": "another", "checksum": ""}))
    with serving(logs, Hasty) as served:
        path = "/api/games/conversation/events"
        with ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(open_stream(served, path, room=4096))
            until = time.monotonic() + 20
            while len(served.server.server_state.connections) and time.monotonic() < until:
                time.sleep(0.05)
            assert not served.server.server_state.connections
            assert served.get("/api/games/conversation").status == 200
        assert len(whole_stream(served, path)) > 8 << 20
