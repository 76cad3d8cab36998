"""Append-only files in which each line has a checksum that also covers the line before it.

A line is one JSON object. Its first key, "sum", is 16 hexadecimal digits computed from the rest of
the line and the previous line's checksum. So no line can change or vanish undetected. The open file
is locked (flock, so POSIX only) for one writing process; the kernel releases the lock when that
process ends, however it ends.
"""

import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import FileIO

from engine.history.log import checksum_of
from engine.record.disk import run_in_thread
from engine.record.files import write_all, writing
from protocol.answer import Plain

HEAD = len(b'{"sum": "0123456789abcdef", ')


@dataclass
class Chain:
    """The state of a file of sealed lines; `file` is None if the lines are only read.

    `sum` is the last line's checksum or, while there are no lines, the text that the first line's
    checksum will cover. `size` counts the bytes of the complete lines; `torn` is set if a partial
    line may follow them.
    """

    sum: bytes
    size: int = 0
    file: FileIO | None = None
    torn: bool = False

    def append(self, entries: Iterable[Plain]) -> None:
        """Append a line for each of `entries` in one write; raise DiskError if that fails.

        The lines then survive a crash of the process; after `sync`, they are on disk.
        """
        assert self.file is not None
        lines = b""
        last = self.sum
        for entry in entries:
            line = seal(entry, last)
            last = checksum_in(line)
            lines += line

        with writing(self.file.name):
            if self.torn:
                # An earlier write failed halfway: nothing may follow a partial line.
                self.cut()
            self.torn = True
            write_all(self.file.fileno(), lines, sync=False)
        self.torn = False
        self.size += len(lines)
        self.sum = last

    async def sync(self) -> None:
        """Wait until every line is on disk; raise DiskError if that fails."""
        assert self.file is not None
        descriptor = self.file.fileno()
        with writing(self.file.name):
            await run_in_thread(descriptor, lambda: os.fsync(descriptor))

    def cut(self) -> None:
        """Cut off everything after the last complete line; raise OSError if that fails."""
        assert self.file is not None
        self.file.truncate(self.size)
        self.file.seek(self.size)

    def close(self) -> None:
        """Close the file, which unlocks it."""
        if self.file is not None:
            self.file.close()
            self.file = None


def lock_alone(file: FileIO) -> bool:
    """Lock `file` until it is closed; return False if it is already locked elsewhere."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def checksum_in(line: bytes) -> bytes:
    """Return the checksum at the start of a line."""
    return line[9:25]


def seal(entry: Plain, before: bytes) -> bytes:
    """Return an entry as a line whose checksum also covers `before`, the previous checksum."""
    body = json.dumps(entry).encode()
    return b'{"sum": "%s", %s\n' % (checksum_of(before + body), body[1:])


def unseal(line: bytes, before: bytes) -> bytes | None:
    """Return a line's JSON without the checksum, or None if the line was altered."""
    body = b"{" + line[HEAD:]
    fits = line[:HEAD] == b'{"sum": "%s", ' % checksum_of(before + body)
    return body if fits else None
