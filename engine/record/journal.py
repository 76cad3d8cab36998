"""The append-only record of raw replies that lets a game be replayed and survive a crash.

The first line is a header with the game's settings. Each attempt at a question adds two lines: one
when it begins, and one when its answer arrives, before anything is parsed. Attempts that can be
recomputed, such as a script's, are not recorded. If the endpoint rejected the answer format, a
`form` line before the answer names the format used instead. An attempt is looked up by its address
(round, question of the round, attempt); its player and fingerprint must then match. An answer
without a fingerprint was copied from a finished log. An incomplete last line is dropped; any other
damage is an error.

`engine.record.chain` implements the lines, their checksums and the lock for one process.
"""

import fcntl
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from errno import EEXIST
from io import FileIO
from pathlib import Path

from engine.history import Status
from engine.record.chain import Chain, checksum_in, lock_alone, unseal
from engine.record.entries import Address, is_time, read_journal_line
from engine.record.files import DiskError, open_regular, read_regular, writing
from protocol.answer import Plain
from protocol.turn import Released, Tape
from providers import Completion, FatalError, ProviderError, RequestError, TransientError, Usage

Clock = Callable[[], datetime]
# The answer format has a line of its own.
COMPLETION_FIELDS = [part.name for part in fields(Completion) if part.name != "form"]
USAGE_FIELDS = [part.name for part in fields(Usage)]
# The text at the start of the chain of checksums; journals in other formats do not match it.
FORMAT = b"journal 2"
FAULTS: dict[str, type[ProviderError]] = {
    "TransientError": TransientError,
    "RequestError": RequestError,
}


class JournalError(ValueError):
    """A journal cannot be read, or does not belong to the game being replayed from it."""


class JournalTaken(JournalError):  # noqa: N818 - no fault of the journal's
    """Another process, or another game in this process, is playing the journal's game."""


class Unrecorded(Exception):  # noqa: N818 - no fault: a replay has reached the end of its record
    """A question has no recorded answer and must not be asked, so the replay or the game ends."""


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Stopwatch:
    """Measures the seconds since its creation (at least 0), by default on a monotonic clock."""

    def __init__(self, clock: Clock = utc_now) -> None:
        self._now = time.monotonic if clock is utc_now else lambda: clock().timestamp()
        self._began = self._now()

    def seconds(self) -> float:
        """Return the seconds since the stopwatch was created."""
        return max(0.0, self._now() - self._began)


