"""Games that the web begins, plays, stops, goes on with and forks; and those that it may not."""

import re
from pathlib import Path
from typing import Any

import pytest

from engine.runs.index import FILE
from engine.server import hall
from engine.server.web import opening
from engine.server.web.admission import admit
from providers import DEFAULT_PROVIDER
from tests.support.tables import play_into
from tests.support.web.hostile_configs import hostile_bodies, send_hostile_configs
from tests.support.web.real_server import SEATED, Served, seats_of, serving, table_of


@pytest.fixture(scope="module")
def logs(logs: Path) -> Path:
    return play_into(logs, "dilemma")


def test_every_offered_config_could_come_back(served: Served) -> None:
    offered = {one["name"]: one["config"] for one in served.get("/api/offer").json["configs"]}
    for config in offered.values():
        assert admit(config, served.settings).player_configs
    # Models take the seats of a talk whose config names none.
    talk = offered["duel"]["player_configs"]
    assert [seat["provider"] for seat in talk] == [DEFAULT_PROVIDER] * 2
    for name in ("with_me", "simple"):
        answer = served.post("/api/games?dry_run=1", {"config": offered[name]})
        assert answer.status == 200, (name, answer.body)


def test_a_dry_run_begins_nothing(served: Served) -> None:
    before = len(served.get("/api/games").json["games"])
    config = table_of("conversation", "local,scripted:random", length=3)
    answer = served.post("/api/games?dry_run=1", {"config": config, "games": 2})
    assert answer.status == 200
    bounds = answer.json
    assert bounds["seats"]["Ada"]["calls"] == bounds["all"]["calls"] > 0
    assert bounds["all"]["cost"] == 0
    assert bounds["events"] > 0
    assert len(served.get("/api/games").json["games"]) == before


def test_games_are_begun_and_end(served: Served) -> None:
    config = table_of("dilemma", "scripted:tit_for_tat,scripted:defector", max_rounds=1)
    answer = served.post("/api/games", {"config": config, "games": 3})
    assert answer.status == 201
    names = [game["name"] for game in answer.json["games"]]
    assert len({*names}) == 3
    seeds = {served.wait_for(name)["seed"] for name in names}
    assert seeds == {7, 8, 9}


def test_a_person_sits_answers_and_leaves(served: Served) -> None:
    begun = served.begin(SEATED)
    name, seats = begun["name"], begun["seats"]
    assert [*seats] == ["Ada"]
    assert seats["Ada"].startswith(f"{served.origin}/#/seat/{name}/Ada?key=")
    key = {"Authorization": f"Bearer {seats['Ada'].partition('key=')[2]}"}
    path = f"/api/games/{name}/seats/Ada"
    asked = served.question(path, key)
    values = {one["name"]: one["choices"][0] if one["choices"] else "x" for one in asked["fields"]}
    answer = {"number": asked["number"], "values": values}

    wrong = {"number": asked["number"], "values": dict.fromkeys(values, "no such thing")}
    assert served.post(path, wrong, headers=key, bare=True).status == 422
    assert served.question(path, key)["number"] == asked["number"]

    assert served.post(path, answer).status == 403, "the host has no key of the seat"
    assert served.post(path, answer, headers=served.key_of(name, "Ben"), bare=True).status == 403
    late = answer | {"number": asked["number"] + 7}
    assert served.post(path, late, headers=key, bare=True).status == 409
    assert served.post(path, answer, headers=key, bare=True).status == 200
    assert served.post(path, answer, headers=key, bare=True).status == 409

    served.question(path, key)
    assert served.ask("DELETE", path, b"", key, bare=True).status == 204
    assert served.wait_for(name)["usage"]["Ada"]["fallbacks"] > 0
    over = served.until(path, lambda one: one.status != 200, headers=key, bare=True)
    assert over.status == 409
    assert "over" in over.detail


def test_a_stopped_game_goes_on(served: Served) -> None:
    name = served.begin(SEATED)["name"]
    key = served.key_of(name, "Ada")
    path = f"/api/games/{name}/seats/Ada"
    asked = served.question(path, key)
    assert served.post(f"/api/games/{name}/stop").status == 200
    served.until(path, lambda one: one.status == 409, headers=key, bare=True)
    assert served.get(f"/api/games/{name}").json["may"]["resume"] is True
    assert served.post(f"/api/games/{name}/resume", {"max_cost": 1e9}).status == 422
    assert served.post(f"/api/games/{name}/resume").status == 200
    assert served.question(path, key)["question"] == asked["question"]
    assert served.post(f"/api/games/{name}/resume").status == 409
    assert served.ask("DELETE", path, b"", key, bare=True).status == 204
    served.wait_for(name)
    assert served.post(f"/api/games/{name}/resume").status in {409, 422}


