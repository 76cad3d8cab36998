"""A terminal for one program: what it wrote, and what a person sees on the screen."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.support.paths import ROOT

# What a test prints.
Capture = pytest.CaptureFixture[str]
# Escapes for the cursor and erasing, for colours and modes, and for the window title.
ESCAPE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\][^\x07]*\x07")


def assert_refused(capsys: Capture, sentence: str, command: str = "") -> None:
    """Check that a command printed nothing but a line on stderr, in which this sentence is."""
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"{command}: " if command else "")
    assert sentence in err


class Sight:
    """The lines that a terminal of `width` columns shows after `written`, with scrolled ones."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines = [""]
        self.row = 0
        self.column = 0

    def write(self, written: str) -> None:
        """Read what a program writes: text, and the few escapes that it uses."""
        at = 0
        for found in ESCAPE.finditer(written):
            self._put(written[at : found.start()])
            self._obey(found[1] or "", found[2] or "")
            at = found.end()
        self._put(written[at:])

    def _obey(self, number: str, order: str) -> None:
        if order == "A":
            self.row = max(0, self.row - int(number or 1))
        elif order == "K":
            self.lines[self.row] = "" if number == "2" else self.lines[self.row][: self.column]
        else:
            assert order in ("m", "h", "l", ""), f"this terminal has no \\x1b[{number}{order}"

    def _put(self, text: str) -> None:
        for letter in text:
            if letter == "\r":
                self.column = 0
            elif letter == "\n":
                self._go_down()
            else:
                self._set(letter)

    def _set(self, letter: str) -> None:
        line = self.lines[self.row].ljust(self.column)
        if cell_len(line[: self.column] + letter) > self.width:
            self._go_down()
            self.column = 0
            line = self.lines[self.row]
        self.lines[self.row] = line[: self.column] + letter + line[self.column + 1 :]
        self.column += 1

    def _go_down(self) -> None:
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")


def run_in_terminal(
    words: Sequence[str],
    folder: Path,
    size: tuple[int, int] = (24, 80),
    more: Mapping[str, str] | None = None,
) -> str:
    """Return what one of our programs writes to a terminal of this size in rows and columns.

    It runs in `folder`; `more` has further environment variables.
    """
    # A parallel test runner may have set the size of another terminal.
    hidden = {"NO_COLOR", "COLUMNS", "LINES"}
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    environ |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)} | dict(more or {})
    script, *rest = words
    child, parent = pty.fork()
    if not child:
        # Set before the program starts, because it draws for the size it finds.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, str(ROOT / script), *rest], environ)
    written = b""
    while True:
        try:
            part = os.read(parent, 65_536)
        except OSError:
            # Linux raises this when the program has closed its end.
            break
        if not part:
            break
        written += part
    os.close(parent)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, written[-2000:]
    return written.decode()
