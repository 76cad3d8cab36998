"""The stored games that this server is not playing; another process may be playing some of them."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from engine.config import GameEngineConfig, recorded_config
from engine.games import GAMES
from engine.history import History
from engine.record.files import is_log_name
from engine.record.journal import Journal, is_taken
from engine.runs.catalogue import stored_game
from engine.server.feed import Feed
from engine.server.live import result_of_game
from engine.server.web.limits import keep_last

# Maximum total bytes of the games kept in memory; the most recent one is always kept.
MOST_KEPT = 32 << 20
EVENT_BYTES = 500
MOST_FAILURES = 1000
# Minimum seconds between two readings of a growing game; reading takes at most a tenth of the time.
PAUSE = 2.0
SHARE = 10
Stamp = tuple[str, int, int]


class Volume:
    """A game read from its file, and its feed for viewers.

    `stamp` identifies the file's version, and `due` is the monotonic time after which it may be
    read again. `size` is the game's approximate size in memory, in bytes: an estimate from the
    number of events, but at least the size of the file.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.stamp: Stamp | None = None
        self.due = 0.0
        self.size = 0
        self.history: History
        self.feed: Feed | None = None
        self.reading = asyncio.Lock()
        self.watch: asyncio.Task[None] | None = None


class Shelf:
    """The games of a folder, read on demand; the most recently requested games stay in memory."""

    def __init__(self, folder: Path, allow_models: Sequence[str]) -> None:
        """Read games from `folder`; a replay may run only the files in `allow_models`."""
        self.folder = folder
        self.allow_models = allow_models
        self.volumes: dict[str, Volume] = {}
        self._failures: dict[str, str] = {}

    @property
    def watchers(self) -> int:
        """The number of viewers currently following one of these games."""
        return sum(volume.feed.watchers for volume in self.volumes.values() if volume.feed)

    async def take(self, name: str) -> Volume:
        """Return a game, which the caller must not change.

        Raises KeyError if the game is missing, and ValueError if it is unreadable.
        """
        if self.stamp(name) is None:
            self.volumes.pop(name, None)
            raise KeyError(name)
        volume = self.volumes.pop(name, None) or Volume(name)
        # Move it to the end: the least recently requested game is dropped first.
        self.volumes[name] = volume
        try:
            await self._refresh(volume)
        except (KeyError, ValueError):
            self.volumes.pop(name, None)
            raise
        self._forget_some()
        return volume

    async def feed(self, name: str) -> Feed:
        """Return a game's feed, which grows while another process plays the game."""
        volume = await self.take(name)
        assert volume.feed is not None
        if not volume.feed.ended and (volume.watch is None or volume.watch.done()):
            volume.watch = asyncio.create_task(self._watch(volume, volume.feed))
        return volume.feed

    def hand_over(self, name: str) -> Feed | None:
        """Forget a game that this server is about to play, and return its feed, if any."""
        self._failures.pop(name, None)
        volume = self.volumes.pop(name, None)
        if volume is None:
            return None
        if volume.watch is not None:
            volume.watch.cancel()
        return volume.feed

    def note_failure(self, name: str, reason: str) -> None:
        """Remember why a game failed, because its journal may not record the reason."""
        keep_last(self._failures, name, reason, MOST_FAILURES)

    def sentence(self, error: Exception | str) -> str:
        """Return an error's message without the path of the folder."""
        return str(error).replace(f"{self.folder}/", "")

    def is_played(self, name: str) -> bool:
        """Return whether another process is playing the game."""
        try:
            return is_taken(self.folder / f"{name}.jsonl")
        except OSError:
            return False

    def is_finished(self, name: str) -> bool:
        """Return whether the folder contains the game's finished log."""
        stamp = self.stamp(name)
        return stamp is not None and stamp[0] == ".json"

    def close(self) -> None:
        """Forget all games and end their streams."""
        for name in [*self.volumes]:
            feed = self.hand_over(name)
            if feed is not None and not feed.ended:
                feed.end({"status": "interrupted", "log": name})

    async def _refresh(self, volume: Volume) -> None:
        """Read the game if its file has changed."""
        async with volume.reading:
            stamp = self.stamp(volume.name)
            began = time.monotonic()
            if stamp == volume.stamp or (began < volume.due and volume.stamp is not None):
                return
            history = await asyncio.to_thread(self._read, volume.name)
            ended = time.monotonic()
            volume.due = ended + max(PAUSE, (SHARE - 1) * (ended - began))
            volume.stamp = stamp
            volume.history = history
            volume.size = max(stamp[2] if stamp else 0, EVENT_BYTES * len(history.events))
            self._tell(volume)

    def _read(self, name: str) -> History:
        try:
            if not self.is_finished(name):
                self._refuse_files(name)
            game = stored_game(self.folder, name)
        except (ValueError, OSError) as error:
            raise ValueError(self.sentence(error)) from None
        if game is None:
            raise KeyError(name)
        history, is_final = game
        if name in self._failures and not is_final:
            history.status = "failed"
            history.reason = self._failures[name]
        return history

    def _refuse_files(self, name: str) -> None:
        """Raise ValueError if a journal's replay would run a file that is not allowed."""
        try:
            journal = Journal.load(self.folder / f"{name}.jsonl")
            config = GameEngineConfig.model_validate(recorded_config(journal.header))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            # The code that reads the game reports the error.
            return
        for player in config.all_players():
            if player.kind.reads_file and player.model not in self.allow_models:
                raise ValueError(
                    f"{name} is played by a policy that this server does not allow: restart it "
                    f"with --allow-model {player.model:.80}"
                )

    def _tell(self, volume: Volume) -> None:
        """Send viewers the new events and, unless a process is playing the game, its end."""
        history = volume.history
        if volume.feed is None:
            players = history.player_ids
            # A game that is not installed here has no facts.
            facts_of = GAMES[history.game].facts_of if history.game in GAMES else lambda _: {}
            volume.feed = Feed(volume.name, history.game, players, facts_of)
        volume.feed.extend(history)
        status = history.status
        if status == "running" and self.is_played(volume.name):
            volume.feed.reopen()
            return
        volume.feed.end(result_of_game(history, "interrupted" if status == "running" else status))

    async def _watch(self, volume: Volume, feed: Feed) -> None:
        """Keep reading a game while it has viewers and another process is playing it."""
        while not feed.ended:
            await asyncio.sleep(max(PAUSE, volume.due - time.monotonic()))
            if not feed.watchers:
                return
            with suppress(KeyError, ValueError):  # it is being written, so try again later
                await self._refresh(volume)
            if not feed.ended and not self.is_played(volume.name):
                await self._end(volume)

    async def _end(self, volume: Volume) -> None:
        """Read the rest of a game that is no longer being played, and end its feed."""
        volume.due = 0.0
        volume.stamp = None
        with suppress(KeyError, ValueError):
            await self._refresh(volume)
        if volume.feed is not None and not volume.feed.ended:
            # The file is gone or unreadable: no more events will come.
            volume.feed.end({"status": "interrupted", "log": volume.name})

    def stamp(self, name: str) -> Stamp | None:
        """Return the suffix, modification time (ns) and size of a game's file; None if missing."""
        if not is_log_name(name):
            return None
        for suffix in (".json", ".jsonl"):
            with suppress(OSError):
                status = (self.folder / f"{name}{suffix}").stat()
                return suffix, status.st_mtime_ns, status.st_size
        return None

    def _forget_some(self) -> None:
        """Forget the least recently requested, unwatched games until the rest fit in MOST_KEPT."""
        kept = sum(volume.size for volume in self.volumes.values())
        for name in [*self.volumes][:-1]:
            volume = self.volumes[name]
            is_watched = volume.feed is not None and volume.feed.watchers > 0
            if kept <= MOST_KEPT:
                return
            if not is_watched:
                kept -= volume.size
                del self.volumes[name]
