"""One contract for every session store: an SQLite file, and a real Redis server of this machine."""

import asyncio
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.runs.talks.keeper import store_for
from engine.runs.talks.redis_store import RedisStore
from engine.runs.talks.store import (
    DAY,
    FILE,
    SessionStore,
    SqliteStore,
    exchanges_key,
    participant_key,
    state_key,
)

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
SETTLE = 10.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("redis")
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    where = ["--port", str(port), "--bind", "127.0.0.1"]
    command = [program, *where, "--save", "", "--appendonly", "no"]
    with subprocess.Popen(
        command, cwd=tmp_path_factory.mktemp("redis"), stdout=subprocess.DEVNULL
    ) as server:
        try:
            await_answer(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def await_answer(port: int) -> None:
    end = time.monotonic() + SETTLE
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as line:
                line.sendall(b"PING\r\n")
                assert line.recv(16) == b"+PONG\r\n"
                return
        except OSError:
            assert time.monotonic() < end, "redis-server did not start"
            time.sleep(0.05)


@pytest.fixture(params=["sqlite", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    made: SessionStore
    if request.param == "sqlite":
        made = SqliteStore(tmp_path / FILE)
    else:
        url = request.getfixturevalue("redis_url")
        pytest.importorskip("redis").Redis.from_url(url).flushdb()
        made = RedisStore(url)
    yield made
    await made.close()


def test_the_keys_are_the_designs() -> None:
    assert state_key("ab12") == "talks:session:ab12:state"
    assert participant_key("ab12", "sophia") == "talks:session:ab12:participant:sophia"
    assert exchanges_key("ab12") == "talks:session:ab12:exchanges"


async def test_what_was_put_is_got(store: SessionStore) -> None:
    assert await store.get("a") is None
    values = {
        state_key("s"): {"topic": "Was ist Liebe? 🎭", "novelty_score": 0.1, "speaker": None},
        participant_key("s", "p"): {"relationships": {"q": -0.05}, "aspects_covered": ["a", "b"]},
        exchanges_key("s"): [{"turn": 1, "content": 'quotes " and \\ and \n'}],
    }
    await store.put(values)
    assert {key: await store.get(key) for key in values} == values


async def test_the_last_put_counts(store: SessionStore) -> None:
    await store.put({"a": [1], "b": 2})
    await store.put({"a": [1, 2]})
    assert [await store.get(key) for key in ("a", "b")] == [[1, 2], 2]


async def test_what_is_no_plain_data_is_refused_and_nothing_of_it_kept(store: SessionStore) -> None:
    await store.put({"a": 1})
    for wrong in ({1, 2}, float("nan"), object()):
        with pytest.raises(ValueError, match="expected plain data"):
            await store.put({"a": 2, "b": wrong})
    assert [await store.get(key) for key in ("a", "b")] == [1, None]


async def test_many_may_put_at_once(store: SessionStore) -> None:
    await asyncio.gather(*(store.put({"a": number, "b": number}) for number in range(50)))
    assert await store.get("a") == await store.get("b")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=PLAIN)
def test_any_plain_data_comes_back_from_a_file(tmp_path: Path, value: object) -> None:
    async def there_and_back() -> object:
        store = SqliteStore(tmp_path / FILE)
        try:
            await store.put({"a": value})
            return await store.get("a")
        finally:
            await store.close()

    assert asyncio.run(there_and_back()) == value


async def test_a_file_forgets_after_a_day(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path / FILE, clock=clock)
    await store.put({"a": 1, "b": 2})
    clock.now += DAY - 1
    await store.put({"b": 3})
    assert [await store.get(key) for key in ("a", "b")] == [1, 3]
    clock.now += 1
    assert [await store.get(key) for key in ("a", "b")] == [None, 3]
    await store.put({"c": 4})
    await store.close()
    with sqlite3.connect(tmp_path / FILE) as file:
        assert file.execute("SELECT key FROM sessions ORDER BY key").fetchall() == [("b",), ("c",)]
    file.close()


async def test_redis_forgets_after_a_day(redis_url: str) -> None:
    from redis.asyncio import Redis

    store, brief = RedisStore(redis_url), RedisStore(redis_url, ttl=0.001)
    await store.put({"a": 1})
    async with Redis.from_url(redis_url) as redis:
        assert DAY - 60 < await redis.ttl("a") <= DAY
    await brief.put({"a": 2})
    end = time.monotonic() + SETTLE
    while await store.get("a") is not None:
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    await store.close()
    await brief.close()


async def test_two_processes_share_a_file_in_wal_mode(tmp_path: Path) -> None:
    one, other = SqliteStore(tmp_path / FILE), SqliteStore(tmp_path / FILE)
    await one.put({"a": 1})
    await other.put({"a": 2, "b": 3})
    assert [await one.get(key) for key in ("a", "b")] == [2, 3]
    with sqlite3.connect(tmp_path / FILE) as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.close()
    await one.close()
    await other.close()


async def test_a_file_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is no database, it is only a text in its place\n" * 20)
    store = SqliteStore(tmp_path / FILE)
    told = r"sessions\.sqlite cannot be used: file is not a database; name another"
    with pytest.raises(RuntimeError, match=told):
        await store.get("a")
    await store.close()


async def test_a_redis_that_is_down_is_one_sentence_without_its_password() -> None:
    pytest.importorskip("redis")
    port = free_port()
    store = RedisStore(f"redis://anna:hunter2@127.0.0.1:{port}/3")
    with pytest.raises(RuntimeError) as caught:
        await store.get("a")
    await store.close()
    assert str(caught.value) == (
        f"no Redis answers at redis://127.0.0.1:{port}/3: "
        f"start one with redis-server --port {port}, "
        "or unset REDIS_URL to keep sessions in a file"
    )


async def test_a_wrong_password_is_one_sentence_without_it(redis_url: str) -> None:
    store = RedisStore(redis_url.replace("redis://", "redis://anna:hunter2@"))
    told = "rejects the password: set the right one in REDIS_URL"
    with pytest.raises(RuntimeError, match=told) as caught:
        await store.put({"a": 1})
    await store.close()
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://:hunter2@localhost:1", "localhost:6379", "redis://:hunter2@localhost:port"]
)
def test_a_url_that_is_none_of_redis_is_one_sentence(url: str) -> None:
    told = "expected REDIS_URL to look like redis://localhost:6379/0: got"
    with pytest.raises(ValueError, match=told) as caught:
        RedisStore(url)
    assert "hunter2" not in str(caught.value)


def test_redis_is_taken_if_its_url_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("redis")
    monkeypatch.delenv("REDIS_URL", raising=False)
    assert isinstance(store_for(tmp_path), SqliteStore)
    assert store_for(None) is None
    monkeypatch.setenv("REDIS_URL", "redis://localhost:1")
    assert isinstance(store_for(tmp_path), RedisStore)
    assert isinstance(store_for(None), RedisStore)


def test_without_the_extra_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    told = "need the package redis: install it with uv sync --extra redis"
    with pytest.raises(ValueError, match=told):
        RedisStore("redis://localhost:6379")
