"""/mcp of the running server: agents with the host's token, with keys of seats, or neither."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.history import History, history_from_json
from tests.support.web.real_server import Served, serving

pytest.importorskip("mcp", reason="comes with the extra mcp")

from tests.support.web.agents import Agent, agent_on_the_web, first_choices

ACCEPT = {"Accept": "application/json, text/event-stream"}
SHORT: Any = {"max_rounds": 1}
TALK: Any = {"length": 6}


def history_of(served: Served, name: str) -> History:
    return history_from_json((served.settings.logs_dir / f"{name}.json").read_bytes())


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def begin(host: Agent, *players: str, game: str = "dilemma", **settings: Any) -> Any:
    return await host.call("begin", game=game, settings=settings, players=[*players], seed=3)


async def test_who_began_a_game_and_does_not_play_sees_what_all_see(served: Served) -> None:
    """The seats of people are theirs, unless the host sits down there by name."""
    async with agent_on_the_web(served.origin, served.bearer) as host:
        for people in (["Cleo=human"], ["Cleo=human", "Dan=human"]):
            players = [*people, "Ben=scripted:tit_for_tat"]
            own = {"players": players, "seat": "", "seed": 3}
            game = (await host.call("begin", game="dilemma", settings=SHORT, **own))["game"]
            assert (await host.call("look", game=game))["player"] == ""
            assert (await host.refusal("question", game=game)).startswith("you have no seat in")
            assert (await host.call("take_seat", game=game, player="Cleo"))["player"] == "Cleo"


async def test_a_game_that_names_its_seats_takes_its_own_first_name(served: Served) -> None:
    pytest.importorskip("pyspiel", reason="comes with the extra openspiel")
    async with agent_on_the_web(served.origin, served.bearer) as host:
        begun = await host.call("begin", game="openspiel:tic_tac_toe", seed=3)
        assert begun["player"] == "Player 0"
        assert (await host.call("begin", game="openspiel", seed=3))["player"] == "Ada"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_two_agents_play_one_game_and_each_sees_its_own(served: Served, mode: Any) -> None:
    async with agent_on_the_web(served.origin, served.bearer, mode) as host:
        begun = await begin(host, "Ben=human", game="conversation", **TALK)
        assert begun["next"].endswith("give the keys of Ben to those who play them")
        async with agent_on_the_web(served.origin, bearer(begun["keys"]["Ben"]), mode) as ben:
            rules = {}
            for agent, player in ((host, "Ada"), (ben, "Ben")):
                taken = await agent.call("take_seat", game=begun["game"], player=player)
                assert taken["player"] == player
                rules[player] = taken["rules"]
            assert rules["Ada"] != rules["Ben"]
            ada = {"game": begun["game"], "player": "Ada"}
            await asyncio.gather(host.play(first_choices, **ada), ben.play(first_choices))
            seen = {"Ada": await host.call("look", **ada), "Ben": await ben.call("look")}
            public = await ben.refusal("look", game=begun["game"], player="Ada")
            assert public.startswith("you have no seat as 'Ada' in")
    history = history_of(served, begun["game"])
    assert history.status == "finished"
    for player, look in seen.items():
        visible = [event.content for event in history.events if player in event.visibility]
        assert [one["text"] for one in look["events"]] == visible
        assert [one["index"] for one in look["events"]] == [*range(len(visible))]
        assert (look["player"], look["status"]) == (player, "finished")
    assert any(event.visibility == ("Ada",) for event in history.events)


async def test_a_key_opens_its_seat_and_nothing_else(served: Served) -> None:
    async with agent_on_the_web(served.origin, served.bearer) as host:
        begun = await begin(host, "Ben=human", **SHORT)
        other = await begin(host, **SHORT)
    name, keys = begun["game"], begun["keys"]
    watch = served.key_of(name, watch="all")
    async with agent_on_the_web(served.origin, bearer(keys["Ben"])) as ben:
        hosts = "a key opens one game and nothing else: this needs the host's token"
        assert await ben.refusal("list_games") == hosts
        assert await ben.refusal("begin", game="dilemma") == hosts
        # What Ada is asked, nobody answers with Ben's key.
        asked = await ben.asked()
        number = asked["question"]["number"]
        assert asked["player"] == "Ben"
        values = first_choices(asked["question"])
        for player, game in (("Ada", name), ("Ada", ""), ("Ben", other["game"])):
            said = {"number": number, "values": values, "player": player, "game": game}
            refused = await ben.refusal("answer", **said)
            assert refused.startswith("you have no seat")
        for key, sentence in {
            keys["Ben"]: "this key is for Ben: expected the key of Ada",
            other["keys"]["Ada"]: "this key is for another game",
            watch["Authorization"].removeprefix("Bearer "): "this key only watches",
            served.settings.token: "expected the key of a seat",
            keys["Ben"][:-1] + "x": "expected the key of a seat",
        }.items():
            refused = await ben.refusal("take_seat", key=key, player="Ada", game=name)
            assert refused.startswith(sentence)
        # Another game is not even looked at.
        assert "opens another game" in await ben.refusal("look", game=other["game"])
    async with agent_on_the_web(served.origin, watch) as watcher:
        assert "you have no seat" in await watcher.refusal("question", game=name)
        look = await watcher.call("look", game=name)
        assert (look["player"], look["status"]) == ("", "playing")


async def test_who_holds_two_seats_says_which(served: Served) -> None:
    async with agent_on_the_web(served.origin, served.bearer) as host:
        begun = await begin(host, "Ben=human", "Cleo=scripted:random", **SHORT)
        await host.call("take_seat", game=begun["game"], player="Ben")
        refused = await host.refusal("question", game=begun["game"])
        assert refused.startswith("you have several seats: say which game and player of Ada in")
        for player in ("Ada", "Ben"):
            assert (await host.asked(game=begun["game"], player=player))["player"] == player


async def test_a_seat_that_was_stopped_waits_for_its_host(served: Served) -> None:
    async with agent_on_the_web(served.origin, served.bearer) as host:
        begun = await begin(host, "Ben=scripted:tit_for_tat", **SHORT)
        name = begun["game"]
        async with agent_on_the_web(served.origin, bearer(begun["keys"]["Ada"])) as ada:
            asked = await ada.asked()
            served.post(f"/api/games/{name}/stop")
            while (await ada.call("question", wait=1))["status"] == "playing":
                pass
            refused = await ada.refusal("take_seat")
            assert refused == "the game is not running: ask the host to continue it"
            assert (await ada.call("question"))["next"].startswith("the game is not running")
            assert (await host.call("take_seat", game=name, player="Ada"))["status"] == "playing"
            told = await ada.play(first_choices)
    assert told[0]["question"]["number"] == asked["question"]["number"]
    assert told[-1]["status"] == "finished"


async def test_progress_is_told_while_nobody_is_asked(served: Served) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with agent_on_the_web(served.origin, served.bearer) as host:
        begun = await begin(host, "Ben=human", **SHORT)
        ada = {"game": begun["game"], "player": "Ada"}
        asked = await host.asked(**ada)
        number = asked["question"]["number"]
        await host.call("answer", number=number, values=first_choices(asked["question"]), **ada)
        # Ben has not answered yet.
        ask = {"wait": 0.2, **ada}
        result = await host.client.call_tool("question", ask, progress_callback=hear)
    assert result.structured_content is not None
    assert result.structured_content["question"] is None
    assert told == [(0.2, 0.2, f"Ada in {begun['game']} is waiting for a question")]


def test_the_guard_stands_before_it(served: Served) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert served.post("/mcp", body, bare=True, headers=ACCEPT).status == 401
    assert served.post("/mcp", body, bare=True, headers={**ACCEPT, **bearer("wrong")}).status == 401
    foreign = {**ACCEPT, "Origin": "http://evil.example"}
    assert served.post("/mcp", body, headers=foreign).status == 403
    assert served.post("/mcp", body, headers={**ACCEPT, "Host": "evil.example"}).status == 421
    assert served.post("/mcp", "x" * 70_000, headers=ACCEPT).status == 413
    for method in ("GET", "DELETE", "PUT"):
        answer = served.ask(method, "/mcp", headers=ACCEPT)
        assert answer.status == 405
        assert answer.headers["allow"] == "POST"
    assert served.post("/mcp", b"{", headers=ACCEPT).status == 400
    assert served.post("/mcp", body, headers=ACCEPT).status == 200


async def test_a_server_that_only_shows_begins_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", read_only=True) as served:
        async with agent_on_the_web(served.origin, served.bearer) as host:
            said = await host.refusal("begin", game="dilemma")
            assert said == "this server only shows games: restart it without --read-only"
            assert (await host.call("list_games"))["games"]


async def test_no_agent_spends_more_than_the_server_may(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", max_games=1) as served:
        async with agent_on_the_web(served.origin, served.bearer) as host:
            unknown = "Ben=compatible:nobody-knows-its-price"
            refused = await host.refusal("begin", game="dilemma", players=[unknown])
            assert "compatible" in refused or "price" in refused
            await begin(host, **SHORT)
            said = await host.refusal("begin", game="dilemma")
            assert said.startswith("1 games are being played, the limit set by --max-games")
