"""What the commands share: errors as one sentence, and the options that name where logs are.

It imports nothing slow, so that `--help` and a typing error are answered at once.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

LOGS = Path("logs")


class Parser(argparse.ArgumentParser):
    """A command line that leaves it to its command to say what is wrong, by a ValueError of one sentence."""

    def __init__(self, prog: str, description: str | None, epilog: str = "", *, add_help: bool = True) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            add_help=add_help,
        )

    def error(self, message: str) -> NoReturn:
        """Raise ValueError."""
        raise ValueError(f"{message}; see uv run {self.prog} --help")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the options; ValueError names the nearest right one for an option that does not exist."""
        options, unknown = self.parse_known_args(words)
        if unknown:
            from nearest import did_you_mean

            word = unknown[0].partition("=")[0]
            if not word.startswith("-"):
                raise ValueError(f"expected an option: got {word!r}; see uv run {self.prog} --help")
            near = did_you_mean(word, [flag for action in self._actions for flag in action.option_strings])
            raise ValueError(f"unknown option {word!r}:{near} see uv run {self.prog} --help")
        return options


def elsewhere(folder: Path | None) -> str:
    """Return the option that names `folder`, nothing if it is the usual one."""
    return "" if folder in (None, LOGS) else f" --logs-dir {folder}"
