"""The append-only record of raw replies that makes a game survive a crash, and replay.

Each line is one JSON object that begins with a checksum of the rest: a header (what the game is
made from), then for every attempt of a seat that cannot be recomputed one line when it begins and
one when its answer came, before anything is parsed. An attempt's address is (round, question of the
round, attempt); player and fingerprint are compared, never looked up; an answer without a
fingerprint was taken over from a finished log. A last line that was cut short is dropped; any other
damage is refused.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Any

from engine.history import Status, checksum_of
from engine.record.disk import done
from engine.record.files import put, writing
from protocol.turn import Tape
from providers import Completion, FatalError, ProviderError, RequestError, TransientError, Usage

Address = tuple[int, int, int]
Clock = Callable[[], datetime]
FACTS, TOKENS = ([one.name for one in fields(form)] for form in (Completion, Usage))
FAR = 2**31 - 2
# Where the chain of checksums begins: a journal of another form fits in none of its lines.
FORM = b"journal 2"
FAULTS: tuple[type[ProviderError], ...] = (TransientError, RequestError)


class JournalError(ValueError):
    """A journal cannot be read, or does not belong to the game that is replayed from it."""


class Unrecorded(Exception):  # noqa: N818 - it is no fault: a replay has come to the end of what is known
    """A replay without calls has come to the first question that has no recorded answer."""


def utc_now() -> datetime:
    """Return the time now."""
    return datetime.now(UTC)


@dataclass
class Journal:
    """One game's record: what was recorded before, and the file that new lines go to (None: replay only).

    `size` counts the bytes of the file's whole lines, `sum` is the checksum of the last. While
    `closing`, what is under way is still recorded but nothing new is asked.
    """

    header: dict[str, Any]
    recorded: dict[Address, dict[str, Any]] = field(default_factory=dict)
    status: Status = "running"
    reason: str = ""
    file: FileIO | None = None
    size: int = 0
    sum: bytes = FORM
    torn: bool = False
    clock: Clock = utc_now
    closing: bool = False

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(str(self.file.name)) if self.file else Path()

    @classmethod
    def create(cls, path: Path, header: dict[str, Any], clock: Clock = utc_now) -> "Journal":
        """Begin a new journal at `path`; FileExistsError if there is one already, DiskError if it cannot be written."""
        if path.exists():
            raise FileExistsError(
                f"expected no game to be recorded in {path} yet: go on with it, or name another"
            )
        with writing(path):
            journal = cls(header, file=claimed(path.open("xb", buffering=0)), clock=clock)
        try:
            journal.write({"kind": "header", **header})
        except OSError:
            journal.close()
            path.unlink(missing_ok=True)
            raise
        return journal

    @classmethod
    def load(cls, path: Path) -> "Journal":
        """Read the journal at `path` for a replay; JournalError names the first damaged line."""
        return cls._read(path)

    @classmethod
    def reopen(cls, path: Path, clock: Clock = utc_now) -> "Journal":
        """Read the journal at `path`, drop a torn last line from it, and go on writing behind the rest.

        JournalError if it is damaged, or if another process plays the game right now.
        """
        with writing(path):
            file = claimed(path.open("r+b", buffering=0))
        try:
            journal = cls._read(path)
            with writing(path):
                file.truncate(journal.size)
                file.seek(journal.size)
        except (JournalError, OSError):
            file.close()
            raise
        journal.file, journal.clock = file, clock
        return journal

    @classmethod
    def _read(cls, path: Path) -> "Journal":
        content = path.read_bytes()
        *lines, torn = content.split(b"\n")
        before = [FORM, *map(sum_in, lines)]
        entries = [
            _unseal(line, before[number - 1], number, path) for number, line in enumerate(lines, 1)
        ]
        if not entries or entries[0].pop("kind", None) != "header" or not is_header(entries[0]):
            raise JournalError(
                f"expected {path.name} to begin with a game's header: it holds no game that can go on"
            )
        journal = cls(entries[0], size=len(content) - len(torn), sum=before[-1])
        for entry in entries[1:]:
            if entry["kind"] == "answer":
                journal.recorded.setdefault(tuple(entry["at"]), entry)
            ended = entry["kind"] in {"failed", "stopped"}
            journal.status, journal.reason = (
                (entry["kind"], entry["reason"]) if ended else ("running", "")
            )
        return journal

    def write(self, entry: dict[str, Any]) -> None:
        """Append one line; DiskError if it cannot be written.

        It outlives the process, and is on the disk when a later line is `saved`.
        """
        if self.file is None:
            raise Unrecorded
        line = _seal(entry, self.sum)
        with writing(self.path):
            if self.torn:
                # A line before this one failed half-way: nothing may stand behind a part of a line.
                self.file.truncate(self.size)
                self.file.seek(self.size)
            self.torn = True
            put(self.file.fileno(), line, wait=False)
        self.torn, self.size, self.sum = False, self.size + len(line), sum_in(line)

    async def save(self, entry: dict[str, Any]) -> None:
        """Append one line and wait until the disk has it; DiskError if it cannot be written."""
        self.write(entry)
        assert self.file is not None
        descriptor = self.file.fileno()
        with writing(self.path):
            await done(descriptor, lambda: os.fsync(descriptor))

    def close(self) -> None:
        """Close the file; what is recorded stays readable."""
        if self.file is not None:
            self.file.close()
            self.file = None

    def tape(self, round_index: int, question: int, player_id: str) -> Tape:
        """Return the tape of one question."""
        return _JournalTape(self, round_index, question, player_id)


@dataclass
class _JournalTape:
    journal: Journal
    round_index: int
    question: int
    player_id: str
    attempt: int = 0

    async def take(
        self, fingerprint: str, ask: Callable[[], Awaitable[Completion]]
    ) -> tuple[Completion, float]:
        self.attempt += 1
        at = (self.round_index, self.question, self.attempt)
        asked = {"at": at, "player": self.player_id, "asked": fingerprint}
        entry = self.journal.recorded.get(at)
        if entry is None:
            entry = await self._ask(asked, ask)
        elif (entry["player"], entry.get("asked", fingerprint)) != (self.player_id, fingerprint):
            raise JournalError(
                f"expected the recorded question {at} to be the one that {self.player_id} is asked now: it was "
                f"another, put to {entry['player']}; rules, prompts or settings changed since it was recorded"
            )
        if "fault" in entry:
            raise next(fault for fault in FAULTS if fault.__name__ == entry["fault"])(
                entry["message"]
            )
        facts = dict(entry["completion"])
        return Completion(**facts | {"usage": Usage(**facts["usage"])}), entry["seconds"]

    async def _ask(
        self, asked: dict[str, Any], ask: Callable[[], Awaitable[Completion]]
    ) -> dict[str, Any]:
        if self.journal.closing:
            raise Unrecorded
        self.journal.write({"kind": "begun", **asked})
        begun = self.journal.clock()
        entry = {"kind": "answer", **asked}
        try:
            completion = await ask()
            entry["completion"] = plain(completion)
        except FatalError:
            raise
        except ProviderError as error:
            fault = next((fault for fault in FAULTS if isinstance(error, fault)), RequestError)
            entry |= {"fault": fault.__name__, "message": str(error)}
        entry["seconds"] = round((self.journal.clock() - begun).total_seconds(), 3)
        await self.journal.save(entry)
        return entry


def plain(completion: Completion) -> dict[str, Any]:
    """Return a completion as a journal holds it; `asdict`, which copies all that it finds, takes 20 times as long."""
    tokens = {name: getattr(completion.usage, name) for name in TOKENS}
    return {name: getattr(completion, name) for name in FACTS} | {"usage": tokens}


def is_header(entry: dict[str, Any]) -> bool:
    """Return whether `entry` says what a game is made from."""
    made_from = entry.get("made_from")
    return isinstance(made_from, dict) and isinstance(made_from.get("config"), dict)


def claimed(file: FileIO) -> FileIO:
    """Return `file`, which from now on is this process's alone until it is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # Windows lets nobody read what is locked, so one byte is, far behind all that is ever
            # written.
            file.seek(FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        file.close()
        raise JournalError(
            f"{file.name} is being played by another process: let that one end first"
        ) from None
    return file


def sum_in(line: bytes) -> bytes:
    """Return the checksum that stands at the beginning of a line."""
    return line[9:25]


def _seal(entry: dict[str, Any], before: bytes) -> bytes:
    """Return an entry as a line; its checksum covers that of the line before, so that none can go missing between."""
    body = json.dumps(entry).encode()
    return b'{"sum": "%s", %s\n' % (checksum_of(before + body), body[1:])


def _unseal(line: bytes, before: bytes, number: int, path: Path) -> dict[str, Any]:
    body = b"{" + line[28:]
    if line[:28] != b'{"sum": "%s", ' % checksum_of(before + body):
        if number == 1 and line[:28] == b'{"sum": "%s", ' % checksum_of(body):
            raise JournalError(
                f"{path.name} was begun by an older version, which alone can go on with it"
            )
        missing = ", or a line before it is missing" if number > 1 else ""
        raise JournalError(
            f"expected line {number} of {path.name} to be as it was written: its checksum does not fit{missing}"
        )
    entry: dict[str, Any] = json.loads(body)
    return entry
