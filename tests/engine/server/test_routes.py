"""Every URL of the API, on a folder of real games, for the host and for those with keys."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.record.journal import utc_now
from engine.server.keys import Keys, read_secret
from engine.server.web.admission import admit
from tests.support.hostile_configs import hostile_bodies, send_hostile_configs
from tests.support.served import Answered, Served, serving
from tests.support.tables import config_for

CANARY = "sk-canary-0123456789abcdef"
SHORT: dict[str, dict[str, Any]] = {
    "conversation": {"length": 6},
    "deliberations": {},
    "talks": {"topic": "the sea", "depth": 1},
    "dilemma": {"max_rounds": 2},
    "guest": {"max_steps": 12},
}
PEOPLE = [
    {"player_id": "Ada", "provider": "human"},
    {"player_id": "Ben", "provider": "scripted", "model": "tit_for_tat"},
]
SEATED = {"config": {"game": {"name": "dilemma", "max_rounds": 1}, "player_configs": PEOPLE}}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    logs = tmp_path_factory.mktemp("house") / "logs"
    for name in sorted(GAMES):
        config = config_for(
            name, logs_dir=logs, settings=SHORT.get(name, {}), game_id=name, clock=utc_now
        )
        GameEngine(config).run()
    (logs / "broken.json").write_text('{"version": 2}')
    with serving(logs) as server:
        yield server


def key_of(served: Served, game: str, player_id: str = "", watch: Any = "public") -> dict[str, str]:
    keys = Keys(read_secret(served.settings.logs_dir), served.settings.token)
    key = keys.seat_key(game, player_id) if player_id else keys.watch_key(game, watch)
    return {"Authorization": f"Bearer {key}"}


def wait_for(served: Served, name: str, status: str) -> Any:
    """Return what a game says of itself as soon as it has this status."""
    for _ in range(300):
        about = served.get(f"/api/games/{name}").json
        if about["status"] == status:
            return about
        time.sleep(0.05)
    raise AssertionError(f"{name} is {about['status']}, not {status}: {about['reason']}")


def question_of(served: Served, path: str, key: dict[str, str]) -> Any:
    """Return the open question of a seat as soon as there is one."""
    for _ in range(200):
        answer = served.get(path, headers=key, bare=True)
        if answer.status != 200 or answer.json["question"]:
            return answer.json.get("question")
        time.sleep(0.05)
    raise AssertionError("nobody is asked")


def begin(served: Served, body: Any) -> tuple[str, dict[str, str]]:
    answer = served.patient_post("/api/games", body)
    assert answer.status == 201, answer.body
    game = answer.json["games"][0]
    return game["name"], game["seats"]


def test_the_list_has_every_game(served: Served) -> None:
    listed = served.get("/api/games").json
    assert {row["name"] for row in listed["games"]} >= {*GAMES, "broken"}
    assert served.get("/api/games?game=dilemma").json["games"][0]["name"] == "dilemma"
    assert served.get("/api/games?status=unreadable").json["games"][0]["reason"]
    assert served.get("/api/games?q=nothing-like-it").json["games"] == []


def test_pages_of_the_list_follow_each_other(served: Served) -> None:
    seen: list[str] = []
    path = "/api/games?limit=2&sort=name"
    cursor = ""
    while cursor is not None:
        page = served.get(f"{path}&cursor={cursor}").json
        seen += [row["name"] for row in page["games"]]
        cursor = page["next"]
    assert seen == sorted(seen)
    assert {*GAMES} <= {*seen}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/api/games?limit=0", "limit"),
        ("/api/games?limit=201", "200"),
        ("/api/games?limit=many", "many"),
        ("/api/games?sort=beauty", "sort"),
        ("/api/games?cursor=%00", "cursor"),
        ("/api/games?since=yesterday", "since"),
        ("/api/games/dilemma/events?after=x", "after"),
        ("/api/games/dilemma/events?after=-2", "after"),
        ("/api/games/dilemma/events?limit=1001", "limit"),
        ("/api/games/dilemma/events/x/prompt", "index"),
        ("/api/games/dilemma/log.csv?include_prompts=perhaps", "include_prompts"),
        ("/api/costs?by=weather", "by"),
        ("/api/games/broken", "log"),
        ("/api/games/broken/log", "log"),
    ],
)
def test_what_is_malformed_is_told(served: Served, path: str, words: str) -> None:
    answer = served.get(path)
    assert answer.status == 422, answer.body
    assert words in answer.detail
    assert str(served.settings.logs_dir) not in answer.detail


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/api/games/dilemna", "did you mean 'dilemma'"),
        ("/api/games/dilemna/log", "did you mean 'dilemma'"),
        ("/api/games/..%5Cdilemma", "there is no game"),
        ("/api/games/dilemma/log?as=Adda", "did you mean 'Ada'"),
        ("/api/games/dilemma/events?as=nobody", "known are Ada"),
        ("/api/games/dilemma/events/99999/prompt", "there is no event"),
        ("/api/games/dilemma/charts/nothing.svg", "there is no picture"),
        ("/api/games/dilemma/seats/Zoe", "known are Ada"),
        ("/api/nothing", "nothing at this address"),
    ],
)
def test_what_is_not_there_is_404_with_the_nearest(served: Served, path: str, near: str) -> None:
    answer = served.get(path)
    assert answer.status == 404, answer.body
    assert near in answer.detail


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_game_says_what_it_is(served: Served, game: str) -> None:
    about = served.get(f"/api/games/{game}").json
    assert about["status"] == "finished"
    assert about["config"]["game"]["name"] == game
    assert about["players"][0]["provider"] == "scripted"
    assert about["outcome"]["summary"]
    assert about["may"] == {
        "stop": False,
        "resume": False,
        "fork": True,
        "sit": [],
        "see_all": True,
    }
    assert about["views"][:2] == ["", "*"]
    for chart in about["charts"]:
        drawn = served.get(f"/api/games/{game}/charts/{chart['stem']}.svg")
        assert drawn.status == 200
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert b"<svg" in drawn.body


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_log_is_the_log(served: Served, game: str) -> None:
    answer = served.get(f"/api/games/{game}/log")
    file = (served.settings.logs_dir / f"{game}.json").read_bytes()
    assert answer.body == file
    etag = answer.headers["etag"]
    assert etag.strip('"') == json.loads(file)["checksum"]
    again = served.get(f"/api/games/{game}/log", headers={"If-None-Match": etag})
    assert (again.status, again.body) == (304, b"")
    assert served.get(f"/api/games/{game}/log?as=public").headers["etag"] != etag


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_view_has_what_it_sees_and_no_more(served: Served, game: str) -> None:
    whole = served.get(f"/api/games/{game}/log").json
    players = [seat["player_id"] for seat in whole["players"]]
    events = [event for one in whole["rounds"] for event in one["events"]]
    for view in ("public", *players):
        seen = []
        for event in events:
            shown = {*players} <= {*event["visibility"]}
            if shown or view in event["visibility"]:
                seen.append(event["index"])
        for path in (f"log?as={view}", f"events?as={view}"):
            answer = served.get(f"/api/games/{game}/{path}").json
            got = answer.get("events") or [
                event for one in answer["rounds"] for event in one["events"]
            ]
            assert [event["index"] for event in got] == seen
            for event in got:
                assert not event["data"]
                if event["player_id"] != view:
                    assert not event["attempts"]
                    assert not event["reasoning"]
                    assert event["usage"] is None
                    assert event["prompt"] is None
        log = served.get(f"/api/games/{game}/log?as={view}").json
        assert {*log["usage"]} <= {view}
        assert [one for one in log["players"] if one["provider"]] == [
            one for one in whole["players"] if one["player_id"] == view
        ]


def test_events_come_in_pages(served: Served) -> None:
    whole = served.get("/api/games/dilemma/events?as=*").json
    assert whole["next"] is None
    got = []
    after = -1
    while after is not None:
        page = served.get(f"/api/games/dilemma/events?as=*&limit=7&after={after}").json
        assert len(page["events"]) <= 7
        got += page["events"]
        after = page["next"]
    assert got == whole["events"]
    assert got[0]["round"] == 1


@pytest.mark.parametrize("form", ["page.html", "log.pdf", "log.csv", "log.typ"])
@pytest.mark.parametrize("view", ["*", "public", "Ada"])
def test_a_game_is_handed_out_as_a_file(served: Served, form: str, view: str) -> None:
    answer = served.get(f"/api/games/conversation/{form}?as={view}")
    assert answer.status == 200, answer.body
    ending = form.partition(".")[2]
    sent = answer.headers["content-disposition"]
    assert sent == f'attachment; filename="conversation.{ending}"'
    assert len(answer.body) > 500


def test_a_file_of_a_view_has_no_more_than_that(served: Served) -> None:
    log = served.get("/api/games/conversation/log").json
    events = [event for one in log["rounds"] for event in one["events"]]
    hidden = [event["content"] for event in events if event["kind"] == "setup"]
    others = [text for text in hidden if len(text) > 20]
    csv = served.get("/api/games/conversation/log.csv?as=public").body.decode()
    assert others
    assert not [text for text in others if text[:40] in csv]
    assert others[0][:40] in served.get("/api/games/conversation/log.csv?as=*").body.decode()


def test_rules_are_checked(served: Served) -> None:
    answer = served.get("/api/games/dilemma/check").json
    assert answer["fair"] is True
    assert answer["rules"]
    assert not any(answer["rules"].values())


def test_a_prompt_is_shown_where_one_was_read(served: Served) -> None:
    answer = served.get("/api/games/dilemma/events/0/prompt").json
    assert answer == {"index": 0, "prompt": None, "attempts": []}


def test_a_key_opens_one_game_and_nothing_else(served: Served) -> None:
    key = key_of(served, "dilemma", "Ada")
    host_only = ["", "/games", "/offer", "/costs", "/metrics"]
    for path in host_only[1:]:
        answer = served.get(f"/api{path}", headers=key, bare=True)
        assert answer.status == 403, path
    for path in ("games/guest", "games/guest/log", "games/none", "games/guest/seats/Ada"):
        assert served.get(f"/api/{path}", headers=key, bare=True).status == 403, path
    for path in ("/api/games", "/api/games/dilemma/stop", "/api/games/dilemma/fork"):
        body = {"config": {}} if path == "/api/games" else {"at": 1, "players": []}
        assert served.patient_post(path, body, headers=key, bare=True).status == 403, path


@pytest.mark.parametrize(
    ("watch", "seen", "refused"),
    [
        ("public", ["", "public"], ["*", "Ada", "Ben"]),
        ("all", ["", "public", "*", "Ada", "Ben"], []),
        ("Ada", ["", "public", "Ada"], ["*", "Ben"]),
    ],
)
def test_a_key_shows_its_views(
    served: Served, watch: str, seen: list[str], refused: list[str]
) -> None:
    is_seat = watch == "Ada"
    key = key_of(served, "dilemma", "Ada" if is_seat else "", watch)
    paths = ("log", "events", "log.csv", "page.html")
    for path in paths:
        for view in seen:
            answer = served.get(f"/api/games/dilemma/{path}?as={view}", headers=key, bare=True)
            assert answer.status == 200, (path, view)
        for view in refused:
            answer = served.get(f"/api/games/dilemma/{path}?as={view}", headers=key, bare=True)
            assert answer.status == 403, (path, view)
    sees_all = watch == "all"
    for path in ("check", "events/0/prompt"):
        answer = served.get(f"/api/games/dilemma/{path}", headers=key, bare=True)
        assert answer.status == (200 if sees_all else 403), path
    about = served.get("/api/games/dilemma", headers=key, bare=True).json
    assert about["may"]["see_all"] is sees_all
    assert ("usage" in about) is sees_all
    assert "watch" not in about
    assert about["may"]["stop"] is about["may"]["fork"] is False


def test_the_offer_says_what_a_game_can_be_made_of(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    answer = served.get("/api/offer")
    offer = answer.json
    assert {*offer["games"]} == {*GAMES}
    for name, game in offer["games"].items():
        assert {*game["settings"]["properties"]} == {*GAMES[name].model_fields}
        assert {*game["strategies"]} == {*GAMES[name].strategies}
    assert "openai" in {one["name"] for one in offer["providers"]}
    assert "anthropic" not in {one["name"] for one in offer["providers"]}
    assert CANARY.encode() not in answer.body
    assert len(offer["configs"]) >= 10


def test_every_offered_config_could_come_back(served: Served) -> None:
    offered = {one["name"]: one["config"] for one in served.get("/api/offer").json["configs"]}
    for config in offered.values():
        assert admit(config, served.settings).player_configs
    for name in ("with_me", "simple"):
        answer = served.patient_post("/api/games?dry_run=1", {"config": offered[name]})
        assert answer.status == 200, (name, answer.body)


@pytest.mark.parametrize("by", ["day", "game", "model", "player"])
def test_costs_are_summed(served: Served, by: str) -> None:
    costs = served.get(f"/api/costs?by={by}").json
    assert costs["by"] == by
    assert costs["all"]["games"] >= len(GAMES)
    assert all(row["games"] > 0 for row in costs["rows"])


def test_metrics_are_prometheus_text(served: Served) -> None:
    answer = served.get("/api/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.body.decode().splitlines()
    figures = dict(line.split() for line in lines if not line.startswith("#"))
    assert {"arena_games", "arena_watchers", "arena_loop_delay_seconds"} <= {*figures}
    assert [float(figure) for figure in figures.values()]
    assert len([line for line in lines if line.startswith("# TYPE")]) == len(figures)


def test_a_dry_run_begins_nothing(served: Served) -> None:
    before = len(served.get("/api/games").json["games"])
    body = {
        "config": {
            "game": {"name": "conversation", "length": 3},
            "player_configs": [
                {"player_id": "Ada", "provider": "local"},
                {"player_id": "Ben", "provider": "scripted", "model": "random"},
            ],
        },
        "games": 2,
    }
    answer = served.patient_post("/api/games?dry_run=1", body)
    assert answer.status == 200
    bounds = answer.json
    assert bounds["seats"]["Ada"]["calls"] == bounds["all"]["calls"] > 0
    assert bounds["all"]["cost"] == 0
    assert bounds["events"] > 0
    assert len(served.get("/api/games").json["games"]) == before


def test_games_are_begun_and_end(served: Served) -> None:
    body = {
        "config": {
            "game": {"name": "dilemma", "max_rounds": 1},
            "seed": 7,
            "player_configs": [
                {"player_id": "Ada", "provider": "scripted", "model": "tit_for_tat"},
                {"player_id": "Ben", "provider": "scripted", "model": "defector"},
            ],
        },
        "games": 3,
    }
    answer = served.patient_post("/api/games", body)
    assert answer.status == 201
    names = [game["name"] for game in answer.json["games"]]
    assert len({*names}) == 3
    seeds = {wait_for(served, name, "finished")["seed"] for name in names}
    assert seeds == {7, 8, 9}


def test_a_person_sits_answers_and_leaves(served: Served) -> None:
    name, seats = begin(served, SEATED)
    assert [*seats] == ["Ada"]
    assert seats["Ada"].startswith(f"{served.origin}/#/seat/{name}/Ada?key=")
    key = {"Authorization": f"Bearer {seats['Ada'].partition('key=')[2]}"}
    path = f"/api/games/{name}/seats/Ada"
    asked = question_of(served, path, key)
    values = {one["name"]: one["choices"][0] if one["choices"] else "x" for one in asked["fields"]}
    answer = {"number": asked["number"], "values": values}

    wrong = {"number": asked["number"], "values": dict.fromkeys(values, "no such thing")}
    refused = served.patient_post(path, wrong, headers=key, bare=True)
    assert refused.status == 422
    assert question_of(served, path, key)["number"] == asked["number"]

    assert served.patient_post(path, answer).status == 403, "the host has no key of the seat"
    other = key_of(served, name, "Ben")
    assert served.patient_post(path, answer, headers=other, bare=True).status == 403
    late = answer | {"number": asked["number"] + 7}
    assert served.patient_post(path, late, headers=key, bare=True).status == 409
    assert served.patient_post(path, answer, headers=key, bare=True).status == 200
    assert served.patient_post(path, answer, headers=key, bare=True).status == 409

    question_of(served, path, key)
    assert served.ask("DELETE", path, b"", key, bare=True).status == 204
    about = wait_for(served, name, "finished")
    assert about["usage"]["Ada"]["fallbacks"] > 0
    over = served.get(path, headers=key, bare=True)
    assert over.status == 409
    assert "over" in over.detail


def test_two_answers_to_one_question_are_one(served: Served) -> None:
    from concurrent.futures import ThreadPoolExecutor

    name, seats = begin(served, SEATED)
    key = {"Authorization": f"Bearer {seats['Ada'].partition('key=')[2]}"}
    path = f"/api/games/{name}/seats/Ada"
    asked = question_of(served, path, key)
    values = {one["name"]: one["choices"][0] if one["choices"] else "x" for one in asked["fields"]}
    body = {"number": asked["number"], "values": values}

    def answer(_: int) -> Answered:
        return served.post(path, body, headers=key, bare=True)

    with ThreadPoolExecutor(8) as pool:
        statuses = [answered.status for answered in pool.map(answer, range(8))]
    assert sorted(statuses) == [200] + [409] * 7
    assert served.patient_post(f"/api/games/{name}/stop").status == 200


def test_who_sits_is_not_shown_what_others_hide(served: Served) -> None:
    name, seats = begin(served, SEATED)
    seat = {"Authorization": f"Bearer {seats['Ada'].partition('key=')[2]}"}
    own = {"Origin": served.origin}
    first = served.patient_post("/api/session", headers=own | seat, bare=True)
    cookie = {"Cookie": first.headers["set-cookie"].partition(";")[0]}
    both = served.patient_post("/api/session", headers=own | cookie)
    session = {"Cookie": both.headers["set-cookie"].partition(";")[0]}
    for path in ("log?as=*", "events?as=*", "log?as=Ben", "log.csv?as=*", "page.html?as=*"):
        answer = served.get(f"/api/games/{name}/{path}", headers=session, bare=True)
        assert answer.status == 409, path
        assert "you sit in this game as Ada" in answer.detail
    about = served.get(f"/api/games/{name}", headers=session, bare=True).json
    assert about["views"] == ["", "Ada"]
    for path in ("log", "log?as=Ada", "events?as=public"):
        assert served.get(f"/api/games/{name}/{path}", headers=session, bare=True).status == 200
    shown = served.get(f"/api/games/{name}/log", headers=session, bare=True).body
    assert shown == served.get(f"/api/games/{name}/log?as=Ada").body

    assert served.patient_post(f"/api/games/{name}/stop").status == 200
    wait_for(served, name, "running")
    assert name in {row["name"] for row in served.get("/api/games").json["games"]}
    assert served.patient_post(f"/api/games/{name}/stop").status == 409


def test_a_stopped_game_goes_on(served: Served) -> None:
    name, seats = begin(served, SEATED)
    key = {"Authorization": f"Bearer {seats['Ada'].partition('key=')[2]}"}
    path = f"/api/games/{name}/seats/Ada"
    asked = question_of(served, path, key)
    assert served.patient_post(f"/api/games/{name}/stop").status == 200
    for _ in range(100):
        if served.get(path, headers=key, bare=True).status == 409:
            break
        time.sleep(0.05)
    assert served.get(f"/api/games/{name}").json["may"]["resume"] is True
    costly = served.patient_post(f"/api/games/{name}/resume", {"max_cost": 1e9})
    assert costly.status == 422
    assert served.patient_post(f"/api/games/{name}/resume").status == 200
    assert question_of(served, path, key)["question"] == asked["question"]
    assert served.patient_post(f"/api/games/{name}/resume").status == 409
    assert served.ask("DELETE", path, b"", key, bare=True).status == 204
    wait_for(served, name, "finished")
    assert served.patient_post(f"/api/games/{name}/resume").status in {409, 422}


def test_a_finished_game_is_forked(served: Served) -> None:
    players = [{"player_id": "Ada", "provider": "scripted", "model": "defector"}]
    answer = served.patient_post("/api/games/dilemma/fork", {"at": 3, "players": players})
    assert answer.status == 201, answer.body
    forked = wait_for(served, answer.json["name"], "finished")
    assert forked["config"]["handovers"][0]["after"] == 3
    for body in (
        {"at": -1, "players": players},
        {"at": 10**6, "players": players},
        {"at": 3, "players": [{"player_id": "Ada", "provider": "trained", "model": "/etc/passwd"}]},
        {"at": 3, "players": [players[0] | {"api_key": "x"}]},
        {"at": 3, "players": ["Ada"]},
        {"players": players},
    ):
        assert served.patient_post("/api/games/dilemma/fork", body).status == 422, body


def test_hostile_configs_are_refused(served: Served) -> None:
    before = sorted(path.name for path in served.settings.logs_dir.iterdir())
    assert len(hostile_bodies()) >= 80
    assert send_hostile_configs(served) == []
    assert send_hostile_configs(served, "/api/games?dry_run=1") == []
    assert sorted(path.name for path in served.settings.logs_dir.iterdir()) == before


def test_games_that_are_too_long_are_refused_with_the_figure(served: Served) -> None:
    seat = {"provider": "scripted", "model": "wait"}
    scripts = [seat | {"player_id": f"P{one}"} for one in range(40)]
    local = [{"player_id": name, "provider": "local"} for name in ("Ada", "Ben")]
    for game, seats, figure in (
        ({"name": "guest"}, scripts, "100,000 events"),
        ({"name": "conversation", "length": 100}, local, "100,000 calls"),
    ):
        config = {"game": game, "player_configs": seats, "limits": {"asks": 10}}
        body = {"config": config, "games": 200}
        answer = served.patient_post("/api/games?dry_run=1", body)
        assert answer.status == 422, answer.body
        assert figure in answer.detail


def test_a_model_without_its_key_is_refused(served: Served) -> None:
    ben = {"player_id": "Ben", "provider": "scripted", "model": "random"}
    for provider, variable in (("openai", "OPENAI_API_KEY"), ("compatible", "COMPATIBLE_BASE_URL")):
        seats = [{"player_id": "Ada", "provider": provider, "model": "m"}, ben]
        body = {"config": {"game": "conversation", "player_configs": seats}}
        answer = served.patient_post("/api/games", body)
        assert answer.status == 422
        assert answer.detail.startswith(f"expected {variable} where the server was started")


def test_a_server_that_only_shows_changes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", read_only=True) as served:
        for path, body in (
            ("/api/games", SEATED),
            ("/api/games/x/stop", {}),
            ("/api/games/x/resume", {}),
            ("/api/games/x/fork", {"at": 0, "players": []}),
        ):
            answer = served.post(path, body)
            assert answer.status in {403, 404}, path
            if path == "/api/games":
                assert "--read-only" in answer.detail
