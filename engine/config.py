"""A game's config, which is read and checked once, before any player is asked a question."""

import logging
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SkipValidation,
    field_serializer,
    field_validator,
    model_validator,
)

from engine import own_file
from engine.game import Game
from engine.games import DEFAULT_GAME, GAMES, read_game
from engine.history import VERSION, check_version
from engine.prompting import MOST_WORDINGS, template_hashes, wordings_of
from engine.record.files import read_regular, read_text
from engine.record.journal import Clock, JournalError, utc_now
from engine.record.yaml import read_yaml
from engine.spending.budget import Limits
from player import PlayerConfig
from protocol.answer import Plain
from protocol.names import refuse_lookalikes
from protocol.suggest import did_you_mean, one_of
from protocol.turn import RETRIES
from providers.settings import REDACTED, public_settings

MOST_SEED = 10**18
TALK = {"topic", "participants"}


class Handover(BaseModel):
    """A player that takes over the seat with its id after event `after` of a forked game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after: int = Field(ge=-1)
    player: PlayerConfig
    game_id: str = ""


def default_game() -> Game[Any]:
    """Return the game to play if a config names none; it is imported only when needed."""
    return GAMES[DEFAULT_GAME]()


class GameEngineConfig(BaseModel):
    """Everything that defines a game.

    If `logs_dir` is None, nothing is written. An empty `rules_prompt` means the game's own rules,
    in the given `wording`. `game` is a Game, or a mapping with its `name` and settings. `seed`
    determines every random draw. By default, the engine chooses `game_id`, and `clock` returns the
    time in UTC. `handovers` lists the players that take over a seat mid-game, as in a forked game.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
    )

    logger: logging.Logger = Field(default_factory=lambda: logging.getLogger("arena"), exclude=True)
    player_configs: list[PlayerConfig] = Field(min_length=1)
    logs_dir: Path | None = Field(default=Path("logs"), exclude=True)
    rules_prompt: str = ""
    # Omitted by default, so that logs of the first wording stay byte-identical.
    wording: int = Field(default=1, ge=1, le=MOST_WORDINGS, exclude_if=lambda number: number == 1)
    game: SkipValidation[Game[Any]] = Field(default_factory=default_game)
    seed: int = Field(default=0, ge=-MOST_SEED, le=MOST_SEED)
    limits: Limits = Limits()
    handovers: list[Handover] = Field(default_factory=list)
    game_id: str | None = Field(default=None, exclude=True, pattern=r"^[A-Za-z0-9_-]+$")
    clock: Clock = Field(default=utc_now, exclude=True)

    @field_validator("game", mode="before")
    @classmethod
    def _read_game(cls, value: object) -> Game[Any]:
        if isinstance(value, Game):
            return value
        if isinstance(value, str):
            value = {"name": value}
        if not isinstance(value, dict):
            raise ValueError(
                "expected game to be a name, or a mapping with a name and settings: "
                f"got {value!r:.60}"
            )
        settings = dict(value)
        chosen = read_game(str(settings.pop("name", DEFAULT_GAME)))
        name = chosen.pop("name")
        return GAMES[name].model_validate(settings | chosen)

    @field_serializer("game")
    def _dump_game(self, game: Game[Any]) -> Plain:
        return {"name": game.name, **game.model_dump(mode="json")}

    @model_validator(mode="after")
    def _check_wording(self) -> Self:
        """Reject a wording other than 1 if the rules lack it or a `rules_prompt` is also given."""
        if self.wording == 1:
            return self
        if self.rules_prompt:
            raise ValueError("expected either wording or rules_prompt: got both")
        refuse_wording(self.game, self.wording)
        return self

    @model_validator(mode="after")
    def _check_seats(self) -> "GameEngineConfig":
        ids = self.player_ids
        twice = ", ".join(sorted({player_id for player_id in ids if ids.count(player_id) > 1}))
        if twice:
            raise ValueError(f"player ids must differ: {twice} appears twice")
        refuse_lookalikes(ids)
        for handover in self.handovers:
            one_of(handover.player.player_id, ids, "seat")
        # Changed in place, since the config is frozen: a log uses each strategy's canonical name.
        self.player_configs[:] = map(self._with_one_name, self.player_configs)
        for place, handover in enumerate(self.handovers):
            heir = self._with_one_name(handover.player)
            self.handovers[place] = handover.model_copy(update={"player": heir})
        return self

    def _with_one_name(self, player: PlayerConfig) -> PlayerConfig:
        """Return `player` with its model's canonical name; raise ValueError if it is unknown."""
        model = player.kind.check(player.model, self.game)
        return player.model_copy(update={"model": model})

    @property
    def asks(self) -> int:
        """The number of attempts that a model gets at each question."""
        return 1 + RETRIES if self.game.unlisted else self.limits.asks

    @property
    def player_ids(self) -> tuple[str, ...]:
        """The players' ids, in seat order."""
        return tuple(player.player_id for player in self.player_configs)

    def all_players(self) -> list[PlayerConfig]:
        """Return all players: the initial ones in seat order, then those that take over a seat."""
        return [*self.player_configs, *(handover.player for handover in self.handovers)]

    def with_sizes(self) -> Self:
        """Return this config with the field `small` of each player set.

        A config with handovers is returned unchanged, so that no file named in a log is opened.
        """
        if self.handovers:
            return self
        seats = [player.with_size() for player in self.player_configs]
        return self.model_copy(update={"player_configs": seats})

    def public(self) -> Plain:
        """Return the config as plain data without any API key, for logs and journals."""
        public: Plain = redact(self.model_dump(mode="json"))
        return public

    def made_from(self) -> Plain:
        """Return the data that resuming must match: settings, version, templates and policies."""
        config = self.public()
        config["limits"].pop("valid_from", None)
        made_from: Plain = {
            "config": config,
            "game_version": self.game.version,
            "templates": {
                **template_hashes("shared", self.game.name),
                **template_hashes(self.game.name, wording=self.wording),
            },
        }
        files = [player.model for player in self.all_players() if player.kind.reads_file]
        if files:
            made_from["trained"] = {path: file_hash(path) for path in files}
        return made_from

    def header(self) -> Plain:
        """Return a journal's header: log version, `made_from`, changeable limits and start time."""
        return {
            "version": VERSION,
            "made_from": self.made_from(),
            "limits": self.limits.model_dump(include={"valid_from"}) | self.limits.budgets,
            "began": self.clock().isoformat(),
        }


