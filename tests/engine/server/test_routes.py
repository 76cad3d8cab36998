"""Every URL of the API, on a folder of real games, for the host and for those with keys."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.games import GAMES
from engine.record.journal import utc_now
from engine.views.exports import EXPORTS
from tests.support.tables import run_game
from tests.support.web.real_server import Served

SHORT: dict[str, dict[str, Any]] = {
    "conversation": {"length": 6},
    "deliberations": {},
    "talks": {"topic": "the sea", "depth": 1},
    "dilemma": {"max_rounds": 2},
    "guest": {"max_steps": 12},
}


@pytest.fixture(scope="module")
def logs(logs: Path) -> Path:
    for name in sorted(GAMES):
        run_game(name, "", logs, settings=SHORT.get(name, {}), game_id=name, clock=utc_now)
    (logs / "broken.json").write_text('{"version": 2}')
    return logs


def test_the_list_has_every_game(served: Served) -> None:
    assert {row["name"] for row in served.get("/api/games").json["games"]} >= {*GAMES, "broken"}
    assert served.get("/api/games?game=dilemma").json["games"][0]["name"] == "dilemma"
    assert served.get("/api/games?status=unreadable").json["games"][0]["reason"]
    assert served.get("/api/games?q=nothing-like-it").json["games"] == []


def test_the_list_begins_with_the_game_that_began_last(served: Served) -> None:
    """However its file was touched since: the date that is shown decides."""
    (served.settings.logs_dir / "dilemma.json").touch()
    began = [row["began"] for row in served.get("/api/games").json["games"]]
    assert began == sorted(began, reverse=True)
    assert {*GAMES} <= {*served.get("/api/offer").json["listed"]}


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
        ("/api/games/dilemma/events?as=nobody", "choose from Ada"),
        ("/api/games/dilemma/events/99999/prompt", "there is no event"),
        ("/api/games/dilemma/charts/nothing.svg", "there is no picture"),
        ("/api/games/dilemma/seats/Zoe", "choose from Ada"),
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
    rights = {"stop": False, "resume": False, "fork": True, "sit": [], "see_all": True}
    assert about["may"] == rights
    assert about["views"][:2] == ["", "*"]
    titled = {one.file: one.title for one in EXPORTS.values() if one.title}
    assert {one["name"]: one["title"] for one in about["files"]} == titled
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
        needed = {*players} if view == "public" else {view}
        seen = [event["content"] for event in events if needed <= {*event["visibility"]}]
        for path in (f"log?as={view}", f"events?as={view}"):
            answer = served.get(f"/api/games/{game}/{path}").json
            rounds = answer.get("rounds") or [answer]
            got = [event for one in rounds for event in one["events"]]
            assert [event["content"] for event in got] == seen
            assert [event["index"] for event in got] == [*range(len(seen))]
            assert {event["timestamp"] for event in got} <= {events[0]["timestamp"]}
            for event in got:
                assert not event["data"]
                if event["player_id"] != view:
                    assert (event["attempts"], event["reasoning"]) == ([], "")
                    assert (event["usage"], event["prompt"]) == (None, None)
        log = served.get(f"/api/games/{game}/log?as={view}").json
        assert {*log["usage"]} <= {view}
        own = [one for one in whole["players"] if one["player_id"] == view]
        assert [one for one in log["players"] if one["provider"]] == own


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
    elsewhere = served.get("/api/games/dilemma/events?as=Ada&after=*:7")
    assert elsewhere.status == 409
    assert "belongs to another view" in elsewhere.detail


@pytest.mark.parametrize("form", sorted(one.file for one in EXPORTS.values() if one.file))
@pytest.mark.parametrize("view", ["*", "public", "Ada"])
def test_a_game_is_handed_out_as_a_file(served: Served, form: str, view: str) -> None:
    answer = served.get(f"/api/games/conversation/{form}?as={view}")
    assert answer.status == 200, answer.body
    ending = form.partition(".")[2]
    assert answer.headers["content-disposition"] == f'attachment; filename="conversation.{ending}"'
    assert len(answer.body) > 500


def test_rules_are_checked(served: Served) -> None:
    answer = served.get("/api/games/dilemma/check").json
    assert answer == {"fair": True, "void": "", "difference": ""}


def test_a_prompt_is_shown_where_one_was_read(served: Served) -> None:
    answer = served.get("/api/games/dilemma/events/0/prompt").json
    assert answer == {"index": 0, "prompt": None, "attempts": []}


@pytest.mark.parametrize("view", ["public", "Ada"])
def test_prompts_and_attempts_are_refused_to_any_view_but_everything(
    served: Served, view: str
) -> None:
    """Neither the host who asks for another view nor a seat's own key is shown them."""
    path = f"/api/games/dilemma/events/0/prompt?as={view}"
    assert served.get(path).status == 403
    assert served.get(path, headers=served.key_of("dilemma", "Ada"), bare=True).status == 403
    events = served.get(f"/api/games/dilemma/events?as={view}").json["events"]
    assert events
    assert {(event["prompt"], *event["attempts"]) for event in events} == {(None,)}


def test_a_key_opens_one_game_and_nothing_else(served: Served) -> None:
    key = served.key_of("dilemma", "Ada")
    host_only = ("games", "offer", "costs", "metrics")
    others = ("games/guest", "games/guest/log", "games/none", "games/guest/seats/Ada")
    for path in (*host_only, *others):
        assert served.get(f"/api/{path}", headers=key, bare=True).status == 403, path
    for path in ("/api/games", "/api/games/dilemma/stop", "/api/games/dilemma/fork"):
        body = {"config": {}} if path == "/api/games" else {"at": 1, "players": []}
        assert served.post(path, body, headers=key, bare=True).status == 403, path


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
    key = served.key_of("dilemma", "Ada" if is_seat else "", watch)
    statuses = dict.fromkeys(seen, 200) | dict.fromkeys(refused, 403)
    for path, view in product(("log", "events", "log.csv", "page.html"), statuses):
        answer = served.get(f"/api/games/dilemma/{path}?as={view}", headers=key, bare=True)
        assert answer.status == statuses[view], (path, view)
    sees_all = watch == "all"
    for path in ("check", "events/0/prompt"):
        answer = served.get(f"/api/games/dilemma/{path}", headers=key, bare=True)
        assert answer.status == (200 if sees_all else 403), path
    about = served.get("/api/games/dilemma", headers=key, bare=True).json
    assert about["may"]["see_all"] is sees_all
    assert ("usage" in about) is sees_all
    assert "watch" not in about
    assert about["may"]["stop"] is about["may"]["fork"] is False


def test_the_offer_says_what_a_game_can_be_made_of(served: Served) -> None:
    offer = served.get("/api/offer").json
    assert {*offer["games"]} == {*GAMES}
    for name, game in offer["games"].items():
        assert {*game["settings"]["properties"]} == {*GAMES[name].model_fields}
        assert {*game["strategies"]} == {*GAMES[name].strategies}
    assert "mistral" in {one["name"] for one in offer["providers"]}
    assert "anthropic" not in {one["name"] for one in offer["providers"]}
    assert len(offer["configs"]) >= 10


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
