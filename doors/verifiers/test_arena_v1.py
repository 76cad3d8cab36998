"""Test the arena in verifiers as users run it: `vf-eval` against a local server."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

TASKS = 10
REPEATS = 5
CHARACTER = "You never forgive."
MODEL_KEY = "key-of-the-model"


def first_choices(asked: dict) -> str:
    """Return the first legal value of each field in a question."""
    schema = asked["response_format"]["json_schema"]["schema"]
    fields = schema["properties"].items()
    return json.dumps({name: field.get("enum", ["I see."])[0] for name, field in fields})


def chat_completion(asked: dict) -> bytes:
    """Return the answer as a chat completion."""
    message = {"role": "assistant", "content": first_choices(asked)}
    completion = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return json.dumps(completion).encode()


class FirstLegal(BaseHTTPRequestHandler):
    """A model behind OpenAI's chat completions API."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a question from the arena."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.headers["Authorization"], asked))
        sent = chat_completion(asked)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def model() -> Iterator[ThreadingHTTPServer]:
    """Serve a model on a free local port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), FirstLegal)
    server.asked = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def run_eval(
    server: ThreadingHTTPServer, folder: Path, *options: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run `vf-eval` as a user would."""
    program = Path(sys.executable).with_name("vf-eval")
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = ["-m", "first-legal", "--client.base-url", address]
    quiet = ["--client.api-key-var", "MODEL_KEY", "--push", "False", "--rich", "None"]
    command = [str(program), "arena-v1", *model, *quiet, "-o", "outputs", *options]
    kept = {name: value for name, value in os.environ.items() if "API_KEY" not in name}
    kept |= {"HOME": str(folder), "MODEL_KEY": MODEL_KEY, "HF_HUB_OFFLINE": "1", **environ}
    return subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, check=False
    )


def traces_of(folder: Path) -> list[dict]:
    """Return the traces of the only run in a folder."""
    (trace_file,) = folder.glob("outputs/*/traces.jsonl")
    traces = []
    for line in trace_file.read_text().splitlines():
        traces += json.loads(line)["traces"]
    return traces


def test_fifty_rollouts_end_without_an_error(model: ThreadingHTTPServer, tmp_path: Path) -> None:
    settings = json.dumps({"max_rounds": 1, "game_length": [2, 2]})
    options = ["-n", str(TASKS), "-r", str(REPEATS), "-c", "4"]
    done = run_eval(model, tmp_path, *options, "--env.taskset.settings", settings)
    assert done.returncode == 0, done.stdout + done.stderr
    traces = traces_of(tmp_path)
    assert len(traces) == TASKS * REPEATS
    worth: dict[int, set[float]] = {}
    for trace in traces:
        check_trace(trace)
        seed = trace["task"]["data"]["table"]["seed"]
        worth.setdefault(seed, set()).add(trace["rewards"]["rivals_beaten"]["score"])
    # Every repeat of a task is the same game, and different games end differently.
    assert all(len(rewards) == 1 for rewards in worth.values())
    assert len(set.union(*worth.values())) > 1
    assert {key for key, _ in model.asked} == {f"Bearer {MODEL_KEY}"}
    for path in tmp_path.glob("outputs/**/*.json*"):
        assert MODEL_KEY not in path.read_text(), path


def check_trace(trace: dict) -> None:
    """Compare verifiers' record with the arena's result of the game."""
    assert trace["ok"], trace["errors"]
    seat = trace["task"]["data"]["seat"]
    game = trace["info"]["arena"]
    metrics = trace["metrics"]
    assert len(trace["calls"]) == game["usage"][seat]["asks"] == metrics["asks"] > 0
    assert metrics["score"] == game["outcome"]["scores"][seat]
    assert metrics["void"] == metrics["fallbacks"] == 0
    # 4 seats: 1 for each rival behind, 0.5 for each tie.
    places = [*game["outcome"]["placements"].values()]
    place = game["outcome"]["placements"][seat]
    ranks = sorted(places, reverse=True)
    behind = ranks.index(place) + (ranks.count(place) - 1) / 2
    assert trace["rewards"]["rivals_beaten"]["score"] == pytest.approx(behind / 3)


def test_a_system_prompt_is_the_character_of_the_seat(
    model: ThreadingHTTPServer, tmp_path: Path
) -> None:
    (tmp_path / "character.txt").write_text(CHARACTER)
    options = ["-n", "1", "--env.taskset.system-prompt", "character.txt"]
    options += ["--env.taskset.game", "conversation", "--env.taskset.rivals", '["greedy"]']
    done = run_eval(model, tmp_path, *options, "--env.taskset.settings", '{"length": 4}')
    assert done.returncode == 0, done.stdout + done.stderr
    (trace,) = traces_of(tmp_path)
    assert trace["ok"], trace["errors"]
    assert all(CHARACTER in asked["messages"][0]["content"] for _, asked in model.asked)


@pytest.mark.parametrize(
    ("options", "environ", "told"),
    [
        (["--env.taskset.game", "chess_boxing"], {}, "chess_boxing"),
        ([], {"ARENA_HOME": "/nowhere", "ARENA_PYTHON": ""}, "set ARENA_HOME to the arena's"),
    ],
    ids=["no such game", "no arena"],
)
def test_what_cannot_be_is_told_in_the_trace(
    model: ThreadingHTTPServer,
    tmp_path: Path,
    options: list[str],
    environ: dict[str, str],
    told: str,
) -> None:
    run_eval(model, tmp_path, "-n", "1", *options, **environ)
    (trace,) = traces_of(tmp_path)
    assert not trace["ok"]
    assert told in trace["errors"][0]["message"]
    assert model.asked == []
