"""Play a tournament from the start, or resume one without losing a game."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.ratings import Results
from engine.record.journal import utc_now
from engine.runs.processes import cores
from engine.runs.seat_rows import Rows
from engine.spending.budget import BudgetReached, Meter
from engine.tournaments.course.deck import Deck, stop_reason
from engine.tournaments.course.pool import Benches, PlayDraw
from engine.tournaments.course.restore import (
    check_logs,
    idle_seconds,
    settle_header,
    spent_so_far,
    take_in_logs,
)
from engine.tournaments.course.shard import (
    WHOLE,
    Shard,
    refuse_other_shards,
    refuse_shards_that_wait,
)
from engine.tournaments.gate import Gate
from engine.tournaments.ledger import OVER, Ledger, LedgerState
from engine.tournaments.play_game import Done, play_draw
from engine.tournaments.row_cache import keep_rows, rows_of_tournament
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.entrants import rated_results

# Play stops after this many consecutive failed games, because the next would probably fail too.
MOST_FAILURES = 20
SCRIPTS_AT_ONCE = 8


@dataclass(frozen=True)
class PlayOptions:
    """Options for playing a tournament, none of which changes its games.

    `concurrency` is the number of games played at once (None: as in the settings). `processes` is
    the number of processes that play games between scripts (None: one per core).
    """

    shard: Shard = WHOLE
    concurrency: int | None = None
    processes: int | None = None
    allow_changed: bool = False
    replay_lost: bool = False


class Machines(Protocol):
    """Other machines that play a tournament's games; `waiting` says why calls wait there."""

    waiting: str

    async def open(self, tournament: "TournamentRun") -> None:
        """Get ready to play; raise ValueError if a machine cannot play."""

    async def play(self, draw: Draw) -> Done:
        """Play one scheduled game."""
        ...

    def interrupt(self) -> None:
        """Ask no more questions."""

    async def close(self) -> None:
        """Shut down the workers."""


