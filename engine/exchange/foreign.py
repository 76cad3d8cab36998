"""Read untrusted files, with limits on their size, depth, numbers and names.

Any fault raises a ValueError with one sentence that quotes only a short excerpt.
"""

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.record.files import open_regular, read_json, read_regular, refuse_depth
from protocol.text import one_line

# The maximum sizes of a log, table, line and name, in bytes or characters.
LARGEST = 64 << 20
LARGEST_TABLE = 64 << 30
LONGEST_LINE = 4 << 20
LONGEST_NAME = 200
DEEPEST = 24
# Tables cannot represent larger numbers exactly.
GREATEST = 10**15
# The maximum numbers of seats and rounds in a game.
MOST_SEATS = 1000
MOST_ROUNDS = 10_000
Line = dict[str, Any]


def foreign_files(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the file `path` or, if it is a folder, the sorted files below it with these suffixes.

    Links are listed but not followed; reading one fails. Raises ValueError if no file matches.
    """
    if not path.is_dir():
        if not path.exists():
            raise ValueError(f"there is no file or folder {str(path)!r}")
        return [path]
    files = [
        Path(folder, name)
        for folder, _, names in os.walk(path, followlinks=False)
        for name in names
        if name.lower().endswith(suffixes)
    ]
    if not files:
        raise ValueError(f"expected files that end in {' or '.join(suffixes)} in {str(path)!r}")
    return sorted(files)


def read_foreign(path: Path) -> bytes:
    """Return a foreign file's bytes; raise ValueError if it is too large or not a regular file."""
    refuse_link(path)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ValueError(f"expected at most {LARGEST >> 20} MB: it has {size >> 20} MB")
        return read_regular(path, LARGEST, follow=False)
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None


def refuse_link(path: Path) -> None:
    """Raise ValueError if a foreign file is a link."""
    if path.is_symlink():
        raise ValueError("expected a file: it is a link to elsewhere")


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield non-blank lines and their numbers; raise ValueError if one is too long or not UTF-8."""
    refuse_link(path)
    try:
        with open_regular(path, LARGEST_TABLE, follow=False) as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise ValueError(
                        f"line {number}: expected at most {LONGEST_LINE >> 20} MB a line"
                    )
                text = decode_text(line)
                if text.strip():
                    yield number, text
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None


def decode_text(content: bytes) -> str:
    """Return UTF-8 bytes as text, without a byte order mark."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("expected text in UTF-8") from None


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; raise ValueError if it is invalid or too deep, or if a number is invalid."""
    words = decode_text(text) if isinstance(text, bytes) else text
    value = read_json(words)
    refuse_depth(value, DEEPEST)
    return plain(value)


def parse_object(text: str | bytes) -> Line:
    """Return a JSON object; raise ValueError for any other text."""
    value = parse_json(text)
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object: got {excerpt(value)}")
    return value


def plain(value: Any) -> Any:
    """Return encodable JSON data, with huge ints as text; raise ValueError for huge floats."""
    if isinstance(value, str):
        return encodable_text(value)
    if isinstance(value, int | float):
        if math.isfinite(value) and abs(value) <= GREATEST:
            return value
        if isinstance(value, int):
            return str(value)
        raise ValueError(f"expected numbers up to {GREATEST:.0e}")
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {encodable_text(key): plain(part) for key, part in value.items()}
    return value


def encodable_text(text: str) -> str:
    """Return text in which lone surrogates, which cannot be encoded, are question marks."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()


def foreign_name(value: Any, what: str) -> str:
    """Return a name as one line; raise ValueError if it is missing or too long."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"expected {what}: got {excerpt(value)}")
    name = one_line(str(value))
    if not name or len(name) > LONGEST_NAME:
        raise ValueError(f"expected {what} of 1 to {LONGEST_NAME} characters: got {excerpt(value)}")
    return name


def foreign_number(value: Any, what: str) -> float:
    """Return a finite number, which may be in quotes; raise ValueError for anything else."""
    number = math.nan
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):
            number = float(value)
    if not abs(number) <= GREATEST:
        raise ValueError(f"expected {what} to be a number: got {excerpt(value)}")
    return number


def foreign_place(value: Any, what: str) -> int | None:
    """Return a place, counted from 1, or None if it is unknown."""
    if value is None:
        return None
    place = foreign_number(value, what)
    if not place.is_integer() or not 1 <= place <= MOST_SEATS:
        raise ValueError(f"expected {what} to be a place from 1: got {excerpt(value)}")
    return int(place)


def excerpt(value: Any) -> str:
    """Return a foreign value in a short form that a message can quote."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return f"a mapping of {len(value)}"
    return f"{value!r:.60}"


def others_in(line: Mapping[str, Any], known: frozenset[str], unknown: Counter[str]) -> Line:
    """Return those fields of a line that are not in `known`, and count them in `unknown`."""
    others = {key: value for key, value in line.items() if key not in known}
    unknown.update(key[:LONGEST_NAME] for key in others)
    return others


def mapping_in(line: Any, key: str) -> Line:
    """Return the mapping under `key`, or {} if there is none."""
    value = line.get(key) if isinstance(line, dict) else None
    return value if isinstance(value, dict) else {}
