"""Who may see what while a question is open: every caller, every view, every way of looking."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.web.attacks import status_of
from tests.support.web.floods import open_stream
from tests.support.web.real_server import Answered, Served, serving

ADA, BEN = ({"player_id": name, "provider": "human"} for name in ("Ada", "Ben"))
CLEO = {"player_id": "Cleo", "provider": "scripted", "model": "greedy"}
TALK = {"game": {"name": "conversation", "length": 8}, "seed": 7}
DILEMMA = {"game": {"name": "dilemma", "max_rounds": 1}, "seed": 7}
PLAYERS = ("Ada", "Ben", "Cleo")
VIEWS = (None, "public", "*", *PLAYERS, "Zoe")
# What one of its items is worth to a player.
VALUES = re.compile(r"importance [\d.]+, your own bonus [\d.]+")
WAYS = ("log", "events", "stream", "page.html", "log.csv", "log.typ")


@dataclass(frozen=True)
class Viewer:
    """A caller, and the rights that it has by its keys alone."""

    headers: Mapping[str, str]
    seats: tuple[str, ...] = ()
    sees_all: bool = False
    is_stranger: bool = False


@dataclass
class Table:
    """A game whose people are asked, and those who look at it."""

    name: str
    served: Served
    viewers: dict[str, Viewer] = field(default_factory=dict)

    def path(self, way: str, view: str | None) -> str:
        return f"/api/games/{self.name}/{way}" + ("" if view is None else f"?as={view}")

    def look(self, viewer: Viewer, way: str, view: str | None) -> Answered:
        return self.served.get(self.path(way, view), headers=viewer.headers, bare=True)

    def status(self, viewer: Viewer, way: str, view: str | None) -> int:
        """Return the status of a look; a stream that opens is left at once."""
        if way != "stream":
            return self.look(viewer, way, view).status
        path = self.path("events", view)
        with open_stream(self.served, path, viewer.headers) as client:
            return status_of(client.recv(1 << 12))


def open_table(served: Served, config: dict[str, Any], script: str) -> Table:
    """Begin a game of two people and a script, with a viewer of every kind."""
    cleo = CLEO | {"model": script}
    table = Table(served.begin(config | {"player_configs": [ADA, BEN, cleo]})["name"], served)
    keys = {name: served.key_of(table.name, name) for name in ("Ada", "Ben")}
    both = served.cookie_for(served.bearer | served.cookie_for(keys["Ada"]))
    table.viewers = {
        "host": Viewer(served.bearer, sees_all=True),
        "Ada": Viewer(keys["Ada"], ("Ada",)),
        "Ben": Viewer(keys["Ben"], ("Ben",)),
        "public": Viewer(served.key_of(table.name)),
        "all": Viewer(served.key_of(table.name, watch="all"), sees_all=True),
        "host that sits": Viewer(both, ("Ada",), sees_all=True),
        "stranger": Viewer(served.key_of("elsewhere", "Ada"), is_stranger=True),
    }
    return table


@pytest.fixture(scope="module")
def talk(served: Served) -> Iterator[Table]:
    table = open_table(served, TALK, "greedy")
    open_question(table, "Ada")
    yield table
    served.post(f"/api/games/{table.name}/stop")


@pytest.fixture(scope="module")
def only_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with serving(tmp_path_factory.mktemp("only")) as own:
        yield open_table(own, TALK, "greedy")


def open_question(table: Table, player_id: str) -> Any:
    path = f"/api/games/{table.name}/seats/{player_id}"
    return table.served.question(path, table.viewers[player_id].headers)


def expected_status(viewer: Viewer, view: str | None) -> int:
    """Return the status that docs/server.md promises, without a look at the server's rights."""
    if viewer.is_stranger:
        return 403
    if view in (None, "public", *viewer.seats):
        return 200
    if view == "Zoe":
        return 404
    if not viewer.sees_all:
        return 403
    return 409 if viewer.seats else 200


