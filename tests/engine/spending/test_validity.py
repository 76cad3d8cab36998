"""When a game is void: what its seats answered themselves, and from which share that is enough."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.engine import GameEngine
from engine.history import PlayerUsage
from engine.record.journal import Journal
from engine.runs.replay import Replay
from engine.runs.seat_rows import status_of_game
from engine.spending.budget import Limits
from engine.spending.validity import (
    SeatAnswers,
    is_void,
    unrated_entrants,
    valid_from_of,
    validity_sentence,
    void_seats,
    void_sentence,
)
from tests.support.histories import small_history
from tests.support.tables import config_for, play_game

Counts = dict[str, tuple[int, int]]


def history_of(counts: Counts, **limits: Any) -> Any:
    """Return a game whose seats were asked and fell back as often as `counts` says."""
    history = small_history()
    history.players, history.usage = history.players[:2], {}
    for name, (asks, fallbacks) in counts.items():
        history.usage[name] = PlayerUsage(asks=asks, fallbacks=fallbacks)
    history.config["limits"] = {"asks": 3} | limits
    return history


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({}, ""),
        ({"Ada": (0, 0)}, ""),
        ({"Ada": (20, 0)}, ""),
        ({"Ada": (1, 1)}, "void: Ada answered 0 of 1"),
        ({"Ada": (20, 20)}, "void: Ada answered 0 of 20"),
        ({"Ada": (20, 17)}, "void: Ada answered 3 of 20"),
        # Exactly .9 is enough, and a single fallback never makes a game void.
        ({"Ada": (20, 2)}, ""),
        ({"Ada": (20, 3)}, "void: Ada answered 17 of 20"),
        ({"Ada": (2, 1)}, ""),
        ({"Ada": (3, 2)}, "void: Ada answered 1 of 3"),
        ({"Ada": (19, 2)}, "void: Ada answered 17 of 19"),
        (
            {"Ada": (4, 4), "Ben": (10, 0), "Cleo": (10, 5)},
            "void: Ada answered 0 of 4, Cleo answered 5 of 10",
        ),
        # Only a log that was edited counts more fallbacks than questions.
        ({"Ada": (2, 5)}, "void: Ada answered 0 of 2"),
        ({"Ada": (-3, 0)}, ""),
    ],
)
def test_a_game_of_two_is_void_with_a_void_seat(counts: Counts, sentence: str) -> None:
    assert void_sentence(history_of(counts)) == sentence


@pytest.mark.parametrize("seats", range(1, 6))
@pytest.mark.parametrize("mute", range(6))
def test_a_game_is_void_with_fewer_than_two_valid_seats(seats: int, mute: int) -> None:
    """Its void seats are named either way."""
    mute = min(mute, seats)
    history = history_of({f"P{place}": (9, 9 * (place < mute)) for place in range(seats)})
    history.players = [replace(history.players[0], player_id=name) for name in history.usage]
    named = ", ".join(f"P{place} answered 0 of 9" for place in range(mute))
    is_void_now = bool(mute) and seats - mute < 2
    assert void_sentence(history) == (f"void: {named}" if is_void_now else "")
    only_seats = f"seat void: {named}" if mute else ""
    assert validity_sentence(history) == (void_sentence(history) or only_seats)
    status = status_of_game(replace(history, status="finished"))
    assert status == ("void" if is_void_now else "finished")


COUNTED = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1)


@given(st.dictionaries(st.sampled_from("abc"), COUNTED), st.floats(0, 1))
def test_an_entrant_is_judged_by_all_its_seats_as_one(
    seats: dict[str, list[tuple[int, int]]], share: float
) -> None:
    counted = []
    wanted = {}
    for name, counts in seats.items():
        own = [SeatAnswers.counted(name, *each) for each in counts]
        counted += own
        answered, asked = sum(one.answered for one in own), sum(one.asked for one in own)
        if is_void(SeatAnswers(name, answered, asked), share):
            wanted[name] = f"answered {answered} of {asked}"
    assert unrated_entrants(counted, share) == wanted


@pytest.mark.parametrize(
    ("valid_from", "counts", "is_void"),
    [
        (0.0, {"Ada": (20, 19)}, False),
        (0.0, {"Ada": (20, 20)}, False),
        (0.01, {"Ada": (20, 20)}, True),
        (1.0, {"Ada": (20, 1)}, False),
        (1.0, {"Ada": (20, 2)}, True),
        # 0.55 * 100 is 55.00000000000001, yet 55 of 100 are enough.
        (0.55, {"Ada": (100, 45)}, False),
        (0.55, {"Ada": (100, 46)}, True),
        # What no limit can be counts as the default.
        ("all", {"Ada": (20, 2)}, False),
        (True, {"Ada": (20, 2)}, False),
        (7, {"Ada": (20, 3)}, True),
        (None, {"Ada": (20, 3)}, True),
    ],
)
def test_the_limit_is_a_share_of_answers(valid_from: Any, counts: Counts, is_void: bool) -> None:
    assert bool(void_seats(history_of(counts, valid_from=valid_from))) == is_void


@pytest.mark.parametrize("config", [{}, {"limits": None}, {"limits": [3]}])
def test_a_log_that_names_no_share_is_judged_by_the_default(config: dict[str, Any]) -> None:
    history = history_of({"Ada": (20, 3)})
    history.config = config
    assert void_sentence(history) == "void: Ada answered 17 of 20"


async def test_a_journal_goes_on_with_another_share(tmp_path: Path) -> None:
    """The limit only judges: it is no part of what a game is made from, and the log has it."""
    config = config_for("guest", logs_dir=tmp_path, limits={"valid_from": 0.5, "max_time": 600})
    engine = GameEngine(config)
    engine.interrupt()
    assert (await engine.play()).status == "running"
    journal = tmp_path / f"{engine.history.game_id}.jsonl"
    header = Journal.load(journal).header
    assert "valid_from" not in header["made_from"]["config"]["limits"]
    assert header["limits"] == {"valid_from": 0.5, "max_time": 600}

    more = config.model_copy(update={"limits": Limits(valid_from=0.7)})
    history = await GameEngine.resume(journal, more).play()
    assert history.status == "finished"
    assert valid_from_of(history) == 0.7
    assert (await Replay(history).play()).to_json() == history.to_json()


async def test_a_log_tells_the_share_only_where_it_is_not_the_default() -> None:
    assert (await play_game("guest")).config["limits"] == {"asks": 3}
