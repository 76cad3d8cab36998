"""The OpenSpiel games that can be played here, and functions that load a game by name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from protocol.suggest import did_you_mean, one_of

WORD = re.compile(r"(?P<name>\w+)(?P<inside>\(.*\))?", re.DOTALL)
# Parameters that name a file, which a log cannot contain.
FILES = re.compile(r"\b(\w*filename|\w+_file|\w+_root)\s*=")
# OpenSpiel marks this game as needing parameters, but it loads without any.
LOADS_ALONE = {"coop_to_1p"}
# This parameter adds terminal escape sequences to observations.
COLOURS = "ansi_color_output"
SEED = "rng_seed"
MOST_SEED = 2**31 - 1
INFORMATION = {
    "PERFECT_INFORMATION": "perfect information",
    "IMPERFECT_INFORMATION": "hidden information",
    "ONE_SHOT": "one shot",
}
UTILITY = {
    "ZERO_SUM": "zero-sum",
    "CONSTANT_SUM": "constant-sum",
    "GENERAL_SUM": "general-sum",
    "IDENTICAL": "common payoff",
}
CHANCE = {
    "DETERMINISTIC": "no chance",
    "EXPLICIT_STOCHASTIC": "chance",
    "SAMPLED_STOCHASTIC": "sampled chance",
}


@cache
def spiel() -> Any:
    """Return the `pyspiel` module, imported on first use."""
    import pyspiel

    return pyspiel


@cache
def kinds() -> Mapping[str, Any]:
    """Return the GameType of every game that OpenSpiel registers, by name."""
    return {kind.short_name: kind for kind in spiel().registered_games()}


def obstacle(kind: Any) -> str:
    """Return why a kind of game cannot be played here with any parameters, or "" if it can."""
    if kind.dynamics == spiel().GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game, in which one player represents a crowd"
    if kind.action_structs_only:
        return "it does not list its legal actions"
    return ""


@cache
def playable() -> tuple[str, ...]:
    """Return the games that can be played without parameters."""
    names = []
    for name, kind in kinds().items():
        loads = kind.default_loadable or name in LOADS_ALONE
        if loads and not obstacle(kind):
            names.append(name)
    return tuple(names)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requested game: its name, its kind, and the parameters in the request."""

    name: str
    kind: Any
    given: Mapping[str, Any]

    @property
    def most(self) -> int:
        """The maximum number of players for this kind of game."""
        return int(self.kind.max_num_players)

    @property
    def least(self) -> int:
        """The minimum number of players for this kind of game."""
        return int(self.kind.min_num_players)


@cache
def _table_kind(name: str) -> Any:
    if name not in kinds():
        near = did_you_mean(name, playable())
        raise ValueError(
            f"unknown OpenSpiel game {name!r:.60}:{near} uv run example.py openspiel --list-games "
            "lists all"
        )
    kind = kinds()[name]
    why = obstacle(kind)
    if why:
        raise ValueError(f"expected a game that can be played at a table: got {name}; {why}")
    return kind


def read_word(word: str) -> Wanted:
    """Parse a game and its parameters, such as "go(board_size=9)"; raise ValueError if invalid.

    The game is not loaded, so unknown parameter names are detected but wrong values are not.
    """
    match = WORD.fullmatch(word.strip())
    if match is None:
        raise ValueError(
            "expected game to be the name of an OpenSpiel game, optionally with parameters, such "
            f"as go(board_size=9): got {word!r:.80}"
        )
    name = match["name"]
    kind = _table_kind(name)
    if FILES.search(word):
        raise ValueError(
            "expected parameters without file names, because a log must contain all that its game "
            f"is made from: got {word!r:.80}"
        )
    parameters = read_parameters(word) if match["inside"] else {}
    if name not in playable() and not parameters:
        needed = ", ".join(kind.parameter_specification)
        raise ValueError(f"expected parameters for {name}, of {needed}: got none")
    return Wanted(name, kind, parameters)


def read_parameters(word: str) -> dict[str, Any]:
    """Return the parameters in `word`; raise ValueError if one is unreadable or unknown."""
    try:
        parameters: dict[str, Any] = spiel().game_parameters_from_string(word.strip())
    except spiel().SpielError as error:
        raise ValueError(f"expected parameters that OpenSpiel can read: {error}") from None
    name = parameters.pop("name")
    known = kinds()[name].parameter_specification
    for parameter in parameters:
        one_of(parameter, known, f"parameter of {name}")
    return parameters


@dataclass(frozen=True, slots=True)
class Rules:
    """A loaded game: OpenSpiel's object and its properties.

    `word` recreates the same game, including its chance seed. If `reads_information`, players
    see their information state; otherwise they see their observation. If `sampled`, the object
    draws its own chance moves, so it can be used for only one game.
    """

    game: Any = field(repr=False)
    name: str
    word: str
    players: int
    is_open: bool
    sampled: bool
    reads_information: bool

    @property
    def plain_word(self) -> str:
        """`word` without its seed and without empty brackets."""
        return without_seed(self.word).removesuffix("()")