def views_given(viewer: Viewer) -> Iterator[tuple[str | None, str]]:
    """Yield each view that a viewer may ask for, and the one that it is answered."""
    for view in VIEWS:
        if expected_status(viewer, view) == 200:
            yield view, view_given(viewer, view)


def view_given(viewer: Viewer, view: str | None) -> str:
    """Return the view of an answer; the most that a viewer may see if it names none."""
    if view is not None:
        return view
    if viewer.seats:
        return viewer.seats[0]
    return "*" if viewer.sees_all else "public"


SECRET_SEED = 918_273_645


def test_no_address_tells_the_seed_to_a_browser_that_holds_a_seat(served: Served) -> None:
    """A twin of the game with its seed would show all that is hidden."""
    table = open_table(served, TALK | {"seed": SECRET_SEED}, "greedy")
    open_question(table, "Ada")
    paths = served.get("/api/openapi.json").json["paths"]
    values = {"name": table.name, "player": "Ada", "index": "1", "stem": "scores"}
    values |= {"suite": "arena-1", "model": "m", "task": "teamwork", "number": "0"}
    tells = set()
    for viewer in ("host", "host that sits", "Ada", "public"):
        for path, methods in paths.items():
            if "get" not in methods:
                continue
            place = path.format_map(values)
            for query in ("", f"?q={table.name}", "?status=running", "?as=*", "?as=public"):
                headers = table.viewers[viewer].headers
                answer = served.get(place + query, headers=headers, bare=True)
                if str(SECRET_SEED).encode() in answer.body:
                    tells.add((viewer, path))
    served.post(f"/api/games/{table.name}/stop")
    assert {viewer for viewer, _ in tells} == {"host"}
    assert ("host", "/api/games") in tells


@pytest.mark.parametrize(
    ("query", "is_veiled"),
    [
        ("?model=greedy", True),
        ("?model=greedy&limit=1", True),
        ("?model=scripted:greedy", True),
        ("?q=greedy", True),
        ("?q=cleo+greedy", True),
        ("?q=cleo", False),
        ("?player=Cleo", False),
        ("?sort=-cost", False),
        ("?sort=-tokens&limit=1", False),
    ],
)
def test_no_filter_finds_what_a_row_hides_from_a_host_that_sits(
    only_table: Table, query: str, is_veiled: bool
) -> None:
    own = only_table.served
    answers = {}
    for viewer in ("host", "host that sits"):
        headers = only_table.viewers[viewer].headers
        answers[viewer] = own.get(f"/api/games{query}", headers=headers, bare=True).json
        costs = own.get("/api/costs?by=model", headers=headers, bare=True).json
        assert bool(costs["rows"]) == (viewer == "host")
    assert [game["name"] for game in answers["host"]["games"]] == [only_table.name]
    assert len(answers["host that sits"]["games"]) == (not is_veiled)
    assert answers["host that sits"]["next"] is None


def test_sums_leave_out_the_game_of_the_one_who_asks_and_no_other(tmp_path: Path) -> None:
    """One of the others began before it, one after it."""
    scripts = [CLEO | {"player_id": name} for name in PLAYERS]
    with serving(tmp_path) as own:
        own.begin(TALK | {"player_configs": scripts})
        table = open_table(own, TALK, "greedy")
        own.begin(TALK | {"player_configs": scripts})
        for viewer, games in (("host", 3), ("host that sits", 2)):
            headers = table.viewers[viewer].headers
            sums = own.get("/api/costs?by=game", headers=headers, bare=True).json
            assert sums["all"]["games"] == games


def events_in(answer: Answered, way: str) -> list[Any]:
    """Return the events of a log, a page of events, or a stream that ended."""
    if way == "log":
        return [event for one in answer.json["rounds"] for event in one["events"]]
    return list(answer.json["events"])


def test_each_viewer_gets_the_views_it_may_have(talk: Table) -> None:
    wrong = []
    for who, viewer in talk.viewers.items():
        for view in VIEWS:
            for way in WAYS:
                status = expected_status(viewer, view)
                got = talk.status(viewer, way, view)
                if got != status:
                    wrong.append((who, view, way, got, status))
    assert wrong == []
    refused = talk.look(talk.viewers["host that sits"], "log", "*")
    assert "you play in this game as Ada" in refused.detail


