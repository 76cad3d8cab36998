"""Batches of games: `example.py --games N` plays a batch, and `logs.py --batch` shows its table."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from engine.cli.main import CommandFailed, ExitCode, at_first_interrupt
from engine.cli.parser import logs_dir_option, show_commands, show_resumable
from engine.cli.resume import left_journal
from engine.config import GameEngineConfig
from engine.games import GAMES
from engine.runs.batch import Batch, ShownBatch
from engine.runs.batch_files import BatchFiles, batch_name, read_plan, read_results
from engine.runs.results import GameResult
from engine.runs.rotation import rotation_note, rotations_of, seat_games
from engine.runs.summary import summary_blocks
from engine.runs.talks.keeper import keep_sessions
from engine.runs.talks.store import StoreError
from engine.views.jsonl import result_line
from engine.views.screen import Screen
from engine.views.terminal import Page

UNFINISHED = {"interrupted", "stopped", "failed"}
# The exit code is that of the first status in this table that occurs in the batch.
ENDINGS = {
    "failed": ExitCode.FAILED,
    "waiting": ExitCode.INTERRUPTED,
    "running": ExitCode.INTERRUPTED,
    "interrupted": ExitCode.INTERRUPTED,
    "stopped": ExitCode.STOPPED,
}


def build_batch(config: GameEngineConfig, options: Namespace) -> Batch:
    """Return the checked batch that --games requests; the budgets cover all its games together."""
    alone = config.model_copy(update={"limits": config.limits.without_budgets()})
    configs = seat_games(alone, options.games, rotate=options.rotate)
    return Batch(configs, concurrency=options.concurrency, limits=config.limits)


def play_batch(batch: Batch, options: Namespace) -> ExitCode:
    """Play a batch; show its progress, its results, and how to resume unfinished games."""
    screen = Screen(stderr=options.json)
    rotations = rotations_of(batch.games[0].engine.config) if options.rotate else 1
    files = BatchFiles(batch.name, options.logs_dir, rotations, options.include_void)
    shown = ShownBatch(batch, screen, files)
    report_beginning(shown)
    store_fault = _play_shown(shown, options)
    if options.json:
        for game in batch.games:
            if game.state == "finished" or not store_fault:
                print(result_line(game.history))
    _report_end(shown, options)
    if store_fault or shown.fault:
        raise CommandFailed(store_fault or shown.fault)
    return exit_code_of(shown.results())


def _report_end(shown: ShownBatch, options: Namespace) -> None:
    screen = shown.screen
    shown.show()
    if shown.files.csv is not None and not shown.fault:
        screen.print(f"Table: {shown.files.csv}, and .json", soft_wrap=True)
    show_commands("Next:", commands_after(shown, logs_dir_option(options.logs_dir)), screen.file)
    report_resumable(shown.batch, options)


def _play_shown(shown: ShownBatch, options: Namespace) -> str:
    """Play the games; return "", or the reason why the talks' sessions could not be saved."""
    batch = shown.batch
    engines = [game.engine for game in batch.games]
    try:
        with (
            at_first_interrupt(batch.interrupt, shown.screen.print),
            keep_sessions(engines, options.logs_dir),
        ):
            shown.play()
    except StoreError as error:
        return str(error)
    except KeyboardInterrupt:
        batch.interrupted = True
    return ""


def report_beginning(shown: ShownBatch) -> None:
    """Print the numbers of games and deals, the first seed, and a note on any incomplete deal."""
    seeds = [game.history.seed for game in shown.batch.games]
    rotations = shown.files.rotations
    sentence = _batch_sentence(seeds, rotations)
    note = rotation_note(len(seeds), rotations)
    shown.screen.print(f"{sentence}\n{note}.".removesuffix("\n."), highlight=False, soft_wrap=True)


def _batch_sentence(seeds: Sequence[int], rotations: int) -> str:
    deals = len({*seeds})
    games = "1 game" if len(seeds) == 1 else f"{len(seeds)} games"
    dealt = "1 deal" if deals == 1 else f"{deals} deals"
    sentence = f"{games}: {dealt}"
    if rotations > 1:
        sentence += f", in which the players move round the {rotations} seats"
    return f"{sentence}; seed {seeds[0]} (repeat it with --seed {seeds[0]})"


def commands_after(shown: ShownBatch, where: str) -> list[str]:
    """Return the commands to try next: the game's own, then those for the table and the list."""
    commands = []
    if shown.summary.deals:
        history = shown.batch.games[0].history
        command = GAMES[history.game].batch_command(history)
        commands += [command] * bool(command)
    if shown.files.csv is not None:
        commands.append(f"logs.py --batch {shown.batch.name}{where}")
        commands.append(f"logs.py --list{where}")
    return commands


def report_resumable(batch: Batch, options: Namespace) -> None:
    """Print how to resume the games that left journals, and how to rebuild the table afterwards."""
    unfinished = [game.history for game in batch.games if game.unfinished]
    names = [history.game_id for history in unfinished if left_journal(history, options.logs_dir)]
    if not names:
        return
    where = logs_dir_option(options.logs_dir)
    show_resumable("Continue them one by one with:", names, where)
    heading = "then rebuild the table of all games with:"
    show_commands(heading, [f"logs.py --batch {batch.name}{where}"], sys.stderr)


def exit_code_of(results: Sequence[GameResult]) -> ExitCode:
    """Return the exit code for the worst result; a batch with only void games counts as failed."""
    states = {result.status for result in results}
    for state, code in ENDINGS.items():
        if state in states:
            return code
    if all(result.void for result in results):
        return ExitCode.FAILED
    return ExitCode.DONE


def show_batch(options: Namespace) -> str:
    """Show a batch from its logs, rewrite its files, and return the command to try next."""
    name = batch_name(options.batch)
    plan = read_plan(options.logs_dir, name)
    results, history = read_results(options.logs_dir, plan)
    include_void = options.include_void or plan.include_void
    files = BatchFiles(name, options.logs_dir, plan.rotations, include_void)
    files.write(results)
    screen = Screen(stderr=options.json)
    page = Page(screen, history.players if history else ())
    for block in summary_blocks(files.summarise(results), history):
        page.show(block)
    screen.print(f"Table: {files.csv}, and .json", highlight=False, markup=False, soft_wrap=True)
    where = logs_dir_option(options.logs_dir)
    for result in results:
        if result.status in UNFINISHED:
            return f"example.py --resume {result.game_id}{where}"
    return f"logs.py --list{where}"
