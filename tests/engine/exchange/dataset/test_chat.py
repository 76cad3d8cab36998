"""Models' decisions as training data: what they were asked, what came, and how it ended."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.exchange.dataset.chat import ChatFilter, decision_lines
from engine.history import History
from logs import main
from tests.support.fake_api import FakeApi, legal
from tests.support.tables import config_for

KEYS = {
    "prompt",
    "completion",
    "attempt",
    "valid",
    "game",
    "game_id",
    "seed",
    "seat",
    "model",
    "question",
    "score",
    "place",
    "advantage",
    "settings",
}
EVERYTHING = ChatFilter()


async def play(tmp_path: Path | None = None, players: str = "", **api: Any) -> History:
    """Return a short conversation of two models and a script."""
    async with FakeApi(**api) as server:
        seats = players or "compatible:strong,compatible:weak,scripted:greedy"
        config = config_for(
            "conversation", seats, tmp_path, at=server.url, settings={"length": 6}, seed=3
        )
        return await GameEngine(config).play()


async def test_each_answer_is_a_line_with_what_was_asked() -> None:
    history = await play()
    lines = [*decision_lines(history, EVERYTHING)]
    asked = [event for event in history.events if event.attempts]
    assert len(lines) == len(asked) > 3
    assert history.outcome is not None
    scores = history.outcome.scores
    for line, event in zip(lines, asked, strict=True):
        assert line.keys() == KEYS
        prompt = history.prompt_of(event)
        assert prompt is not None
        system, user = line["prompt"]
        assert system == {"role": "system", "content": prompt.system}
        assert user == {"role": "user", "content": prompt.transcript + prompt.question}
        assert line["completion"] == [{"role": "assistant", "content": event.attempts[0].text}]
        assert line["valid"] is True
        assert line["score"] == scores[line["seat"]]
        assert line["advantage"] == pytest.approx(line["score"] - sum(scores.values()) / 3)
        assert json.loads(line["settings"])["length"] == 6
    assert {line["model"] for line in lines} == {"compatible:strong", "compatible:weak"}


async def test_an_ask_again_stands_in_the_prompt_and_its_answer_is_not_valid() -> None:
    answers = iter(["no JSON at all", *[""] * 50])

    def reply(body: dict[str, Any]) -> str:
        return next(answers) or legal(body)

    history = await play(players="compatible:m,scripted:greedy", reply=reply)
    first, second, *_ = decision_lines(history, EVERYTHING)
    assert (first["attempt"], first["valid"]) == (1, False)
    assert first["completion"][0]["content"] == "no JSON at all"
    assert (second["attempt"], second["valid"]) == (2, True)
    roles = [message["role"] for message in second["prompt"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert second["prompt"][:2] == first["prompt"]
    assert "cannot be used" in second["prompt"][3]["content"]


async def test_filters_by_place_model_and_game() -> None:
    history = await play()
    assert history.outcome is not None
    places = history.outcome.placements
    best = [*decision_lines(history, ChatFilter(min_place=1))]
    assert {line["seat"] for line in best} <= {name for name in places if places[name] == 1}
    weak = [*decision_lines(history, ChatFilter(models=["*:weak"]))]
    assert {line["model"] for line in weak} == {"compatible:weak"}
    assert [*decision_lines(history, ChatFilter(games=["dilemma"]))] == []
    assert [*decision_lines(history, ChatFilter(games=["conversation"]))] != []


async def test_scripts_and_games_that_are_not_over_have_no_decisions() -> None:
    scripted = await play(players="scripted:greedy,scripted:random")
    assert [*decision_lines(scripted, EVERYTHING)] == []
    history = await play()
    history.outcome = None
    assert [*decision_lines(history, EVERYTHING)] == []


async def test_the_command_writes_training_data_that_any_reader_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same keys and types in each line: JSON readers with a schema need that."""
    logs = tmp_path / "logs"
    await play(logs)
    data = tmp_path / "data"
    words = ["--export", str(data), "--all", "--format", "chat", "--logs-dir", str(logs)]
    assert main([*words, "--license", "CC-BY-4.0"]) == 0
    told = capsys.readouterr().out
    lines = [json.loads(line) for line in (data / "decisions.jsonl").read_bytes().splitlines()]
    assert f"{len(lines)} decisions of 1 games" in told
    kinds = {tuple((key, type(value)) for key, value in line.items()) for line in lines}
    assert len(kinds) == 1
    card = (data / "README.md").read_text(encoding="utf-8")
    assert "license: cc-by-4.0" in card
    assert f"{len(lines)} decisions of 1 games" in card


async def test_the_same_games_give_the_same_bytes(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    await play(logs)
    found = []
    for name in ("a", "b"):
        words = ["--export", str(tmp_path / name), "game", "--format", "chat"]
        assert main([*words, "--logs-dir", str(logs)]) == 0
        found.append((tmp_path / name / "decisions.jsonl").read_bytes())
    assert found[0] == found[1] != b""
