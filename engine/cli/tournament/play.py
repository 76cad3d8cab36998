"""`tournament.py play`: begin or resume a tournament."""

import os
import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.main import CommandFailed, ExitCode, at_first_interrupt, suggest_next
from engine.cli.parser import (
    Parser,
    add_budgets,
    add_logs_dir,
    given_values,
    join_words,
    logs_dir_option,
    show_commands,
    words_given,
)

if TYPE_CHECKING:
    from engine.tournaments.run import Machines, PlayOptions, TournamentRun
    from engine.tournaments.settings import TournamentSettings
    from engine.tournaments.standings.standings import Standings

GAMES = "games"
ABOUT = "Start a tournament, or continue it."
EXAMPLES = """examples:
  uv run tournament.py play configs/cups/conversation.yaml --offline   scripts only, no calls
  uv run tournament.py play cup.yaml --max-cost 20      stop when 20 dollars are spent
  uv run tournament.py play cup.yaml --max-cost 30      continue with a larger budget
  uv run tournament.py play cup.yaml --ray auto         on all machines of a Ray cluster
  uv run tournament.py play cup.yaml --shard 3/8        an eighth of the games, on one of 8 machines
Nothing is lost and nothing is paid for twice: after Ctrl-C, a crash or a used-up budget the same
command goes on.
"""
# Ray reads these variables when it is imported. Without them, it would make each node install this
# environment with uv, send usage statistics, and print messages between the lines of the table. The
# driver reports lost work itself.
QUIET = {
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}


def add_play_options(parser: Parser) -> None:
    """Add the options of `play`."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="the tournament as YAML, or a name in configs/cups/"
    )
    parser.add_flag("--offline", "leave out entrants that call a model")
    parser.add_number("--concurrency", "games at a time (default: the file's)")
    parser.add_number(
        "--processes", "number of processes for slow games of scripts (default: one per core)"
    )
    parser.add_value(
        "--shard",
        "i/N",
        "play the games whose numbers are i modulo N, i from 1 to N, with an N-th of the "
        "budgets and rates; all shards share one folder, and rate reads them together",
    )
    parser.add_flag(
        "--allow-changed",
        "continue even if entrants were added or prompts changed since games began",
    )
    parser.add_flag("--replay-lost", "play the games with lost logs again")
    # This is a setting of the file, so giving the option raises an error with a hint.
    parser.add_argument("--games", help=SUPPRESS)
    add_logs_dir(parser, "where the tournament's folder is")
    add_budgets(parser, "budgets of all games together, in place of the file's")
    group = parser.add_argument_group("many machines")
    group.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="play on the nodes of a Ray cluster: auto, HOST:6379, ray://HOST:10001, or local to "
        "start one here; each node has the project, and its own keys",
    )
    group.add_argument(
        "--collect",
        action="store_true",
        help="nodes share no folder: they send their logs here, and keep their journals",
    )


def machines_from(options: Namespace, tell: Callable[[str], object]) -> "Machines | None":
    """Return the machines named in the options; None means this one. `tell` receives messages."""
    if options.ray is None:
        if options.collect:
            raise ValueError(
                "expected --ray ADDRESS with --collect, which collects its nodes' logs"
            )
        return None
    for name in ("shard", "processes"):
        if getattr(options, name) is not None:
            raise ValueError(f"expected either --ray or --{name}: each divides the games")
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        from engine.tournaments.ray_workers import RayTables
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ray":
            raise
        raise ValueError("--ray needs Ray, which is an extra: uv sync --extra cluster") from None
    return RayTables(options.ray, collect=options.collect, tell=tell)


def run_play(options: Namespace) -> ExitCode:
    """Play the tournament that the options describe; raise ValueError for invalid options."""
    from dotenv import load_dotenv

    from engine.tournaments.course.board import TournamentBoard
    from engine.tournaments.run import TournamentRun
    from engine.tournaments.table import check_seats
    from engine.views.screen import Screen

    load_dotenv(Path(".env"))
    screen = Screen(stderr=True)
    settings = settings_from(options)
    # The nodes of a cluster have their own keys.
    check_seats(settings, with_keys=not options.ray)
    board = TournamentBoard(screen)
    folder = options.logs_dir / settings.name
    machines = machines_from(options, board.say)
    how = how_to_play(options)
    tournament = TournamentRun(settings, folder, how, watch=board, machines=machines)
    with at_first_interrupt(tournament.interrupt, screen.print), board:
        play_all(tournament)
    return tell_end(tournament, options)


def settings_from(options: Namespace) -> "TournamentSettings":
    """Return the file's settings, changed by the options; raise ValueError for invalid settings."""
    from engine.spending.budget import BUDGETS
    from engine.tournaments.settings import offline, read_tournament

    if options.games is not None:
        raise ValueError(
            f"unknown option '--games': the file sets the number of games; write games: "
            f"{options.games} into {options.file}"
        )
    settings = read_tournament(options.file)
    if options.offline:
        settings, sentence = offline(settings)
        if sentence:
            print(sentence, file=sys.stderr)
    budgets = settings.budgets.model_dump() | given_values(options, BUDGETS)
    changed = type(settings.budgets).model_validate(budgets)
    return settings.model_copy(update={"budgets": changed})