def _parameters_for(wanted: Wanted, players: int, seed: int) -> dict[str, Any]:
    known = wanted.kind.parameter_specification
    parameters = dict(wanted.given)
    if SEED in known and SEED not in parameters:
        parameters[SEED] = seed
    if COLOURS in known:
        parameters[COLOURS] = False
    if known.get("players", players) != players:
        parameters.setdefault("players", players)
    return parameters


def load(wanted: Wanted, players: int, seed: int) -> Rules:
    """Load a new copy of the game for `players` players; raise ValueError if that fails.

    `seed` is for games that draw their own chance moves. The number of players is checked first,
    since a wrong number can crash the process.
    """
    if not wanted.least <= players <= wanted.most:
        raise ValueError(
            f"expected {count_players(wanted.least, wanted.most)} for {wanted.name}: got {players}"
        )
    rules = load_exactly(wanted.name, _parameters_for(wanted, players, seed))
    if rules.players != players:
        raise ValueError(
            f"expected {count_players(rules.players, rules.players)} for {wanted.name} with these "
            f"parameters: got {players}"
        )
    if rules.sampled and SEED not in wanted.kind.parameter_specification:
        raise ValueError(
            f"expected a game with chance events that a seed can draw: {rules.word} draws its own"
        )
    return rules


@lru_cache(maxsize=64)
def example_of(word: str, players: int = 0) -> Rules:
    """Return a shared copy of a game for `players` players (0 means the default), for facts."""
    wanted = read_word(word)
    return load(wanted, players or usual_players(wanted), 0)


def load_exactly(name: str, parameters: Mapping[str, Any]) -> Rules:
    """Load the named game with only these parameters; raise ValueError with OpenSpiel's reason."""
    pyspiel = spiel()
    try:
        game = pyspiel.load_game(name, dict(parameters))
    except pyspiel.SpielError as error:
        sentence = " ".join(str(error).split())
        raise ValueError(f"expected parameters that {name} can have: {sentence:.200}") from None
    return rules_of(game, pyspiel.game_parameters_to_string({"name": name, **parameters}))


def load_word(word: str) -> Rules:
    """Load the game that a `Rules.word` in a log describes; raise ValueError if that fails."""
    wanted = read_word(word)
    return load_exactly(wanted.name, wanted.given)


def without_seed(word: str) -> str:
    """Return a `Rules.word` without its seed, which would reveal other players' hands."""
    if SEED not in word:
        return word
    wanted = read_word(word)
    shown = {name: value for name, value in wanted.given.items() if name != SEED}
    return str(spiel().game_parameters_to_string({"name": wanted.name, **shown}))


def rules_of(game: Any, word: str) -> Rules:
    """Return the Rules of a loaded game, as described by the flags of the game's type."""
    pyspiel = spiel()
    kind = game.get_type()
    perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    one_shot = kind.information == pyspiel.GameType.Information.ONE_SHOT
    has_information = kind.provides_information_state_string
    has_observation = kind.provides_observation_string
    return Rules(
        game=game,
        name=kind.short_name,
        word=word,
        players=game.num_players(),
        is_open=perfect or one_shot,
        sampled=kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC,
        reads_information=has_information and not (perfect and has_observation),
    )


def count_players(least: int, most: int) -> str:
    """Return a range of player counts in words.

    >>> count_players(2, 10), count_players(1, 1)
    ('2 to 10 players', '1 player')
    """
    if least == most:
        return f"{most} player{'s' if most != 1 else ''}"
    return f"{least} to {most} players"


def usual_players(wanted: Wanted) -> int:
    """Return a game's default number of players, which can exceed the minimum for its kind."""
    if "players" in wanted.given:
        return int(wanted.given["players"])
    usual = wanted.kind.parameter_specification.get("players")
    if isinstance(usual, int) and wanted.least <= usual <= wanted.most:
        return usual
    return wanted.least


def traits_of(kind: Any) -> Sequence[str]:
    """Return labels for a kind of game, such as "turns" and "hidden information"."""
    at_once = kind.dynamics == spiel().GameType.Dynamics.SIMULTANEOUS
    return (
        "at once" if at_once else "turns",
        INFORMATION[kind.information.name],
        CHANCE[kind.chance_mode.name],
        UTILITY[kind.utility.name],
    )


def facts_of_rules(rules: Rules) -> Mapping[str, str]:
    """Return facts about a loaded game by label, such as "Players" and "Maximum moves"."""
    game = rules.game
    kind = game.get_type()
    parameters = sorted(game.get_parameters().items())
    settings = [f"{name}={value}" for name, value in parameters if name != SEED]
    return {
        "Kind": ", ".join(traits_of(kind)),
        "Players": str(game.num_players()),
        "Parameters": ", ".join(settings) or "none",
        "Returns": f"{game.min_utility():g} to {game.max_utility():g}",
        "Maximum moves": str(game.max_game_length()),
    }
