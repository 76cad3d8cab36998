"""Journals of games that break off."""

from collections.abc import Sequence
from pathlib import Path


def broken_off(folder: Path, lines: Sequence[bytes], torn: bytes = b"") -> Path:
    """Write a journal of these lines, and perhaps a torn one, into a new folder; return its path.

    The folder is named after the number of lines.
    """
    path = folder / str(len(lines)) / "game.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(lines) + torn)
    return path
