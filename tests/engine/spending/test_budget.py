"""What games may spend: costs from tokens, budgets that stop cleanly, and the dry run's bound."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

import example
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History
from engine.report.tables import Table
from engine.runs.dry_run import rehearse
from engine.spending.budget import BUDGETS, BudgetReached, Limits, Meter
from engine.spending.costs import costs, dollars, price, total_cost
from engine.spending.waiting import Waits
from engine.views.framing import closing_blocks
from player import PlayerConfig
from providers import Usage
from tests.support.fake_api import FakeApi, chat, legal, schema_in
from tests.support.tables import NOON, config_for, play_game, run_game

# What the fake server counts for every call, and its price at $0.75, $0.075 (cached) and $4.50 a
# million tokens.
TOKENS = 120
A_CALL = 40 * 0.75e-6 + 60 * 0.075e-6 + 20 * 4.5e-6


def seat(name: str, provider: str, model: str = "m", **more: Any) -> PlayerConfig:
    return PlayerConfig(player_id=name, provider=provider, model=model, **more)


def table(
    api: FakeApi | None, folder: Path | None, length: int = 6, **more: Any
) -> GameEngineConfig:
    """Return a conversation of a script and two OpenAI models, which are asked concurrently."""
    there: dict[str, Any] = {"client_kwargs": {"base_url": f"{api.url}/v1"}} if api else {}
    seats = [
        seat(name, "openai", "gpt-5.4-mini", api_key=SecretStr("sk-canary"), **there)
        for name in ("Ada", "Ben")
    ]
    seats.append(seat("Cleo", "scripted", "greedy"))
    config = config_for("conversation", logs_dir=folder, settings={"length": length}, **more)
    return config.model_copy(update={"player_configs": seats})


async def test_a_budget_in_dollars_is_kept_by_what_the_provider_tells() -> None:
    """OpenRouter's own figures, $0.25 a call: no table has a price for this model."""
    costs_told = (0.25, 0.25, 0.25, None)

    def reply(body: dict[str, Any]) -> web.Response:
        answer = chat(legal(body))
        cost = {"cost": costs_told[(len(api.requests) - 1) % 4]}
        return web.json_response(answer | {"usage": answer["usage"] | cost})

    async with FakeApi(reply=reply) as api:
        config = table(api, None, limits={"max_cost": 0.5})
        there = {"base_url": f"{api.url}/v1"}
        routed = seat("Ada", "openrouter", api_key=SecretStr("k"), client_kwargs=there)
        config = config.model_copy(update={"player_configs": [routed, config.player_configs[2]]})
        told = "the budget of $0.5 is used up: 2 calls, 240 tokens, cost $0.5000"
        history = await stopped(config, told)
        assert costs(history)["Ada"] == history.usage["Ada"].tokens.cost == 0.5
        more = config.model_copy(update={"limits": Limits(max_cost=9)})
        api.requests.clear()
        told = "cannot be enforced, because an endpoint does not report what a call cost: 4"
        await stopped(more, f"the budget of $9 {told}")


def test_a_call_whose_tokens_were_not_counted_has_no_known_price() -> None:
    assert price(seat("Ada", "openai", "gpt-5.4-mini").model_dump(), Usage()) is None
    assert total_cost([1.0, None]) is None
    assert (dollars(None), dollars(0.00012)) == ("unknown", "$0.0001")


async def test_costs_stand_in_the_closing_table(tmp_path: Path) -> None:
    async with FakeApi() as api:
        history = await GameEngine(table(api, None)).play()
    calls = {"Ada": history.usage["Ada"].attempts, "Ben": 6, "Cleo": 0}
    assert costs(history) == {name: pytest.approx(A_CALL * made) for name, made in calls.items()}
    tables = [block for block in closing_blocks(history) if isinstance(block, Table)]
    (shown,) = [table for table in tables if "cost" in table.columns]
    each, both = dollars(6 * A_CALL), dollars(12 * A_CALL)
    assert [row[-1] for row in shown.texts()] == [each, each, "", both]
    history.events[-2].usage = None
    history.usage["Ada"].tokens += Usage(1)
    assert costs(history)["Ada"] is None, "the events do not hold all its calls"


async def stopped(config: GameEngineConfig, reason: str) -> History:
    history = await GameEngine(config).play()
    assert history.status == "stopped"
    assert reason in history.reason
    return history


