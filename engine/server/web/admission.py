"""Which configs may come from the web, and how much they may ask for.

Nothing in one reaches a file, an address or a key: what would is refused, whatever else it says.
"""

import time
from collections.abc import Iterable, Mapping
from typing import Any

from engine.config import GameEngineConfig, gather_talk
from engine.history import Event
from engine.runs.dry_run import Bound, Rehearsal, rehearse
from engine.server.settings import ServerSettings
from engine.spending.budget import Limits
from player import PlayerConfig
from protocol.seats import SEATS
from protocol.suggest import one_of
from providers import PROVIDERS

OWN = ("api_key", "logs_dir", "game_id", "logger", "handovers", "clock")
OF_CLIENTS = ("temperature", "top_p", "max_tokens", "reasoning_effort", "seed")
SEATS_OWN = ("api_key", "api_key_env")
DEEPEST = 20
MOST_CALLS = 100_000
MOST_SEATS = 100
MOST_EVENTS = 100_000
REHEARSAL_SECONDS = 30.0
DEFAULT_COST = 1.0


class TooMuch(BaseException):
    """Ends a rehearsal from inside: no game may take it for a fault of its own."""


def admit(config: Mapping[str, Any], settings: ServerSettings) -> GameEngineConfig:
    """Return what a config from the web makes; ValueError says what may not come from there.

    A game with hosted models has a budget in dollars, 1 unless it sets one.
    """
    if depth_of(config) > DEEPEST:
        raise ValueError(f"expected a config of at most {DEEPEST} levels, one inside another")
    plain = gather_talk(dict(config))
    refuse_own(plain, OWN, "")
    seats = plain.get("player_configs")
    listed = seats if isinstance(seats, list) else []
    if len(listed) > MOST_SEATS:
        raise ValueError(f"expected at most {MOST_SEATS} seats: got {len(listed)}")
    for seat in listed:
        if isinstance(seat, dict):
            check_seat(seat)
    made = GameEngineConfig.model_validate(plain | {"logs_dir": None})
    for player in made.player_configs:
        check_files(player, settings.allow_models)
    return made.model_copy(update={"limits": limits_for(made, settings)})


def admit_players(players: Iterable[Any], settings: ServerSettings) -> list[PlayerConfig]:
    """Return the players that a fork from the web names; ValueError as for a config."""
    found = []
    for seat in players:
        check_seat(seat)
        found.append(PlayerConfig.model_validate(seat))
    for player in found:
        check_files(player, settings.allow_models)
    return found


def check_seat(seat: Mapping[str, Any]) -> None:
    """Refuse settings of a seat that would send a key elsewhere, or bring one."""
    refuse_own(seat, SEATS_OWN, "player_configs.")
    kwargs = seat.get("client_kwargs") or {}
    if not isinstance(kwargs, dict):
        raise ValueError("expected client_kwargs to be a mapping")
    for name, value in kwargs.items():
        if name not in OF_CLIENTS:
            allowed = ", ".join(OF_CLIENTS)
            raise ValueError(f"client_kwargs.{name:.40} may not be set from here: only {allowed}")
        if not isinstance(value, str | int | float) or len(str(value)) > 40:
            raise ValueError(f"expected client_kwargs.{name} to be a number or a word")


def refuse_own(given: Mapping[str, Any], own: Iterable[str], where: str) -> None:
    """Refuse settings that are the server's own."""
    for name in own:
        if name in given:
            raise ValueError(
                f"{where}{name} may not be set from here: it is the server's own, leave it out"
            )


def check_files(player: PlayerConfig, allowed: Iterable[str]) -> None:
    """Refuse a seat whose model is a file that the server was not started with."""
    row = PROVIDERS.get(player.provider)
    is_weights = row is not None and row.takes_files and not player.model.isalnum()
    if (player.kind.reads_file or is_weights) and player.model not in {*allowed}:
        raise ValueError(
            f"{player.provider}:{player.model:.80} names a file that this server was not started "
            "with: it takes --allow-model PATH"
        )
    one_of(player.provider, SEATS, "provider")


