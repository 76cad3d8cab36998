"""What the commands share: errors as one sentence, options made of a model's fields, and where logs are.

It imports nothing slow, so that `--help` and a typing error are answered at once.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from pydantic import BaseModel

LOGS = Path("logs")
USUAL = 60


class Parser(argparse.ArgumentParser):
    """A command line that leaves it to its command to say what is wrong, by a ValueError of one sentence."""

    def __init__(
        self, prog: str, description: str | None, epilog: str = "", *, add_help: bool = True
    ) -> None:
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
            from protocol.suggest import did_you_mean

            word = unknown[0].partition("=")[0]
            if not word.startswith("-"):
                raise ValueError(f"expected an option: got {word!r}; see uv run {self.prog} --help")
            near = did_you_mean(
                word, [flag for action in self._actions for flag in action.option_strings]
            )
            raise ValueError(f"unknown option {word!r}:{near} see uv run {self.prog} --help")
        return options


def add_settings(parser: Any, model: "type[BaseModel]") -> None:
    """Add one option for each field of `model` that has a description and that `parser` does not have yet."""
    for name, field in model.model_fields.items():
        if flag_of(name) in parser._option_string_actions or field.description is None:
            continue
        if field.annotation is bool:
            parser.add_argument(
                flag_of(name),
                action=argparse.BooleanOptionalAction,
                default=None,
                help=field.description,
            )
        else:
            usual = shorten(
                str(field.get_default(call_default_factory=True)), USUAL, placeholder=" ..."
            )
            told = f"{field.description} ({usual})".replace("%", "%%")
            # What is a text stays one: "AI: friend or foe?" is no mapping.
            kind = str if field.annotation is str else setting
            parser.add_argument(flag_of(name), type=kind, metavar="VALUE", help=told)


def flag_of(name: str) -> str:
    """Return the option of a setting."""
    return f"--{name.replace('_', '-')}"


def setting(text: str) -> Any:
    """Return the value that a word on the command line stands for: a number, a list, or itself."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def elsewhere(folder: Path | None) -> str:
    """Return the option that names `folder`, nothing if it is the usual one."""
    return "" if folder in (None, LOGS) else f" --logs-dir {folder}"
