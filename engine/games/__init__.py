"""The games: one folder and one line each."""

from typing import Any

from engine.game import Game
from engine.games.conversation.game import ConversationGame
from engine.games.deliberations.game import DeliberationsGame

GAMES: dict[str, type[Game[Any]]] = {game.name: game for game in (ConversationGame, DeliberationsGame)}
DEFAULT_GAME = DeliberationsGame.name
