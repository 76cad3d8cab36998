"""The engine: what it refuses, what it writes, how it fails, and that it goes on."""

import asyncio
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import ValidationError

from engine.config import GameEngineConfig, differences, redact
from engine.engine import GameEngine
from engine.history import VERSION, Event, history_from_json, transcript_line
from engine.prompting import render, template_hashes
from engine.record.journal import Journal, JournalError
from engine.rng import stream
from player import Console, PlayerConfig
from tests.support.fake_api import FakeApi, legal
from tests.support.tables import config_for


def test_nothing_is_written_without_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert GameEngine(config_for("conversation")).run().status == "finished"
    assert not [*tmp_path.iterdir()]


def test_the_logs_folder_is_made(tmp_path: Path) -> None:
    GameEngine(config_for("conversation", logs_dir=tmp_path / "deep" / "logs")).run()
    assert (tmp_path / "deep" / "logs" / "game.json").exists()


def test_games_begun_in_the_same_second_have_their_own_logs(tmp_path: Path) -> None:
    for _ in range(3):
        GameEngine(config_for("conversation", logs_dir=tmp_path, game_id=None)).run()
    logs = sorted(path.name for path in tmp_path.iterdir())
    assert len(logs) == 3
    for name in logs:
        assert re.fullmatch(r"gameplay_20260101_120000_[0-9a-f]{8}\.json", name)


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_a_game_whose_id_is_taken_by_now_draws_another(tmp_path: Path, suffix: str) -> None:
    engine = GameEngine(config_for("conversation", logs_dir=tmp_path, game_id=None))
    drawn = engine.history.game_id
    other = tmp_path / f"{drawn}{suffix}"
    other.write_text("another game's")
    history = engine.run()
    assert (history.status, other.read_text()) == ("finished", "another game's")
    assert history.game_id != drawn
    assert {path.name for path in tmp_path.iterdir()} == {other.name, f"{history.game_id}.json"}


def test_a_game_whose_chosen_id_is_taken_by_now_does_not_begin(tmp_path: Path) -> None:
    engine = GameEngine(config_for("conversation", logs_dir=tmp_path))
    (tmp_path / "game.jsonl").write_text("another game's")
    with pytest.raises(FileExistsError, match="choose another name"):
        engine.run()
    assert (tmp_path / "game.jsonl").read_text() == "another game's"


def test_a_watcher_sees_every_event_once() -> None:
    seen: list[int] = []
    heard: list[str] = []
    engine = GameEngine(config_for("conversation"))
    engine.subscribe(lambda event: seen.append(event.index))
    engine.subscribe(lambda event: heard.append(event.kind))
    history = engine.run()
    assert seen == [event.index for event in history.events]
    assert heard == [event.kind for event in history.events]


def test_who_unsubscribes_hears_nothing_more() -> None:
    seen: list[int] = []
    engine = GameEngine(config_for("conversation"))
    unsubscribe = engine.subscribe(lambda event: seen.append(event.index))
    engine.subscribe(lambda event: unsubscribe() if event.index == 4 else None)
    assert engine.run().status == "finished"
    unsubscribe()
    assert seen == [0, 1, 2, 3, 4]


def test_a_listener_that_raises_is_dropped_and_named(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[int] = []
    calls: list[int] = []

    def broken(event: Event) -> None:
        calls.append(event.index)
        raise LookupError("no such screen")

    engine = GameEngine(config_for("conversation"))
    engine.subscribe(broken)
    engine.subscribe(lambda event: seen.append(event.index))
    history = engine.run()
    assert history.to_json() == GameEngine(config_for("conversation")).run().to_json()
    assert calls == [0]
    assert seen == [event.index for event in history.events]
    (warning,) = [record for record in caplog.records if record.name == "arena"]
    assert warning.levelname == "WARNING"
    assert "broken is dropped: it raised LookupError: no such screen" in warning.getMessage()


def test_a_dropped_listener_is_named_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_held: str, _event: Event) -> None:
        raise LookupError

    engine = GameEngine(config_for("conversation"))
    engine.subscribe(partial(broken, "a whole game"))
    engine.run()
    assert "broken is dropped" in caplog.text
    assert "a whole game" not in caplog.text


@pytest.mark.parametrize("wrong", [KeyboardInterrupt, BrokenPipeError])
def test_a_listener_may_end_the_program(wrong: type[BaseException]) -> None:
    def leave(event: Event) -> None:
        raise wrong

    engine = GameEngine(config_for("conversation"))
    engine.subscribe(leave)
    with pytest.raises(wrong):
        engine.run()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"player_configs": []}, "at least 1 item"),
        ({"game": {"name": "konversation"}}, "did you mean 'conversation'"),
        ({"game": 7}, "expected game to be a name"),
        ({"game": {"name": "conversation", "lenght": 3}}, "lenght"),
        ({"sed": 3}, "sed"),
        ({"limits": {"asks": 0}}, "greater than or equal to 1"),
        ({"game_id": "../x"}, "match pattern"),
        (
            {"player_configs": [{"player_id": "Ada", "provider": "scripted", "model": "gredy"}]},
            "did you mean 'greedy'",
        ),
    ],
)
def test_bad_configs_are_refused(more: dict[str, Any], words: str) -> None:
    seats = {"player_configs": [PlayerConfig(player_id="Ada", provider="scripted", model="greedy")]}
    with pytest.raises(ValidationError, match=words):
        GameEngineConfig(**({"game": "conversation"} | seats | more))


