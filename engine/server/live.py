"""A game that this server plays, and the loops in which games run."""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress

from client_factory import ClientFactory
from engine.engine import GameEngine
from engine.history import Event, History
from engine.record.files import read_json
from engine.server.feed import Feed, call_now
from engine.server.seats import WebAnswerer
from engine.spending.waiting import Waits
from engine.views.jsonl import result_line
from protocol.answer import Plain

# After this many seconds, the status shows which player a game is waiting for.
LONG = 20.0
# Seconds to wait for the second loop to end.
PATIENCE = 1.0
log = logging.getLogger("arena.server")


class LiveGame:
    """A game that this server plays; it is created in the web's event loop and played outside it.

    `answerers` has an entry for every player, but only those of people are used.
    """

    def __init__(self, player_ids: Iterable[str]) -> None:
        """Create the answerers; `seat` must be called later to set the engine."""
        self.web = asyncio.get_running_loop()
        self.answerers = {
            player_id: WebAnswerer(player_id, self._tell_question) for player_id in player_ids
        }
        self.began: float | None = None
        self.over = False
        self.playing: Future[None] | None = None
        self.last_news: Plain = {}
        self.engine: GameEngine
        # Whether any player is a script or policy, which may compute for long without waiting.
        self.computes: bool
        self.feed: Feed

    def seat(self, engine: GameEngine, feed: Feed | None) -> None:
        """Set the engine; `feed` is the game's existing feed, if viewers already follow it."""
        self.engine = engine
        self.computes = any(player.computed for player in engine.config.all_players())
        if engine.journal is not None:
            engine.journal.kept = self._keep
            # Count the questions of earlier runs, so that answers resent after a crash are refused.
            for entry in engine.journal.recorded.values():
                seat = self.answerers.get(entry["player"])
                if seat is not None and {"completion", "fault"} & entry.keys():
                    seat.asked += 1
        if feed is None:
            game = engine.config.game
            feed = Feed(engine.history.game_id, game.name, engine.config.player_ids, game.facts_of)
        feed.reopen()
        self.feed = feed
        self.tell_status()
        engine.subscribe(self._hear)

    @property
    def name(self) -> str:
        """The game's id."""
        return self.engine.history.game_id

    @property
    def people(self) -> dict[str, WebAnswerer]:
        """The answerers of the seats that people play, by player."""
        sitting = self.engine.sitting.items()
        return {name: self.answerers[name] for name, seat in sitting if seat.kind.asks == "person"}

    @property
    def state(self) -> str:
        """The game's state: "waiting" to begin, "interrupted", or its history's status."""
        status = self.engine.history.status
        if self.over:
            return "interrupted" if status == "running" else status
        return "waiting" if self.began is None else status

    async def play(self) -> None:
        """Play the game; any error is recorded as the game's failure."""
        self.began = time.monotonic()
        history = self.engine.history
        try:
            await self._play()
        except Exception as error:
            log.exception("%s failed", self.name)
            history.status = "failed"
            history.reason = history.reason or f"{type(error).__name__}: {error}"

    async def _play(self) -> None:
        """Play the game; if it is a talk, keep saving its session."""
        stack = ExitStack()
        await asyncio.to_thread(keep_session, self.engine, stack)
        try:
            await self.engine.play()
        finally:
            await asyncio.to_thread(close_session, stack)

    def interrupt(self) -> None:
        """Stop asking questions; cancel the game if it has not begun."""
        self.engine.interrupt()
        if self.playing is not None and self.began is None:
            self.playing.cancel()

    def close(self) -> None:
        """Close the journal, reject unsaved answers, and send viewers the result."""
        self.over = True
        if self.engine.journal is not None:
            self.engine.journal.close()
        for answerer in self.answerers.values():
            answerer.lose()
        self.feed.end(result_of_game(self.engine.history, self.state))

    def status(self) -> Plain:
        """Return the game's status as JSON."""
        meter = self.engine.meter
        elapsed = 0.0 if self.began is None else time.monotonic() - self.began
        asked = {id_in(wait.who) for wait in tuple(self.engine.waits.waits.values())}
        asked |= {name for name, seat in self.answerers.items() if seat.question is not None}
        return {
            "status": self.state,
            "round": len(self.engine.history.rounds),
            "thinking": sorted(asked),
            "retrying": waiting_words(self.engine.waits),
            "tokens": meter.tokens,
            "cost": meter.cost,
            "elapsed": round(elapsed, 1),
        }

    def tell_status(self) -> None:
        """Send viewers the game's status if any value other than `elapsed` has changed."""
        status = self.status()
        news = status | {"elapsed": 0}
        if news != self.last_news:
            self.last_news = news
            self.feed.status(status)

    def _hear(self, event: Event) -> None:
        """Send an event to viewers, in one batch with all that follow until the game next waits.

        If a script may compute before then, the event is sent at once.
        """
        schedule = call_now if self.computes else asyncio.get_running_loop().call_soon
        self.feed.post(event, len(self.engine.history.rounds), schedule)

    def _keep(self, entry: Plain) -> None:
        """Acknowledge a person's answer once it is in the journal."""
        if "completion" in entry and entry["player"] in self.people:
            self.answerers[entry["player"]].keep()

    def _tell_question(self, player_id: str) -> None:
        """Notify the feed, from any thread, that a seat's question changed."""
        answerer = self.answerers[player_id]
        with suppress(RuntimeError):  # the web's loop is closed, so there are no viewers
            self.web.call_soon_threadsafe(self.feed.question, player_id, lambda: answerer.question)


