"""The games. Each has a folder and a line in this file, and is imported on first use."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.game import Game


class Games(Mapping[str, "type[Game[Any]]"]):
    """The installed games by name; `paths` has the import path of each game's class.

    For each game that needs another library, `extras` has the library's package and the name of
    this project's extra that installs it. A game whose package is missing is left out.
    """

    def __init__(
        self,
        paths: Mapping[str, str],
        extras: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self._paths = paths
        self._extras = extras or {}

    def __getitem__(self, name: str) -> "type[Game[Any]]":
        path = self._paths[name]
        if self.missing_extra(name):
            raise KeyError(name)
        module, _, game = path.partition(":")
        game_class: type[Game[Any]] = getattr(import_module(f"engine.games.{module}"), game)
        return game_class

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._paths if not self.missing_extra(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def about(self, name: str) -> str:
        """Return a game's one-line description from its package, without importing the game."""
        package, _, _ = self._paths[name].partition(".")
        return str(import_module(f"engine.games.{package}").__doc__)

    def missing_extra(self, name: str) -> str:
        """Return the extra that must still be installed for a game, or "" if there is none."""
        package, extra = self._extras.get(name, ("", ""))
        return extra if package and not has_package(package) else ""

    @property
    def missing(self) -> dict[str, str]:
        """The games that are left out, each with the extra that installs its library."""
        extras = {name: self.missing_extra(name) for name in self._paths}
        return {name: extra for name, extra in extras.items() if extra}


@cache
def has_package(package: str) -> bool:
    """Return whether a package can be imported; the result is cached."""
    return find_spec(package) is not None


GAMES = Games(
    {
        "conversation": "conversation.game:ConversationGame",
        "deliberations": "deliberations.game:DeliberationsGame",
        "dilemma": "dilemma.game:DilemmaGame",
        "guest": "guest.game:GuestGame",
        "openspiel": "openspiel.game:OpenSpielGame",
        "talks": "talks.game:TalksGame",
        "textarena": "textarena.game:TextArenaGame",
    },
    extras={"openspiel": ("pyspiel", "openspiel"), "textarena": ("textarena", "textarena")},
)
DEFAULT_GAME = "deliberations"


def read_game(word: str) -> dict[str, Any]:
    """Parse a game's name and optional variant, separated by a colon, into settings.

    "openspiel:kuhn_poker" sets `game` to kuhn_poker in openspiel; see `Game.variant`. Raises
    ValueError if the name is unknown, its extra is not installed, or the game has no variants.
    """
    # Imported here because it loads pydantic, which would slow down listing the games.
    from protocol.suggest import one_of

    name, colon, variant = word.partition(":")
    extra = GAMES.missing_extra(name)
    if extra:
        raise ValueError(
            f"{name} needs the extra {extra}: uv run --extra {extra} example.py {word!r}"
        )
    game = GAMES[one_of(name, GAMES, "game")]
    if not colon:
        return {"name": name}
    if not game.variant:
        raise ValueError(f"expected {name} without a colon, since it has no variants: got {word!r}")
    return {"name": name, game.variant: variant}