async def test_calls_never_pass_their_budget_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    """5 calls of 12: in the end the same bytes as without a budget, and no call made twice."""
    async with FakeApi() as api:
        config = table(api, tmp_path, limits={"max_calls": 5})
        await stopped(config, "the budget of 5 calls is used up: 5 calls, 600 tokens, cost $0.0006")
        assert len(api.requests) == 5
        shown = await asyncio.to_thread(GameEngine.replay, tmp_path / "game.jsonl")
        assert (shown.status, shown.reason[:24]) == ("stopped", "the budget of 5 calls is")
        again = await GameEngine.resume(tmp_path / "game.jsonl", clock(config)).play()
        assert (again.status, len(api.requests)) == ("stopped", 5)
        more = table(api, tmp_path, limits={"max_calls": 8})
        assert (await GameEngine.resume(tmp_path / "game.jsonl", more).play()).status == "stopped"
        assert len(api.requests) == 8
        free = table(api, tmp_path)
        assert (await GameEngine.resume(tmp_path / "game.jsonl", free).play()).status == "finished"
        assert len(api.requests) == 12
        await GameEngine(table(api, tmp_path / "whole")).play()
    assert (tmp_path / "game.json").read_bytes() == (tmp_path / "whole" / "game.json").read_bytes()
    assert not (tmp_path / "game.jsonl").exists()


def clock(config: GameEngineConfig) -> GameEngineConfig:
    return config.model_copy(update={"clock": lambda: NOON})


SEATS = {name: seat(name, "openai", "gpt-5.4-mini").model_dump(mode="json") for name in "AB"}
ANSWER = {"usage": asdict(Usage(100, 60, 20, 0))}
entries = st.fixed_dictionaries(
    {"player": st.sampled_from("ABC")},
    optional={"asked": st.just("print"), "completion": st.just(ANSWER)},
)


@given(st.lists(entries, max_size=12))
def test_a_resumed_game_spent_what_its_models_were_asked(
    recorded: list[dict[str, Any]],
) -> None:
    """C is no model, and an answer that was never asked here is copied: both cost nothing."""
    whole = Meter(Limits(), lambda: NOON)
    meter = Meter(Limits(), lambda: NOON, whole)
    meter.resume(dict(enumerate(recorded)), SEATS)
    calls = [entry for entry in recorded if "asked" in entry and entry["player"] in SEATS]
    paid = [entry["player"] for entry in calls if "completion" in entry]
    assert (meter.calls, meter.tokens, meter.answered) == (len(calls), 120 * len(paid), {*paid})
    assert meter.cost == pytest.approx(A_CALL * len(paid))
    made = {name for name, contact in meter.contacts.items() if contact.made}
    assert made == {entry["player"] for entry in calls}
    assert (whole.calls, whole.tokens, whole.cost) == (0, 0, 0.0)


@given(st.lists(st.booleans(), max_size=6))
def test_a_call_that_is_taken_back_was_none(made: list[bool]) -> None:
    whole = Meter(Limits(), lambda: NOON)
    meter = Meter(Limits(), lambda: NOON, whole)
    for is_made in made:
        meter.begin()
        if not is_made:
            meter.take_back()
    assert meter.calls == whole.calls == sum(made)


def test_budgets_are_in_no_dump() -> None:
    limits = Limits(asks=2, max_cost=1, max_tokens=1, max_calls=1, max_time=1)
    assert limits.model_dump() == {"asks": 2}
    assert {*limits.budgets} == {*BUDGETS}


@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 2)), max_size=6), st.booleans())
def test_a_budget_of_tokens_holds_only_while_each_call_tells_its_own(
    took: list[tuple[str, int]], in_batch: bool
) -> None:
    """What one of two games takes is counted for both together."""
    whole = Meter(Limits(max_tokens=5), lambda: NOON)
    games = {name: Meter(Limits(max_tokens=5), lambda: NOON, whole) for name in "AB"}
    for game, tokens in took:
        games[game].add(SEATS[game], Usage(tokens))
    counts = [tokens for game, tokens in took if in_batch or game == "A"]
    meter = whole if in_batch else games["A"]
    assert meter.tokens == sum(counts)
    untold = "cannot be enforced, because an endpoint does not report its tokens"
    reason = untold if 0 in counts else "is used up" if sum(counts) >= 5 else ""
    with pytest.raises(BudgetReached, match=reason) if reason else nullcontext():
        meter.check()