async def test_a_fatal_fault_fails_the_game_with_a_sentence_and_it_goes_on_when_mended(
    tmp_path: Path,
) -> None:
    """The key expires in mid-game; what was answered before is not asked again afterwards."""
    broken = True

    def reply(body: dict[str, Any]) -> str | web.Response:
        if broken and len(api.requests) > 5:
            error = {"message": "Incorrect API key provided: sk-canary-0123456789"}
            return web.json_response({"error": error}, status=401)
        return '{"rationale": "", "item": "stay silent"}'

    async with FakeApi(reply=reply) as api:
        config = config_for("conversation", "compatible:m,scripted:random", tmp_path, at=api.url)
        failed = await GameEngine(config).play()
        assert failed.status == "failed"
        assert failed.reason
        assert "canary" not in failed.reason + (tmp_path / "game.jsonl").read_text(encoding="utf-8")
        shown = await asyncio.to_thread(GameEngine.replay, tmp_path / "game.jsonl")
        assert (shown.status, shown.reason) == ("failed", failed.reason)
        assert [event.index for event in shown.events] == [event.index for event in failed.events]
        broken, asked = False, len(api.requests)
        finished = await GameEngine.resume(tmp_path / "game.jsonl", config).play()
    assert finished.status == "finished"
    assert len(api.requests) - asked == finished.usage["Ada"].asks - 5
    assert not (tmp_path / "game.jsonl").exists()


@pytest.mark.parametrize("kept", [True, False], ids=["journal", "memory"])
async def test_an_interrupt_inside_a_round_asks_nobody_anything_more(
    tmp_path: Path, kept: bool
) -> None:
    """At Ctrl-C during a round's second pitch, its answer is recorded and no third is asked for."""

    def reply(body: dict[str, Any]) -> str:
        if len(api.requests) == 2:
            engine.interrupt()
        return legal(body)

    folder = tmp_path if kept else None
    async with FakeApi(reply=reply) as api:
        config = config_for(
            "deliberations", "compatible:m,compatible:m,compatible:m", folder, at=api.url
        )
        engine = GameEngine(config)
        history = await engine.play()
        assert (history.status, len(history.rounds), len(api.requests)) == ("running", 1, 2)
        if not kept:
            return
        path = tmp_path / "game.jsonl"
        kinds = [json.loads(line)["kind"] for line in path.read_bytes().splitlines()]
        assert kinds == ["header", "begun", "answer", "begun", "answer"]
        finished = await GameEngine.resume(path, config).play()
    assert finished.status == "finished"
    assert len(api.requests) == sum(usage.attempts for usage in finished.usage.values())


def header_of(config: GameEngineConfig) -> dict[str, Any]:
    return {"version": VERSION, "made_from": config.made_from()}


def test_a_replay_of_scripts_needs_only_the_header(tmp_path: Path) -> None:
    config = config_for("conversation", logs_dir=tmp_path)
    whole = GameEngine(config).run()
    Journal.create(tmp_path / "dead.jsonl", header_of(config)).close()
    replay = GameEngine.replay(tmp_path / "dead.jsonl")
    assert [transcript_line(event) for event in replay.events] == [
        transcript_line(event) for event in whole.events
    ]


async def test_a_dead_game_is_shown_as_far_as_its_questions_are_the_same(tmp_path: Path) -> None:
    def reply(_body: dict[str, Any]) -> str | web.Response:
        if len(api.requests) > 3:
            return web.json_response({"error": {"message": "no credit"}}, status=402)
        return '{"rationale": "", "item": "stay silent"}'

    async with FakeApi(reply=reply) as api:
        await GameEngine(
            config_for("conversation", "compatible:m,scripted:random", tmp_path, at=api.url)
        ).play()
    path = tmp_path / "game.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    header = Journal.load(path).header
    header["made_from"]["config"]["rules_prompt"] = "Other rules."
    changed = Journal.create(tmp_path / "other.jsonl", header)
    for line in lines[1:]:
        changed.write({name: value for name, value in json.loads(line).items() if name != "sum"})
    changed.close()
    history = await asyncio.to_thread(GameEngine.replay, tmp_path / "other.jsonl")
    assert (history.status, len(history.rounds)) == ("failed", 1)
    assert [event.kind for event in history.events] == ["setup", "setup"]


