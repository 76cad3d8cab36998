"""What a game is made from: read and checked here, once, before anything is asked of anyone."""

import logging
import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, SkipValidation, field_serializer, field_validator, model_validator

from engine.game import Game
from engine.games import DEFAULT_GAME, GAMES
from engine.journal import Clock, utc_now
from engine.prompting import template_hashes
from nearest import one_of
from player import ASKS, PlayerConfig

SECRET = re.compile(r"api[-_]?key|authorization|secret|password|(^|[-_])token$", re.IGNORECASE)


class Limits(BaseModel):
    """How far a game goes for one answer: `asks` attempts at most before the fallback stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: int = Field(default=ASKS, ge=1, le=10)


def default_game() -> Game[Any]:
    """Return the game that a config without one plays."""
    return GAMES[DEFAULT_GAME]()


class GameEngineConfig(BaseModel):
    """All that a game is made from.

    `logs_dir` None writes nothing. An empty `rules_prompt` means the game's own rules. `game` is a Game, or a mapping
    with its `name` and settings. `seed` fixes every draw; `game_id` and `clock` are the engine's own unless given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    logger: logging.Logger = Field(default_factory=lambda: logging.getLogger("arena"), exclude=True)
    player_configs: list[PlayerConfig] = Field(min_length=1)
    logs_dir: Path | None = Field(default=Path("logs"), exclude=True)
    rules_prompt: str = ""
    game: SkipValidation[Game[Any]] = Field(default_factory=default_game)
    seed: int = 0
    limits: Limits = Limits()
    game_id: str | None = Field(default=None, exclude=True, pattern=r"^[A-Za-z0-9_-]+$")
    clock: Clock = Field(default=utc_now, exclude=True)

    @field_validator("game", mode="before")
    @classmethod
    def _read_game(cls, value: object) -> Game[Any]:
        if isinstance(value, str):
            value = {"name": value}
        if isinstance(value, Game):
            return value
        if not isinstance(value, dict):
            raise ValueError(f"expected game to be a name, or a mapping with a name and settings: got {value!r:.60}")
        settings = dict(value)
        return GAMES[one_of(str(settings.pop("name", DEFAULT_GAME)), GAMES, "game")].model_validate(settings)

    @field_serializer("game")
    def _dump_game(self, game: Game[Any]) -> dict[str, Any]:
        return {"name": game.name, **game.model_dump(mode="json")}

    @model_validator(mode="after")
    def _check_seats(self) -> "GameEngineConfig":
        ids = [player.player_id for player in self.player_configs]
        twice = sorted({player_id for player_id in ids if ids.count(player_id) > 1})
        if twice:
            raise ValueError(f"player ids must differ: {', '.join(twice)} sits there twice")
        for player in self.player_configs:
            if player.provider == "scripted":
                one_of(player.model, self.game.strategies, f"strategy of {self.game.name}")
        return self

    @property
    def player_ids(self) -> tuple[str, ...]:
        """The players in seat order."""
        return tuple(player.player_id for player in self.player_configs)

    def public(self) -> dict[str, Any]:
        """Return the config as plain data without any key: what logs and journals keep."""
        public: dict[str, Any] = redacted(self.model_dump(mode="json"))
        return public

    def made_from(self) -> dict[str, Any]:
        """Return all that must not change for a recorded game to go on: settings, rules, wording."""
        templates = template_hashes("shared", self.game.name)
        return {"config": self.public(), "game_version": self.game.version, "templates": templates}


def read_config(path: Path) -> dict[str, Any]:
    """Return the config in a YAML file as plain data; ValueError says why it cannot be read."""
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        there = ", ".join(sorted(str(near) for near in path.parent.glob("*.yaml"))) or "no .yaml file"
        raise ValueError(f"expected a config file: there is no {path}; in its folder is {there}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"expected {path} to be a YAML file: {' '.join(str(error).split())}") from None
    if not isinstance(config, dict):
        raise ValueError(f"expected {path} to hold settings such as game: and player_configs: got {config!r:.60}")
    return config


def redacted(value: Any) -> Any:
    """Return plain data without the values whose names say that they are secret."""
    if isinstance(value, list):
        return [redacted(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: "(redacted)" if SECRET.search(name) else redacted(held) for name, held in value.items()}


def differences(recorded: Any, asked: Any, where: str = "") -> list[str]:
    """Return one clause for each place where two configs differ."""
    if recorded == asked:
        return []
    if isinstance(recorded, dict) and isinstance(asked, dict):
        names = [*recorded, *(name for name in asked if name not in recorded)]
        pairs = [(str(name), recorded.get(name), asked.get(name)) for name in names]
    elif isinstance(recorded, list) and isinstance(asked, list) and len(recorded) == len(asked):
        pairs = [(str(place), *pair) for place, pair in enumerate(zip(recorded, asked, strict=True))]
    else:
        return [f"{where} was {recorded!r:.60}, now it is {asked!r:.60}"]
    return [clause for name, old, new in pairs for clause in differences(old, new, f"{where}.{name}".lstrip("."))]
