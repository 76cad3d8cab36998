"""Many games at once, in one process, over one ClientFactory: what one of them does touches no other."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console as Screen

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine, new_game_id
from engine.history import History
from engine.record.journal import utc_now
from engine.runs.board import Board, summary
from engine.spending.budget import Limits, Meter
from engine.views.terminal import Page
from player import Console

CONCURRENCY = 8


@dataclass
class Played:
    """One game of a batch while it is played: its engine, and when it began and ended (None: not yet)."""

    engine: GameEngine
    began: float | None = None
    ended: float | None = None

    @property
    def history(self) -> History:
        """What the game wrote so far."""
        return self.engine.history

    @property
    def state(self) -> str:
        """Where the game is: "waiting" for its turn, "interrupted", or its history's status."""
        if self.began is None:
            return "waiting"
        return (
            "interrupted"
            if self.ended and self.history.status == "running"
            else self.history.status
        )

    @property
    def unfinished(self) -> bool:
        """Whether it began, and can go on."""
        return self.began is not None and self.history.status != "finished"

    @property
    def spent(self) -> Meter:
        """What its calls took."""
        return self.engine.meter

    @property
    def seconds(self) -> float:
        """How long it has been played, or was."""
        return 0.0 if self.began is None else (self.ended or time.monotonic()) - self.began


class Batch:
    """Games that are played together: all are seated, and so checked, before the first call is made.

    `limits` bounds what all games spend together, besides each game's own limits; `watch` is called
    whenever a game begins, writes an event or ends.
    """

    def __init__(
        self,
        configs: Sequence[GameEngineConfig],
        *,
        concurrency: int = CONCURRENCY,
        limits: Limits | None = None,
        factory: ClientFactory | None = None,
        watch: Callable[[Played], None] | None = None,
    ) -> None:
        """Seat the games; ValueError says what is wrong with one of them."""
        if concurrency < 1:
            raise ValueError(f"expected concurrency to be at least 1: got {concurrency}")
        self.factory = ClientFactory() if factory is None else factory
        self.owns_factory = factory is None
        self.watch = watch
        self.concurrency = concurrency
        self.interrupted = False
        self.meter = Meter(limits or Limits(), configs[0].clock if configs else utc_now)
        self.games = [Played(self._seated(config)) for config in numbered(configs)]

    def run(self) -> list[History]:
        """Play all games and return their histories."""
        return asyncio.run(self.play())

    async def play(self) -> list[History]:
        """Play all games, so many at a time, and return their histories in the order of their configs."""
        self.meter.start()
        places = asyncio.Semaphore(self.concurrency)
        try:
            await asyncio.gather(*(self._play(game, places) for game in self.games))
        finally:
            if self.owns_factory:
                await self.factory.aclose()
        return [game.history for game in self.games]

    def interrupt(self) -> None:
        """Ask nobody anything more, in no game: what is under way is still answered and recorded."""
        self.interrupted = True
        for game in self.games:
            game.engine.interrupt()

    def _seated(self, config: GameEngineConfig) -> GameEngine:
        people = [
            player.player_id for player in config.player_configs if player.kind.asks == "person"
        ]
        if people:
            raise ValueError(
                f"expected no person in a batch of games: {people[0]} cannot sit in several at once"
            )
        return GameEngine(
            config, factory=self.factory, console=Console(news=False), whole=self.meter
        )

    async def _play(self, game: Played, places: asyncio.Semaphore) -> None:
        async with places:
            if self.interrupted:
                return
            game.began = time.monotonic()
            self._tell(game)
            if self.watch is not None:
                game.engine.subscribe(lambda _: self._tell(game))
            try:
                await game.engine.play()
            except Exception as error:
                # Whatever one game breaks at, the others go on; it is told as that game's failure.
                game.history.status, game.history.reason = (
                    "failed",
                    f"{type(error).__name__}: {error}",
                )
            game.ended = time.monotonic()
            self._tell(game)

    def _tell(self, game: Played) -> None:
        if self.watch is not None:
            self.watch(game)


async def play_many(
    configs: Sequence[GameEngineConfig],
    *,
    concurrency: int = CONCURRENCY,
    limits: Limits | None = None,
    factory: ClientFactory | None = None,
) -> list[History]:
    """Play a game for each config, so many at a time, and return their histories in the same order.

    A game that fails has the status "failed" and says why; the others are not touched by it.
    """
    return await Batch(configs, concurrency=concurrency, limits=limits, factory=factory).play()


def play_shown(batch: Batch, screen: Screen) -> list[History]:
    """Play all games of `batch` before a watcher's eyes and return their histories."""
    with Board(screen, batch.games) as batch.watch:
        histories = batch.run()
    page = Page(screen, histories[0])
    for block in summary(histories):
        page.show(block)
    return histories


def vary_seed(config: GameEngineConfig, games: int) -> list[GameEngineConfig]:
    """Return so many configs that differ in their seeds alone, counted up; ValueError for fewer than one."""
    if games < 1:
        raise ValueError(f"expected at least 1 game: got {games}")
    return [config.model_copy(update={"seed": config.seed + number}) for number in range(games)]


def numbered(configs: Sequence[GameEngineConfig]) -> list[GameEngineConfig]:
    """Return the configs with game ids: those of one batch share their beginning and are counted up."""
    if not configs:
        return []
    batch, width = new_game_id(configs[0].clock), len(str(len(configs)))
    ids = (f"{batch}_{number:0{width}}" for number in range(1, len(configs) + 1))
    return [
        config if config.game_id else config.model_copy(update={"game_id": name})
        for config, name in zip(configs, ids, strict=True)
    ]
