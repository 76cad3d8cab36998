"""Keys that come by other ways than a server's echo: configs, addresses, resumed journals."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from engine.config import GameEngineConfig, read_config, redact
from engine.engine import GameEngine
from engine.record.journal import Journal, JournalError
from player import PlayerConfig
from protocol.suggest import explain
from providers.settings import REDACTED
from tests.support.tables import config_for

CANARY = "sk-canary-0123456789abcdef"
SEAT = {"player_id": "Ada", "provider": "compatible", "model": "m", "api_key": CANARY}


@pytest.mark.parametrize(
    "text",
    [
        f'api_key: "{CANARY}\nmodel: m',
        f"api_key: {CANARY}: x",
        f"api_key: [{CANARY}",
        f"- api_key\n- {CANARY}",
        f"api_key: {CANARY}\n\tmodel: m",
        f"? {CANARY}\x00",
    ],
)
def test_a_config_that_is_no_yaml_is_not_quoted(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"bad\.yaml") as caught:
        read_config(tmp_path / "bad.yaml")
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "seat",
    [
        {name: value for name, value in SEAT.items() if name != "player_id"},
        SEAT | {"api_key": [CANARY]},
        SEAT | {"client_kwargs": CANARY},
        SEAT | {"provder": "openai"},
        SEAT | {"player_id": ""},
        [CANARY],
    ],
)
def test_a_config_that_is_refused_is_not_quoted(seat: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        GameEngineConfig.model_validate({"player_configs": [seat]})
    assert (
        CANARY
        not in f"{caught.value} {caught.value!r} {explain(caught.value, PlayerConfig.model_fields)}"
    )


def test_secrets_in_addresses_and_headers_are_not_kept() -> None:
    kwargs = {
        "base_url": f"https://me:{CANARY}@host/v1",
        "headers": {"x-team": CANARY},
        "extra_headers": {"x-other": CANARY},
        "cookie": CANARY,
    }
    kept = redact({"client_kwargs": kwargs, "seed": 3})
    assert CANARY not in str(kept)
    assert kept["client_kwargs"]["base_url"] == "https://(redacted)@host/v1"
    assert kept["client_kwargs"]["headers"] == {"x-team": "(redacted)"}
    assert kept["seed"] == 3
    player = PlayerConfig(player_id="Ada", api_key=SecretStr(CANARY), client_kwargs=kwargs)
    assert CANARY not in f"{player!r} {player} {player.model_dump_json(exclude={'client_kwargs'})}"


def test_a_game_with_secret_headers_is_resumed_only_with_them(tmp_path: Path) -> None:
    """They are in no journal: what stands there in their place is never sent."""
    config = config_for(
        "conversation", "compatible:m,scripted:random", tmp_path, at="http://127.0.0.1:1"
    )
    kwargs = config.player_configs[0].client_kwargs | {"headers": {"x-team": CANARY}}
    seat = config.player_configs[0].model_copy(update={"client_kwargs": kwargs})
    config = config.model_copy(update={"player_configs": [seat, config.player_configs[1]]})
    Journal.create(tmp_path / "game.jsonl", config.header() | {"version": 1}).close()
    with pytest.raises(JournalError, match=r"headers and secrets of Ada again.*--config FILE"):
        GameEngine.resume(tmp_path / "game.jsonl")
    resumed = GameEngine.resume(tmp_path / "game.jsonl", config)
    assert resumed.journal is not None
    resumed.journal.close()


def ollama_table(tmp_path: Path, settings: dict[str, Any]) -> GameEngineConfig:
    """Return a small game in which a model of Ollama's, with these settings, sits with a script."""
    config = config_for("conversation", "ollama:m,scripted:random", tmp_path)
    first, second = config.player_configs
    first = first.model_copy(update={"client_kwargs": settings})
    return config.model_copy(update={"player_configs": [first, second]})


def test_a_setting_that_is_no_secret_is_in_the_log_and_the_game_is_resumed(tmp_path: Path) -> None:
    settings = {"num_ctx": 8192, "keep_alive": "5m", "options": {"mirostat": 2}}
    path = tmp_path / "game.jsonl"
    header = ollama_table(tmp_path, settings).header()
    assert header["made_from"]["config"]["player_configs"][0]["client_kwargs"] == settings
    Journal.create(path, header | {"version": 1}).close()
    resumed = GameEngine.resume(path)
    assert resumed.config.player_configs[0].client_kwargs == settings
    assert resumed.history.config["player_configs"][0]["client_kwargs"] == settings
    assert resumed.history.players[0].client_kwargs == settings
    assert resumed.journal is not None
    resumed.journal.close()


def test_an_older_journal_that_hides_plain_settings_goes_on_with_them(tmp_path: Path) -> None:
    """Which value was hidden cannot be known, so whatever is given again is taken for it."""
    path = tmp_path / "game.jsonl"
    config = ollama_table(tmp_path, {"num_ctx": 8192, "options": {"mirostat": 2}})
    header = config.header()
    seat = header["made_from"]["config"]["player_configs"][0]
    seat["client_kwargs"] = {"num_ctx": REDACTED, "options": {"mirostat": REDACTED}}
    Journal.create(path, header | {"version": 1}).close()
    with pytest.raises(JournalError, match=r"headers and secrets of Ada again"):
        GameEngine.resume(path)
    with pytest.raises(JournalError, match="num_ctx was '\\(redacted\\)', now it is None"):
        GameEngine.resume(path, ollama_table(tmp_path, {"options": {"mirostat": 2}}))
    resumed = GameEngine.resume(path, config)
    assert resumed.journal is not None
    resumed.journal.close()


def test_a_game_that_is_being_played_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    header = {"version": 1, "made_from": {"config": {}}}
    journal = Journal.create(path, header)
    with pytest.raises(JournalError, match="is being played by another process"):
        Journal.reopen(path)
    assert Journal.load(path).header == header
    journal.close()
    Journal.reopen(path).close()