@pytest.mark.parametrize("way", ["log", "events"])
def test_an_answer_has_what_its_view_sees_and_nothing_else(talk: Table, way: str) -> None:
    whole = events_in(talk.look(talk.viewers["host"], way, "*"), way)
    assert any(len(event["visibility"]) == 1 for event in whole), "something is private"
    for viewer in talk.viewers.values():
        for view, seen in views_given(viewer):
            needed = {*PLAYERS} if seen == "public" else {seen}
            due = [one for one in whole if seen == "*" or needed <= {*one["visibility"]}]
            got = events_in(talk.look(viewer, way, view), way)
            assert [one["content"] for one in got] == [one["content"] for one in due]
            numbers = [one["index"] for one in got]
            assert numbers == ([one["index"] for one in due] if seen == "*" else [*range(len(due))])
            for event in got:
                assert seen == "*" or event["data"] == {}
                if seen not in ("*", event["player_id"]):
                    hidden = ("prompt", "usage", "reasoning", "attempts", "fell_back")
                    assert not any(event[name] for name in hidden)


@pytest.mark.parametrize("form", ["page.html", "log.csv", "log.typ"])
def test_no_file_has_a_word_that_its_view_does_not_see(talk: Table, form: str) -> None:
    whole = events_in(talk.look(talk.viewers["host"], "log", "*"), "log")
    private = {one["player_id"]: one["content"] for one in whole if one["kind"] == "setup"}
    telling = {name: VALUES.findall(content)[0] for name, content in private.items()}
    assert len({*telling.values()}) == len(PLAYERS)
    for viewer in talk.viewers.values():
        for view, seen in views_given(viewer):
            made = talk.look(viewer, form, view).body.decode()
            shown = {name for name, item in telling.items() if item in made}
            assert shown == ({*PLAYERS} if seen == "*" else {seen} - {"public"})


def test_only_the_seat_is_told_its_question(talk: Table) -> None:
    asked = open_question(talk, "Ada")["question"]
    for who, viewer in talk.viewers.items():
        for seat in ("Ada", "Ben"):
            path = f"/api/games/{talk.name}/seats/{seat}"
            answer = talk.served.get(path, headers=viewer.headers, bare=True)
            assert answer.status == (200 if seat in viewer.seats else 403)
        about = talk.served.get(f"/api/games/{talk.name}", headers=viewer.headers, bare=True)
        assert asked not in about.body.decode()
        assert about.status == (403 if viewer.is_stranger else 200)
        if about.status == 200:
            assert ("usage" in about.json) is (viewer.sees_all and not viewer.seats)
            assert ("watch" in about.json) is who.startswith("host")
            assert about.json["may"]["sit"] == [*viewer.seats]
            seen = [view or "public" for view in about.json["views"]]
            views = ("public", "*", *PLAYERS)
            assert seen == [view for view in views if expected_status(viewer, view) == 200]


def test_an_answer_is_hidden_until_all_have_answered(served: Served) -> None:
    table = open_table(served, DILEMMA, "tit_for_tat")
    before = events_in(table.look(table.viewers["host"], "events", "*"), "events")
    asked = open_question(table, "Ada")
    open_question(table, "Ben")
    values = {one["name"]: (one["choices"] or ["x"])[0] for one in asked["fields"]}
    answer = json.dumps({"number": asked["number"], "values": values})
    path = f"/api/games/{table.name}/seats/Ada"
    sent = served.post(path, answer.encode(), headers=table.viewers["Ada"].headers, bare=True)
    assert sent.status == 200
    for who in ("Ben", "public"):
        got = events_in(table.look(table.viewers[who], "events", None), "events")
        moves = [one for one in got if one["player_id"] == "Ada" and one["index"] >= len(before)]
        assert moves == []
    served.post(f"/api/games/{table.name}/stop")