@dataclass
class Journal:
    """One game's record: the earlier lines and, unless it is closed, the file for new ones.

    While `closing`, pending calls are still recorded but no new ones begin. `notes` are lines from
    outside the game, such as a jury's choices. `forms` maps attempts to the answer formats used
    after the endpoint rejected the usual one. `hour` is the time of the last accepted answer, or of
    the header, in ISO 8601; it is "" in the journal of a finished log. `kept` is called with each
    new answer once it is on disk. `verdicts` maps the index of an event to the verdict, such as a
    timeout, that the event reports.
    """

    header: Plain
    recorded: dict[Address, Plain] = field(default_factory=dict)
    forms: dict[Address, str] = field(default_factory=dict)
    status: Status = "running"
    reason: str = ""
    bound: int | None = None
    chain: Chain = field(default_factory=lambda: Chain(FORMAT))
    clock: Clock = utc_now
    closing: bool = False
    notes: list[Plain] = field(default_factory=list)
    kept: Callable[[Plain], object] = field(default=lambda _: None)
    verdicts: dict[int, str] = field(default_factory=dict)
    hour: str = field(init=False)

    def __post_init__(self) -> None:
        self.hour = self.header.get("began", "")

    @property
    def file(self) -> FileIO | None:
        """The file for new lines, or None if the journal is only replayed."""
        return self.chain.file

    @classmethod
    def create(cls, path: Path, header: Plain, clock: Clock = utc_now) -> "Journal":
        """Begin a journal; raise FileExistsError if it or its log exists, DiskError on failure."""
        taken = FileExistsError(
            f"expected {path} not to exist: it already records a game; continue that one, or "
            "choose another name"
        )
        if path.with_suffix(".json").exists():
            raise taken
        try:
            with writing(path):
                file = _lock(path.open("xb", buffering=0))
        except DiskError as error:
            if error.errno == EEXIST:
                raise taken from None
            raise
        journal = cls(header, chain=Chain(FORMAT, file=file), clock=clock)

        try:
            journal.write({"kind": "header", **header})
        except OSError:
            journal.close()
            path.unlink(missing_ok=True)
            raise
        return journal

    @classmethod
    def load(cls, path: Path) -> "Journal":
        """Read the journal at `path` for a replay; a JournalError names the first damaged line."""
        content = read_regular(path)
        *lines, torn = content.split(b"\n")
        entries = _read_entries(lines, path)
        chain = Chain(checksum_in(lines[-1]), size=len(content) - len(torn))
        journal = cls(entries[0], chain=chain)
        for entry in entries[1:]:
            journal._take_in(entry)
        return journal

    @classmethod
    def reopen(cls, path: Path, clock: Clock = utc_now) -> "Journal":
        """Open the journal at `path` to continue it; an incomplete last line is removed.

        Raises JournalError if it is damaged, or JournalTaken if another process plays the game.
        """
        with writing(path):
            file = _lock(path.open("r+b", buffering=0))

        try:
            journal = cls.load(path)
            journal.chain.file = file
            with writing(path):
                journal.chain.cut()
        except (JournalError, OSError):
            file.close()
            raise

        journal.clock = clock
        return journal

    def _take_in(self, entry: Plain) -> None:
        kind = entry["kind"]
        if kind == "answer":
            self.recorded.setdefault(tuple(entry["at"]), entry)
        elif kind == "form":
            self.forms[tuple(entry["at"])] = entry["form"]
        elif kind == "verdict":
            self.verdicts[entry["at"]] = entry["reason"]
        elif kind not in {"begun", "failed", "stopped"}:
            self.notes.append(entry)
        # A game that failed or stopped and was then resumed is running again.
        if kind in {"failed", "stopped"}:
            self.status, self.reason = kind, entry["reason"]
            self.bound = entry.get("bound")
        else:
            self.status, self.reason, self.bound = "running", "", None

    def write(self, entry: Plain) -> None:
        """Append one line; raise DiskError if it cannot be written.

        The line survives the end of the process, but is on disk only once a later line is saved.
        """
        if self.file is None:
            raise Unrecorded
        self.chain.append([entry])

    async def save(self, entry: Plain) -> None:
        """Append one line and wait until it is on disk; raise DiskError if that fails."""
        self.write(entry)
        await self.chain.sync()

    def note_form(self, asked: Plain, form: str) -> None:
        """Record an attempt's answer format unless it is already recorded ("" is the default)."""
        at = asked["at"]
        if form != self.forms.get(at, ""):
            self.forms[at] = form
            self.write({"kind": "form", "at": at, "player": asked["player"], "form": form})

    def close(self) -> None:
        """Close the file; the record stays readable."""
        self.chain.close()

    def tape(self, round_index: int, question: int, player_id: str) -> Tape:
        """Return the tape that replays and records the attempts at one question."""
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
        entry = self.journal.recorded.get(at)
        if entry is None:
            asked = {"at": at, "player": self.player_id, "asked": fingerprint}
            entry = await self._ask(asked, ask)
        else:
            self._check(entry, at, fingerprint)

        # Concurrent questions may be answered in any order.
        self.journal.hour = max(self.journal.hour, entry.get("time", ""))
        if "fault" in entry:
            raise FAULTS[entry["fault"]](entry["message"])
        held = entry["completion"]
        form = self.journal.forms.get(at, "")
        completion = Completion(**held | {"usage": Usage(**held["usage"]), "form": form})
        return completion, entry["seconds"]

    def _check(self, entry: Plain, at: Address, fingerprint: str) -> None:
        recorded = (entry["player"], entry.get("asked", fingerprint))
        if recorded != (self.player_id, fingerprint):
            raise JournalError(
                f"expected the recorded question {at} to match the one that {self.player_id} is "
                f"asked now: a different one was recorded, for {entry['player']}; rules, prompts "
                "or settings have changed since"
            )

    async def _ask(self, asked: Plain, ask: Callable[[], Awaitable[Completion]]) -> Plain:
        journal = self.journal
        if journal.closing:
            raise Unrecorded
        journal.write({"kind": "begun", **asked})
        watch = Stopwatch(journal.clock)

        entry = {"kind": "answer", **asked}
        try:
            completion = await ask()
        except Released:
            raise Unrecorded from None
        except FatalError:
            raise
        except ProviderError as error:
            is_passing = isinstance(error, TransientError)
            entry["fault"] = "TransientError" if is_passing else "RequestError"
            entry["message"] = str(error)
        else:
            entry["completion"] = completion_data(completion)
            journal.note_form(asked, completion.form)

        entry["seconds"] = round(watch.seconds(), 3)
        entry["time"] = journal.clock().isoformat()
        await journal.save(entry)
        journal.kept(entry)
        return entry


