"""Play many independent games at once in one process, with a shared ClientFactory."""

import asyncio
import time
from collections.abc import Callable, Sequence

from rich.console import Console as Screen

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.record.files import DiskError, new_game_id
from engine.record.journal import utc_now
from engine.runs.batch_files import BatchFiles
from engine.runs.board import BatchGame, Board
from engine.runs.results import GameResult, result_of
from engine.runs.rotation import spots_of
from engine.runs.summary import BatchSummary, summary_blocks
from engine.spending.budget import Limits, Meter
from engine.views.terminal import Page
from player import Console


class Batch:
    """Games played together; all players are seated and checked before the first call.

    `limits` bounds the combined spending of all games, in addition to each game's own limits.
    `watch` is called whenever a game begins, writes an event or ends.
    """

    def __init__(
        self,
        configs: Sequence[GameEngineConfig],
        *,
        concurrency: int,
        limits: Limits | None = None,
        watch: Callable[[BatchGame], None] | None = None,
    ) -> None:
        """Seat the players of all games; raise ValueError for the first fault."""
        if concurrency < 1:
            raise ValueError(f"expected concurrency to be at least 1: got {concurrency}")
        self.factory = ClientFactory()
        self.watch = watch
        self.concurrency = concurrency
        self.interrupted = False
        clock = configs[0].clock if configs else utc_now
        self.meter = Meter(limits or Limits(), clock)
        self.name = new_game_id(clock)
        self.games: list[BatchGame] = []
        width = len(str(len(configs) - 1))
        spots = spots_of([config.seed for config in configs])
        for config, spot in zip(configs, spots, strict=True):
            game_id = config.game_id or f"{self.name}_{spot.game:0{width}}"
            seated = self._seat(config.model_copy(update={"game_id": game_id}))
            self.games.append(BatchGame(seated, spot))

    def run(self) -> list[History]:
        """Play all games and return their histories."""
        return asyncio.run(self.play())

    async def play(self) -> list[History]:
        """Play all games; return their histories in the order of their configs."""
        self.meter.start()
        places = asyncio.Semaphore(self.concurrency)
        try:
            await asyncio.gather(*(self._play(game, places) for game in self.games))
        finally:
            await self.factory.aclose()
        return [game.history for game in self.games]

    def interrupt(self) -> None:
        """Ask no more questions in any game; answers to pending calls are still recorded."""
        self.interrupted = True
        for game in self.games:
            game.engine.interrupt()

    def _seat(self, config: GameEngineConfig) -> GameEngine:
        for player in config.player_configs:
            if player.kind.asks == "person":
                raise ValueError(
                    f"expected no person in a batch of games: {player.player_id} cannot play "
                    "several at once"
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
                # An exception ends only its own game; other games continue.
                game.history.status = "failed"
                game.history.reason = f"{type(error).__name__}: {error}"
            game.ended = time.monotonic()
            self._show(game)

    def _show(self, game: BatchGame) -> None:
        if self.watch is not None:
            self.watch(game)


class ShownBatch:
    """A batch on a screen: each game's progress, and then the combined results.

    Its files are written before the first game, as games end, and at the end. A write error is
    stored in `fault` and does not stop the games.
    """

    def __init__(self, batch: Batch, screen: Screen, files: BatchFiles) -> None:
        self.batch = batch
        self.screen = screen
        self.files = files
        self.fault = ""
        # A game that has ended no longer changes, so it is read only once.
        self.ended: dict[int, GameResult] = {}
        self.board = Board(screen, batch.games)

    def play(self) -> list[History]:
        """Play all games and return their histories."""
        self._write()
        self.batch.watch = self._watch
        try:
            with self.board:
                return self.batch.run()
        finally:
            self._write()

    def _watch(self, game: BatchGame) -> None:
        self.board(game)
        if game.ended is not None and self.files.due():
            self._write()

    def _write(self) -> None:
        try:
            self.files.write(self.results())
        except DiskError as error:
            self.fault = str(error)

    def results(self) -> list[GameResult]:
        """Return each game's result so far."""
        results = []
        for game in self.batch.games:
            number = game.spot.game
            if game.ended is not None and number not in self.ended:
                self.ended[number] = result_of(game.history, game.spot, game.state)
            history = game.history
            unended = GameResult(game.spot, history.game_id, history.seed, game.state)
            results.append(self.ended.get(number, unended))
        return results

    @property
    def summary(self) -> BatchSummary:
        """The games' combined results."""
        return self.files.summarise(self.results())

    def show(self) -> None:
        """Show the combined results of all games."""
        history = self.batch.games[0].history
        page = Page(self.screen, history.players)
        for block in summary_blocks(self.summary, history):
            page.show(block)
