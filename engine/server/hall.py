"""The hall: all games that this server plays or that are stored in its logs folder.

A Hall is created and called in the main thread's event loop, which serves the web.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from client_factory import ClientFactory
from engine.config import GameEngineConfig, recorded_config
from engine.engine import GameEngine
from engine.history import History
from engine.record.journal import Journal, JournalTaken, utc_now
from engine.runs.index import Index
from engine.runs.replay import finished_log, fork, heirs_of, unfinished_journal
from engine.server.feed import Feed
from engine.server.live import LiveGame, Loops
from engine.server.seats import Conflict, WebAnswerer
from engine.server.settings import ServerSettings
from engine.server.shelf import Shelf
from engine.server.web.admission import MOST_EVENTS, check_recorded, limits_for
from engine.spending.budget import BudgetReached, Limits, Meter, models_without_price, seat_of
from player import PlayerConfig
from protocol.answer import Plain

# Seconds between two checks of the games' status, and seconds to wait for calls at shutdown.
LOOK = 0.25
PATIENCE = 4.0
ELSEWHERE = "is being played by another process: you can watch it here, and stop it there"


class Hall:
    """The games that this server plays, and all other games in the logs folder.

    Its methods raise KeyError for an unknown game, ValueError for an invalid request, Conflict for
    a request that is not possible right now, and OSError for a disk error. `index` exists once
    `open` has been called. `left` lists the games that the shutdown interrupted. `ended` counts the
    events of ended games by kind.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.meter = Meter(Limits(max_cost=settings.max_cost), utc_now)
        self.games: dict[str, LiveGame] = {}
        self.shelf = Shelf(settings.logs_dir, settings.allow_models)
        self.loops = Loops()
        self.left: list[History] = []
        self.ended: Counter[str] = Counter()
        self.index: Index
        self._beginning = 0
        self._look: asyncio.Task[None] | None = None
        self._finished: float | None = None

    @property
    def watchers(self) -> int:
        """The number of viewers currently following a game."""
        here = sum(game.feed.watchers for game in self.games.values())
        return here + self.shelf.watchers

    async def open(self) -> None:
        """Start the threads that play games, and read the logs folder."""
        self.loops.start()
        self.index = await asyncio.to_thread(Index, self.settings.logs_dir)
        self._look = asyncio.create_task(self._look_around())

    def finish(self) -> None:
        """End all streams, interrupt all games, and refuse new games. Call it on Ctrl-C."""
        if self._finished is not None:
            return
        self._finished = time.monotonic()
        for game in self.games.values():
            game.feed.end({"status": "interrupted", "log": game.name})
            game.interrupt()
        self.shelf.close()

    async def close(self) -> None:
        """Call `finish`, wait a few seconds for pending calls, and stop the threads."""
        self.finish()
        if self._look is None:
            return
        self._look.cancel()
        self._look = None
        await self._wait()
        await self.loops.close()
        for game in [*self.games.values()]:
            self._end(game)
        self.index.close()

    async def _wait(self) -> None:
        """Wait until the games have ended, for at most PATIENCE seconds after `finish`."""
        assert self._finished is not None
        patience = self._finished + PATIENCE - time.monotonic()
        begun = [game.playing for game in self.games.values() if game.playing is not None]
        playing = [asyncio.wrap_future(playing) for playing in begun]
        if playing:
            await asyncio.wait(playing, timeout=max(0.0, patience))

    async def begin(self, config: GameEngineConfig) -> str:
        """Begin a game and return its name."""
        config = config.model_copy(update={"logs_dir": self.settings.logs_dir})
        self._check_spending(config.all_players())
        return await self._play(config.player_ids, partial(GameEngine, config))

    async def feed(self, name: str) -> Feed:
        """Return the feed of any game, including games that are over or played elsewhere."""
        game = self.games.get(name)
        return await self.shelf.feed(name) if game is None else game.feed

    async def history(self, name: str) -> History:
        """Return a snapshot of a game's history; do not modify it."""
        game = self.games.get(name)
        if game is None:
            return (await self.shelf.take(name)).history
        return copy_of(game.engine.history)

    def status(self, name: str) -> Plain | None:
        """Return a game's status, or None if this server is not playing the game."""
        game = self.games.get(name)
        return None if game is None else game.status()

    def seats(self, name: str) -> Mapping[str, WebAnswerer]:
        """Return the seats that people play, by player, or {} unless this server plays the game."""
        if name in self.games:
            return self.games[name].people
        self._check_name(name)
        return {}

    async def stop(self, name: str) -> None:
        """Interrupt a game, which can be resumed later."""
        if name in self.games:
            self.games[name].interrupt()
            return
        self._check_name(name)
        if self.shelf.is_played(name):
            raise Conflict(f"{name} {ELSEWHERE}")
        raise Conflict(f"{name} is not being played: there is nothing to stop")

    async def resume(self, name: str, limits: Mapping[str, float] | None = None) -> None:
        """Continue an unfinished game; `limits` override its recorded limits of the same names."""
        if name in self.games:
            raise Conflict(f"{name} is already being played")
        self._check_name(name)
        if self.shelf.is_finished(name):
            raise Conflict(f"{name} is over: fork it to continue from one of its events")
        path = await asyncio.to_thread(unfinished_journal, self.settings.logs_dir, name)
        config = await asyncio.to_thread(config_to_resume, path, limits or {})
        most = self._limits_of(config.all_players(), config.limits)
        config = config.model_copy(update={"limits": most})
        # The replayed events have the same indices, so the feed skips them.
        await self.shelf.feed(name)
        await self._play(config.player_ids, partial(GameEngine.resume, path, config))

    def refuse_played(self, name: str) -> None:
        """Raise Conflict if this server is playing the game: only finished games can be forked."""
        if name in self.games:
            raise Conflict(f"{name} is being played: fork it when it is over")

    async def fork(self, name: str, at: int, players: Sequence[PlayerConfig]) -> str:
        """Fork a finished game after event `at`, begin the fork, and return its name."""
        self.refuse_played(name)
        self._check_name(name)
        folder = self.settings.logs_dir
        log = await asyncio.to_thread(finished_log, folder, name)
        config = GameEngineConfig.model_validate(log.config)
        limits = self._limits_of([*config.all_players(), *heirs_of(log, players)], Limits())
        player_ids = log.player_ids
        build = partial(fork, log, at, players, folder, budgets=limits.budgets)
        return await self._play(player_ids, build)

    async def _play(self, player_ids: Sequence[str], build: Callable[..., GameEngine]) -> str:
        """Build the engine in a thread, start the game, and return its name."""
        self._check_room()
        game = LiveGame(player_ids)
        self._beginning += 1
        try:
            engine = await asyncio.to_thread(record, build, self.loops.factory, game)
        except JournalTaken:
            raise Conflict(f"the game {ELSEWHERE}") from None
        finally:
            self._beginning -= 1
        engine.meter.whole = self.meter
        engine.meter.most_events = MOST_EVENTS
        game.seat(engine, self.shelf.hand_over(engine.history.game_id))
        self.games[game.name] = game
        if self._finished is not None:
            game.interrupt()

        def end_soon(_: object) -> None:
            with suppress(RuntimeError):  # the web's loop is closed
                game.web.call_soon_threadsafe(self._end, game)

        game.playing = self.loops.play(game)
        game.playing.add_done_callback(end_soon)
        return game.name

    def _end(self, game: LiveGame) -> None:
        """Close a game that has ended; from then on, the shelf serves it."""
        if self.games.pop(game.name, None) is None:
            return
        history = game.engine.history
        history.reason = self.shelf.sentence(history.reason)
        game.close()
        self.ended += kinds_in(history)
        if game.state == "failed":
            self.shelf.note_failure(game.name, history.reason)
        if self._finished is not None and game.state == "interrupted":
            self.left.append(history)

    async def _look_around(self) -> None:
        """Repeatedly send each game's status to its viewers."""
        while True:
            await asyncio.sleep(LOOK)
            for game in self.games.values():
                if game.feed.watchers:
                    game.tell_status()

    def _check_name(self, name: str) -> None:
        if self.shelf.stamp(name) is None:
            raise KeyError(name)

    def _check_room(self) -> None:
        """Raise Conflict if no further game can begin."""
        if self.settings.read_only:
            raise Conflict("this server only shows games: restart it without --read-only")
        if self._finished is not None:
            raise Conflict("the server is shutting down: start the game once it is running again")
        most = self.settings.max_games
        if len(self.games) + self._beginning >= most:
            raise Conflict(
                f"{most} games are being played, the limit set by --max-games: wait until one "
                "ends, or stop one"
            )

    def _limits_of(self, players: Iterable[PlayerConfig], limits: Limits) -> Limits:
        """Return the limits for a game; raise ValueError if its players may not play here now."""
        sitting = check_recorded(players, self.settings)
        bounded = limits_for(limits, sitting, self.settings)
        self._check_spending(sitting)
        return bounded

    def _check_spending(self, players: Iterable[PlayerConfig]) -> None:
        """Raise ValueError if the server's budget is used up or a model's price is unknown."""
        seats = [seat_of(player) for player in players if player.kind.asks == "model"]
        if not seats:
            return
        unknown = ", ".join(models_without_price(seats))
        if unknown:
            raise ValueError(
                "expected models with a known price, because --max-cost limits all games "
                f"together: the price table does not list {unknown}; choose other models, or play "
                "in the terminal"
            )
        try:
            self.meter.check()
        except BudgetReached as error:
            raise ValueError(
                f"the server's budget is used up ({error}): restart it with a larger --max-cost"
            ) from None


def record(build: Callable[..., GameEngine], factory: ClientFactory, game: LiveGame) -> GameEngine:
    """Build a game's engine and begin its journal, so that the game is in the folder at once."""
    engine = build(factory=factory, answerers=game.answerers)
    engine.record()
    return engine


def config_to_resume(path: Path, limits: Mapping[str, float]) -> GameEngineConfig:
    """Return the config of an unfinished game, with `limits` overriding the recorded limits."""
    recorded = recorded_config(Journal.load(path).header)
    return GameEngineConfig.model_validate(recorded | {"limits": recorded["limits"] | dict(limits)})


def kinds_in(history: History) -> Counter[str]:
    """Return the number of events of each kind in a game."""
    return Counter(event.kind for log in [*history.rounds] for event in [*log.events])


def copy_of(history: History) -> History:
    """Return a copy of a history that later events do not change."""
    rounds = [replace(log, events=[*log.events]) for log in [*history.rounds]]
    usage = {player_id: replace(used) for player_id, used in history.usage.items()}
    return replace(history, rounds=rounds, usage=usage)