def refuse_wording(game: Game[Any], wording: int) -> None:
    """Raise ValueError if the wording lacks one of the templates of the game's rules."""
    templates = game.rule_templates()
    known = wordings_of(*templates)
    if wording not in known:
        raise ValueError(
            f"expected a wording that has {' and '.join(templates)}, which is "
            f"{' or '.join(map(str, known))}: got {wording}"
        )


def file_hash(path: str) -> str:
    """Return the fingerprint of a file (such as a trained policy); "none" if it cannot be read."""
    try:
        return sha256(read_regular(Path(path))).hexdigest()[:16]
    except OSError:
        return "none"


def known_settings() -> list[str]:
    """Return the names of all settings that a config may have, without duplicates."""
    models: list[type[BaseModel]] = [GameEngineConfig, PlayerConfig, Limits, *GAMES.values()]
    return [*dict.fromkeys(name for model in models for name in names_in(model))]


def names_in(annotation: object) -> list[str]:
    """Return the field names of all Pydantic models in an annotation, including nested models."""
    names: list[str] = []
    parts: list[Any] = [*get_args(annotation)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        names += annotation.model_fields
        parts = [field.annotation for field in annotation.model_fields.values()]
    for part in parts:
        names += names_in(part)
    return names


def recorded_config(header: Plain) -> Plain:
    """Return the config in a journal header; raise ValueError if its log format version differs."""
    check_version("the log format", header.get("version"), VERSION)
    config: Plain = header["made_from"]["config"]
    return config | {"limits": config.get("limits", {}) | header.get("limits", {})}


def read_config(
    path: Path, holds: str = "game: and player_configs", folder: str = "configs"
) -> Plain:
    """Return the config in a YAML file as plain data; raise ValueError if it cannot be read.

    `holds` names settings that the file should have, for error messages. A file in `folder` can be
    named without the folder, and any file without the suffix .yaml.
    """
    # Programs that read no such file, such as a server, start faster without this import.
    import yaml

    folders = [path.parent]
    if path.parent == Path():
        folders.append(Path(folder))
    try:
        name = f"{path.name.removesuffix('.yaml')}.yaml"
        places = map(own_file, (path, *(each / name for each in folders)))
        config = read_yaml(read_text(next(filter(Path.is_file, places), path)))
    except FileNotFoundError:
        there = [
            file for each in map(own_file, folders) for file in sorted(each.glob("[!.]*.yaml"))
        ]
        near = did_you_mean(path.stem, [file.stem for file in there])
        instead = near or f" there are {', '.join(map(str, there)) or 'no .yaml files'}"
        raise ValueError(f"expected a config file: there is no {path};{instead}") from None
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"expected {path} to be a YAML file: {_yaml_fault(error)}") from None
    if not isinstance(config, dict):
        got = "nothing" if config is None else f"a {type(config).__name__}"
        raise ValueError(f"expected {path} to contain settings such as {holds}: got {got}")
    return gather_talk(config)