def test_the_longest_wait_is_that_of_the_call_that_began_first() -> None:
    seconds = iter((1.0, 2.0, 5.0, 9.0))
    waits = Waits(lambda: next(seconds))
    assert waits.longest() is None
    with ExitStack() as second:
        with waits.call("Ada"):
            second.enter_context(waits.call("Ben"))
            assert waits.longest() == (1, "Ada", 4.0)
        assert waits.longest() == (2, "Ben", 7.0)
    assert waits.longest() is None


async def test_without_words_a_resumed_game_keeps_its_budget(tmp_path: Path) -> None:
    async with FakeApi() as api:
        limits = {"max_tokens": 2 * TOKENS}
        seats = "compatible:m,compatible:m"
        config = config_for("conversation", seats, tmp_path, at=api.url, limits=limits)
        await stopped(config, "the budget of 240 tokens is used up")
        again = await GameEngine.resume(tmp_path / "game.jsonl").play()
    assert (again.status, len(api.requests)) == ("stopped", 2)


@pytest.mark.parametrize(
    ("limits", "calls"),
    [
        ({"max_tokens": 1}, 2),
        ({"max_tokens": 4 * TOKENS}, 4),
        ({"max_tokens": 4 * TOKENS + 1}, 6),
        ({"max_cost": A_CALL / 2}, 2),
        ({"max_cost": 3.5 * A_CALL}, 4),
        ({"max_calls": 0}, 0),
        ({"max_calls": 3}, 3),
    ],
)
async def test_only_calls_in_flight_pass_a_budget(limits: dict[str, float], calls: int) -> None:
    """Two models are asked at once, so at most one call follows the one that used the budget up."""
    async with FakeApi(delay=0.01) as api:
        await stopped(table(api, None, limits=limits), "is used up")
    assert len(api.requests) == calls


def minutes() -> Iterator[datetime]:
    """Yield the time of a clock that shows a minute more at each look."""
    now = NOON
    while True:
        yield now
        now += timedelta(minutes=1)


async def test_the_time_of_a_run_is_bounded(tmp_path: Path) -> None:
    async with FakeApi() as api:
        config = table(api, tmp_path, limits={"max_time": 1200}, clock=minutes().__next__)
        await stopped(config, "the time of 1200 s is used up")
        assert 0 < len(api.requests) < 12
        rest = await GameEngine.resume(tmp_path / "game.jsonl", table(api, tmp_path)).play()
    assert (rest.status, len(api.requests)) == ("finished", 12)


async def test_scripts_take_no_budget_but_time() -> None:
    assert (await play_game("conversation", limits={"max_calls": 0, "max_cost": 1})).outcome
    times = iter([NOON, NOON + timedelta(days=1)])
    config = config_for("conversation", limits={"max_time": 60}, clock=lambda: next(times))
    assert (await GameEngine(config).play()).status == "stopped"


