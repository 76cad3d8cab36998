"""`logs.py --batch NAME`: the table of many games, made again from their logs."""

from argparse import Namespace
from collections.abc import Sequence

from engine.cli.parser import logs_dir_option
from engine.history import History
from engine.runs.batch_files import BatchFiles, batch_name, read_plan, read_results
from engine.runs.results import GameResult
from engine.runs.summary import summary_blocks
from engine.views.terminal import Page, Screen

UNFINISHED = {"interrupted", "stopped", "failed"}


def show_batch(options: Namespace) -> str:
    """Read the games of a batch, write its files again and show it; return what to try next.

    ValueError if there is no such batch, or one of its logs cannot be read.
    """
    name = batch_name(options.batch)
    plan = read_plan(options.logs_dir, name)
    results, history = read_results(options.logs_dir, plan)
    files = BatchFiles(
        name,
        options.logs_dir,
        rotations=plan.rotations,
        include_void=options.include_void or plan.include_void,
    )
    files.write(results)
    screen = Screen(stderr=options.json)
    page = Page(screen, history or History("", 0, name, 0, {}))
    for block in summary_blocks(files.summarise(results), history):
        page.show(block)
    screen.print(f"Table: {files.csv}, and .json", highlight=False, markup=False, soft_wrap=True)
    return next_command(results, logs_dir_option(options.logs_dir))


def next_command(results: Sequence[GameResult], where: str) -> str:
    """Return what to try next: to go on with a game that can, or else the list of all."""
    for result in results:
        if result.status in UNFINISHED:
            return f"example.py --resume {result.game_id}{where}"
    return f"logs.py --list{where}"
