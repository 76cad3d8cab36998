"""A file that the web names is refused before it is opened, whatever its seat says."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.config import GameEngineConfig
from engine.history import History
from engine.record.journal import utc_now
from player import PlayerConfig
from providers import gguf
from tests.engine.server.test_admission import ADA, BEN, leave_unfinished
from tests.support.tables import run_game
from tests.support.web.real_server import Served, config_of

# No other file of a test has such a name.
WATCHED = "watched_weights"
OPTIONS = {"max_cost": 0.5}
seen: list[str] | None = None


def watch(event: str, args: tuple[object, ...]) -> None:
    """Keep what opens or runs a watched file; a hook cannot be taken out again."""
    if seen is not None and event.startswith(("open", "os.", "subprocess.")):
        told = repr(args)
        if WATCHED in told:
            seen.append(f"{event} {told}")


sys.addaudithook(watch)


@contextmanager
def watching() -> Iterator[list[str]]:
    """Watch what this process opens while the block runs."""
    global seen  # noqa: PLW0603 - an audit hook has no other state
    seen = []
    gguf.parameters_in.cache_clear()
    try:
        yield seen
    finally:
        seen = None


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / f"{WATCHED}.gguf"
    path.write_bytes(gguf.MAGIC + (3).to_bytes(4, "little") + bytes(16))
    path.with_suffix(".zip").write_bytes(b"PK")
    return path


@pytest.fixture(scope="module")
def finished() -> History:
    return run_game("dilemma", clock=utc_now)


@pytest.fixture(scope="module")
def logs(logs: Path, finished: History) -> Path:
    logs.mkdir()
    (logs / "fair.json").write_text(finished.to_json(), encoding="utf-8")
    return logs


def seats_of(weights: Path) -> list[dict[str, Any]]:
    """Return seats that name the file in each way that a command line takes."""
    seats = []
    for path in (str(weights), f"file://{weights}", f"~/../..{weights}", f"./{weights.name}"):
        for small in ({}, {"small": None}, {"small": True}):
            seats.append({"player_id": "Ada", "provider": "local", "model": path, **small})
    trained = {"player_id": "Ada", "provider": "trained", "model": str(weights.with_suffix(".zip"))}
    return [*seats, trained]


def test_the_watch_sees_a_measurement(weights: Path) -> None:
    seat = PlayerConfig(player_id="Ada", provider="local", model=str(weights))
    with watching() as opened:
        GameEngineConfig.model_validate(config_of(seat, BEN)).with_sizes()
    assert len(opened) == 1


def test_a_begun_or_forked_game_opens_no_file_that_it_names(served: Served, weights: Path) -> None:
    for seat in seats_of(weights):
        body = {"config": config_of(seat, BEN)}
        fork = {"at": 3, "players": [seat]}
        with watching() as opened:
            begun = served.post("/api/games", body)
            tried = served.post("/api/games?dry_run=1", body)
            forked = served.post("/api/games/fair/fork", fork)
        assert [begun.status, tried.status, forked.status] == [422] * 3, seat
        assert "names a file that this server does not allow" in begun.detail
        assert opened == []


def test_a_stored_game_opens_no_file_that_it_names(
    served: Served, weights: Path, finished: History
) -> None:
    """Whoever puts a log into the folder could name any file in it."""
    logs = served.settings.logs_dir
    seat = {"player_id": "Ada", "provider": "local", "model": str(weights), "small": None}
    players = [seat, *finished.config["player_configs"][1:]]
    forged = replace(finished, config=finished.config | {"player_configs": players}, checksum="")
    (logs / "forged.json").write_text(forged.to_json(), encoding="utf-8")
    leave_unfinished(logs, "left", seat, BEN)
    with watching() as opened:
        for path in ("", "/forged", "/forged/log", "/forged/check", "/forged/page.html", "/left"):
            assert served.get(f"/api/games{path}").status == 200, path
        fork = {"at": 3, "players": [ADA | {"player_id": "Ben"}]}
        forked = served.post("/api/games/forged/fork", fork)
        resumed = served.post("/api/games/left/resume")
    for answer in (forked, resumed):
        assert answer.status == 422
        assert "--allow-model" in answer.detail
    assert opened == []
