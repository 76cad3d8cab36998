"""The only module that unpacks content (gzip, archive members), within a size limit."""

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from engine.record.files import LARGEST, open_regular

# The largest ratio of unpacked to packed size, and a size that is always allowed: blanks
# can be compressed a thousandfold, but no log can.
MOST_PACKED = 500
SMALL = 1 << 20
PIECE = 1 << 20
# The method number of Zstandard in zip archives, which Python 3.14 reads natively.
ZSTANDARD = 93
# Errors of a damaged member: bzip2 raises OSError; a password-protected one raises RuntimeError.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(NotImplementedError, RuntimeError),
)


def unpack_gzip(content: bytes, largest: int = LARGEST) -> bytes:
    """Return the unpacked `content`; raise ValueError if it is not gzip or is too large."""
    largest = _most_unpacked(len(content), largest)
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as file:
            return _read_within(file, largest)
    except DAMAGED as error:
        raise ValueError(f"expected a gzip file: {error}") from None


@contextmanager
def open_archive(path: Path, largest: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive; raise ValueError for other files, and OSError as in `open_regular`."""
    with open_regular(path, largest, follow=False) as file:
        try:
            archive = zipfile.ZipFile(file)
        except DAMAGED as error:
            raise ValueError(f"expected a zip archive: {error}") from None
        with archive:
            yield archive


def unpack_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, largest: int) -> bytes:
    """Return one file of an archive; raise ValueError if it is damaged or too large."""
    largest = _most_unpacked(entry.compress_size, largest)
    try:
        if entry.compress_type == ZSTANDARD:
            return _unpack_zstandard(archive, entry, largest)
        with archive.open(entry) as file:
            return _read_within(file, largest)
    except DAMAGED as error:
        raise ValueError(f"it cannot be unpacked: {error!s:.200}") from None


def _unpack_zstandard(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, largest: int) -> bytes:
    """Unpack a Zstandard member; `archive` reads its packed bytes as if they were uncompressed."""
    import zstandard

    stored: Any = copy(entry)
    stored.compress_type = zipfile.ZIP_STORED
    stored.file_size = entry.compress_size
    stored.CRC = None
    unpacker = zstandard.ZstdDecompressor()
    try:
        with (
            archive.open(stored) as packed,
            unpacker.stream_reader(packed, read_across_frames=True) as file,
        ):
            content = _read_within(file, largest)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if zlib.crc32(content) != entry.CRC:
        raise zipfile.BadZipFile(f"the checksum of {entry.filename!r:.100} does not match")
    return content


def _most_unpacked(packed: int, largest: int) -> int:
    """Return the largest unpacked size allowed for a number of packed bytes."""
    return min(largest, max(SMALL, MOST_PACKED * packed))


def _read_within(file: IO[bytes] | gzip.GzipFile, largest: int) -> bytes:
    """Return all of `file`; raise ValueError if it is larger than `largest` bytes."""
    content = bytearray()
    while piece := file.read(PIECE):
        content += piece
        if len(content) > largest:
            raise ValueError(
                f"expected at most {largest >> 20} MB unpacked, and at most {MOST_PACKED} times "
                "the packed size"
            )
    return bytes(content)
