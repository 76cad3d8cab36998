"""What may lie in a folder of logs and is no file; each is made at a path."""

import os
from collections.abc import Callable
from pathlib import Path

ODD: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "circle": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("gone"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "folder": Path.mkdir,
}