def how_to_play(options: Namespace) -> "PlayOptions":
    """Return the options for playing a tournament; raise ValueError if any of them is invalid."""
    from engine.runs.processes import MOST_PROCESSES
    from engine.tournaments.course.shard import WHOLE, read_shard
    from engine.tournaments.run import PlayOptions

    if options.concurrency is not None and options.concurrency < 1:
        raise ValueError(f"expected --concurrency to be at least 1: got {options.concurrency}")
    processes = options.processes
    if processes is not None and not 1 <= processes <= MOST_PROCESSES:
        raise ValueError(f"expected --processes to be from 1 to {MOST_PROCESSES}: got {processes}")
    return PlayOptions(
        shard=read_shard(options.shard) if options.shard else WHOLE,
        concurrency=options.concurrency,
        processes=processes,
        allow_changed=options.allow_changed,
        replay_lost=options.replay_lost,
    )


def play_all(tournament: "TournamentRun") -> None:
    """Play a tournament; raise CommandFailed if it cannot be played."""
    from concurrent.futures.process import BrokenProcessPool

    from engine.tournaments.ledger import LedgerTaken
    from engine.tournaments.row_cache import LostLog

    try:
        tournament.run()
    except (LedgerTaken, LostLog, BrokenProcessPool) as error:
        raise CommandFailed(str(error)) from None


def tell_end(tournament: "TournamentRun", options: Namespace) -> ExitCode:
    """Show the tables, print the next commands, and return the exit code."""
    again = [command_again(options)]
    if tournament.interrupted:
        show_commands("Interrupted, but nothing is lost. Continue with:", again, sys.stderr)
        return ExitCode.INTERRUPTED
    standings = None
    if tournament.rows and not options.shard:
        standings = _shown_standings(tournament)
        sys.stdout.flush()
    if tournament.stopped:
        print(f"Stopped: {tournament.stopped}.", file=sys.stderr)
        show_commands("Continue with a larger budget:", again, sys.stderr)
        return ExitCode.STOPPED
    refuse_failures(tournament)
    if standings is not None and not standings.targets:
        raise CommandFailed(standings.sentence)
    stop = tournament.state.stop
    if stop is not None:
        print(f"Enough is known after {stop['games']} games: {stop['reason']}.", file=sys.stderr)
    return suggest_next(*_commands_after_end(tournament, options))


def _shown_standings(tournament: "TournamentRun") -> "Standings | None":
    """Show and return the standings, or print why the games cannot be rated."""
    from engine.cli.tournament.tables import leave_behind

    try:
        return leave_behind(tournament.folder)
    except ValueError as error:
        print(f"Not rated: {error}", file=sys.stderr)
        return None


def _commands_after_end(tournament: "TournamentRun", options: Namespace) -> list[str]:
    where = logs_dir_option(options.logs_dir)
    if options.shard:
        return [f"tournament.py list{where}"]
    name = tournament.settings.name
    return [
        f"tournament.py rate {name} --html{where}",
        f"tournament.py export {name} --to data/{name}{where}",
        f"logs.py --filename {name}_{min(tournament.rows):06} --terminal"
        f"{logs_dir_option(tournament.folder / GAMES)}",
    ]


def refuse_failures(tournament: "TournamentRun") -> None:
    """Raise CommandFailed if games failed or no game can be rated."""
    failed = [done for done in tournament.state.done.values() if done.status == "failed"]
    if tournament.broken or failed:
        games = "1 game" if len(failed) == 1 else f"{len(failed)} games"
        why = tournament.broken or f"{games} failed, such as: {failed[-1].reason}"
        why = why.rstrip(".")
        raise CommandFailed(f"{why}; once that is fixed, run the same command to continue")
    if not tournament.rows or not tournament.results.games:
        raise CommandFailed(
            "no game can be rated, because none has two valid seats; see the faults: "
            f"uv run logs.py --list --logs-dir {tournament.folder / GAMES}"
        )


def command_again(options: Namespace) -> str:
    """Return the command that resumes the tournament."""
    budgets = ("max_cost", "max_tokens", "max_calls", "max_time")
    more = ("offline", "allow_changed", "collect", *budgets, "concurrency", "shard", "ray")
    words = ["tournament.py", "play", str(options.file), *words_given(options, *more)]
    return join_words(words) + logs_dir_option(options.logs_dir)