class Loops:
    """A second event loop in its own thread, and one worker thread per core.

    This keeps the web's loop responsive: a script never yields and would block everything else.
    The games in the second loop share one ClientFactory, with its rate limits and connections.
    """

    def __init__(self) -> None:
        self.factory = ClientFactory()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="games", daemon=True)
        cores = os.cpu_count() or 1
        self._workers = ThreadPoolExecutor(cores, thread_name_prefix="scripts")

    def start(self) -> None:
        """Start the second loop's thread."""
        self._thread.start()

    def play(self, game: LiveGame) -> "Future[None]":
        """Play a game: in a worker thread if all seats are computed, or else in the second loop."""
        # If all players are scripts or policies, there is nothing to wait for.
        if all(player.computed for player in game.engine.config.all_players()):
            return self._workers.submit(lambda: asyncio.run(game.play()))
        return asyncio.run_coroutine_threadsafe(game.play(), self.loop)

    async def close(self) -> None:
        """End the threads; drop games still waiting to begin, but keep their journals."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        ending = asyncio.run_coroutine_threadsafe(self._end_all(), self.loop)
        await asyncio.wait({asyncio.wrap_future(ending)}, timeout=PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        await asyncio.to_thread(self._thread.join, PATIENCE)
        if not self._thread.is_alive():
            self.loop.close()

    async def _end_all(self) -> None:
        """Cancel the second loop's other tasks and close its connections."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.factory.aclose()
        await self.loop.shutdown_default_executor()


def keep_session(engine: GameEngine, stack: ExitStack) -> None:
    """Keep saving the engine's session, if it plays a talk, until the stack is closed."""
    # Importing the session store takes a tenth of a server's startup time.
    from engine.runs.talks.keeper import keep_sessions

    stack.enter_context(keep_sessions([engine], engine.config.logs_dir))


def close_session(stack: ExitStack) -> None:
    """Save a talk's final state; a failure is only logged, because the game is complete."""
    from engine.runs.talks.store import StoreError

    try:
        stack.close()
    except StoreError as error:
        log.warning("%s", error)


def result_of_game(history: History, status: str) -> Plain:
    """Return the content of the `end` frame: the JSONL result line with `status` and the reason."""
    result: Plain = read_json(result_line(history))
    return result | {"status": status, "reason": history.reason}


def waiting_words(waits: Waits) -> str | None:
    """Return a note on the player that has kept the game waiting longest, or None if under 20 s.

    The note does not contain the model's address.
    """
    longest = waits.longest()
    if longest is None or longest[2] < LONG:
        return None
    return f"waiting for {id_in(longest[1])}, {longest[2]:.0f} s"


def id_in(who: str) -> str:
    """Return the player's id from a text made by `engine.spending.waiting.where`."""
    return who.partition(" (")[0]
