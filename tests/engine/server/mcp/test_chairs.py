"""Which seat is meant when an agent names none, and whom the room forgets."""

from pathlib import Path

import pytest

from engine.server.keys import Caller, Grant, Keys
from engine.server.mcp.chairs import MOST_AGENTS, MOST_CHAIRS, Chairs, Room, chair_of_key
from engine.server.settings import ServerSettings
from engine.server.web.refusal import Refusal

DAY = 86_400


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(ServerSettings(logs_dir=tmp_path))


def test_a_chair_goes_with_the_key_that_opened_it(tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    keys = Keys(ServerSettings(logs_dir=tmp_path, key_days=2), clock=lambda: now[0])
    room = Room(keys)
    caller = Caller(grants=(Grant("other", seat="Cleo"),))
    for player in ("Ada", "Ben"):
        chair = chair_of_key(caller, keys, keys.seat_link("http://a.home", "g", player), "", "")
        room.chairs_of(caller).add("g", player, is_taken=True, key=chair.key)
    keys.revoke(keys.seat_key("g", "Ada"))
    with pytest.raises(Refusal, match="you have no seat as 'Ada' in 'g'"):
        room.chairs_of(caller).find("g", "Ada")
    assert room.chairs_of(caller).find("g", "Ben").player == "Ben"
    again = chair_of_key(caller, keys, keys.seat_key("g", "Ada"), "", "")
    assert room.chairs_of(caller).add("g", "Ada", is_taken=False, key=again.key) == again
    now[0] += 4 * DAY
    assert {*room.chairs_of(caller).held} == {("other", "Cleo")}


def test_no_watcher_takes_a_seat_that_all_with_the_same_link_would_share(keys: Keys) -> None:
    key = keys.seat_key("g", "Ada")
    for watch in ("public", "all"):
        opened = keys.bearer(keys.watch_key("g", watch))
        assert opened is not None
        with pytest.raises(Refusal, match=r"^a watcher has no seat: send the key"):
            chair_of_key(opened, keys, key, "", "")
    for caller in (Caller(host=True), keys.bearer(key)):
        assert caller is not None
        assert chair_of_key(caller, keys, key, "", "").player == "Ada"


def test_the_seat_that_was_taken_is_meant() -> None:
    chairs = Chairs()
    chairs.add("g", "Ben", is_taken=False)
    ada = chairs.add("g", "Ada", is_taken=True)
    assert chairs.find("", "") is ada
    assert chairs.find("g", "Ben").player == "Ben"
    with pytest.raises(Refusal, match=r"^you have no seat as 'Cleo' in 'g': take_seat"):
        chairs.find("g", "Cleo")


def test_a_game_that_is_over_is_meant_only_where_no_other_is_left() -> None:
    chairs = Chairs()
    old = chairs.add("old", "Ada", is_taken=True)
    new = chairs.add("new", "Ada", is_taken=True)
    with pytest.raises(Refusal, match="several seats: say which game and player of Ada in old, "):
        chairs.find("", "Ada")
    old.is_over = True
    assert chairs.find("", "") is new
    new.is_over = True
    assert chairs.find("", "") is new
    assert chairs.find("old", "") is old


def test_a_seat_that_is_taken_again_stays_one_chair() -> None:
    chairs = Chairs()
    first = chairs.add("g", "Ada", is_taken=True)
    first.last_sent = 7
    assert chairs.add("g", "Ada", is_taken=False) is first
    assert (first.last_sent, first.is_taken) == (7, True)


def test_a_key_is_a_chair_and_callers_have_their_own(keys: Keys) -> None:
    room = Room(keys)
    ada = Caller(grants=(Grant("g", seat="Ada"),))
    ben = Caller(grants=(Grant("g", seat="Ben"), Grant("g", watch="all")))
    assert room.chairs_of(ada).find("", "").player == "Ada"
    assert room.chairs_of(ben).find("g", "").player == "Ben"
    with pytest.raises(Refusal):
        room.chairs_of(Caller(host=True)).find("g", "")


def test_what_is_kept_is_bounded(keys: Keys) -> None:
    room = Room(keys)
    chairs = Chairs()
    for number in range(MOST_CHAIRS + 5):
        chairs.add(f"g{number}", "Ada", is_taken=True)
    assert len(chairs.held) == MOST_CHAIRS
    host = room.chairs_of(Caller(host=True))
    host.add("g", "Ada", is_taken=True)
    for number in range(MOST_AGENTS - 1):
        room.chairs_of(Caller(grants=(Grant(f"g{number}", seat="Ada"),)))
        assert room.chairs_of(Caller(host=True)) is host
    for number in range(MOST_AGENTS):
        room.chairs_of(Caller(grants=(Grant(f"h{number}", seat="Ada"),)))
    assert room.chairs_of(Caller(host=True)) is not host
