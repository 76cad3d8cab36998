"""Run any command of the project; each root script calls `run_command` with its own name.

Commands import slow modules themselves, so that `--help` and usage errors appear at once.
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pkgutil import resolve_name
from typing import NamedTuple, NoReturn

from engine import NAME, is_installed, version
from engine.cli.parser import FACES, HELP, in_own_commands, show_commands

# Modules and histories only grow. At Python's default frequency, garbage collection takes a tenth
# of the time of imports and calls.
RARELY = (50_000, 20, 50)
FINISHING = "\nThe calls under way are finished and saved; Ctrl-C again stops now."


class ExitCode(IntEnum):
    """How a command ended; all commands share these codes."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    STOPPED = 4
    INTERRUPTED = 5


class CommandFailed(Exception):  # noqa: N818 - not an error in the program
    """Raised when a command cannot do its job; the message is a sentence with the next step."""

    def __init__(self, sentence: str, code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(sentence)
        self.code = code


class Command(NamedTuple):
    """A command; `path` names its function in `engine.cli` as "module:name".

    `unread` is the exit code if the output pipe closes (`| head`). `interrupted` is the message
    after Ctrl-C. `overview` is the path of the parser that prints the general help.
    """

    path: str
    unread: ExitCode = ExitCode.DONE
    interrupted: str = "interrupted"
    overview: str = ""


COMMANDS = {
    "example.py": Command(
        "play:play_from", unread=ExitCode.INTERRUPTED, overview="play_parser:overview"
    ),
    "talks.py": Command("talks.discuss:talk_from", unread=ExitCode.INTERRUPTED),
    "logs.py": Command("logs.review:review_from"),
    "serve.py": Command("serve:serve_from"),
    "studies.py": Command(
        "studies:study_from",
        interrupted="interrupted before anything was written; run the same command to start over",
    ),
    "tournament.py": Command(
        "tournament.commands:run_verb",
        unread=ExitCode.INTERRUPTED,
        interrupted="interrupted, but nothing is lost; run the same command to continue",
    ),
    "env_gym.py": Command(
        "train:train_from",
        interrupted="interrupted; the policies of finished seeds are kept, as listed above",
    ),
}

VERSION = Command("main:show_version")


def show_version(_words: Sequence[str]) -> ExitCode:
    """Print the name and the version of the program."""
    print(f"{NAME} {version()}")
    return ExitCode.DONE


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Collect garbage less often inside the block."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@rare_garbage_collection()
def run_command(name: str, argv: Sequence[str] | None = None) -> int:
    """Run the command `name` with the words `argv`, by default this process's arguments.

    Returns the exit code: 0 done, 1 failed, 2 bad input, 4 budget used up, 5 interrupted.
    Expected errors are reported in one sentence on stderr; any other exception is a bug and
    propagates with its traceback.
    """
    words = sys.argv[1:] if argv is None else argv
    command = VERSION if [*words] == ["--version"] else COMMANDS[name]
    try:
        if command.overview and words and HELP.issuperset(words):
            resolve_name(f"engine.cli.{command.overview}")().read(words)
        # This imports the command's module.
        code: ExitCode = resolve_name(f"engine.cli.{command.path}")(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes stdout once more at exit, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return command.unread
    except ValueError as error:
        return complain(name, _sentence_of(error), ExitCode.USAGE)
    except OSError as error:
        return complain(name, f"{error.filename}: {error.strerror}", ExitCode.FAILED)
    except CommandFailed as error:
        return complain(name, str(error), error.code)
    except KeyboardInterrupt:
        return complain(name, command.interrupted, ExitCode.INTERRUPTED)


def complain(name: str, sentence: str, code: ExitCode) -> ExitCode:
    """Print an error of the command `name` to stderr, and return `code`."""
    command = f"{NAME} {FACES[name]}" if is_installed() and name in FACES else name
    message: object = f"{command}: {in_own_commands(sentence)}"
    if not str(message).isprintable():
        # A sentence may quote a file, whose control characters must not reach the terminal.
        from protocol.text import clean

        message = clean(message)
    print(message, file=sys.stderr)
    return code


def suggest_next(*commands: str) -> ExitCode:
    """Print the commands to try next to stderr, after flushing stdout, and return `DONE`."""
    sys.stdout.flush()
    show_commands("Next:", commands, sys.stderr)
    return ExitCode.DONE


def _sentence_of(error: ValueError) -> str:
    """Return the error in one sentence, suggesting the nearest valid setting."""
    # If pydantic was never imported, it cannot have raised the error.
    if "pydantic" not in sys.modules:
        return str(error)
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    from engine.config import known_settings
    from protocol.suggest import explain

    return explain(error, known_settings())


@contextmanager
def at_first_interrupt(
    finish: Callable[[], None],
    announce: Callable[[str], object],
) -> Iterator[None]:
    """In the main thread, call `finish` and `announce` on the first Ctrl-C.

    The second Ctrl-C raises KeyboardInterrupt.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle_first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        finish()
        try:
            announce(FINISHING)
        except RuntimeError:
            # The signal interrupted a write, during which the stream cannot be used.
            os.write(sys.stderr.fileno(), f"{FINISHING}\n".encode())

    before = signal.signal(signal.SIGINT, handle_first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def end_process(code: int) -> NoReturn:
    """End the process now; a normal exit would wait for the thread that reads a person's input."""
    sys.stdout.flush()
    os._exit(code)
