"""The only module that reads untrusted files and JSON; it also writes and names logs."""

import errno
import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any, NoReturn

# The word that stands for the name of the newest log.
LAST = "last"
LARGEST = 2 << 30
# Our JSON has at most this many levels, and numbers of at most this many digits, which fit a float.
DEEPEST = 100
MOST_DIGITS = 300


def log_name(text: str) -> str:
    """Return a log's bare name from a typed name or path; raise ValueError if it is invalid."""
    name = re.sub(r"^logs/|\.jsonl?$", "", text)
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
        raise ValueError(
            f"expected the name of a log, such as gameplay_20260101_120000_ab12cd34: got {text!r}"
        )
    return name


def is_log_name(text: str) -> bool:
    """Return whether `text` is a log's bare name and cannot be taken for an option."""
    try:
        return log_name(text) == text and not text.startswith("-")
    except ValueError:
        return False


def new_game_id(clock: Callable[[], datetime]) -> str:
    """Return gameplay_YYYYMMDD_HHMMSS with a suffix that distinguishes games of the same second."""
    return f"gameplay_{clock():%Y%m%d_%H%M%S}_{os.urandom(4).hex()}"


def refuse_taken(folder: Path | None, game_id: str | None) -> None:
    """Raise ValueError if `folder` contains a game with that id, finished or not."""
    if folder is None or game_id is None:
        return
    for suffix in (".json", ".jsonl"):
        path = folder / f"{game_id}{suffix}"
        if path.exists():
            raise ValueError(
                f"expected a new game_id: {path} already contains a game; choose another, or leave "
                "it out"
            )


class DiskError(OSError):
    """A file of a game cannot be written; the message is one sentence."""

    def __str__(self) -> str:
        return f"{self.filename} cannot be written: {self.strerror}"


@contextmanager
def writing(path: object) -> Iterator[None]:
    """Turn any OSError in the block into a DiskError about `path`."""
    try:
        yield
    except OSError as error:
        raise DiskError(error.errno, error.strerror, str(path)) from error


def write_all(descriptor: int, data: bytes, *, sync: bool = True) -> None:
    """Write all of `data`, in several writes if needed; with `sync`, wait until it is on disk."""
    while data:
        written = os.write(descriptor, data)
        data = data[written:]
    if sync:
        os.fsync(descriptor)


def read_regular(path: Path, largest: int = LARGEST, *, follow: bool = True) -> bytes:
    """Return the content of a file; raise OSError as in `open_regular`."""
    with open_regular(path, largest, follow=follow) as file:
        return file.read()


def open_regular(path: Path, largest: int = LARGEST, *, follow: bool = True) -> BufferedReader:
    """Open a file to read; raise OSError unless it is a regular file of at most `largest` bytes.

    A logs folder may contain anything: endless pipes, devices, folders or circular links. Without
    `follow`, links are rejected.
    """
    _refuse_odd(path.stat(follow_symlinks=follow), path, largest)
    file = open(path, "rb", opener=partial(_open_at_once, follow=follow))  # noqa: SIM115 - the caller closes it
    try:
        _refuse_odd(os.fstat(file.fileno()), path, largest)
    except OSError:
        file.close()
        raise
    return file


def _refuse_odd(found: os.stat_result, path: Path, largest: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if found.st_size > largest:
        size = f"{largest >> 30} GB" if largest >= 1 << 30 else f"{largest} bytes"
        raise OSError(errno.EFBIG, f"it is larger than {size}", str(path))


def _open_at_once(path: str, flags: int, *, follow: bool) -> int:
    """Open a file without blocking, in case a pipe has replaced it."""
    no_link = 0 if follow else os.O_NOFOLLOW
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | no_link)


def read_text(path: Path) -> str:
    """Return UTF-8 text with LF line ends; raise OSError if unreadable, ValueError if not UTF-8."""
    return read_regular(path).decode().replace("\r\n", "\n")


def read_json(content: str | bytes) -> Any:
    """Return JSON as plain data; raise ValueError if invalid, too deep, or with a huge number."""
    try:
        value = json.loads(
            content,
            parse_int=_read_integer,
            parse_float=_read_float,
            parse_constant=_refuse_constant,
        )
        refuse_depth(value)
    except RecursionError:
        raise ValueError(f"expected JSON of at most {DEEPEST} levels") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"expected JSON: {error.msg} at character {error.pos}") from None
    return value


def refuse_depth(value: Any, deepest: int = DEEPEST) -> None:
    """Raise ValueError if plain data has more than `deepest` levels of lists and mappings."""
    level = [value]
    for _ in range(deepest + 1):
        parts: list[Any] = []
        inner = [part for part in level if isinstance(part, dict | list)]
        for part in inner:
            parts += part.values() if isinstance(part, dict) else part
        if not inner:
            return
        level = parts
    raise ValueError(f"expected JSON of at most {deepest} levels")


def _read_integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"expected numbers up to 1e{MOST_DIGITS}: got {digits:.40}")
    return int(digits)


def _read_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"expected numbers up to 1e{MOST_DIGITS}: got {digits:.40}")
    return number


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"expected a number: got {word}")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that readers see all old or all new content; raise DiskError on failure."""
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
    """Create a file at `path`, following no link; replace any file that a dead process left."""
    # Mode "x" is O_CREAT and O_EXCL, which follow no link.
    try:
        return FileIO(path, "x")
    except FileExistsError:
        path.unlink()
        return FileIO(path, "x")
