"""Zip archives packed in any way, Zstandard too, as Inspect writes them."""

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import zstandard

from engine.record.archives import ZSTANDARD


def write_zip(path: Path, members: Mapping[str, bytes], kind: int = ZSTANDARD) -> Path:
    """Write an archive. Python 3.11 packs no Zstandard, so that is stored and named afterwards."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED if kind == ZSTANDARD else kind) as archive:
        for name, content in members.items():
            if kind != ZSTANDARD:
                archive.writestr(name, content)
                continue
            archive.writestr(name, zstandard.compress(content))
            entry = archive.getinfo(name)
            entry.compress_type = ZSTANDARD
            entry.file_size = len(content)
            entry.CRC = zlib.crc32(content)
    return path
