"""What may not come from the web, nor from a file of somebody else, and what it may cost."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from engine.config import MOST_SEED, GameEngineConfig
from engine.history import VERSION
from engine.record.journal import Journal, is_taken, utc_now
from engine.server import hall as hall_module
from engine.server.seats import Conflict
from engine.server.settings import ServerSettings
from engine.server.web.admission import DEEPEST, admit, admit_players, check_plain
from engine.server.web.desk import Desk
from engine.server.web.opening import open_config
from engine.spending.budget import Limits
from player import PlayerConfig
from tests.support.tables import play_into, run_game
from tests.support.web.halls import open_hall
from tests.support.web.real_server import Served, config_of

ADA = {"player_id": "Ada", "provider": "scripted", "model": "tit_for_tat"}
BEN = {"player_id": "Ben", "provider": "human"}
HOSTED = {"player_id": "Ada", "provider": "groq", "model": "llama-3.3-70b-versatile"}
OPTIONS = {"max_cost": 0.5}
OWN = {"player_id": "Ada", "provider": "ollama", "model": "llama3"}


@pytest.fixture(scope="module")
def logs(logs: Path) -> Path:
    return play_into(logs, "dilemma")


def leave_unfinished(folder: Path, name: str, *seats: Any) -> None:
    """Leave the journal of a game that somebody began elsewhere."""
    config = GameEngineConfig.model_validate(config_of(ADA, BEN))
    seated = [PlayerConfig.model_validate(seat) for seat in seats]
    config = config.model_copy(update={"player_configs": seated})
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").unlink(missing_ok=True)
    header = config.header() | {"version": VERSION}
    Journal.create(folder / f"{name}.jsonl", header, utc_now).close()


TICK = {"name": "openspiel", "game": "tic_tac_toe"}


def searching(model: str) -> list[dict[str, Any]]:
    return [seat | {"provider": "scripted", "model": model} for seat in (ADA, BEN)]


def test_a_search_from_the_web_is_bounded(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    settings = ServerSettings(logs_dir=tmp_path)
    seats = searching("mcts")
    assert admit(config_of(*seats, game=TICK | {"simulations": 10_000}), settings).game
    refusal = "simulations to be at most 10,000 over the web: got 10,001"
    with pytest.raises(ValueError, match=refusal):
        admit(config_of(*seats, game=TICK | {"simulations": 10_001}), settings)


def test_a_number_behind_a_script_is_bounded_from_the_web(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    settings = ServerSettings(logs_dir=tmp_path)
    few, many = searching("mcts-10000"), searching("mcts-10001")
    assert admit(config_of(*few, game=TICK), settings).game
    assert len(admit_players(few, settings)) == 2
    refusal = r"a number of at most 10,000 .* got mcts-10001$"
    with pytest.raises(ValueError, match=refusal):
        admit(config_of(*many, game=TICK), settings)
    with pytest.raises(ValueError, match=refusal):
        admit_players(many, settings)


@pytest.mark.parametrize("name", ["*", "public"])
def test_nobody_is_called_as_a_view_is(served: Served, name: str) -> None:
    answer = served.post("/api/games", {"config": config_of(ADA, BEN | {"player_id": name})})
    assert answer.status == 422
    assert "the name of a view" in answer.detail


@pytest.mark.parametrize("name", ["*", "public", "Ben"])
def test_a_seat_of_that_name_sees_nothing_more(served: Served, name: str) -> None:
    """A game of the terminal may have such a player."""
    leave_unfinished(served.settings.logs_dir, "odd", ADA, BEN | {"player_id": name})
    bearer = served.key_of("odd", name)
    assert "*" not in served.get("/api/games/odd?as=*", headers=bearer, bare=True).json["views"]
    assert served.get("/api/games/odd/log?as=*", headers=bearer, bare=True).status == 403


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'"client_kwargs": {"temperature": NaN}', "expected a number"),
        (b'"client_kwargs": {"temperature": Infinity}', "expected a number"),
        (b'"character_prompt": "\\ud800"', "expected valid Unicode text"),
        (b'"player_id": ["*"]', "player_id"),
    ],
)
def test_what_no_file_can_hold_is_refused_before_one_is_begun(
    served: Served, body: bytes, words: str
) -> None:
    before = sorted(served.settings.logs_dir.iterdir())
    seat = b'{"player_id": "Ben", "provider": "ollama", "model": "m", %s}' % body
    whole = b'{"config": {"game": "dilemma", "player_configs": [%s, %s]}}'
    answer = served.ask("POST", "/api/games", whole % (json.dumps(ADA).encode(), seat))
    assert answer.status == 422
    assert words in answer.detail
    assert sorted(served.settings.logs_dir.iterdir()) == before


def test_the_last_of_many_games_has_a_seed_too(served: Served) -> None:
    body = {"config": config_of(ADA, BEN, seed=MOST_SEED), "games": 2}
    answer = served.post("/api/games?dry_run=1", body)
    assert answer.status == 422
    assert "seed" in answer.detail


async def test_a_seed_is_too_long_to_be_found_by_trying(tmp_path: Path) -> None:
    async with open_hall(tmp_path) as hall:
        desk, config = Desk(hall), config_of(ADA, BEN)
        seeds = {(await open_config(config, 1, desk)).config.seed for _ in range(40)}
    assert len(seeds) == 40
    assert max(seeds) > 2**31


def test_a_config_has_so_many_levels_at_most() -> None:
    nested: Any = 0
    for _ in range(DEEPEST):
        nested = [nested]
    check_plain(nested)
    with pytest.raises(ValueError, match="at most 20 nested levels"):
        check_plain([nested])


def test_a_file_without_an_ending_is_a_file_too(tmp_path: Path) -> None:
    seat = {"player_id": "Ada", "provider": "local", "model": "weights"}
    with pytest.raises(ValueError, match="--allow-model"):
        admit(config_of(seat, BEN), ServerSettings(logs_dir=tmp_path))
    allowed = ServerSettings(logs_dir=tmp_path, allow_models=("weights",))
    assert admit(config_of(seat, BEN), allowed).player_configs


def test_a_server_of_less_than_a_dollar_can_play_hosted_models(served: Served) -> None:
    assert admit(config_of(HOSTED, BEN), served.settings).limits.max_cost == 0.5
    with pytest.raises(ValueError, match="at most"):
        admit(config_of(HOSTED, BEN, limits={"max_cost": 0.6}), served.settings)
    assert admit(config_of(OWN, BEN), served.settings).limits == Limits()


async def test_hosted_models_have_a_budget_however_they_come_to_sit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-test")
    monkeypatch.setattr(hall_module, "PATIENCE", 0.1)
    finished = run_game("dilemma", "", tmp_path, game_id="old", clock=utc_now)
    leave_unfinished(tmp_path, "left", HOSTED, BEN)
    async with open_hall(tmp_path, max_cost=0.5) as hall:
        heir = PlayerConfig.model_validate(HOSTED)
        seat = finished.players[0].player_id
        forked = await hall.fork("old", 0, [heir.model_copy(update={"player_id": seat})])
        assert hall.games[forked].engine.config.limits.max_cost == 0.5
        await hall.resume("left")
        assert hall.games["left"].engine.config.limits.max_cost == 0.5


@pytest.mark.parametrize(
    ("seat", "words"),
    [
        (HOSTED | {"client_kwargs": {"base_url": "http://127.0.0.1:1"}}, "base_url"),
        (HOSTED | {"client_kwargs": {"api_key_env": "HOME"}}, "api_key_env"),
        (HOSTED | {"provider": "local", "model": "/tmp/weights.gguf"}, "--allow-model"),
    ],
)
def test_a_file_of_somebody_else_sends_no_key_elsewhere(
    served: Served, seat: Any, words: str
) -> None:
    leave_unfinished(served.settings.logs_dir, "foreign", seat, BEN)
    answer = served.post("/api/games/foreign/resume")
    assert answer.status == 422
    assert words in answer.detail


def test_a_policy_of_somebody_else_is_not_even_run_to_show_its_game(
    served: Served, tmp_path: Path
) -> None:
    """A file that holds a policy runs when it is read."""
    trained = {"player_id": "Ada", "provider": "trained", "model": str(tmp_path / "policy.zip")}
    (tmp_path / "policy.zip").write_bytes(b"no policy")
    leave_unfinished(served.settings.logs_dir, "policy", trained, BEN)
    for path in ("", "/events", "/log"):
        answer = served.get(f"/api/games/policy{path}")
        assert answer.status == 422
        assert "this server does not allow" in answer.detail


async def test_a_hall_that_only_shows_begins_nothing(tmp_path: Path) -> None:
    play_into(tmp_path, "dilemma")
    leave_unfinished(tmp_path, "left", ADA, BEN)
    config = GameEngineConfig.model_validate(config_of(ADA, BEN))
    heir = PlayerConfig.model_validate(ADA)
    async with open_hall(tmp_path, read_only=True) as hall:
        with pytest.raises(Conflict, match="--read-only"):
            await hall.begin(config)
        with pytest.raises(Conflict, match="--read-only"):
            await hall.resume("left")
        with pytest.raises(Conflict, match="--read-only"):
            await hall.fork("dilemma", 0, [heir])
        assert not hall.games
    assert sorted(path.suffix for path in tmp_path.glob("*.json*")) == [".json", ".jsonl"]


async def test_a_game_that_is_resumed_twice_at_once_is_played_once(tmp_path: Path) -> None:
    leave_unfinished(tmp_path, "left", ADA, BEN)
    async with open_hall(tmp_path) as hall:
        resumed = [hall.resume("left") for _ in range(5)]
        found = await asyncio.gather(*resumed, return_exceptions=True)
        assert sorted(type(one).__name__ for one in found) == ["Conflict"] * 4 + ["NoneType"]
        assert [*hall.games] == ["left"]
    assert [left.game_id for left in hall.left] == ["left"]


async def test_a_hall_that_ends_begins_nothing(tmp_path: Path) -> None:
    config = GameEngineConfig.model_validate(config_of(ADA, BEN))
    async with open_hall(tmp_path) as hall:
        beginning = [asyncio.create_task(hall.begin(config)) for _ in range(5)]
        await asyncio.sleep(0)
        hall.finish()
        with pytest.raises(Conflict, match="shutting down"):
            await hall.begin(config)
        begun = await asyncio.gather(*beginning)
    assert sorted(left.game_id for left in hall.left) == sorted(begun)
    assert all(not is_taken(tmp_path / f"{name}.jsonl") for name in begun)


def test_what_is_over_is_not_resumed_and_what_is_played_not_forked(served: Served) -> None:
    over = served.post("/api/games/dilemma/resume")
    assert (over.status, "fork it" in over.detail) == (409, True)
    name = served.begin(config_of(ADA, BEN))["name"]
    played = served.post(f"/api/games/{name}/fork", {"at": 0, "players": []})
    assert (played.status, "when it is over" in played.detail) == (409, True)


def test_a_disk_that_fails_tells_no_path(served: Served) -> None:
    name = served.begin(config_of(ADA, BEN))["name"]
    # The log cannot take its place.
    (served.settings.logs_dir / f"{name}.json").mkdir()
    path = f"/api/games/{name}/seats/Ben"
    bearer = served.key_of(name, "Ben")
    for _ in range(400):
        if name not in served.hall.games:
            break
        if served.get(path, headers=bearer, bare=True).json.get("question"):
            served.ask("DELETE", path, b"{}", bearer, bare=True)
        time.sleep(0.02)
    reason = served.hall.shelf._failures[name]
    assert name in reason
    assert str(served.settings.logs_dir) not in reason


def test_a_seat_is_not_told_which_model_failed_or_where(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    game = {"name": "guest", "max_steps": 3}
    name = served.begin(config_of(OWN | {"model": "secret-model"}, BEN, game=game))["name"]
    bearer = served.key_of(name, "Ben")
    live = bearer | {"Accept": "text/event-stream"}
    # A game of rooms asks all at once: whoever sits leaves.
    served.ask("DELETE", f"/api/games/{name}/seats/Ben", b"{}", bearer, bare=True)
    frames = served.get(f"/api/games/{name}/events", headers=live, bare=True).body
    assert b'"status":"failed"' in frames
    assert "secret-model" in served.get(f"/api/games/{name}").json["reason"]
    for path in ("", "/log", "/page.html", "/log.csv", "/log.typ"):
        frames += served.get(f"/api/games/{name}{path}", headers=bearer, bare=True).body
    assert b"secret-model" not in frames
    assert b"127.0.0.1:1" not in frames


def test_a_search_of_many_words_harms_no_list(served: Served) -> None:
    before = (served.settings.logs_dir / ".index.sqlite").stat().st_ino
    answer = served.get("/api/games?q=" + "a+" * 1200)
    assert answer.status == 422
    assert "at most 50 words" in answer.detail
    assert served.get("/api/games?q=" + "dilemma+" * 50).json["games"]
    assert (served.settings.logs_dir / ".index.sqlite").stat().st_ino == before