def test_resume_names_what_changed(tmp_path: Path) -> None:
    config = config_for("conversation", logs_dir=tmp_path)
    Journal.create(tmp_path / "game.jsonl", header_of(config)).close()
    changed = config_for("conversation", logs_dir=tmp_path, seed=9, settings={"length": 7})
    with pytest.raises(JournalError) as caught:
        GameEngine.resume(tmp_path / "game.jsonl", changed)
    changes = "config.game.length was 20, now it is 7; config.seed was 0, now it is 9"
    assert changes in str(caught.value)
    assert "--allow-changed" in str(caught.value)
    resumed = GameEngine.resume(tmp_path / "game.jsonl", changed, allow_changed=True)
    assert resumed.config.seed == 9
    assert resumed.run().status == "finished"


def test_differences_name_the_place() -> None:
    recorded = {"a": 1, "b": [{"c": 2}, {"c": 3}], "d": {"e": 1}}
    assert differences(recorded, recorded) == []
    assert differences(recorded, {"a": 1, "b": [{"c": 2}, {"c": 4}], "d": {}}) == [
        "b.1.c was 3, now it is 4",
        "d.e was 1, now it is None",
    ]


def test_only_plain_settings_of_a_client_are_kept() -> None:
    kwargs = {
        "base_url": "http://me:canary@127.0.0.1/v1?key=canary",
        "headers": {"Authorization": "Bearer canary", "X-Anything": "canary"},
        "extra_body": {"auth": "canary"},
        "token": "canary",
        "max_tokens": 5,
        "reasoning": {"effort": "low", "canary": "canary"},
    }
    kept = redact({"player_configs": [{"player_id": "Ada", "client_kwargs": kwargs}], "seed": 3})
    assert kept["player_configs"][0]["client_kwargs"] == {
        "base_url": "http://(redacted)@127.0.0.1/v1?(redacted)",
        "headers": {"Authorization": "(redacted)", "X-Anything": "(redacted)"},
        "extra_body": {"auth": "(redacted)"},
        "token": "(redacted)",
        "max_tokens": 5,
        "reasoning": {"effort": "low", "canary": "(redacted)"},
    }
    assert kept["seed"] == 3


def test_a_log_is_never_overwritten(tmp_path: Path) -> None:
    config = config_for("conversation", logs_dir=tmp_path)
    GameEngine(config).run()
    with pytest.raises(ValueError, match=r"expected a new game_id: .* already contains a game"):
        GameEngine(config)


def test_a_game_is_played_by_one_process_at_a_time(tmp_path: Path) -> None:
    config = config_for("conversation", logs_dir=tmp_path)
    Journal.create(tmp_path / "game.jsonl", config.header()).close()
    playing = GameEngine.resume(tmp_path / "game.jsonl")
    with pytest.raises(JournalError, match="is being played by another process"):
        GameEngine.resume(tmp_path / "game.jsonl")
    assert playing.run().status == "finished"


def test_streams_are_named_by_their_labels() -> None:
    draws = [
        stream(1, "a", 2).random(),
        stream(1, "a", "2").random(),
        stream(1, "a2").random(),
        stream(2, "a", 2).random(),
    ]
    assert len(set(draws)) == 4
    assert stream(1, "a", 2).random() == draws[0]


def test_templates_are_sandboxed_and_strict() -> None:
    with pytest.raises(Exception, match="'rules' is undefined"):
        render("shared/system.j2", player=PlayerConfig(player_id="Ada"))
    ada = PlayerConfig(player_id="Ada")
    text = render("shared/system.j2", rules="{{ 7 * 7 }}", player=ada, persona="", lines="round")
    assert "{{ 7 * 7 }}" in text
    assert "shared/system.j2" in template_hashes("shared", "conversation")


@pytest.mark.parametrize("text", ["", "{}", "[1]", "not json", '{"version": 2}', "\x00"])
def test_foreign_files_are_no_logs(text: str) -> None:
    with pytest.raises(ValueError, match="expected a game log: "):
        history_from_json(text)


async def test_models_are_told_to_answer_as_json_and_people_are_not() -> None:
    shown: list[str] = []
    async with FakeApi() as api:
        config = config_for(
            "conversation", "compatible:m,human,scripted:random", at=api.url, settings={"length": 2}
        )
        history = await GameEngine(config, console=Console(lambda asked: "1", shown.append)).play()
    questions = {event.player_id: event.prompt.question for event in history.events if event.prompt}
    assert api.requests[-1].body["messages"][-1]["content"].endswith(questions["Ada"])
    fields = (
        'Answer with one JSON object: "rationale" (your reason, 46 words at most; no other player '
        'reads it), "item" (the name of your item, or stay silent).'
    )
    asked = "Which of your items do you propose for this turn, or do you stay silent?"
    assert questions["Ada"].endswith(f"{asked} {fields}")
    assert questions["Ben"].endswith(asked)
    assert "{" not in questions["Ben"]
    assert not [line for line in shown if "JSON" in line]
