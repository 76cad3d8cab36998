"""Commands as they are shown: plain text that can be pasted, and then does what it says."""

import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import IO

INDENT = "  "
# A name and what stands behind it, from which its meaning goes on in further lines.
NAMED = re.compile(r"\s*\S.*?\s{2,}(?=\S)")
COMMAND = "uv run"
# Of games that can go on so many are named; the others are in the list.
MOST_RESUMED = 5


def join_words(words: Iterable[str]) -> str:
    r"""Return words as one line of a shell, which reads them back as they are.

    What cannot be printed, such as a tab, is written as bash and zsh read it.

    >>> print(join_words(["--phases", "", "--topic", "it's [bold]", "a\tb"]))
    --phases '' --topic 'it'"'"'s [bold]' $'a\tb'
    """
    return " ".join(map(_quote, words))


def _quote(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    escaped = word.replace("'", "\0").encode("unicode_escape").decode()
    return "$'{}'".format(escaped.replace("\\x00", "\\'"))


def show_commands(heading: str, commands: Sequence[str], stream: IO[str]) -> None:
    """Print commands below a heading, a line each, exactly as they are."""
    lines = [f"{INDENT}uv run {command}" for command in commands]
    print("\n".join([heading, *lines]), file=stream, flush=True)


def show_resumable(heading: str, names: Sequence[str], where: str) -> None:
    """Print on stderr how the first of some unfinished games go on, and where the others are."""
    named = names[:MOST_RESUMED]
    show_commands(heading, [f"example.py --resume {name}{where}" for name in named], sys.stderr)
    more = len(names) - len(named)
    if more > 0:
        rest = f"and so on, {more} more, by the names in"
        show_commands(rest, [f"logs.py --list{where}"], sys.stderr)


def fit_to_terminal(text: str) -> str:
    """Return text in lines that the terminal has room for; as it is where it goes elsewhere."""
    if not (sys.stdout.isatty() or "COLUMNS" in os.environ):
        return text
    width = shutil.get_terminal_size().columns
    return "".join(f"{fit_line(line, width)}\n" for line in text.splitlines())


def fit_line(line: str, width: int) -> str:
    """Return a line broken between words, the rest below what a name means; commands stay whole.

    >>> print(fit_line("  silent   Never speak at all.", 22))
      silent   Never speak
               at all.
    """
    if COMMAND in line or len(line) <= width:
        return line
    named = NAMED.match(line)
    indent = named.end() if named else len(line) - len(line.lstrip())
    return textwrap.fill(
        line,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
