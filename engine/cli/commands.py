"""Commands as they are shown: plain text that can be pasted, and then does what it says."""

import shlex
from collections.abc import Iterable, Sequence
from typing import IO

INDENT = "  "


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