@pytest.mark.parametrize("game", ["conversation", "deliberations", "dilemma", "talks"])
def test_scripts_whose_time_is_over_are_shown_up_to_there(game: str, tmp_path: Path) -> None:
    files: dict[str, Any] = {"logs_dir": tmp_path, "clock": minutes().__next__}
    stopped = run_game(game, limits={"max_time": 200}, **files)
    assert stopped.status == "stopped"
    assert stopped.reason.startswith("the time of 200 s is used up")
    shown = GameEngine.replay(tmp_path / "game.jsonl")
    assert len(shown.events) == len(stopped.events) > 0
    assert (shown.status, shown.reason) == ("stopped", stopped.reason)
    whole = GameEngine.resume(tmp_path / "game.jsonl").run()
    assert whole.status == "finished"
    assert len(whole.events) > len(stopped.events)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_cost": 0}, "greater than 0"),
        ({"max_tokens": -1}, "greater than 0"),
        ({"max_calls": -1}, "greater than or equal to 0"),
        ({"max_time": 0}, "greater than 0"),
        ({"max_tokens": 1.5}, "valid integer"),
        ({"max_costs": 1}, "max_costs"),
    ],
)
def test_bad_budgets_are_refused(limits: dict[str, float], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        config_for("conversation", limits=limits)


def test_dollars_bound_no_game_whose_prices_are_unknown() -> None:
    seats = "compatible:m,scripted:greedy"
    config = config_for("conversation", seats, at="http://127.0.0.1:9", limits={"max_cost": 1})
    told = "expected known prices for max_cost: the price table does not list compatible:m"
    with pytest.raises(ValueError, match=told):
        GameEngine(config)


def config_file(api: FakeApi, folder: Path) -> str:
    there: dict[str, Any] = {"player_id": "Ada", "provider": "openai", "model": "gpt-5.4-mini"}
    there |= {"api_key": "sk-canary-0123456789", "client_kwargs": {"base_url": f"{api.url}/v1"}}
    seats = [there, {"player_id": "Ben", "provider": "scripted", "model": "greedy"}]
    config = {"game": {"name": "conversation", "length": 4}, "player_configs": seats}
    path = folder / "game.yaml"
    path.write_text(yaml.safe_dump(config))
    return str(path)


async def test_the_command_line_stops_with_4_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    async with FakeApi() as api:
        words = ["--config", config_file(api, tmp_path), "--json"]
        assert await asyncio.to_thread(example.main, [*words, "--max-calls", "2"]) == 4
        out, errors = capsys.readouterr()
        last = json.loads(out.splitlines()[-1])
        assert (last["status"], last["outcome"]) == ("stopped", None)
        assert last["cost"] == pytest.approx(2 * A_CALL)
        assert (
            "the budget of 2 calls is used up: 2 calls, 240 tokens, cost $0.0002. "
            f"Continue with:\n  uv run example.py --resume {last['log']} --max-calls 4" in errors
        )
        more = ["--resume", last["log"], "--max-calls", "9", "--json"]
        assert await asyncio.to_thread(example.main, more) == 0
        last = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert (last["status"], len(api.requests)) == ("finished", 4)
        assert last["costs"] == {"Ada": pytest.approx(4 * A_CALL), "Ben": 0.0}


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_a_dry_run_is_never_passed(game: str, tmp_path: Path) -> None:
    """Models that babble twice before each answer, then say all they may, stay within the bound."""
    turn = iter(range(10**6))

    def wordy(body: dict[str, Any]) -> str:
        form = schema_in(body)["properties"]
        answer = {
            name: one["enum"][-1] if "enum" in one else "w" * one.get("maxLength", 200)
            for name, one in form.items()
        }
        return json.dumps(answer) if next(turn) % 3 == 2 else "w" * 2000

    async with FakeApi(reply=wordy) as api:
        script = f"scripted:{[*GAMES[game].strategies][-1]}"
        models = "compatible:one,compatible:two"
        config = config_for(game, f"{models},human,{script}", tmp_path, at=api.url)
        bounds = await asyncio.to_thread(rehearse, config)
        assert not api.requests
        assert not [*tmp_path.iterdir()]
        await play_game(game, f"{models},{script},{script}", at=api.url)
    assert [*bounds] == ["Ada", "Ben"]
    assert bounds["Ada"].cost is None
    for name, model in (("Ada", "one"), ("Ben", "two")):
        sent = [request.body for request in api.requests if request.body["model"] == model]
        prompts = sum(len(message["content"]) for body in sent for message in body["messages"])
        forms = [schema_in(body) for body in sent if "response_format" in body]
        schemas = sum(len(json.dumps(form)) for form in forms)
        assert len(sent) <= bounds[name].calls
        assert prompts + schemas <= bounds[name].prompt_tokens
        assert sum(body["max_tokens"] for body in sent) <= bounds[name].completion_tokens


def test_the_command_line_tells_what_a_game_may_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def dry_run(players: str) -> int:
        return example.main(["--players", players, "--dry-run", "--length", "2"])

    assert dry_run("openai,anthropic,compatible:m") == 2
    assert "base_url" in capsys.readouterr().err
    assert dry_run("openai,anthropic,scripted:random") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "At most: 3 attempts per question" in shown
    assert shown.count("$") == 6
    assert "price table" not in shown
    assert not [*tmp_path.iterdir()]
    assert dry_run("openai:gpt-99,openrouter:no/such,ollama:llama3,scripted:random") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "The price table does not list openai:gpt-99: check the name." in shown
