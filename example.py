"""Play any game, live in the terminal: one or many, a new one, an interrupted one, one from the logs once more.

Talks keep their sessions beside the logs, or in Redis at REDIS_URL, as with talks.py.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from dotenv import load_dotenv
from pydantic import ValidationError
from rich.status import Status

from engine.apps.talks.keeper import keep_sessions
from engine.apps.talks.store import StoreError
from engine.cli.interrupt import at_first_interrupt
from engine.cli.options import budgets, configured, read_options
from engine.cli.parser import LOGS, elsewhere
from engine.config import GameEngineConfig, known_settings
from engine.engine import GameEngine
from engine.game import Game
from engine.history import Event, History
from engine.record.journal import JournalError
from engine.runs.batch import Batch, counted_up, play_shown
from engine.runs.dry_run import show_bounds
from engine.runs.probe import show_probes
from engine.runs.replay import Replay, finished_log, fork, unfinished_journal
from engine.runs.seating import neutral, read_players
from engine.spending.budget import Limits
from engine.views.jsonl import event_line, result_line
from engine.views.terminal import Live, Screen
from player import Console
from protocol.suggest import explain

OK, FAILED, USAGE, STOPPED, INTERRUPTED = 0, 1, 2, 4, 5
CODES = {"failed": FAILED, "running": INTERRUPTED, "stopped": STOPPED}


def main(argv: Sequence[str] | None = None) -> int:
    """Do as `argv` says and return the exit code: 0 done, 1 failed, 2 bad input, 4 budget used up, 5 interrupted."""
    load_dotenv(Path(".env"))
    try:
        return run(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:
        # Whoever reads the output (`| head`) has enough; nothing more may be written there, at exit
        # neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except ValidationError as error:
        return complain(explain(error, known_settings()))
    except ValueError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}", FAILED)


def run(words: Sequence[str]) -> int:
    """Do as `words` say and return the exit code; ValueError says in a sentence what is wrong with them."""
    options, base, game = read_options(words, __doc__)
    options.again = without_seed(words)
    if options.dry_run:
        show_bounds(configured(options, base, game, os.environ), Screen(), options.games or 1)
        return OK
    if options.check:
        return check(configured(options, base, game, os.environ), words, options)
    if options.games is not None:
        return play_batch(batch_of(configured(options, base, game, os.environ), options), options)
    return play(seated(options, base, game), options)


def without_seed(words: Sequence[str]) -> str:
    """Return the words of a command line, but for its seed, as they may be typed again."""
    kept = [
        word
        for place, word in enumerate(words)
        if "--seed" not in (word, *words[max(0, place - 1) : place])
    ]
    return shlex.join(word for word in kept if not word.startswith("--seed="))


def check(config: GameEngineConfig, words: Sequence[str], options: argparse.Namespace) -> int:
    """Ask each client once, play nothing, and return the exit code: 2 if a provider refuses what it would be sent."""
    screen = Screen(stderr=options.json)
    states = {probe.state for probe in show_probes(config, screen, Screen(stderr=True))}
    again = shlex.join(["uv", "run", "example.py", *(word for word in words if word != "--check")])
    next_one = (
        f"Next:\n  {again}" if states <= {"answers"} else f"When that is mended:\n  {again} --check"
    )
    screen.print(next_one, highlight=False, soft_wrap=True)
    return USAGE if "refused" in states else FAILED if "failed" in states else OK


def seated(options: argparse.Namespace, base: dict[str, Any], game: type[Game[Any]]) -> GameEngine:
    """Return the engine that the options ask for: everything checked, nobody asked yet."""
    console, folder = seat_console(options), options.logs_dir or LOGS
    fixed = ("config", "seed", *game.model_fields) if options.replay or options.fork else ()
    if changed := [name for name in fixed if getattr(options, name, None) is not None]:
        raise ValueError(f"--{changed[0].replace('_', '-')} cannot change a game that was played")
    if options.replay is not None:
        return Replay(finished_log(folder, options.replay), console=console)
    if options.fork is not None:
        if options.at is None or options.players is None:
            raise ValueError(
                "expected --at EVENT and --players LIST beside --fork: where others go on, and who"
            )
        log, heirs = finished_log(folder, options.fork), read_players(options.players)
        return fork(log, options.at, heirs, folder, budgets=budgets(options), console=console)
    config = configured(options, base, game, os.environ)
    if options.resume is None:
        return GameEngine(config, console=console)
    journal = unfinished_journal(folder, options.resume)
    return GameEngine.resume(journal, config, allow_changed=options.allow_changed, console=console)


def play(engine: GameEngine, options: argparse.Namespace) -> int:
    """Play the game before the watcher's eyes and return the exit code."""
    screen = Screen(stderr=options.json)
    humans = [
        player.player_id for player in engine.config.player_configs if player.kind.asks == "person"
    ]
    live = Live(screen, engine.history, as_player=humans[0] if humans else None)
    screen.print(
        f"seed {engine.config.seed} (the same draws again with --seed {engine.config.seed})",
        highlight=False,
    )
    try:
        calm = at_first_interrupt(None if humans else engine.interrupt, screen.print)
        # A replay is another look at a game, whose session was kept when it was played.
        played = [] if options.replay else [engine]
        kept = keep_sessions(played, options.logs_dir)
        with live, calm, kept, nullcontext() if humans else waiting(engine, screen) as status:
            show = write_line if options.json else live.event
            engine.subscribe(partial(watch, show, status, engine.history))
            history = engine.run()
    except (JournalError, StoreError) as error:
        return complain(str(error), FAILED)
    except KeyboardInterrupt:
        interrupted(engine, screen, options)
        sys.stdout.flush()
        # A person's seat may still wait for a line in its thread, which a normal exit would wait
        # for too.
        os._exit(INTERRUPTED)
    if history.status == "running":
        return interrupted(engine, screen, options)
    return close(engine, live, screen, options)


