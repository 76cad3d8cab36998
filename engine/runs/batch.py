"""Many games at once, in one process, over one ClientFactory; none of them touches another."""

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
from engine.runs.board import Board, batch_summary
from engine.spending.budget import Limits, Meter
from engine.views.terminal import Page
from player import Console

CONCURRENCY = 8


@dataclass
class BatchGame:
    """One game of a batch: its engine, and the seconds of a clock when it began and ended.

    None means that it has not begun, or not ended.
    """

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
        if self.ended and self.history.status == "running":
            return "interrupted"
        return self.history.status

    @property
    def unfinished(self) -> bool:
        """Whether it began and did not finish, so that it may go on."""
        return self.began is not None and self.history.status != "finished"

    @property
    def spent(self) -> Meter:
        """What its calls took."""
        return self.engine.meter

    @property
    def seconds(self) -> float:
        """How long it has been played."""
        if self.began is None:
            return 0.0
        until = self.ended or time.monotonic()
        return until - self.began


class Batch:
    """Games that are played together; all are seated, and so checked, before the first call.

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
        watch: Callable[[BatchGame], None] | None = None,
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
        self.games = [BatchGame(self._seat(config)) for config in with_game_ids(configs)]

    def run(self) -> list[History]:
        """Play all games and return their histories."""
        return asyncio.run(self.play())

    async def play(self) -> list[History]:
        """Play all games, and return their histories in the order of their configs."""
        self.meter.start()
        places = asyncio.Semaphore(self.concurrency)
        try:
            await asyncio.gather(*(self._play(game, places) for game in self.games))
        finally:
            if self.owns_factory:
                await self.factory.aclose()
        return [game.history for game in self.games]

    def interrupt(self) -> None:
        """Ask no more questions in any game; what is under way is still answered and recorded."""
        self.interrupted = True
        for game in self.games:
            game.engine.interrupt()

    def _seat(self, config: GameEngineConfig) -> GameEngine:
        for player in config.player_configs:
            if player.kind.asks == "person":
                raise ValueError(
                    "expected no person in a batch of games: "
                    f"{player.player_id} cannot sit in several at once"
                )
        return GameEngine(
            config, factory=self.factory, console=Console(news=False), whole=self.meter
        )

    async def _play(self, game: BatchGame, places: asyncio.Semaphore) -> None:
        async with places:
            if self.interrupted:
                return
            game.began = time.monotonic()
            self._show(game)
            if self.watch is not None:
                game.engine.subscribe(lambda _: self._show(game))
            try:
                await game.engine.play()
            except Exception as error:
                # One game that breaks is that game's failure: the others go on.
                game.history.status = "failed"
                game.history.reason = f"{type(error).__name__}: {error}"
            game.ended = time.monotonic()
            self._show(game)

    def _show(self, game: BatchGame) -> None:
        if self.watch is not None:
            self.watch(game)


async def play_many(
    configs: Sequence[GameEngineConfig],
    *,
    concurrency: int = CONCURRENCY,
    limits: Limits | None = None,
    factory: ClientFactory | None = None,
) -> list[History]:
    """Play a game for each config, `concurrency` at a time; return their histories in that order.

    A game that fails has the status "failed" and says why; the others go on.
    """
    batch = Batch(configs, concurrency=concurrency, limits=limits, factory=factory)
    return await batch.play()


def play_shown(batch: Batch, screen: Screen) -> list[History]:
    """Play all games of `batch`, show where each is, and return their histories."""
    with Board(screen, batch.games) as batch.watch:
        histories = batch.run()
    page = Page(screen, histories[0])
    for block in batch_summary(histories):
        page.show(block)
    return histories


def vary_seed(config: GameEngineConfig, games: int) -> list[GameEngineConfig]:
    """Return as many configs as `games`, whose seeds are counted up; ValueError for less than 1."""
    if games < 1:
        raise ValueError(f"expected at least 1 game: got {games}")
    return [config.model_copy(update={"seed": config.seed + number}) for number in range(games)]


def with_game_ids(configs: Sequence[GameEngineConfig]) -> list[GameEngineConfig]:
    """Return the configs with game ids: those of one batch begin alike and are counted up."""
    if not configs:
        return []
    batch = new_game_id(configs[0].clock)
    width = len(str(len(configs)))
    found = []
    for number, config in enumerate(configs, 1):
        game_id = config.game_id or f"{batch}_{number:0{width}}"
        found.append(config.model_copy(update={"game_id": game_id}))
    return found
