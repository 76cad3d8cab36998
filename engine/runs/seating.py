"""The players of a table: the `--players` shorthand, and the default table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, cycle, islice

from engine.config import GameEngineConfig
from engine.rng import stream
from player import PlayerConfig
from protocol.seats import SEATS
from protocol.suggest import one_of
from providers import DEFAULT_PROVIDER, PROVIDERS

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hugo", "Iris", "Jon", "Kira", "Leo")
KEYED = [name for name, row in PROVIDERS.items() if row.key_variable and row.default_model]
DEFAULT_SEATS = 5
# "@" alone may be part of a model's name.
AT_ADDRESS = re.compile(
    r"(?P<model>.*?)@(?P<address>https?://.*?)(?:\?structured=(?P<structured>true|false))?"
)


def read_players(shorthand: str, called: Sequence[str] = ()) -> list[PlayerConfig]:
    """Return the seats in a list such as "openai:gpt-5.4-mini,Zoe=scripted:greedy,human".

    Each entry is PROVIDER or PROVIDER:MODEL. A model may be followed by @ADDRESS, and that by
    ?structured=false. NAME= before an entry names its player; other players get the names in
    `called` or NAMES, in order. When these are used up, they are repeated with 2, 3, ... appended.
    """
    entries = [entry.strip() for entry in shorthand.split(",") if entry.strip()]
    if not entries:
        raise ValueError(
            "expected at least one player, such as --players scripted:greedy,human: got none"
        )
    named = {name for name, _ in map(_split_name, entries)}
    first = called or NAMES
    later = (f"{name} {number}" for number in count(2) for name in first)
    free = (name for name in chain(first, later) if name not in named)
    return [_player(entry, free) for entry in entries]


def _split_name(entry: str) -> tuple[str, str]:
    """Return the name in an entry ("" if none) and the seat after it."""
    if "=" not in entry.partition(":")[0]:
        return "", entry
    name, _, seat = entry.partition("=")
    return name.strip(), seat.strip()


def _player(entry: str, free: Iterator[str]) -> PlayerConfig:
    name, seat = _split_name(entry)
    provider, _, model = seat.partition(":")
    known, at, _ = seat.partition("@")
    if at and known in PROVIDERS:
        raise ValueError(f"expected a model before the address: {known}:MODEL@ADDRESS")
    one_of(provider, SEATS, "provider")
    match = AT_ADDRESS.fullmatch(model) if provider in PROVIDERS else None
    kwargs: dict[str, object] = {}
    if match is not None:
        model = match["model"]
        kwargs["base_url"] = match["address"]
        if match["structured"]:
            kwargs["structured"] = match["structured"] == "true"
    return PlayerConfig(
        player_id=name or next(free),
        provider=provider,
        model=model,
        client_kwargs=kwargs,
    )


def default_players(
    strategies: Sequence[str],
    environ: Mapping[str, str],
    *,
    offline: bool,
    called: Sequence[str] = (),
) -> list[PlayerConfig]:
    """Return two hosted models and three scripts, or the embedded model and four scripts.

    Hosted models are used if their keys are set. If the game's settings fix the names (`called`),
    models take all those seats. With `offline`, scripts take every seat.
    """
    keyed = [
        provider for provider in KEYED if environ.get(PROVIDERS[provider].key_variable, "").strip()
    ]
    models = keyed or [DEFAULT_PROVIDER]
    if called:
        usual = [f"scripted:{strategies[-1]}"] if offline else models
        sitters = islice(cycle(usual), len(called))
        return read_players(",".join(sitters), called)
    seats = [] if offline else [models[0], *keyed[-1:]]
    scripts = cycle([f"scripted:{strategy}" for strategy in reversed(strategies)])
    seats += islice(scripts, DEFAULT_SEATS - len(seats))
    return read_players(",".join(seats))


def players_for(
    shorthand: str | None,
    strategies: Sequence[str],
    environ: Mapping[str, str],
    *,
    offline: bool,
    called: Sequence[str] = (),
) -> list[PlayerConfig]:
    """Return the players in `shorthand`, or the default table; `offline` allows scripts only."""
    if shorthand is None:
        return default_players(strategies, environ, offline=offline, called=called)
    players = read_players(shorthand, called)
    asked = [player.player_id for player in players if not player.computed]
    if offline and asked:
        raise ValueError(
            f"--offline allows only scripted players: got {', '.join(asked)}; leave out --offline "
            "or choose scripts"
        )
    return players


def neutral(config: GameEngineConfig) -> GameEngineConfig:
    """Return `config` with players named Player 1, Player 2, ... if its game is anonymous."""
    game = config.game
    if not getattr(game, "anonymous", False) or getattr(game, "names", None):
        return config
    configs = config.player_configs
    players = []
    names = {}
    drawn = stream(config.seed, "anonymous").sample(configs, len(configs))
    for number, player in enumerate(drawn, 1):
        seat = f"Player {number}"
        names[seat] = player.player_id
        players.append(player.model_copy(update={"player_id": seat}))
    return config.model_copy(
        update={"player_configs": players, "game": game.model_copy(update={"names": names})}
    )
