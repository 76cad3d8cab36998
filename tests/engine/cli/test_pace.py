"""The time left in a measurement."""

import pytest

from engine.cli.tournament.pace import Pace


def test_the_time_left_counts_the_games_of_all_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 60.0, 120.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    pace = Pace({"hex": 100, "poker": 300})
    # Half of hex was played earlier.
    assert pace.left("hex", 0.5, 0.55) == ""
    # 25 questions took a minute; 25 of hex and 300 of poker are left.
    assert pace.left("hex", 0.5, 0.75) == ", about 13 minutes left"
    pace.end_task("hex", 0.5, 1.0)
    # 200 questions took two minutes; 150 of poker are left.
    assert pace.left("poker", 0.0, 0.5) == ", about 2 minutes left"
