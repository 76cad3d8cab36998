"""The append-only record of raw replies that makes a game survive a crash, and replay.

Each line is one JSON object that begins with a checksum of the rest: a header (what the game is made from), then for
every attempt of a seat that cannot be recomputed one line when it begins and one when its answer came, before anything
is parsed. An attempt's address is (round, question of the round, attempt); player and fingerprint are compared, never
looked up; an answer without a fingerprint was taken over from a finished log. A last line that was cut short is
dropped; any other damage is refused.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Any

from engine.history import Status, checksum_of, put, writing
from providers import Completion, FatalError, ProviderError, RequestError, TransientError, Usage
from turn import Tape

Address = tuple[int, int, int]
Clock = Callable[[], datetime]
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

    `size` counts the bytes of the file's whole lines. While `closing`, what is under way is still recorded but nothing
    new is asked.
    """

    header: dict[str, Any]
    recorded: dict[Address, dict[str, Any]] = field(default_factory=dict)
    status: Status = "running"
    reason: str = ""
    file: FileIO | None = None
    size: int = 0
    clock: Clock = utc_now
    closing: bool = False

    @classmethod
    def create(cls, path: Path, header: dict[str, Any], clock: Clock = utc_now) -> "Journal":
        """Begin a new journal at `path`; FileExistsError if there is one already, DiskError if it cannot be written."""
        if path.exists():
            raise FileExistsError(f"expected no game to be recorded in {path} yet: go on with it, or name another")
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
        return cls._read(path)[0]

    @classmethod
    def reopen(cls, path: Path, clock: Clock = utc_now) -> "Journal":
        """Read the journal at `path`, drop a torn last line from it, and go on writing behind the rest.

        JournalError if it is damaged, or if another process plays the game right now.
        """
        with writing(path):
            file = claimed(path.open("r+b", buffering=0))
        try:
            journal, whole = cls._read(path)
            with writing(path):
                file.truncate(whole)
                file.seek(whole)
        except (JournalError, OSError):
            file.close()
            raise
        journal.file, journal.size, journal.clock = file, whole, clock
        return journal

    @classmethod
    def _read(cls, path: Path) -> tuple["Journal", int]:
        content = path.read_bytes()
        lines = content.split(b"\n")
        whole = len(content) - len(lines[-1])
        entries = [_unseal(line, number, path) for number, line in enumerate(lines[:-1], 1)]
        if not entries or entries[0].pop("kind", None) != "header" or not is_header(entries[0]):
            raise JournalError(f"expected {path.name} to begin with a game's header: it holds no game that can go on")
        journal = cls(entries[0])
        for entry in entries[1:]:
            if entry["kind"] == "answer":
                journal.recorded.setdefault(tuple(entry["at"]), entry)
            ended = entry["kind"] in {"failed", "stopped"}
            journal.status, journal.reason = (entry["kind"], entry["reason"]) if ended else ("running", "")
        return journal, whole

    def write(self, entry: dict[str, Any], *, wait: bool = True) -> None:
        """Append one line and `wait` until the disk has it; DiskError if it cannot be written.

        What is not waited for outlives the process, and is on the disk when the next line is.
        """
        if self.file is None:
            raise Unrecorded
        line = _seal(entry)
        with writing(Path(self.file.name)):
            if self.file.tell() != self.size:
                # A line before this one failed half-way: nothing may stand behind a part of a line.
                self.file.truncate(self.size)
                self.file.seek(self.size)
            put(self.file.fileno(), line, wait=wait)
        self.size += len(line)

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

    async def take(self, fingerprint: str, ask: Callable[[], Awaitable[Completion]]) -> tuple[Completion, float]:
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
            raise next(fault for fault in FAULTS if fault.__name__ == entry["fault"])(entry["message"])
        facts = dict(entry["completion"])
        return Completion(**facts | {"usage": Usage(**facts["usage"])}), entry["seconds"]

    async def _ask(self, asked: dict[str, Any], ask: Callable[[], Awaitable[Completion]]) -> dict[str, Any]:
        if self.journal.closing:
            raise Unrecorded
        self.journal.write({"kind": "begun", **asked}, wait=False)
        begun = self.journal.clock()
        entry = {"kind": "answer", **asked}
        try:
            completion = await ask()
            entry["completion"] = asdict(completion)
        except FatalError:
            raise
        except ProviderError as error:
            fault = next((fault for fault in FAULTS if isinstance(error, fault)), RequestError)
            entry |= {"fault": fault.__name__, "message": str(error)}
        entry["seconds"] = round((self.journal.clock() - begun).total_seconds(), 3)
        self.journal.write(entry)
        return entry


def is_header(entry: dict[str, Any]) -> bool:
    """Return whether `entry` says what a game is made from."""
    made_from = entry.get("made_from")
    return isinstance(made_from, dict) and isinstance(made_from.get("config"), dict)


def claimed(file: FileIO) -> FileIO:
    """Return `file`, which from now on is this process's alone until it is closed (on Windows it is not)."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise JournalError(f"{file.name} is being played by another process: let that one end first") from None
    return file


def _seal(entry: dict[str, Any]) -> bytes:
    body = json.dumps(entry).encode()
    return b'{"sum": "%s", %s\n' % (checksum_of(body), body[1:])


def _unseal(line: bytes, number: int, path: Path) -> dict[str, Any]:
    body = b"{" + line[28:]
    if line[:28] != b'{"sum": "%s", ' % checksum_of(body):
        raise JournalError(f"expected line {number} of {path.name} to be as it was written: its checksum does not fit")
    entry: dict[str, Any] = json.loads(body)
    return entry