def interrupted(engine: GameEngine, screen: Screen, options: argparse.Namespace) -> int:
    """Tell how to go on and return the exit code."""
    screen.print(
        f"\nInterrupted; nothing is lost. {go_on(engine.history, options)}", soft_wrap=True
    )
    return INTERRUPTED


def go_on(history: History, options: argparse.Namespace) -> str:
    """Return the sentence that says how an unfinished game goes on."""
    if not left_journal(history, options):
        return "It kept no journal to go on from."
    return f"Go on with: uv run example.py --resume {history.game_id}{elsewhere(options.logs_dir)}"


def left_journal(history: History, options: argparse.Namespace) -> bool:
    """Return whether an unfinished game can go on: it cannot if its folder is full, or nothing is kept."""
    return options.logs_dir is not None and (options.logs_dir / f"{history.game_id}.jsonl").exists()


def batch_of(config: GameEngineConfig, options: argparse.Namespace) -> Batch:
    """Return the games of --games, all checked; the budgets bound them together."""
    alone = config.model_copy(update={"limits": Limits(asks=config.limits.asks)})
    configs = [neutral(one) for one in counted_up(alone, options.games)]
    return Batch(configs, concurrency=options.concurrency, limits=config.limits)


def play_batch(batch: Batch, options: argparse.Namespace) -> int:
    """Play many games before the watcher's eyes and return the exit code."""
    screen = Screen(stderr=options.json)
    try:
        engines = [game.engine for game in batch.games]
        kept = keep_sessions(engines, options.logs_dir)
        with at_first_interrupt(batch.interrupt, screen.print), kept:
            histories = play_shown(batch, screen)
    except StoreError as error:
        return complain(str(error), FAILED)
    except KeyboardInterrupt:
        histories = [game.history for game in batch.games]
    for history in histories if options.json else ():
        print(result_line(history))
    unfinished = [game.history for game in batch.games if game.unfinished]
    if names := [history.game_id for history in unfinished if left_journal(history, options)]:
        where = elsewhere(options.logs_dir)
        print(
            f"Go on, one by one, with: uv run example.py --resume {' or '.join(names)}{where}",
            file=sys.stderr,
        )
    states = {history.status for history in histories}
    return next((code for state, code in CODES.items() if state in states), OK)


def waiting(engine: GameEngine, screen: Screen) -> Status:
    """Return what shows, on a terminal, that models are thinking."""
    models = [player.player_id for player in engine.config.player_configs if not player.computed]
    return screen.status(f"{' and '.join(models) or 'The scripts'} think ...")


def watch(
    show: Callable[[Event], None], status: Status | None, history: History, event: Event
) -> None:
    """Show an event, and how far the game is."""
    show(event)
    if status is not None:
        who = str(status.status).rpartition(": ")[2]
        status.update(f"after round {len(history.rounds)}: {who}")


def close(engine: GameEngine, live: Live, screen: Screen, options: argparse.Namespace) -> int:
    """Show how the game ended and which commands come next."""
    history, name = engine.history, engine.history.game_id
    if options.json and history.status in {"finished", "stopped"}:
        print(result_line(history), flush=True)
    if history.status in {"stopped", "failed"}:
        live.closing(engine.config.game.report(history))
        stopped = history.status == "stopped" and left_journal(history, options)
        limits = engine.config.limits.budgets if stopped else {}
        more = "".join(
            f" --{name.replace('_', '-')} {2 * value:g}" for name, value in limits.items()
        )
        return complain(f"{history.reason}. {go_on(history, options)}{more}", CODES[history.status])
    live.closing(engine.config.game.report(history))
    where = elsewhere(options.logs_dir)
    again = f"example.py {options.again} --seed {history.seed + 1}".replace("  ", " ")
    commands = [] if engine.config.game_id else [again]
    if options.logs_dir is not None:
        screen.print(f"Log: {options.logs_dir / name}.json", highlight=False, soft_wrap=True)
        logs = f"logs.py --filename {name}{where}"
        commands = [
            f"{logs} --terminal --include-prompts",
            f"{logs} --pdf",
            *(commands or [f"logs.py --list{where}"]),
        ]
    next_ones = "\n".join(f"  uv run {command}" for command in commands)
    screen.print(f"Next:\n{next_ones}", highlight=False, soft_wrap=True)
    return OK


def write_line(event: Event) -> None:
    """Write one event as a line of JSON to stdout."""
    print(event_line(event), flush=True)


def seat_console(options: argparse.Namespace) -> Console:
    """Return the terminal of a person's seat; the live view already shows what that person may see.

    With --json stdout is for the events alone, and shows nothing that has a person's eyes.
    """
    if not options.json:
        return Console(news=False)

    def read(asked: str) -> str:
        print(asked, end="", file=sys.stderr, flush=True)
        if not (line := sys.stdin.readline()):
            raise EOFError
        return line.rstrip("\n")

    return Console(read, partial(print, file=sys.stderr))


def complain(sentence: str, code: int = USAGE) -> int:
    """Say what is wrong on stderr and return the exit code."""
    print(f"example.py: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
