"""Many games at once, in one process, over one ClientFactory; none of them touches another."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console as Screen

from client_factory import ClientFactory
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.history import History
from engine.record.files import DiskError, new_game_id
from engine.record.journal import utc_now
from engine.runs.batch_files import BatchFiles
from engine.runs.board import Board
from engine.runs.results import GameResult, result_of
from engine.runs.rotation import Spot, seat_games, spots_of
from engine.runs.summary import BatchSummary, summary_blocks
from engine.spending.budget import Limits, Meter
from engine.views.terminal import Page
from player import Console

CONCURRENCY = 8


@dataclass
class BatchGame:
    """One game of a batch: its engine, and the seconds of a clock when it began and ended.

    None means that it has not begun, or not ended. `spot` is which deal it has, in which rotation.
    """

    engine: GameEngine
    spot: Spot
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
    def result(self) -> GameResult:
        """What the game came to."""
        return result_of(self.history, self.spot, self.state)

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
        self.name = new_game_id(configs[0].clock if configs else utc_now)
        self.games = self._seat_games(with_game_ids(configs, self.name))

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

    def _seat_games(self, configs: Sequence[GameEngineConfig]) -> list[BatchGame]:
        spots = spots_of([config.seed for config in configs])
        games = []
        for config, spot in zip(configs, spots, strict=True):
            games.append(BatchGame(self._seat(config), spot))
        return games

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


class ShownBatch:
    """A batch on a screen: where each game is, and then what all of them show.

    Its files are written before the first game, while games end and at the end; what keeps them
    from being written is in `fault`, and stops no game.
    """

    def __init__(self, batch: Batch, screen: Screen, files: BatchFiles) -> None:
        self.batch = batch
        self.screen = screen
        self.files = files
        self.fault = ""
        # A game that ended changes no more: it is read once.
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
        """Return what each game came to so far."""
        results = []
        for game in self.batch.games:
            number = game.spot.game
            if game.ended is not None and number not in self.ended:
                self.ended[number] = game.result
            results.append(self.ended.get(number) or unended_result(game))
        return results

    @property
    def summary(self) -> BatchSummary:
        """What the games show together."""
        return self.files.summarise(self.results())

    def show(self) -> None:
        """Show what all games show together."""
        history = self.batch.games[0].history
        page = Page(self.screen, history)
        for block in summary_blocks(self.summary, history):
            page.show(block)


def unended_result(game: BatchGame) -> GameResult:
    """Return that a game did not end yet."""
    history = game.history
    return GameResult(game.spot, history.game_id, history.seed, game.state)


def vary_seed(config: GameEngineConfig, games: int) -> list[GameEngineConfig]:
    """Return as many configs as `games`, whose seeds are counted up; ValueError for less than 1."""
    return seat_games(config, games, rotate=False)


def with_game_ids(configs: Sequence[GameEngineConfig], batch: str) -> list[GameEngineConfig]:
    """Return the configs with game ids: they begin with the batch's name and count from 0."""
    width = len(str(len(configs) - 1))
    found = []
    for number, config in enumerate(configs):
        game_id = config.game_id or f"{batch}_{number:0{width}}"
        found.append(config.model_copy(update={"game_id": game_id}))
    return found
