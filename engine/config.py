"""What a game is made from: read and checked here, once, before anything is asked of anyone."""

import logging
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SkipValidation,
    field_serializer,
    field_validator,
    model_validator,
)

from engine.game import Game
from engine.games import DEFAULT_GAME, GAMES
from engine.prompting import template_hashes
from engine.record.journal import Clock, utc_now
from engine.spending.budget import Limits
from player import PlayerConfig
from protocol.suggest import one_of
from providers.settings import REDACTED, public_settings

TALK = {"topic", "participants"}


class Handover(BaseModel):
    """Who takes over the seat of the same id: it answers what is asked once the event with index `after` is there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after: int = Field(ge=-1)
    player: PlayerConfig


def default_game() -> Game[Any]:
    """Return the game that a config without one plays."""
    return GAMES[DEFAULT_GAME]()


class GameEngineConfig(BaseModel):
    """All that a game is made from.

    `logs_dir` None writes nothing. An empty `rules_prompt` means the game's own rules. `game` is a
    Game, or a mapping with its `name` and settings. `seed` fixes every draw; `game_id` and `clock`
    are the engine's own unless given. `handovers` say which seats others take over in mid-game, as
    in a game that was forked from another.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, hide_input_in_errors=True
    )

    logger: logging.Logger = Field(default_factory=lambda: logging.getLogger("arena"), exclude=True)
    player_configs: list[PlayerConfig] = Field(min_length=1)
    logs_dir: Path | None = Field(default=Path("logs"), exclude=True)
    rules_prompt: str = ""
    game: SkipValidation[Game[Any]] = Field(default_factory=default_game)
    seed: int = 0
    limits: Limits = Limits()
    handovers: list[Handover] = Field(default_factory=list)
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
            raise ValueError(
                f"expected game to be a name, or a mapping with a name and settings: got {value!r:.60}"
            )
        settings = dict(value)
        return GAMES[one_of(str(settings.pop("name", DEFAULT_GAME)), GAMES, "game")].model_validate(
            settings
        )

    @field_serializer("game")
    def _dump_game(self, game: Game[Any]) -> dict[str, Any]:
        return {"name": game.name, **game.model_dump(mode="json")}

    @model_validator(mode="after")
    def _check_seats(self) -> "GameEngineConfig":
        ids = [player.player_id for player in self.player_configs]
        twice = sorted({player_id for player_id in ids if ids.count(player_id) > 1})
        if twice:
            raise ValueError(f"player ids must differ: {', '.join(twice)} sits there twice")
        for handover in self.handovers:
            one_of(handover.player.player_id, ids, "seat")
        for player in (*self.player_configs, *(handover.player for handover in self.handovers)):
            player.kind.check(player.model, self.game)
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
        made_from = {
            "config": self.public(),
            "game_version": self.game.version,
            "templates": templates,
        }
        seats = (*self.player_configs, *(handover.player for handover in self.handovers))
        trained = {seat.model: file_hash(seat.model) for seat in seats if seat.kind.reads_file}
        return made_from | {"trained": trained} if trained else made_from

    def header(self) -> dict[str, Any]:
        """Return what a journal begins with: what the game is made from, and its budgets."""
        return {"made_from": self.made_from(), "limits": self.limits.budgets}


def file_hash(path: str) -> str:
    """Return the fingerprint of a file, such as a trained policy; "none" if it cannot be read."""
    try:
        return sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError:
        return "none"


def known_settings() -> list[str]:
    """Return every name that may stand in a config."""
    models: list[type[BaseModel]] = [GameEngineConfig, PlayerConfig, Limits, *GAMES.values()]
    return [*dict.fromkeys(name for model in models for name in names_in(model))]


def names_in(annotation: object) -> list[str]:
    """Return the settings of the models in an annotation, those that stand inside a setting too."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields
        return [
            *fields,
            *(name for field in fields.values() for name in names_in(field.annotation)),
        ]
    return [name for part in get_args(annotation) for name in names_in(part)]


def recorded_config(header: dict[str, Any]) -> dict[str, Any]:
    """Return the config in a journal's header as plain data, with the budgets that its game was begun with."""
    config: dict[str, Any] = header["made_from"]["config"]
    return config | {"limits": config.get("limits", {}) | header.get("limits", {})}


def read_config(path: Path) -> dict[str, Any]:
    """Return the config in a YAML file as plain data; ValueError says why it cannot be read."""
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        there = (
            ", ".join(sorted(str(near) for near in path.parent.glob("*.yaml"))) or "no .yaml file"
        )
        raise ValueError(
            f"expected a config file: there is no {path}; in its folder is {there}"
        ) from None
    except yaml.MarkedYAMLError as error:
        # Its own text quotes the line, which may hold a key.
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(
            f"expected {path} to be a YAML file: line {line}: {error.problem}"
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(
            f"expected {path} to be a YAML file: {' '.join(str(error).split())}"
        ) from None
    if not isinstance(config, dict):
        got = "nothing" if config is None else f"a {type(config).__name__}"
        raise ValueError(
            f"expected {path} to hold settings such as game: and player_configs: got {got}"
        )
    return gathered(config)


def gathered(config: dict[str, Any]) -> dict[str, Any]:
    """Return a config whose settings of a game stand under `game`.

    A talk may be described by its topic and participants alone, at the top; whatever else stands
    there and is a setting of talks belongs to it too.
    """
    if "game" in config or not TALK & config.keys():
        return config
    settings = {
        name: value for name, value in config.items() if name in GAMES["talks"].model_fields
    }
    rest = {name: value for name, value in config.items() if name not in settings}
    return {"game": {"name": "talks", **settings}, **rest}


def redacted(value: Any) -> Any:
    """Return plain data in which no player's `client_kwargs` can hold a secret."""
    if isinstance(value, list):
        return [redacted(item) for item in value]
    if not isinstance(value, dict):
        return value
    public = {name: redacted(held) for name, held in value.items() if name != "client_kwargs"}
    if "client_kwargs" not in value:
        return public
    settings = public_settings(str(value.get("provider")), value["client_kwargs"])
    return {name: public.get(name, settings) for name in value}


def lost_secrets(config: GameEngineConfig) -> list[str]:
    """Return the players whose recorded settings had secrets, which are not kept: they must be given again."""
    seats = (*config.player_configs, *(handover.player for handover in config.handovers))
    return [seat.player_id for seat in seats if REDACTED in str(seat.client_kwargs)]


def differences(recorded: Any, asked: Any, where: str = "") -> list[str]:
    """Return one clause for each place where two configs differ; a redacted value fits any other."""
    pair = (recorded, asked)
    if recorded == asked or (REDACTED in pair and None not in pair):
        return []
    if isinstance(recorded, dict) and isinstance(asked, dict):
        names = [*recorded, *(name for name in asked if name not in recorded)]
        pairs = [(str(name), recorded.get(name), asked.get(name)) for name in names]
    elif isinstance(recorded, list) and isinstance(asked, list) and len(recorded) == len(asked):
        pairs = [
            (str(place), *pair) for place, pair in enumerate(zip(recorded, asked, strict=True))
        ]
    else:
        return [f"{where} was {recorded!r:.60}, now it is {asked!r:.60}"]
    return [
        clause
        for name, old, new in pairs
        for clause in differences(old, new, f"{where}.{name}".lstrip("."))
    ]
