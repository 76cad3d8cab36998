"""A game whose scripts read their prompts, as models would."""

from typing import Any

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from protocol.turn import Turn


class ReadingEngine(GameEngine):
    """A game; `asked` are the players and what they read, in order."""

    def __init__(self, config: GameEngineConfig) -> None:
        super().__init__(config)
        self.asked: list[tuple[str, str]] = []
        for player in self.players:
            self._listen(player)

    def _listen(self, player: Any) -> None:
        decide = player.decide

        async def read_and_decide(turn: Turn[Any], tape: Any) -> Any:
            self.asked.append((turn.player_id, turn.prompt().text))
            return await decide(turn, tape)

        player.decide = read_and_decide
