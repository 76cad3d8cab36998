"""The games: one folder and one line each; a game is imported when it is first asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.game import Game


class Games(Mapping[str, "type[Game[Any]]"]):
    """The table of games, by name; `paths` say where each one's class is."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths

    def __getitem__(self, name: str) -> "type[Game[Any]]":
        module, _, game = self._paths[name].partition(":")
        found: type[Game[Any]] = getattr(import_module(f"engine.games.{module}"), game)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


GAMES = Games(
    {
        "conversation": "conversation.game:ConversationGame",
        "deliberations": "deliberations.game:DeliberationsGame",
        "dilemma": "dilemma.game:DilemmaGame",
        "guest": "guest.game:GuestGame",
        "talks": "talks.game:TalksGame",
    }
)
DEFAULT_GAME = "deliberations"
