"""Files that are written whole or not at all, and the names of logs."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# In place of a log's name: the newest one.
LAST = "last"


def log_name(text: str) -> str:
    """Return the name of a log from what a person typed: without folder and ending.

    ValueError if it is no name.
    """
    name = re.sub(r"^logs/|\.jsonl?$", "", text)
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
        raise ValueError(
            f"expected the name of a log, such as gameplay_20260101_120000_ab12: got {text!r}"
        )
    return name


class DiskError(OSError):
    """A file of a game cannot be written; the message is one sentence."""

    def __str__(self) -> str:
        return f"{self.filename} cannot be written: {self.strerror}"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise every OSError inside as a DiskError about `path`."""
    try:
        yield
    except OSError as error:
        raise DiskError(error.errno, error.strerror, str(path)) from error


def write_all(descriptor: int, data: bytes, *, sync: bool = True) -> None:
    """Write all of `data`, however little the disk takes at a time.

    With `sync` it is on the disk when this returns.
    """
    while data:
        written = os.write(descriptor, data)
        data = data[written:]
    if sync:
        os.fsync(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` so that a reader finds the old file or the new one, never a part.

    DiskError if it cannot be written.
    """
    part = path.with_name(path.name + ".part")
    with writing(path):
        try:
            with part.open("wb", buffering=0) as file:
                write_all(file.fileno(), text.encode())
            part.replace(path)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
