"""Code that all command lines share. It imports no slow modules, so that `--help` is fast."""

import argparse
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NoReturn

from engine import NAME, is_installed

LOGS = Path("logs")
LONGEST = 300
BUDGETS = "budgets, for all games together: the game stops cleanly and can be resumed"
INDENT = "  "
# How many resumable games are named; `logs.py --list` shows the others.
MOST_RESUMED = 5
# A name and the gap after it; further lines of the name's meaning are indented to the same column.
NAMED = re.compile(r"\s*\S.*?\s{2,}(?=\S)")
COMMAND = "uv run"
# The scripts of a checkout, and the corresponding subcommands of an installed `arena`.
FACES = {
    "example.py": "play",
    "talks.py": "talks",
    "logs.py": "logs",
    "serve.py": "serve",
    "tournament.py": "tournament",
    "studies.py": "studies",
    "env_gym.py": "guest",
}
WRITTEN = re.compile(rf"{COMMAND} ({'|'.join(map(re.escape, FACES))})\b")
EXTRA = re.compile(r"uv sync --extra (\w+)")
HELP = frozenset({"-h", "--help"})


class Parser(argparse.ArgumentParser):
    """An argument parser that raises one-sentence ValueErrors, which `run_command` prints."""

    def __init__(self, prog: str, about: str | None, examples: str = "", **options: Any) -> None:
        super().__init__(
            prog=prog,
            description=about,
            epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **options,
        )

    def add_flag(self, name: str, meaning: str) -> None:
        """Add an option without a value; `meaning` is its help text."""
        self.add_argument(name, action="store_true", help=meaning)

    def add_number(self, name: str, meaning: str, default: int | None = None) -> None:
        """Add an option for a whole number N; its help is `meaning` and any default."""
        self.add_value(name, "N", meaning, int, default)

    def add_value(
        self, name: str, unit: str, meaning: str, kind: type = str, default: object = None
    ) -> None:
        """Add an option for a value of the type `kind`, called `unit` in the help."""
        shown = meaning if default is None else f"{meaning} (default: {default})"
        self.add_argument(name, type=kind, default=default, metavar=unit, help=shown)

    def format_help(self) -> str:
        """Return the help, wrapped to fit the terminal."""
        return fit_to_terminal(in_own_commands(super().format_help()))

    def error(self, message: str) -> NoReturn:
        """Raise ValueError with `message`, shortened if it is long."""
        shown = message if len(message) <= LONGEST else f"{message[:LONGEST]} ..."
        raise ValueError(f"{shown}; {self._see_help}")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the options; for an unknown one, raise a ValueError that suggests the nearest."""
        # An option may appear between the words of one list.
        options, unknown = self.parse_known_intermixed_args(words)
        if not unknown:
            return options
        word = unknown[0].partition("=")[0]
        if not word.startswith("-"):
            raise ValueError(f"expected an option: got {word!r}; {self._see_help}")
        from protocol.suggest import did_you_mean

        near = did_you_mean(word, self._option_string_actions)
        raise ValueError(f"unknown option {word!r}:{near} {self._see_help}")

    def read_known(self, words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
        """Return the options that this parser knows, and all other words except `--help`."""
        return self.parse_known_args([word for word in words if word not in HELP])

    @property
    def _see_help(self) -> str:
        return f"see uv run {self.prog} --help"


def add_logs_dir(parser: Parser, what: str) -> None:
    """Add the option for the logs folder; `what` is its help text."""
    parser.add_value("--logs-dir", "DIR", what, Path, LOGS)


def flag_of(name: str) -> str:
    """Return the command-line option for a setting.

    >>> flag_of("bank_size")
    '--bank-size'
    """
    return f"--{name.replace('_', '-')}"


def given_values(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of the options that were given, by name."""
    values = {name: getattr(options, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def words_given(options: argparse.Namespace, *names: str) -> list[str]:
    """Return the options in `names` that were set, as command-line words."""
    words = []
    for name in names:
        value = getattr(options, name)
        if value is True:
            words.append(flag_of(name))
        elif value is not None and value is not False:
            for each in value if isinstance(value, list) else [value]:
                words += [flag_of(name), str(each)]
    return words


def add_plain(parser: Parser) -> None:
    """Add the option that hides the live status at the foot of the screen."""
    parser.add_flag(
        "--plain", "print line by line, as into a file, without the live status of a talk"
    )


def add_budgets(parser: Parser, heading: str = BUDGETS) -> None:
    """Add the options that limit spending, in a group called `heading`."""
    group = parser.add_argument_group(heading)
    group.add_argument(
        "--max-cost", type=float, metavar="DOLLARS", help="maximum cost of all calls, in dollars"
    )
    group.add_argument("--max-tokens", type=int, metavar="N", help="maximum tokens for all calls")
    group.add_argument("--max-calls", type=int, metavar="N", help="maximum number of model calls")
    group.add_argument(
        "--max-time", type=float, metavar="SECONDS", help="maximum duration of this run, in seconds"
    )


def add_listing(parser: Parser, heading: str, meanings: Mapping[str, str]) -> None:
    """Add the name and meaning of each choice to the help of `parser`."""
    width = max(map(len, meanings), default=0) + 2
    lines = [f"{name:{width}}{meaning}".rstrip() for name, meaning in meanings.items()]
    parser.add_argument_group(heading, "\n".join(lines))


def meanings_of(choices: Mapping[str, object]) -> dict[str, str]:
    """Return the meaning of each choice: the first line of its docstring."""
    return {name: (choice.__doc__ or "").partition("\n")[0] for name, choice in choices.items()}


def lone_words(words: Iterable[str], switches: Collection[str] = ()) -> list[str]:
    """Return the words that are neither options nor values of options.

    The word after an option counts as its value, unless the option is one of the `switches`.

    >>> lone_words(["--length", "3", "guest", "--bank-size=4", "ranks"])
    ['guest', 'ranks']
    >>> lone_words(["--voice", "guest"], switches={"--voice"})
    ['guest']
    """
    lone = []
    for before, word in pairwise(["", *words]):
        may_be_value = before.startswith("--") and "=" not in before and before not in switches
        if not word.startswith("-") and not may_be_value:
            lone.append(word)
    return lone


def logs_dir_option(folder: Path | None) -> str:
    """Return the option for the logs `folder`, with a leading space; "" for the default folder."""
    if folder in (None, LOGS):
        return ""
    named = str(folder)
    # After a space, such a name would be read as another option.
    between = "=" if named.startswith("-") else " "
    return f" --logs-dir{between}{join_words([named])}"


def fit_to_terminal(text: str) -> str:
    """Return text wrapped to fit the terminal, or unchanged if the output is not a terminal."""
    if not (sys.stdout.isatty() or "COLUMNS" in os.environ):
        return text
    width = shutil.get_terminal_size().columns
    return "".join(f"{fit_line(line, width)}\n" for line in text.splitlines())


def fit_line(line: str, width: int) -> str:
    """Return a line wrapped between words, with later lines indented; a command is not wrapped.

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


def join_words(words: Iterable[str]) -> str:
    r"""Return words as one shell command line, quoted so that a shell restores them unchanged.

    Unprintable characters, such as a tab, are written in a form that bash and zsh read.

    >>> print(join_words(["--phases", "", "--topic", "it's [bold]", "a\tb"]))
    --phases '' --topic 'it'"'"'s [bold]' $'a\tb'
    """
    return " ".join(map(_quote, words))


def _quote(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    escaped = word.replace("'", "\0").encode("unicode_escape").decode()
    return "$'{}'".format(escaped.replace("\\x00", "\\'"))


def words_without(option: str, words: Iterable[str]) -> list[str]:
    """Return command-line words without an option and its value.

    >>> words_without("--seed", ["guest", "--seed", "3", "--seed=4", "--offline"])
    ['guest', '--offline']
    """
    kept = []
    for before, word in pairwise(["", *words]):
        if option not in (before, word) and not word.startswith(f"{option}="):
            kept.append(word)
    return kept


def show_commands(heading: str, commands: Sequence[str], stream: IO[str]) -> None:
    """Print commands below a heading, one per line, unchanged."""
    lines = [f"{INDENT}{shown_command(command)}" for command in commands]
    print("\n".join([heading, *lines]), file=stream, flush=True)


def shown_command(command: str) -> str:
    """Return a command as the user must type it, which differs between a checkout and an install.

    >>> shown_command("logs.py --list")
    'uv run logs.py --list'
    """
    if not is_installed():
        return f"{COMMAND} {command}"
    script, _, rest = command.partition(" ")
    return f"{NAME} {FACES[script]} {rest}".rstrip()


def in_own_commands(text: str) -> str:
    """Return `text`; in an installed package, replace checkout commands with the package's own.

    >>> in_own_commands("play one with uv run example.py")
    'play one with uv run example.py'
    """
    if not is_installed():
        return text
    text = EXTRA.sub(r"the extra \1 of this package", text)
    return WRITTEN.sub(lambda match: shown_command(match[1]), text)


def show_resumable(heading: str, names: Sequence[str], where: str) -> None:
    """Print to stderr how to resume the first unfinished games, and how to list the rest."""
    named = names[:MOST_RESUMED]
    show_commands(heading, [f"example.py --resume {name}{where}" for name in named], sys.stderr)
    more = len(names) - len(named)
    if more > 0:
        rest = f"and so on, {more} more, by the names in"
        show_commands(rest, [f"logs.py --list{where}"], sys.stderr)
