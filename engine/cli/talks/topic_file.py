"""A topic from a file or a pipe: read once, so that the log has its words."""

import os
import sys
from pathlib import Path

from engine.games.talks.settings import LONGEST, read_topic
from engine.record.files import read_regular

PIPED = "-"
# Far more than a topic of 500 characters needs, whatever the encoding and the line ends.
MOST_BYTES = 20_000


def topic_in(name: str) -> str:
    """Return the topic in a text file on one line, "-" is standard input; ValueError if none."""
    where = "standard input" if name == PIPED else name
    try:
        text = bytes_of(name).decode("utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"expected a file with a topic: there is no {name}") from None
    except UnicodeDecodeError:
        raise ValueError(f"expected {where} to be text in UTF-8: it is not") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"expected {where} to be a file with a topic: {reason}") from None
    try:
        return read_topic(text)
    except ValueError:
        size = len(" ".join(text.split()))
        told = f"{size} characters" if size else "nothing"
        expected = f"expected {where} to hold a topic of 1 to {LONGEST} characters"
        raise ValueError(f"{expected}: got {told}") from None


def bytes_of(name: str) -> bytes:
    """Return what a file or standard input holds; OSError if it cannot be read or is too large."""
    if name == PIPED:
        return sys.stdin.buffer.read(MOST_BYTES)
    path = Path(name)
    if os.path.getsize(path) > MOST_BYTES:
        raise OSError(f"it is larger than {MOST_BYTES} bytes")
    return read_regular(path)
