"""Who sits down when a person says so in a few words: the `--players` shorthand and the default table."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle

from engine.config import GameEngineConfig
from engine.rng import stream
from player import PlayerConfig
from protocol.seats import SEATS
from protocol.suggest import one_of
from providers import DEFAULT_PROVIDER, PROVIDERS

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hugo", "Iris", "Jon", "Kira", "Leo")
KEYED = [name for name, row in PROVIDERS.items() if row.key_variable and row.default_model]


def read_players(shorthand: str, called: Sequence[str] = ()) -> list[PlayerConfig]:
    """Return the seats of a list such as "openai:gpt-5.4-mini,Zoe=scripted:greedy,human".

    Each entry is PROVIDER or PROVIDER:MODEL, with NAME= before it if the player is to have a name
    of its own; the others are `called` in their order, or as is usual here.
    """
    entries = [entry.strip() for entry in shorthand.split(",") if entry.strip()]
    if not entries:
        raise ValueError(
            "expected at least one player, such as --players scripted:greedy,human: got none"
        )
    taken = {entry.partition("=")[0].strip() for entry in entries if _named(entry)}
    names = (name for name in numbered(called or NAMES) if name not in taken)
    return [_player(entry, names) for entry in entries]


def _named(entry: str) -> bool:
    return "=" in entry.partition(":")[0]


def _player(entry: str, names: Iterable[str]) -> PlayerConfig:
    name, _, seat = entry.partition("=") if _named(entry) else ("", "", entry)
    provider, _, model = seat.strip().partition(":")
    one_of(provider, SEATS, "provider")
    return PlayerConfig(player_id=name.strip() or next(iter(names)), provider=provider, model=model)


def default_players(
    strategies: Sequence[str],
    environ: Mapping[str, str],
    *,
    offline: bool,
    called: Sequence[str] = (),
) -> list[PlayerConfig]:
    """Return two language models and three scripts: models whose keys are set, or else the embedded one.

    Where the game's settings say who is `called` to the table, models take all those seats. With
    `offline` scripts take every seat.
    """
    keyed = [name for name in KEYED if environ.get(PROVIDERS[name].key_variable, "").strip()]
    models = keyed or [DEFAULT_PROVIDER]
    if called:
        sitters = [f"scripted:{strategies[-1]}"] if offline else models
        return read_players(
            ",".join(sitter for sitter, _ in zip(cycle(sitters), called, strict=False)), called
        )
    seats = [] if offline else [models[0], models[-1]]
    scripts = [f"scripted:{strategy}" for strategy in reversed(strategies)]
    seats += [script for _, script in zip(range(len(seats), 5), cycle(scripts), strict=False)]
    return read_players(",".join(seats))


def players_for(
    shorthand: str | None,
    strategies: Sequence[str],
    environ: Mapping[str, str],
    *,
    offline: bool,
    called: Sequence[str] = (),
) -> list[PlayerConfig]:
    """Return the players that `shorthand` lists, else the default table; ValueError if `offline` forbids one.

    `called` are the names that the game's settings have for them, if any.
    """
    if shorthand is None:
        return default_players(strategies, environ, offline=offline, called=called)
    players = read_players(shorthand, called)
    asked = [player.player_id for player in players if not player.computed]
    if offline and asked:
        raise ValueError(
            f"--offline seats scripted players only: {', '.join(asked)} would be asked; drop one of the two"
        )
    return players


def neutral(config: GameEngineConfig) -> GameEngineConfig:
    """Return `config` with its players called Player 1, Player 2, ... if its game is to be anonymous.

    Who gets which seat is drawn by the seed; who is who is kept in the game's setting `names`, and
    so in the log.
    """
    game = config.game
    if not getattr(game, "anonymous", False) or getattr(game, "names", None):
        return config
    dealt = stream(config.seed, "anonymous").sample(
        config.player_configs, len(config.player_configs)
    )
    seats = {f"Player {number}": player for number, player in enumerate(dealt, 1)}
    players = [player.model_copy(update={"player_id": name}) for name, player in seats.items()]
    names = {name: player.player_id for name, player in seats.items()}
    return config.model_copy(
        update={"player_configs": players, "game": game.model_copy(update={"names": names})}
    )


def numbered(names: Sequence[str]) -> Iterable[str]:
    """Yield `names`, then the same with 2, 3, ... behind them, for ever."""
    yield from names
    count = 2
    while True:
        yield from (f"{name} {count}" for name in names)
        count += 1
