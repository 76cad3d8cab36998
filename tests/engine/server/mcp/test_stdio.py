"""`serve.py --mcp`: an agent starts it, plays whole games, and finds them again after a crash."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.history import history_from_json
from tests.support.paths import ROOT
from tests.support.programs import run_python

pytest.importorskip("mcp", reason="comes with the extra mcp")

from mcp.shared.exceptions import MCPError

from tests.support.web.agents import agent_of_process, first_choices

SHORT = {"max_rounds": 1}
BEN = "Ben=scripted:tit_for_tat"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "by hand", "version": "1"},
}


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("begin", {"game": "dilema"}, "unknown game 'dilema': did you mean 'dilemma'?"),
    ("begin", {"game": "x\n\x1b[2J\u202e"}, "unknown game"),
    ("begin", {}, "game: field required"),
    ("begin", {"game": "x" * 300}, "at most 200 characters"),
    ("begin", {"game": "dilemma", "settings": {"max_round": 2}}, "did you mean 'max_rounds'"),
    ("begin", {"game": "dilemma", "settings": {"max_rounds": "x"}}, "max_rounds: input should"),
    ("begin", {"game": "dilemma", "players": ["Ben=nobody"]}, "unknown provider 'nobody'"),
    ("begin", {"game": "dilemma", "players": ["B=openai:m@http://127.0.0.1:1"]}, "base_url"),
    ("begin", {"game": "guest", "players": ["B=trained:/etc/passwd"]}, "--allow-model"),
    ("begin", {"game": "dilemma", "players": ["Ada=scripted:random"]}, "to be your own seat"),
    ("begin", {"game": "dilemma", "seat": "A=B,C"}, "expected seat to be a name without"),
    ("begin", {"game": "dilemma", "seat": "public"}, "the name of a view"),
    ("begin", {"game": "dilemma", "seed": 10**30}, "seed: input should be less than"),
    ("begin", {"game": "dilemma", "players": ["human"] * 200}, "at most 100 items"),
    ("begin", {"game": "conversation", "settings": {"length": 10**9}}, "length"),
    ("take_seat", {}, "you have no seat: take_seat(game, player, key) seats you"),
    ("take_seat", {"key": "x.y"}, "expected the key of a seat, as begin returned it"),
    ("take_seat", {"key": "\u00e4" * 900}, "expected the key of a seat, as begin returned it"),
    ("question", {"game": "../x"}, "you have no seat in '../x'"),
    ("question", {"wait": 10_000}, "wait: input should be less than or equal to 50"),
    ("answer", {"number": 1, "values": {}}, "you have no seat"),
    ("look", {"game": "../../etc/passwd"}, "there is no game '../../etc/passwd'"),
    ("look", {"game": "gameplay_20260101_120000_ab12cd34"}, "there is no game"),
    ("look", {"after": "x"}, "after: input should be a valid integer"),
    ("fly", {}, "Unknown tool: fly"),
]


class ByHand:
    """serve.py --mcp, spoken to line by line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []
        self.number = 0

    def send(self, method: str, params: Any, **more: Any) -> None:
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send(method, params, id=self.number)
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self.lines.append(line)
            told = json.loads(line)
            if told.get("id") == self.number:
                return told["result"]
        raise AssertionError(self.process.communicate()[1])

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]


