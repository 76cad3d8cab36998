"""Check configs from the web: set limits, and deny access to files, addresses and keys."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from engine.config import GameEngineConfig, gather_talk
from engine.history import Event
from engine.runs.dry_run import Bound, Rehearsal, rehearse
from engine.server.settings import ServerSettings
from engine.server.web.rights import VIEW_NAMES
from engine.spending.budget import Limits
from player import PlayerConfig
from protocol.seats import SEATS, split_number
from protocol.suggest import one_of
from providers import PROVIDERS, SECRETS

OWN = ("api_key", "logs_dir", "game_id", "logger", "handovers", "clock")
OF_CLIENTS = ("temperature", "top_p", "max_tokens", "reasoning_effort", "seed")
SEATS_OWN = ("api_key", "api_key_env")
# Client settings that determine which key is used or where it is sent.
ELSEWHERE = {"base_url", "websocket_base_url", *SEATS_OWN, *SECRETS}
DEEPEST = 20
MOST_CALLS = 100_000
MOST_SEATS = 100
# The largest number after a script's name, such as a search's simulations per move.
MOST_NUMBER = 10_000
MOST_EVENTS = 100_000
# Maximum total events of a game's rehearsals; that many take about half a minute.
MOST_STEPS = 50_000
DEFAULT_COST = 1.0


class TooMuch(BaseException):
    """Ends a rehearsal early; as a BaseException, it is not caught as a fault by any game."""


def admit(config: Mapping[str, Any], settings: ServerSettings) -> GameEngineConfig:
    """Return the checked config of a game from the web; raise ValueError if it is not allowed.

    A game with hosted models gets a budget of at most 1 dollar unless its config sets one.
    """
    check_plain(config)
    plain = gather_talk(dict(config))
    refuse_own(plain, OWN, "")
    _check_seats(plain.get("player_configs"))
    made = GameEngineConfig.model_validate(plain | {"logs_dir": None})
    for name, most in made.game.most_from_web.items():
        asked = getattr(made.game, name)
        if asked > most:
            raise ValueError(
                f"expected game.{name} to be at most {most:,} over the web: got {asked:,}"
            )
    for player in made.player_configs:
        check_files(player, settings.allow_models)
        check_number(player)
    limits = limits_for(made.limits, made.player_configs, settings)
    return made.model_copy(update={"limits": limits})


def _check_seats(seats: Any) -> None:
    listed = seats if isinstance(seats, list) else []
    if len(listed) > MOST_SEATS:
        raise ValueError(f"expected at most {MOST_SEATS} seats: got {len(listed)}")
    for seat in listed:
        if isinstance(seat, dict):
            check_seat(seat)


def admit_players(players: Iterable[Any], settings: ServerSettings) -> list[PlayerConfig]:
    """Return the checked players of a fork from the web; raise ValueError if one is not allowed."""
    admitted = []
    for seat in players:
        check_plain(seat)
        check_seat(seat)
        player = PlayerConfig.model_validate(seat)
        check_files(player, settings.allow_models)
        check_number(player)
        admitted.append(player)
    return admitted


def check_seat(seat: Mapping[str, Any]) -> None:
    """Reject a seat that has a key, forbidden client settings, or the name of a view."""
    refuse_own(seat, SEATS_OWN, "player_configs.")
    if seat.get("player_id") in VIEW_NAMES:
        raise ValueError(f"expected another name than {seat['player_id']!r}, the name of a view")
    _check_kwargs(seat.get("client_kwargs") or {})


def _check_kwargs(kwargs: Any) -> None:
    if not isinstance(kwargs, dict):
        raise ValueError("expected client_kwargs to be a mapping")
    for name, value in kwargs.items():
        if name not in OF_CLIENTS:
            allowed = ", ".join(OF_CLIENTS)
            raise ValueError(f"client_kwargs.{name:.40} cannot be set over the web: only {allowed}")
        if not isinstance(value, str | int | float) or len(str(value)) > 40:
            raise ValueError(f"expected client_kwargs.{name} to be a number or a word")


def refuse_own(given: Mapping[str, Any], own: Iterable[str], where: str) -> None:
    """Reject settings that only the server may set."""
    for name in own:
        if name in given:
            raise ValueError(f"{where}{name} cannot be set over the web: leave it out")


def check_files(player: PlayerConfig, allowed: Iterable[str]) -> None:
    """Reject an unknown provider, or a model that is a file not listed with --allow-model."""
    row = PROVIDERS.get(player.provider)
    # Every model of such a provider, except the default, is the path of a file.
    is_weights = row is not None and row.takes_files and player.model != row.default_model
    if (player.kind.reads_file or is_weights) and player.model not in {*allowed}:
        raise ValueError(
            f"{player.provider}:{player.model:.80} names a file that this server does not allow: "
            "restart it with --allow-model PATH"
        )
    one_of(player.provider, SEATS, "provider")


def check_number(player: PlayerConfig) -> None:
    """Reject a script whose number, such as 64 in mcts-64, would keep the server busy."""
    number = split_number(player.model)[1] if player.kind.computed else 0
    if number > MOST_NUMBER:
        raise ValueError(
            f"expected a number of at most {MOST_NUMBER:,} in a script's name over the web: got "
            f"{player.model:.80}"
        )


def limits_for(limits: Limits, players: Iterable[PlayerConfig], settings: ServerSettings) -> Limits:
    """Return a web game's limits; a game that may cost money gets a budget in dollars."""
    if costs_nothing(players):
        return limits
    most = limits.max_cost
    if most is None:
        most = min(DEFAULT_COST, settings.max_cost)
    if most > settings.max_cost:
        raise ValueError(
            f"expected limits.max_cost to be at most {settings.max_cost:g} dollars, the budget of "
            f"this server: got {most:g}"
        )
    return limits.model_copy(update={"max_cost": most})


