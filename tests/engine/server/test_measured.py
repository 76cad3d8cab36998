"""Measured models over HTTP: who is better, and the games that a result rests on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.measured import serving_measured
from tests.support.web.real_server import Served


@pytest.fixture(scope="module")
def served(logs: Path) -> Iterator[Served]:
    with serving_measured(logs) as server:
        yield server


def test_models_are_listed_the_best_first(served: Served) -> None:
    (suite,) = served.get("/api/measured").json["suites"]
    assert suite["name"] == "arena-1"
    assert [one["model"] for one in suite["models"]] == ["scripted:greedy", "scripted:random"]
    for one in suite["models"]:
        assert one["quick"]
        assert one["stale"] == ""
        teamwork = one["tasks"][0]
        points = teamwork["points"]
        assert points["low"] < points["value"] < points["high"]
        assert teamwork["games"] == 4


def test_each_task_leads_to_its_games(served: Served) -> None:
    path = "/api/measured/arena-1/scripted-greedy/teamwork"
    assert [game["number"] for game in served.get(path).json["games"]] == [0, 1, 2, 3]
    page = served.get(f"{path}/3.html")
    assert page.status == 200
    assert page.sent["content-disposition"] == 'attachment; filename="teamwork_000003.html"'
    assert b"teamwork_000003" in page.body


@pytest.mark.parametrize(
    "path",
    ["arena-1/nobody/teamwork", "arena-2/scripted-greedy/teamwork", "arena-1/scripted-greedy/x"],
)
def test_what_was_not_measured_is_refused(served: Served, path: str) -> None:
    assert served.get(f"/api/measured/{path}").status == 404
    assert served.get(f"/api/measured/{path}/0.html").status == 404


@pytest.mark.parametrize("path", ["..%2F..", "%2e%2e", "arena-1%2F.."])
def test_no_name_becomes_a_path(served: Served, path: str) -> None:
    for place in (f"{path}/scripted-greedy/teamwork", f"arena-1/{path}/teamwork/0.html"):
        assert served.get(f"/api/measured/{place}").status == 404


def test_there_are_only_the_games_that_were_played(served: Served) -> None:
    for number in ("4", "-1"):
        path = f"/api/measured/arena-1/scripted-greedy/teamwork/{number}.html"
        assert served.get(path).status in {404, 422}


def test_a_damaged_result_is_told_in_a_sentence(served: Served) -> None:
    folder = served.settings.logs_dir / "measure" / "arena-1" / "broken"
    folder.mkdir()
    (folder / "measure.json").write_text("[]")
    answer = served.get("/api/measured")
    (folder / "measure.json").unlink()
    assert answer.status == 422
    assert "to be the file of a measured model" in answer.json["detail"]
    assert str(served.settings.logs_dir) not in answer.json["detail"]
