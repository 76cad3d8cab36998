"""The tasks and their reward; each task is one game of the arena with its own seed."""

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hal")
MOST = len(NAMES) - 1


class TableData(vf.TaskData):
    """A game: its config in the arena's format, and the player whose seat the model takes."""

    table: dict[str, Any]
    seat: str


class TableTask(vf.Task[TableData]):
    """A task whose reward is the result of the model's seat in a finished game."""

    @vf.reward
    async def rivals_beaten(self, trace: vf.Trace) -> float:
        """Return the share of rivals placed behind the seat; ties count half, void games 0."""
        game = trace.info["arena"]
        if game["void"] or game["void_seats"]:
            return 0.0
        places = game["outcome"]["placements"]
        own_place = places[self.data.seat]
        behind = sum(place > own_place for place in places.values())
        level = sum(place == own_place for place in places.values()) - 1
        return (behind + level / 2) / (len(places) - 1)

    @vf.metric
    async def game_figures(self, trace: vf.Trace) -> dict[str, float]:
        """Return the seat's score, its questions and failures, and whether the game is void."""
        game = trace.info["arena"]
        scores = game["outcome"]["scores"]
        usage = game["usage"][self.data.seat]
        figures = {
            "score": scores[self.data.seat],
            "asks": usage["asks"],
            "fallbacks": usage["fallbacks"],
            "void": bool(game["void"] or game["void_seats"]),
        }
        return {name: float(figure) for name, figure in figures.items()}


class TableConfig(vf.TasksetConfig):
    """The games to play, set with `--env.taskset.*`."""

    game: str = "dilemma"
    """A game of the arena: conversation, deliberations, dilemma, talks ..."""
    settings: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it for each config
    """The game's settings, as in a config of the arena."""
    rivals: list[str] = ["tit_for_tat", "grudger", "random"]  # noqa: RUF012 - as above
    """A strategy of the game for each of the other seats."""
    games: int = 100
    """The number of tasks; task 0 has the seed `first_seed`, and each later task adds 1."""
    first_seed: int = 0


class ArenaTaskset(vf.Taskset[TableTask, TableConfig]):
    """Games that differ only in their seed and in the model's seat."""

    def load(self) -> Iterator[TableTask]:
        """Yield the tasks; from one task to the next, the model moves on by one seat."""
        rivals = len(self.config.rivals)
        if not 1 <= rivals <= MOST:
            raise ValueError(f"expected 1 to {MOST} rivals, a strategy each: got {rivals}")
        for number in range(self.config.games):
            place = number % (rivals + 1)
            yield TableTask(self._data(number, place), self.config.task)

    def _data(self, number: int, own: int) -> TableData:
        """Return game number `number`; the model's seat, at `own`, has only a name so far."""
        players = [{"provider": "scripted", "model": strategy} for strategy in self.config.rivals]
        players.insert(own, {})
        for name, player in zip(NAMES, players, strict=False):
            player["player_id"] = name
        table = {
            "game": {"name": self.config.game, **self.config.settings},
            "seed": self.config.first_seed + number,
            "player_configs": players,
        }
        seat = NAMES[own]
        # The arena sends all prompts itself, but verifiers rejects a task without one.
        prompt = f"Play {seat} in a game of {self.config.game}."
        return TableData(prompt=prompt, table=table, seat=seat)