def check_recorded(
    players: Iterable[PlayerConfig], settings: ServerSettings
) -> Sequence[PlayerConfig]:
    """Return the last player of each seat in a stored game, after checking it.

    The stored file is not trusted: raises ValueError if a seat would send a key elsewhere or run a
    file that is not allowed, or if the server lacks the seat's key.
    """
    last = {}
    for player in players:
        check_files(player, settings.allow_models)
        last[player.player_id] = player
    sitting = [*last.values()]
    for player in sitting:
        elsewhere = sorted(player.client_kwargs.keys() & ELSEWHERE)
        if elsewhere:
            raise ValueError(
                f"{player.player_id} is played with {elsewhere[0]}, which is not allowed when a "
                "game continues over the web: continue it in the terminal"
            )
    check_ready(sitting)
    return sitting


def check_ready(players: Iterable[PlayerConfig]) -> None:
    """Raise ValueError if the environment lacks the key or address of a seat's provider."""
    for player in players:
        lacked = variable_lacked(player.provider)
        if lacked:
            raise ValueError(
                f"expected {lacked} in the environment of the server: {player.provider} needs it"
            )


def variable_lacked(provider: str) -> str:
    """Return the unset environment variable that a provider needs, or "" if none is missing."""
    row = PROVIDERS.get(provider)
    if row is None:
        return ""
    pairs = (row.needs_key, row.key_variable), (row.needs_base_url, row.base_url_variable)
    for is_needed, variable in pairs:
        if is_needed and variable and not os.environ.get(variable, "").strip():
            return variable
    return ""


def is_hosted_by(provider: str) -> bool:
    """Return whether calls to a provider may cost money."""
    row = PROVIDERS.get(provider)
    return row is not None and not row.free


def costs_nothing(players: Iterable[PlayerConfig]) -> bool:
    """Return whether a game cannot cost money and therefore needs no rehearsal."""
    return not any(is_hosted_by(player.provider) for player in players)


def check_plain(given: Any) -> None:
    """Reject deeply nested values, and values that JSON or Unicode cannot represent."""
    level = [given]
    for _ in range(DEEPEST + 1):
        level = list(held_values(level))
        if not level:
            return
    raise ValueError(f"expected a config of at most {DEEPEST} nested levels")


def held_values(level: Iterable[Any]) -> Iterator[Any]:
    """Yield the values nested in `level`.

    Raises ValueError for non-finite numbers and lone surrogates.
    """
    for value in level:
        if isinstance(value, dict):
            yield from value
            yield from value.values()
        elif isinstance(value, list):
            yield from value
        elif isinstance(value, float) and not isfinite(value):
            raise ValueError(f"expected a number: got {value}")
        elif isinstance(value, str) and value != value.encode(errors="replace").decode():
            raise ValueError(f"expected valid Unicode text: got {value!r:.80}")


class RehearsalMeter:
    """Counts the events and calls of a game's rehearsals, and ends the rehearsals at a limit."""

    def __init__(self) -> None:
        self.events = 0
        self.most_events = 0
        self.steps = 0

    def __call__(self, rehearsal: Rehearsal) -> None:
        """Start counting another rehearsal."""
        self.events = 0
        self.rehearsal = rehearsal
        rehearsal.subscribe(self.count)

    def count(self, _event: Event) -> None:
        """Count an event; raise TooMuch if the game is too long to be played here."""
        self.events += 1
        self.steps += 1
        self.most_events = max(self.events, self.most_events)
        calls = sum(model.bound.calls for model in self.rehearsal.models.values())
        if self.events > MOST_EVENTS:
            raise TooMuch(f"at most {MOST_EVENTS:,} events: got more")
        if calls > MOST_CALLS:
            raise TooMuch(f"at most {MOST_CALLS:,} calls: got at least {calls:,}")
        if self.steps > MOST_STEPS:
            raise TooMuch(
                f"a game whose rehearsals have at most {MOST_STEPS:,} events together: it was not "
                f"over after {self.events:,}"
            )


def rehearse_within(config: GameEngineConfig, games: int) -> tuple[dict[str, Bound], int]:
    """Return the bounds for each model's seat in one game, and the game's maximum event count.

    Raises ValueError if `games` games might need too many calls or events. This is slow, so call it
    in a thread.
    """
    meter = RehearsalMeter()
    try:
        bounds = rehearse(config, meter)
    except TooMuch as much:
        raise ValueError(f"expected {much}: ask for a shorter game or fewer seats") from None
    calls = games * sum(bound.calls for bound in bounds.values())
    events = games * meter.most_events
    if calls > MOST_CALLS:
        raise ValueError(f"expected at most {MOST_CALLS:,} calls: this may take {calls:,}")
    if events > MOST_EVENTS:
        raise ValueError(f"expected at most {MOST_EVENTS:,} events: this has {events:,}")
    return bounds, meter.most_events