class TournamentRun:
    """Begins or resumes the tournament that `settings` describe, in `folder`.

    `watch` is called every second and at the end. Games are played on other `machines` if there are
    any, by `benches` if only scripts play, or else in this process. Afterwards, `stopped` names the
    budget that was used up, and `broken` says why no more games were begun; each is "" if it does
    not apply.
    """

    def __init__(
        self,
        settings: TournamentSettings,
        folder: Path,
        options: PlayOptions = PlayOptions(),
        *,
        watch: Callable[["TournamentRun"], None] | None = None,
        machines: Machines | None = None,
    ) -> None:
        self.settings = settings
        self.folder = folder
        self.options = options
        self.watch = watch
        self.limits = options.shard.share(settings.budgets.limits)
        self.state = LedgerState()
        self.rows: dict[int, Rows] = {}
        self.meter = Meter(self.limits, utc_now)
        self.gate = Gate(settings.rates)
        self.factory = ClientFactory()
        self.under_way: dict[int, GameEngine] = {}
        # Only games between scripts are played in several processes.
        self.benches = Benches(
            settings=settings,
            folder=folder,
            processes=(options.processes or cores()) if self.is_scripted else 1,
            here=self._play_here,
            allow_changed=options.allow_changed,
        )
        self.machines = machines
        self.hands: PlayDraw = machines.play if machines else self.benches.play
        self.pending: deque[Draw] = deque()
        self.playing = 0
        self.began = time.monotonic()
        self.over_before = 0
        self.calls_before = 0
        self.idle: float | None = None
        self.failures = 0
        self.ended = False
        self.interrupted = False
        self.stopped = ""
        self.broken = ""

    @property
    def results(self) -> Results:
        """The results of all games that can be rated."""
        rows = chain.from_iterable(rows for _, rows in sorted(self.rows.items()))
        return rated_results(Results.from_rows(rows), self.settings.rated_from)

    @property
    def is_over(self) -> bool:
        """Whether no more games may begin: play is interrupted, out of budget, or `broken`."""
        return bool(self.interrupted or self.stopped or self.broken)

    @property
    def planned(self) -> int:
        """The maximum number of games of this tournament or shard."""
        if self.options.shard.of == 1:
            return self.settings.games
        return sum(map(self.options.shard.plays, range(self.settings.games)))

    def recount(self) -> Meter:
        """Return a meter with the spending of all games so far."""
        return spent_so_far(self.settings, self.limits, self.state, self.folder)

    def waiting(self) -> str:
        """Return a description of why calls wait, or "" if none do."""
        return self.machines.waiting if self.machines else self.gate.waiting()

    @property
    def seconds(self) -> float:
        """The number of seconds since this run began to play."""
        return time.monotonic() - self.began

    def interrupt(self) -> None:
        """Begin no more games, and ask no more questions; pending calls are recorded."""
        self.interrupted = True
        for engine in [*self.under_way.values()]:
            engine.interrupt()
        if self.machines is not None:
            self.machines.interrupt()

    def run(self) -> None:
        """Play the tournament in its own event loop."""
        asyncio.run(self.play())

    async def play(self) -> None:
        """Play the tournament until it ends or a budget is used up.

        Raise ValueError if it cannot be begun or resumed with these settings, LedgerTaken if
        another process is playing it, and LostLog if a log is missing or has changed.
        """
        refuse_shards_that_wait(self.settings, self.options.shard)
        refuse_other_shards(self.folder, self.options.shard)
        ledger = Ledger.open(self.folder / self.options.shard.ledger)
        try:
            await self._restore(ledger)
            if self.machines is not None:
                await self.machines.open(self)
            await self._play_games(ledger)
        finally:
            if self.machines is not None:
                await self.machines.close()
            self.benches.close()
            ledger.close()
            await self.factory.aclose()

    async def _restore(self, ledger: Ledger) -> None:
        """Restore the earlier games and their spending, and queue the unfinished ones."""
        options = self.options
        settings, folder = self.settings, self.folder
        self.state = ledger.state
        self.idle = idle_seconds(ledger.state, folder)
        await settle_header(ledger, settings, options.shard, allow_changed=options.allow_changed)
        await check_logs(ledger, settings, folder, replay_lost=options.replay_lost)
        await take_in_logs(ledger, settings, folder)
        self.rows = rows_of_tournament(folder, self.state, settings, options.shard.rows)
        self.meter = self.recount()
        self.gate = Gate(settings.rates, share=1 / options.shard.of, idle=self.idle)
        self.factory = ClientFactory(gate=self.gate.client)
        self.pending.extend(map(self.state.draws.__getitem__, self.state.open_games()))
        self.over_before = len(self.state.draws) - len(self.pending)
        self.calls_before = self.meter.calls

    async def _play_games(self, ledger: Ledger) -> None:
        deck = Deck(self.settings, self.options.shard, self.state, lambda: self.results)
        self.meter.start()
        self.began = time.monotonic()
        free = asyncio.Condition()
        ticker = asyncio.create_task(self._tick())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.at_once, self.settings.games)):
                    group.create_task(self._take_games(ledger, deck, free))
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        finally:
            ticker.cancel()
            self.ended = True
            self._show()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._show()

    def _show(self) -> None:
        if self.watch is not None:
            self.watch(self)

    async def _take_games(self, ledger: Ledger, deck: Deck, free: asyncio.Condition) -> None:
        """Play games one after another until none is left."""
        while True:
            async with free:
                if not self.pending and deck.waits:
                    await free.wait_for(lambda: self.pending or not self.playing)
                draw = await self._next_game(ledger, deck)
                if draw is None:
                    free.notify_all()
                    return
                self.playing += 1
            try:
                done = await self._play(draw)
                await self._note(ledger, done)
            finally:
                self.playing -= 1
            async with free:
                free.notify_all()

    async def _next_game(self, ledger: Ledger, deck: Deck) -> Draw | None:
        """Return the next game to play, or None if there is none or no more games may begin."""
        if not self.pending and not self.is_over:
            await self._draw_games(ledger, deck)
        if self.pending and self._may_ask(self.pending[0]):
            return self.pending.popleft()
        return None

    async def _draw_games(self, ledger: Ledger, deck: Deck) -> None:
        """Schedule more games, unless the stop rule says that enough is known."""
        drawn = len(self.state.draws)
        if self.state.stop is None and drawn:
            reason = stop_reason(self.settings, lambda: self.results)
            if reason:
                await ledger.stop(drawn, reason)
        if self.state.stop is None:
            draws = deck.next_games()
            if draws:
                await ledger.draw(draws)
                self.pending.extend(draws)

    def _may_ask(self, draw: Draw) -> bool:
        """Return whether the budgets let a game begin; for scripts, only the time limit applies."""
        if self.is_over:
            return False
        try:
            self.meter.check_time()
            if any(not self.settings.entrants[name].computed for name in draw.seats):
                self.meter.check()
        except BudgetReached as error:
            self.stopped = str(error)
        return not self.stopped

    async def _play(self, draw: Draw) -> Done:
        try:
            return await self.hands(draw)
        except (BrokenProcessPool, OSError):
            raise
        except Exception as error:
            # If a game breaks, only that game fails, and the others continue.
            return Done(draw.number, "failed", f"{type(error).__name__}: {error}")

    async def _play_here(self, draw: Draw) -> Done:
        return await play_draw(
            self.settings,
            draw,
            self.folder,
            factory=self.factory,
            whole=self.meter,
            under_way=self.under_way,
            allow_changed=self.options.allow_changed,
        )

    async def _note(self, ledger: Ledger, done: Done) -> None:
        """Record how a game ended, unless it was interrupted."""
        if done.status == "running":
            return
        await ledger.done(done)
        keep_rows(self.folder / self.options.shard.rows, [done])
        if done.status in OVER:
            self.rows[done.number] = done.rows
        if done.status == "stopped":
            self.stopped = self.stopped or done.reason
        self.failures = self.failures + 1 if done.status == "failed" else 0
        if self.failures >= MOST_FAILURES:
            self.broken = f"{self.failures} games failed in a row, the last one: {done.reason}"

    @property
    def at_once(self) -> int:
        """The number of games played at once."""
        if self.options.concurrency is not None:
            return self.options.concurrency
        if self.is_scripted:
            return max(SCRIPTS_AT_ONCE, 2 * self.benches.processes)
        return self.settings.concurrency

    @property
    def is_scripted(self) -> bool:
        """Whether all games are played without models or people."""
        return all(entrant.computed for entrant in self.settings.entrants.values())