def _yaml_fault(error: Exception) -> str:
    import yaml

    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    # The error's own text quotes the line, which may contain an API key.
    line = error.problem_mark.line + 1 if error.problem_mark else 1
    if isinstance(error, yaml.constructor.ConstructorError):
        # A tag may contain a key as well.
        return f"line {line}: it has a tag; write a value that begins with ! in quotes"
    return f"line {line}: {error.problem}"


def gather_talk(config: Plain) -> Plain:
    """Return a config with any talk settings at its top level moved under `game`."""
    if "game" in config or not TALK & config.keys():
        return config
    game: Plain = {"name": "talks"}
    rest: Plain = {}
    for name, value in config.items():
        place = game if name in GAMES["talks"].model_fields else rest
        place[name] = value
    return {"game": game, **rest}


def redact(value: Any) -> Any:
    """Return plain data with possible secrets removed from every player's `client_kwargs`."""
    if isinstance(value, list):
        return [redact(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: public_settings(str(value.get("provider")), held)
        if name == "client_kwargs"
        else redact(held)
        for name, held in value.items()
    }


def lost_secrets(config: GameEngineConfig) -> list[str]:
    """Return the ids of the players whose secrets were not recorded and must be supplied again."""
    players = config.all_players()
    return [player.player_id for player in players if REDACTED in str(player.client_kwargs)]


def refuse_lost_secrets(config: GameEngineConfig) -> None:
    """Raise JournalError if a recorded config lacks secrets, which no journal stores."""
    lost = ", ".join(lost_secrets(config))
    if lost:
        raise JournalError(
            f"expected the headers and secrets of {lost}, which no journal stores: continue with "
            "--config FILE"
        )


def refuse_changes(made_from: Plain, config: GameEngineConfig) -> None:
    """Raise JournalError, listing the differences, if the game was not made from `config`."""
    begun = GameEngineConfig.model_validate(made_from["config"])
    check_version(begun.game.name, made_from.get("game_version"), begun.game.version)
    whole = made_from | {"config": begun.public()}
    changes = "; ".join(differences(whole, config.made_from()))
    if changes:
        raise JournalError(
            f"{config.game_id} was started with other settings: {changes}; continue with the "
            "original settings, or use --allow-changed"
        )


def differences(recorded: Any, asked: Any, where: str = "") -> list[str]:
    """Return a clause for each difference; a redacted value matches every value but None."""
    pair = (recorded, asked)
    if recorded == asked or (REDACTED in pair and None not in pair):
        return []
    parts = _parts_of(recorded, asked)
    if parts is None:
        return [f"{where} was {recorded!r:.60}, now it is {asked!r:.60}"]
    clauses: list[str] = []
    for name, old, new in parts:
        clauses += differences(old, new, f"{where}.{name}".lstrip("."))
    return clauses


def _parts_of(recorded: Any, asked: Any) -> list[tuple[str, Any, Any]] | None:
    """Return each part's name and its two values; None if the configs have no parts to compare."""
    kinds = {type(recorded), type(asked)}
    if kinds == {list} and len(recorded) == len(asked):
        recorded = dict(enumerate(recorded))
        asked = dict(enumerate(asked))
    elif kinds != {dict}:
        return None

    names = dict.fromkeys((*recorded, *asked))
    return [(str(name), recorded.get(name), asked.get(name)) for name in names]
