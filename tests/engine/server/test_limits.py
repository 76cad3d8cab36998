"""How often each caller may do something, and how many may watch at once."""

from contextlib import ExitStack

import pytest

from engine.server.settings import ServerSettings
from engine.server.web import admission
from engine.server.web.admission import admit, rehearse_within
from engine.server.web.limits import HOSTS_PLACES, STREAMS_A_KEY, Places, RateLimit
from engine.server.web.refusal import Refusal


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_caller_has_so_many_turns_a_second() -> None:
    clock = Clock()
    limit = RateLimit(5, clock)
    assert [limit.allows("Ada") for _ in range(7)] == [True] * 5 + [False] * 2
    assert limit.allows("Ben"), "others do not wait"
    clock.now += 0.2
    assert [limit.allows("Ada") for _ in range(2)] == [True, False]
    # However long a caller rests, it saves up no more than a second's turns.
    clock.now += 3600
    assert [limit.allows("Ada") for _ in range(7)] == [True] * 5 + [False] * 2


def take_places(places: Places, caller: str, stack: ExitStack) -> int:
    """Take places until one is refused; return how many were taken."""
    refused = None
    taken = 0
    while refused is None:
        try:
            stack.enter_context(places.place(caller))
            taken += 1
        except Refusal as refusal:
            refused = refusal
    assert (refused.status, refused.headers) == (503, {"retry-after": "5"})
    return taken


@pytest.mark.parametrize(("most", "hosts"), [(10, 5), (1, 0), (30, 15), (1000, HOSTS_PLACES)])
def test_some_places_are_the_hosts_alone(most: int, hosts: int) -> None:
    places = Places(most)
    with ExitStack() as stack:
        taken = 0
        for number in range(most):
            taken += take_places(places, f"key {number}", stack)
        assert taken == most - hosts
        assert take_places(places, "host", stack) == hosts
    assert places.taken.total() == 0


def test_one_key_has_so_many_streams() -> None:
    places = Places(1000)
    with ExitStack() as stack:
        assert take_places(places, "key", stack) == STREAMS_A_KEY
        assert take_places(places, "other key", stack) == STREAMS_A_KEY
        assert take_places(places, "host", stack) == 1000 - 2 * STREAMS_A_KEY
    with ExitStack() as stack:
        assert take_places(places, "key", stack) == STREAMS_A_KEY


def test_a_rehearsal_counts_steps_and_looks_at_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the same game is admitted, or refused with the same figure."""
    seats = [{"player_id": name, "provider": "local"} for name in ("Ada", "Ben")]
    plain = {"game": {"name": "conversation", "length": 3}, "player_configs": seats, "seed": 7}
    config = admit(plain, ServerSettings())
    _, events = rehearse_within(config, 1)
    assert not hasattr(admission, "time")
    monkeypatch.setattr(admission, "MOST_STEPS", events)
    with pytest.raises(ValueError, match=f"at most {events} events together"):
        rehearse_within(config, 1)
