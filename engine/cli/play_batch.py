"""`example.py --games N`: many games at once, shown as a table, and how they go on."""

import gc
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from engine.apps.talks.keeper import keep_sessions
from engine.apps.talks.store import StoreError
from engine.cli.interrupt import at_first_interrupt
from engine.cli.main import CommandFailed, ExitCode
from engine.cli.parser import logs_dir_option
from engine.cli.resume import left_journal
from engine.config import GameEngineConfig
from engine.history import History
from engine.runs.batch import Batch, play_shown, vary_seed
from engine.runs.seating import neutral
from engine.views.jsonl import result_line
from engine.views.terminal import Screen

# Histories only grow: looking through them as often as Python does by default takes a tenth of all
# calls' time.
RARELY = (50_000, 20, 50)
# The first of these that a game ended with decides the exit code.
ENDINGS = {
    "failed": ExitCode.FAILED,
    "running": ExitCode.INTERRUPTED,
    "stopped": ExitCode.STOPPED,
}


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Let this process collect garbage less often, and as before in the end."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def build_batch(config: GameEngineConfig, options: Namespace) -> Batch:
    """Return the games of --games, all checked; the budgets bound them together."""
    alone = config.model_copy(update={"limits": config.limits.without_budgets()})
    configs = [neutral(one) for one in vary_seed(alone, options.games)]
    return Batch(configs, concurrency=options.concurrency, limits=config.limits)


def play_batch(batch: Batch, options: Namespace) -> ExitCode:
    """Play many games, show where each is, and say how the unfinished ones go on."""
    screen = Screen(stderr=options.json)
    engines = [game.engine for game in batch.games]
    store_fault = ""
    try:
        with (
            rare_garbage_collection(),
            at_first_interrupt(batch.interrupt, screen.print),
            keep_sessions(engines, options.logs_dir),
        ):
            histories = play_shown(batch, screen)
    except StoreError as error:
        store_fault = str(error)
        histories = [game.history for game in batch.games if game.state == "finished"]
    except KeyboardInterrupt:
        histories = [game.history for game in batch.games]
    if options.json:
        for history in histories:
            print(result_line(history))
    report_resumable(batch, options)
    if store_fault:
        raise CommandFailed(store_fault)
    return exit_code_of(histories)


def report_resumable(batch: Batch, options: Namespace) -> None:
    """Say how the games that left a journal go on."""
    unfinished = [game.history for game in batch.games if game.unfinished]
    names = [history.game_id for history in unfinished if left_journal(history, options.logs_dir)]
    if names:
        where = logs_dir_option(options.logs_dir)
        command = f"uv run example.py --resume {' or '.join(names)}{where}"
        print(f"Go on, one by one, with: {command}", file=sys.stderr)


def exit_code_of(histories: list[History]) -> ExitCode:
    """Return the exit code of many games: that of the worst ending among them."""
    states = {history.status for history in histories}
    for state, code in ENDINGS.items():
        if state in states:
            return code
    return ExitCode.DONE
