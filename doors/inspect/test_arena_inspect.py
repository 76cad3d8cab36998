"""Test the arena in Inspect as users run it: `eval` with the mock model, and its logs."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena_inspect import arena
from arena_inspect.solver import _program
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model

QUICK = {"max_rounds": 1, "game_length": [2, 2], "flip_params": [0.0, 0.0]}
Answer = Callable[[dict[str, Any]], str]


def repeat_choice(move: str) -> Answer:
    """Return a player that makes the same choice whenever it is legal."""

    def answer(properties: dict[str, Any]) -> str:
        values = {}
        for name, field in properties.items():
            legal = field.enum or ["I see."]
            values[name] = move if move in legal else legal[0]
        return json.dumps(values)

    return answer


def run_task(task: Task, answer: Answer, folder: Path, **options: Any) -> EvalLog:
    """Evaluate the mock model, which answers in the form that the arena requests."""

    def respond(
        messages: list[ChatMessage], tools: object, choice: object, config: GenerateConfig
    ) -> ModelOutput:
        assert [message.role for message in messages[:2]] == ["system", "user"]
        # The arena stops sending the form to an endpoint that has ignored it.
        form = config.response_schema
        properties = form.json_schema.properties if form else {}
        output = ModelOutput.from_content("mockllm/model", answer(properties))
        # Without a usage, the mock downloads a table to count tokens.
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    model = get_model("mockllm/model", custom_outputs=respond)
    (log,) = run_eval(
        task, model=model, log_dir=str(folder), display="none", log_samples=True, **options
    )
    return log


def calls_in(sample: Any) -> list[Any]:
    """Return the calls of the evaluated model."""
    return [event for event in sample.events if event.event == "model"]


@pytest.mark.parametrize(
    ("move", "rivals", "worth"),
    [("D", "cooperator,cooperator", 1.0), ("C", ["defector", "defector"], 0.0)],
    ids=["a defector beats cooperators", "a cooperator loses to defectors"],
)
def test_the_score_is_the_place(
    move: str, rivals: str | list[str], worth: float, tmp_path: Path
) -> None:
    log = run_task(arena(settings=QUICK, rivals=rivals, games=3), repeat_choice(move), tmp_path)
    assert log.status == "success", log.error
    assert [sample.scores["rivals_beaten"].value for sample in log.samples] == [worth] * 3
    # The seat moves on: first, second, third.
    assert [sample.metadata["seat"] for sample in log.samples] == ["Ada", "Ben", "Cleo"]
    for sample in log.samples:
        # Two rivals with two blocks each: four questions, all of them calls in the transcript.
        calls = calls_in(sample)
        assert len(calls) == sample.scores["rivals_beaten"].metadata["asks"] == 4
        assert sample.model_usage["mockllm/model"].total_tokens == 4 * 110


def test_the_log_holds_each_question_and_no_key(tmp_path: Path) -> None:
    task = arena(game="conversation", settings={"length": 4}, rivals="greedy", games=2)
    run_task(task, repeat_choice("none"), tmp_path / "evals")
    (log_file,) = list_eval_logs(str(tmp_path / "evals"))
    log = read_eval_log(log_file, resolve_attachments=True)
    assert log.status == "success"
    assert log.eval.task_args["game"] == "conversation"
    for sample in log.samples:
        seat = sample.metadata["seat"]
        calls = calls_in(sample)
        assert len(calls) == sample.scores["rivals_beaten"].metadata["asks"] > 0
        assert all(seat in call.input[1].text for call in calls), calls[0].input[1].text
    assert "Bearer" not in log.model_dump_json()


@pytest.mark.parametrize("rivals", ["cooperator", "cooperator,cooperator"])
def test_an_answer_that_cannot_be_used_is_asked_again_and_a_void_seat_is_worth_nothing(
    rivals: str, tmp_path: Path
) -> None:
    task = arena(settings=QUICK, rivals=rivals, games=1)
    log = run_task(task, lambda properties: "I would rather not.", tmp_path)
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["rivals_beaten"]
    assert score.value == 0.0
    assert score.answer == "void"
    assert re.search(r"\bAda\b", score.explanation)
    calls = calls_in(sample)
    assert len(calls) == 3 * score.metadata["asks"]
    assert score.metadata["fallbacks"] == score.metadata["asks"]


def test_the_arena_imports_the_logs(tmp_path: Path) -> None:
    """All players are rated: the evaluated model, and each rival under its strategy's name."""
    evals, target = tmp_path / "evals", tmp_path / "in"
    task = arena(settings=QUICK, rivals="cooperator,grudger", games=2)
    run_task(task, repeat_choice("D"), evals)
    mute = arena(settings=QUICK, rivals="cooperator", games=1)
    run_task(mute, lambda properties: "I would rather not.", evals)
    python, example = _program()
    program = Path(example).with_name("tournament.py")
    words = [python, program, "import", "inspect_eval", evals, "--to", target]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 games are void" in done.stdout
    rows = [json.loads(line) for line in (target / "rows.jsonl").read_text().splitlines()]
    places = [{row["entrant"]: row["place"] for row in rows[start : start + 3]} for start in (0, 3)]
    model, cooperator, grudger = "mockllm/model", "scripted:cooperator", "scripted:grudger"
    assert places == [{model: 1, grudger: 2, cooperator: 3}] * 2


def test_a_limit_of_the_sample_ends_the_game(tmp_path: Path) -> None:
    task = arena(settings=QUICK, rivals="cooperator,cooperator", games=1)
    log = run_task(task, repeat_choice("D"), tmp_path, token_limit=250)
    assert log.status == "success", log.error
    (sample,) = log.samples
    assert sample.limit.type == "token"
    assert sample.scores["rivals_beaten"].explanation == "the game was cut off"


def test_a_model_that_fails_is_the_samples_error(tmp_path: Path) -> None:
    def fail(properties: dict[str, Any]) -> str:
        raise RuntimeError("the model is on fire")

    log = run_task(arena(settings=QUICK, games=1), fail, tmp_path)
    assert log.status == "error"
    assert "the model is on fire" in log.error.message


@pytest.mark.parametrize(
    ("options", "environ", "told"),
    [
        ({"game": "chess_boxing"}, {}, "chess_boxing"),
        ({}, {"ARENA_HOME": "/nowhere", "ARENA_PYTHON": ""}, "set ARENA_HOME to the arena's"),
    ],
    ids=["no such game", "no arena"],
)
def test_what_cannot_be_is_told(
    options: dict[str, Any],
    environ: dict[str, str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    log = run_task(arena(games=1, **options), repeat_choice("C"), tmp_path)
    assert log.status == "error"
    assert told in log.error.message


def test_the_readmes_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    readme = Path(__file__).with_name("README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert re.search(r"^success [01]\.\d+$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize("game", ["conversation", "deliberations", "guest", "openspiel", "talks"])
def test_a_game_starts_by_its_default_rivals(game: str, tmp_path: Path) -> None:
    log = run_task(arena(game=game, games=1), repeat_choice("none"), tmp_path, token_limit=110)
    assert log.status == "success", log.error


def test_no_rival_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 1 to 7 rivals"):
        arena(rivals=" , ")
