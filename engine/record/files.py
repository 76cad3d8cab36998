"""Files that are written whole or not at all, and the names of logs."""

import errno
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import FileIO
from pathlib import Path

# In place of a log's name: the newest one.
LAST = "last"
LARGEST = 2 << 30


def log_name(text: str) -> str:
    """Return the name of a log from what a person typed: without folder and ending.

    ValueError if it is no name.
    """
    name = re.sub(r"^logs/|\.jsonl?$", "", text)
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
        raise ValueError(
            f"expected the name of a log, such as gameplay_20260101_120000_ab12cd34: got {text!r}"
        )
    return name


def is_log_name(text: str) -> bool:
    """Return whether a file's name can be typed as the name of a log, and means itself then."""
    try:
        return log_name(text) == text and not text.startswith("-")
    except ValueError:
        return False


def new_game_id(clock: Callable[[], datetime]) -> str:
    """Return gameplay_YYYYMMDD_HHMMSS and a suffix that keeps games of one second apart."""
    return f"gameplay_{clock():%Y%m%d_%H%M%S}_{secrets.token_hex(4)}"


def refuse_taken(folder: Path | None, game_id: str | None) -> None:
    """Raise ValueError if `folder` has a game of that id, be it finished or not."""
    if folder is None or game_id is None:
        return
    for suffix in (".json", ".jsonl"):
        path = folder / f"{game_id}{suffix}"
        if path.exists():
            raise ValueError(
                f"expected a new game_id: there is a game in {path} already; "
                "choose another, or none"
            )


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


def read_regular(path: Path) -> bytes:
    """Return what the file at `path` holds; OSError if it is no file of a sensible size.

    A folder of logs may hold anything: pipes that never end, devices, folders, links in a circle.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    if found.st_size > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST >> 30} GB", str(path))
    with open(path, "rb", opener=_open_at_once) as file:
        return file.read()


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting, should a pipe have taken its place by now."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content` to `path` so that a reader finds the old file or the new one, never a part.

    DiskError if it cannot be written.
    """
    part = path.with_name(path.name + ".part")
    data = content.encode() if isinstance(content, str) else content
    with writing(path):
        try:
            with open_anew(part) as file:
                write_all(file.fileno(), data)
            part.replace(path)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def open_anew(path: Path) -> FileIO:
    """Return a new file at `path`; what a dead process left there goes, and no link is followed."""
    try:
        return _create(path)
    except FileExistsError:
        path.unlink()
        return _create(path)


def _create(path: Path) -> FileIO:
    """Create the file at `path`: "x" is O_CREAT and O_EXCL, which follow no link."""
    return FileIO(path, "x")