def test_a_finished_game_is_forked(served: Served) -> None:
    players = seats_of("scripted:defector")
    answer = served.post("/api/games/dilemma/fork", {"at": 3, "players": players})
    assert answer.status == 201, answer.body
    forked = served.wait_for(answer.json["name"])
    assert forked["config"]["handovers"][0]["after"] == 3
    log = served.get("/api/games/dilemma/log").json
    assert forked["config"]["handovers"][0]["game_id"] == log["game_id"]
    events = [event["visibility"] for one in log["rounds"] for event in one["events"]]
    seen = [index for index, visibility in enumerate(events) if "Ada" in visibility]
    assert seen[-1] > len(seen) - 1
    last = {"at": len(seen) - 1, "as": "Ada", "players": players}
    about = served.wait_for(served.post("/api/games/dilemma/fork", last).json["name"])
    assert about["config"]["handovers"][0]["after"] == seen[-1]
    for body in (
        {"at": -1, "players": players},
        {"at": 10**6, "players": players},
        {"at": 3, "players": seats_of("trained:/etc/passwd")},
        {"at": 3, "players": [players[0] | {"api_key": "x"}]},
        {"at": 3, "players": ["Ada"]},
        {"players": players},
    ):
        assert served.post("/api/games/dilemma/fork", body).status == 422, body


def files_in(folder: Path) -> set[str]:
    """Return the files in a folder but those of the index and those being written.

    Logs and journals are without suffix: a game of another test may end meanwhile.
    """
    return {
        re.sub(r"\.jsonl?$", "", path.name)
        for path in folder.iterdir()
        if not path.name.startswith(FILE) and path.suffix != ".part"
    }


def test_hostile_configs_are_refused(served: Served) -> None:
    before = files_in(served.settings.logs_dir)
    assert len(hostile_bodies()) >= 80
    assert send_hostile_configs(served) == []
    assert send_hostile_configs(served, "/api/games?dry_run=1") == []
    assert files_in(served.settings.logs_dir) == before


def test_games_that_are_too_long_are_refused_with_the_figure(served: Served) -> None:
    for config, figure in (
        (table_of("guest", ",".join(["scripted:wait"] * 40)), "100,000 events"),
        (table_of("conversation", "local,local", length=200, bank_size=20), "100,000 calls"),
    ):
        config["limits"] = {"asks": 10}
        answer = served.post("/api/games?dry_run=1", {"config": config, "games": 200})
        assert answer.status == 422, answer.body
        assert figure in answer.detail


def test_a_refusal_lists_the_games_that_began_before_it(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", max_games=2) as served:
        answer = served.post("/api/games", {"config": SEATED, "games": 3})
        assert answer.status == 409
        assert answer.detail.startswith("2 of 3 games began")
        names = [game["name"] for game in answer.json["games"]]
        assert sorted(names) == sorted(served.hall.games)
        for game in answer.json["games"]:
            key = game["seats"]["Ada"].rpartition("key=")[2]
            path = f"/api/games/{game['name']}/seats/Ada"
            assert served.get(path, headers={"Authorization": f"Bearer {key}"}).status == 200


def test_a_free_game_begins_unrehearsed_and_stops_at_the_bound_of_events(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise ValueError("expected no rehearsal")

    monkeypatch.setattr(opening, "rehearse_within", refuse)
    monkeypatch.setattr(hall, "MOST_EVENTS", 30)
    players, long = "scripted:random,scripted:random", {"length": 10_000, "bank_size": 50}
    name = served.begin(table_of("conversation", players, **long))["name"]
    about = served.wait_for(name, "stopped")
    assert about["reason"].startswith("the bound of 30 events is used up")
    assert 30 <= about["events"] < 60
    hosted = f"{players},groq:llama-3.3-70b-versatile"
    body = {"config": table_of("conversation", hosted, **long)}
    assert served.post("/api/games", body).detail == "expected no rehearsal"


def test_a_model_without_its_key_is_refused(served: Served) -> None:
    for provider, variable in (("openai", "OPENAI_API_KEY"), ("compatible", "COMPATIBLE_BASE_URL")):
        config = table_of("conversation", f"{provider}:m,scripted:random")
        answer = served.post("/api/games", {"config": config})
        assert answer.status == 422
        assert answer.detail.startswith(f"expected {variable} in the environment of the server")


def test_a_server_that_only_shows_changes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", read_only=True) as served:
        for path, body in (
            ("/api/games", {"config": SEATED}),
            ("/api/games/x/stop", {}),
            ("/api/games/x/resume", {}),
            ("/api/games/x/fork", {"at": 0, "players": []}),
        ):
            answer = served.post(path, body)
            assert answer.status in {403, 404}, path
            if path == "/api/games":
                assert "--read-only" in answer.detail
