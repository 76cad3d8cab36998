"""Commands as they are shown: plain text that can be pasted, and then does what it says."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import IO

INDENT = "  "
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