def limits_for(config: GameEngineConfig, settings: ServerSettings) -> Limits:
    """Return the limits of a game from the web: hosted models never play without a budget."""
    limits = config.limits
    if not any(is_hosted_by(player.provider) for player in config.player_configs):
        return limits
    most = limits.max_cost if limits.max_cost is not None else DEFAULT_COST
    if most > settings.max_cost:
        raise ValueError(
            f"expected limits.max_cost of at most {settings.max_cost:g} dollars, all that this "
            f"server may spend: got {most:g}"
        )
    return limits.model_copy(update={"max_cost": most})


def check_ready(players: Iterable[PlayerConfig], environ: Mapping[str, str]) -> None:
    """Refuse seats whose provider lacks its key or its address."""
    for player in players:
        lacked = variable_lacked(player.provider, environ)
        if lacked:
            raise ValueError(
                f"expected {lacked} where the server was started: {player.provider} needs it"
            )


def variable_lacked(provider: str, environ: Mapping[str, str]) -> str:
    """Return the environment variable that a provider still needs, "" if it lacks none."""
    row = PROVIDERS.get(provider)
    if row is None:
        return ""
    if row.needs_key and row.key_variable and not environ.get(row.key_variable, "").strip():
        return row.key_variable
    address = environ.get(row.base_url_variable, "") if row.base_url_variable else ""
    return row.base_url_variable if row.needs_base_url and not address.strip() else ""


def is_hosted_by(provider: str) -> bool:
    """Return whether calls to a provider may cost something."""
    row = PROVIDERS.get(provider)
    return row is not None and not row.free


def depth_of(value: Any) -> int:
    """Return how many lists and mappings stand one inside another at most."""
    depth = 0
    level = [value]
    while level:
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        depth += 1
        level = inner
        if depth > DEEPEST:
            break
    return depth - 1


class RehearsalMeter:
    """Counts what a rehearsal comes to, and ends it when that is too much."""

    def __init__(self) -> None:
        self.events = 0
        self.most_events = 0
        self.until = time.monotonic() + REHEARSAL_SECONDS

    def __call__(self, rehearsal: Rehearsal) -> None:
        """Begin to count one more rehearsal."""
        self.events = 0
        self.rehearsal = rehearsal
        rehearsal.subscribe(self.count)

    def count(self, event: Event) -> None:
        """Count an event; TooMuch if the game is too long to be played here."""
        del event
        self.events += 1
        self.most_events = max(self.events, self.most_events)
        calls = sum(one.bound.calls for one in self.rehearsal.models.values())
        if self.events > MOST_EVENTS:
            raise TooMuch(f"at most {MOST_EVENTS:,} events: got more")
        if calls > MOST_CALLS:
            raise TooMuch(f"at most {MOST_CALLS:,} calls: got {calls:,} and more")
        if time.monotonic() > self.until:
            raise TooMuch(
                f"a game that can be rehearsed in {REHEARSAL_SECONDS:g} seconds: it was not over "
                f"after {self.events:,} events"
            )


def rehearse_within(config: GameEngineConfig, games: int = 1) -> tuple[dict[str, Bound], int]:
    """Return what each model's seat may take in one game at most, and how many events it has.

    ValueError if as many games would be too much. It takes seconds: call it in a thread.
    """
    meter = RehearsalMeter()
    try:
        bounds = rehearse(config, meter)
    except TooMuch as much:
        raise ValueError(f"expected {much}: ask for a shorter game or fewer seats") from None
    calls = games * sum(bound.calls for bound in bounds.values())
    if calls > MOST_CALLS:
        raise ValueError(f"expected at most {MOST_CALLS:,} calls: this may take {calls:,}")
    events = games * meter.most_events
    if events > MOST_EVENTS:
        raise ValueError(f"expected at most {MOST_EVENTS:,} events: this has {events:,}")
    return bounds, meter.most_events