def completion_data(completion: Completion) -> Plain:
    """Return a completion as stored in a journal, 20 times as fast as `dataclasses.asdict`."""
    data = {name: getattr(completion, name) for name in COMPLETION_FIELDS}
    data["usage"] = {name: getattr(completion.usage, name) for name in USAGE_FIELDS}
    return data


def _lock(file: FileIO) -> FileIO:
    """Return `file`, locked so that only this process may write to it until it is closed."""
    if not lock_alone(file):
        file.close()
        raise JournalTaken(
            f"{file.name} is being played by another process: wait until that one ends"
        )
    return file


def is_taken(path: Path) -> bool:
    """Return whether a process is playing the game of journal `path`; raise OSError if missing."""
    with open_regular(path) as file:
        try:
            # A shared lock, so that two processes that only look are not mistaken for players.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _read_entries(lines: list[bytes], path: Path) -> list[Plain]:
    """Return the header and all other entries; a JournalError names the first damaged line."""
    entries = []
    before = FORMAT
    for number, line in enumerate(lines, 1):
        entries.append(_unseal(line, before, number, path))
        before = checksum_in(line)

    if not entries or entries[0].pop("kind", None) != "header" or not _is_header(entries[0]):
        raise JournalError(
            f"expected {path.name} to begin with a game's header: it has no game to continue"
        )
    return entries


def _is_header(entry: Plain) -> bool:
    made_from = entry.get("made_from")
    budgets = entry.get("limits", {})
    began = entry.get("began", "")
    if not isinstance(made_from, dict) or not isinstance(budgets, dict):
        return False
    if began != "" and not is_time(began):
        return False
    config = made_from.get("config")
    return isinstance(config, dict) and isinstance(config.get("limits", {}), dict)


def _unseal(line: bytes, before: bytes, number: int, path: Path) -> Plain:
    body = unseal(line, before)
    if body is not None:
        try:
            return read_journal_line(body)
        except (ValueError, RecursionError):
            raise JournalError(
                f"expected line {number} of {path.name} to be a line of a journal: its checksum "
                "matches, but no game wrote it"
            ) from None

    # The first format had no chain: each checksum covered only its own line.
    if number == 1 and unseal(line, b"") is not None:
        raise JournalError("expected version 2 of the journal format: got version 1")
    missing = ", or a line before it is missing" if number > 1 else ""
    raise JournalError(
        f"expected line {number} of {path.name} to be unchanged: its checksum does not "
        f"match{missing}"
    )