@contextmanager
def by_hand(folder: Path) -> Iterator[ByHand]:
    words = [sys.executable, "serve.py", "--mcp", "--logs-dir", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as own:
        try:
            spoken = ByHand(own)
            spoken.ask("initialize", HELLO)
            spoken.send("notifications/initialized", {})
            yield spoken
        finally:
            own.kill()


def history_of(folder: Path, name: str) -> Any:
    return history_from_json((folder / f"{name}.json").read_bytes())


async def test_an_agent_plays_a_whole_game(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    async with agent_of_process(logs) as agent:
        tools = await agent.client.list_tools()
        names = [tool.name for tool in tools.tools]
        assert names == ["list_games", "begin", "take_seat", "question", "answer", "look"]
        reads = [tool.name for tool in tools.tools if tool.annotations.read_only_hint]
        assert reads == ["list_games", "question", "look"]
        for tool in tools.tools:
            assert tool.description
            assert tool.output_schema
            assert "  " not in tool.description
        (dilemma,) = (await agent.call("list_games", game="dilemma"))["games"]
        assert dilemma["settings"]["max_rounds"]["description"]
        assert "tit_for_tat" in dilemma["strategies"]
        begun = await agent.call("begin", game="dilemma", settings=SHORT, players=[BEN], seed=3)
        assert [*begun["keys"]] == ["Ada"]
        taken = await agent.call("take_seat")
        assert (taken["plays"], taken["player"]) == ("dilemma", "Ada")
        assert taken["players"] == ["Ada", "Ben"]
        assert "prisoner's dilemma" in taken["rules"]
        told = await agent.play(first_choices)
        seen = await agent.call("look")
    assert told[-1]["status"] == "finished"
    history = history_of(logs, begun["game"])
    assert told[-1]["end"]["places"] == history.outcome.placements == seen["end"]["places"]
    assert seen["standings"]
    # Nothing came twice, and all that the seat saw came.
    news = [one["index"] for one in [*taken["new"], *(new for one in told for new in one["new"])]]
    visible = [event.content for event in history.events if "Ada" in event.visibility]
    assert news == [one["index"] for one in seen["events"]] == [*range(len(visible))]
    assert [one["text"] for one in seen["events"]] == visible
    assert logs.with_suffix(".err").read_text() == ""


async def test_a_wrong_answer_is_said_in_a_sentence_and_the_question_stays(tmp_path: Path) -> None:
    async with agent_of_process(tmp_path / "logs") as agent:
        await agent.call("begin", game="dilemma", settings=SHORT, players=[BEN])
        number = (await agent.asked())["question"]["number"]
        right = {"first": "C", "second": 1, "third": "d"}
        wrong: dict[str, Any] = {
            'expected first to be one of ["C", "D"]: got \'X\'': right | {"first": "X"},
            'expected second to be one of ["C", "D"]: got \'3\'': right | {"second": 3},
            "expected the fields first, second, third: got 'fourth'": right | {"fourth": "C"},
            "values.third.str: input should be a valid string": right | {"third": ["C"]},
            "values.first.str: input should be a valid string": right | {"first": True},
            "characters at most: got 70,018": right | {"third": "x" * 70_000},
        }
        for sentence, values in wrong.items():
            said = await agent.refusal("answer", number=number, values=values)
            assert sentence in said
        said = await agent.refusal("answer", number=number + 1, values=right)
        assert said == f"question {number + 1} is no longer open: answer question {number}"
        assert (await agent.call("question", wait=0))["question"]["number"] == number
        assert (await agent.call("answer", number=number, values=right))["answered"] == number


async def test_what_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    said = []
    async with agent_of_process(tmp_path / "logs") as agent:
        for tool, arguments, _ in HOSTILE:
            said.append(await agent.refusal(tool, **arguments))
    for refusal, (tool, arguments, sentence) in zip(said, HOSTILE, strict=True):
        assert sentence in refusal, (tool, arguments)
        assert refusal.isprintable(), refusal
    assert not [*(tmp_path / "logs").glob("*.json*")]


async def test_killed_and_begun_again_the_game_goes_on(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with suppress(MCPError, ExceptionGroup):
        async with agent_of_process(logs) as agent:
            begun = await agent.call("begin", game="dilemma", settings=SHORT, players=[BEN], seed=3)
            key = begun["keys"]["Ada"]
            asked = await agent.asked()
            number = asked["question"]["number"]
            await agent.call("answer", number=number, values=first_choices(asked["question"]))
            await agent.asked()
            kill_server(logs)
            await agent.call("question")
    assert not (logs / f"{begun['game']}.json").exists()
    async with agent_of_process(logs) as agent:
        assert "you have no seat" in await agent.refusal("question", game=begun["game"])
        look = await agent.call("look", game=begun["game"])
        assert (look["status"], look["player"]) == ("interrupted", "")
        taken = await agent.call("take_seat", key=f"http://127.0.0.1/#/seat/x/Ada?key={key}")
        assert (taken["game"], taken["status"]) == (begun["game"], "playing")
        told = await agent.play(first_choices)
    # The first answer was not asked for again.
    assert told[0]["question"]["number"] == 2
    history = history_of(logs, begun["game"])
    assert (history.status, history.seed) == ("finished", 3)
    assert history.usage["Ada"].fallbacks == 0


def kill_server(logs: Path) -> None:
    """Kill the server of these logs that this process started."""
    (server,) = [
        child
        for child in psutil.Process(os.getpid()).children(recursive=True)
        if str(logs) in child.cmdline()
    ]
    server.kill()


@pytest.mark.parametrize("how", ["closed", signal.SIGINT, signal.SIGTERM])
def test_it_ends_well_and_says_how_a_game_goes_on(how: Any, tmp_path: Path) -> None:
    with by_hand(tmp_path / "logs") as spoken:
        begun = spoken.call("begin", game="dilemma", settings=SHORT, players=[BEN])
        while not spoken.call("question", wait=1)["question"]:
            pass
        if how == "closed":
            assert spoken.process.stdin is not None
            spoken.process.stdin.close()
        else:
            spoken.process.send_signal(how)
        assert spoken.process.wait(30) == 5
        assert spoken.process.stdout is not None
        assert spoken.process.stderr is not None
        rest = spoken.process.stdout.read()
        err = spoken.process.stderr.read()
    for line in [*spoken.lines, *rest.splitlines()]:
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert re.findall(r"uv run example\.py --resume (\w+) --logs-dir", err) == [begun["game"]]
    assert "Traceback" not in err


def test_nobody_began_anything_and_it_ends_with_nothing_to_say(tmp_path: Path) -> None:
    done = run_python("serve.py", "--mcp", "--logs-dir", str(tmp_path / "logs"), input="")
    assert (done.stdout, done.stderr) == ("", "")
