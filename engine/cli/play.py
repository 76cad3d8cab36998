"""`example.py`: play a new game, a batch of games, or a game from the logs, in the terminal."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from dotenv import load_dotenv

from engine.cli.batch import build_batch, play_batch
from engine.cli.init_game import init_game
from engine.cli.main import CommandFailed, ExitCode, at_first_interrupt, end_process
from engine.cli.options import Request, build_config, read_request
from engine.cli.parser import (
    LOGS,
    flag_of,
    given_values,
    in_own_commands,
    join_words,
    logs_dir_option,
    show_commands,
    words_without,
)
from engine.cli.play_parser import PROGRAM
from engine.cli.resume import how_to_resume, left_journal, refuse_void, words_needed
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import Event
from engine.record.journal import JournalError
from engine.runs.dry_run import show_bounds
from engine.runs.probe import show_probes
from engine.runs.replay import Replay, finished_log, fork, unfinished_journal
from engine.runs.seating import read_players
from engine.runs.talks.keeper import keep_sessions
from engine.runs.talks.store import StoreError
from engine.spending.budget import BUDGETS
from engine.views.foot import Foot, WaitingLine, last_line
from engine.views.jsonl import event_line, result_line
from engine.views.perspective import EVERYTHING, Shown, history_in, without_debriefs
from engine.views.screen import Screen
from engine.views.terminal import Live
from player import Console

ENDINGS = {"failed": ExitCode.FAILED, "stopped": ExitCode.STOPPED}


def play_from(words: Sequence[str]) -> ExitCode:
    """Play or examine the games that `words` request; raise ValueError if the words are invalid."""
    load_dotenv(Path(".env"))
    request = read_request(words)
    options = request.options
    if options.list_games:
        return list_variants(request)
    if options.init_game is not None:
        init_game(options.init_game, options.players)
        return ExitCode.DONE
    if options.dry_run:
        show_bounds(build_config(request), Screen(), options.games or 1)
        return ExitCode.DONE
    if options.check:
        return check_clients(build_config(request), words, options)
    if options.games is not None:
        return play_batch(build_batch(build_config(request), options), options)
    return _play_request(request, words)


def _play_request(request: Request, words: Sequence[str]) -> ExitCode:
    options = request.options
    foot = Foot(Screen(stderr=options.json))
    engine = build_engine(request, _console_of(foot, options))
    if not (options.plain or options.json):
        game, history = engine.config.game, engine.history
        view = person_at(engine) or EVERYTHING
        foot.look = lambda: game.glance(history_in(history, view))
    return play_one(engine, foot, words, options)


def _console_of(foot: Foot, options: Namespace) -> Console:
    if options.json:
        # stdout is only for events, so the person is asked on stderr.
        return Console(ask_on_stderr, partial(print, file=sys.stderr))
    # The live view already shows everything a person here may see.
    return Console(foot.read, foot.write, news=False)


def list_variants(request: Request) -> ExitCode:
    """List the games in the requested library, or in all libraries with a note on missing ones."""
    asked = request.options.word
    games = [request.game] if asked else [*GAMES.values()]
    listed = [game for game in games if game.variant]
    missing = {} if asked else GAMES.missing
    if not (listed or missing):
        raise ValueError(
            "expected a game with a library of games, such as uv run --extra openspiel example.py "
            f"openspiel --list-games: got {asked}"
        )
    screen = Screen()
    for game in listed:
        screen.show(game.variants())
    for name, extra in missing.items():
        print(in_own_commands(f"{name} is not installed: uv sync --extra {extra}"))
    sys.stdout.flush()
    return ExitCode.DONE


def check_clients(config: GameEngineConfig, words: Sequence[str], options: Namespace) -> ExitCode:
    """Send each client one test request; return 2 if any is refused, or 1 for other faults."""
    screen = Screen(stderr=options.json)
    states = {probe.state for probe in show_probes(config, screen, Screen(stderr=True))}
    command = join_words([PROGRAM, *(word for word in words if word != "--check")])
    if states <= {"answers", "no schema"}:
        show_commands("Next:", [command], screen.file)
        return ExitCode.DONE
    show_commands("Once that is fixed:", [f"{command} --check"], screen.file)
    return ExitCode.USAGE if "refused" in states else ExitCode.FAILED


def build_engine(request: Request, console: Console) -> GameEngine:
    """Return the engine of the requested game; raise ValueError if the request is invalid."""
    options = request.options
    folder = options.logs_dir or LOGS
    if options.replay is not None:
        _refuse_changes_of(request)
        return Replay(finished_log(folder, options.replay), console=console)
    if options.fork is not None:
        _refuse_changes_of(request)
        return build_fork(options, folder, console)
    config = build_config(request)
    if options.resume is None:
        return GameEngine(config, console=console)
    return GameEngine.resume(
        unfinished_journal(folder, options.resume),
        config,
        allow_changed=options.allow_changed,
        console=console,
    )


def _refuse_changes_of(request: Request) -> None:
    given = given_values(request.options, ("config", "seed", *request.game.model_fields))
    if given:
        raise ValueError(f"{flag_of(next(iter(given)))} cannot change a finished game")


def build_fork(options: Namespace, folder: Path, console: Console) -> GameEngine:
    """Return an engine that continues a logged game with other players."""
    if options.at is None or options.players is None:
        raise ValueError(
            "expected --at EVENT and --players LIST with --fork: the event to continue from, and "
            "the players"
        )
    return fork(
        finished_log(folder, options.fork),
        options.at,
        read_players(options.players),
        folder,
        budgets=given_values(options, BUDGETS),
        console=console,
    )


def play_one(engine: GameEngine, foot: Foot, words: Sequence[str], options: Namespace) -> ExitCode:
    """Play a game, show it live, and print the next command to try."""
    screen, history = foot.console, engine.history
    person = person_at(engine)
    game = type(engine.config.game)
    live = Live(screen, history, as_player=person, kept=game.watched, game=game)
    seed = engine.config.seed
    if person is None:
        print_seed(screen, seed)
    try:
        store_fault = _run_complete(engine, live, foot, options)
    except KeyboardInterrupt:
        end_process(report_interrupt(engine, screen, words, options))
    if history.status == "running":
        code = report_interrupt(engine, screen, words, options)
        if person:
            end_process(code)
        return code
    show_result(engine, live, options)
    if history.status in ENDINGS:
        raise CommandFailed(why_unfinished(engine, words, options), ENDINGS[history.status])
    if options.logs_dir is not None:
        path = options.logs_dir / f"{history.game_id}.json"
        if person:
            print_seed(screen, seed)
        screen.print(f"Log: {path}", highlight=False, soft_wrap=True)
    show_commands("Next:", [*next_commands(engine, words, options)], screen.file)
    if store_fault:
        # The game is complete; only its session could not be saved.
        raise CommandFailed(store_fault)
    refuse_void(history, options.logs_dir)
    return ExitCode.DONE


def print_seed(screen: Screen, seed: int) -> None:
    """Print how to repeat a game's random draws."""
    screen.print(f"seed {seed} (repeat it with --seed {seed})", highlight=False)


def show_result(engine: GameEngine, live: Live, options: Namespace) -> None:
    """Show a game's result; with --json, also print it as the last line on stdout."""
    history = engine.history
    if options.json and history.status in {"finished", "stopped"}:
        print(result_line(history), flush=True)
    person = person_at(engine)
    seen = history if person is None else without_debriefs(history, person)
    live.closing(Shown(game=type(engine.config.game)).report_of(seen))


def _run_complete(engine: GameEngine, live: Live, foot: Foot, options: Namespace) -> str:
    """Play a game; return "", or why the session of a complete game could not be saved."""
    try:
        run_shown(engine, live, foot, options)
    except (JournalError, StoreError) as error:
        if isinstance(error, JournalError) or engine.history.status == "running":
            raise CommandFailed(str(error)) from None
        return str(error)
    return ""


def run_shown(engine: GameEngine, live: Live, foot: Foot, options: Namespace) -> None:
    """Play a game and show each event as it is written."""
    models = [player.player_id for player in engine.config.player_configs if not player.computed]
    usual = f"{' and '.join(models) or 'The scripts'} think ..."
    say = partial(foot.console.print, highlight=False, markup=False)

    def show_event(event: Event) -> None:
        with foot.below():
            if options.json:
                print(event_line(event), flush=True)
            else:
                live.event(event)
        line.show_round(len(engine.history.rounds))

    # A replay's session was already saved when the game was played.
    engines = [] if options.replay else [engine]
    with (
        at_first_interrupt(engine.interrupt, foot.console.print),
        live,
        keep_sessions(engines, options.logs_dir),
        # A person types where the spinner would appear.
        last_line(foot, usual, spins=person_at(engine) is None) as status,
        WaitingLine(engine.waits, usual, status, say) as line,
    ):
        engine.subscribe(show_event)
        engine.run()


def person_at(engine: GameEngine) -> str | None:
    """Return the id of the person at this terminal, or None if there is none."""
    seats = engine.config.player_configs
    return next((seat.player_id for seat in seats if seat.kind.asks == "person"), None)


def report_interrupt(
    engine: GameEngine, screen: Screen, words: Sequence[str], options: Namespace
) -> ExitCode:
    """Print how to resume an interrupted game."""
    how = how_to_resume(engine.history, options.logs_dir, words_needed(words, engine.config))
    print(f"\nInterrupted, but nothing is lost. {how}", file=screen.file, flush=True)
    return ExitCode.INTERRUPTED


def why_unfinished(engine: GameEngine, words: Sequence[str], options: Namespace) -> str:
    """Return why a game stopped or failed, and how to resume it.

    The suggested command doubles the budgets of a game that was stopped.
    """
    history = engine.history
    how = how_to_resume(history, options.logs_dir, words_needed(words, engine.config))
    sentence = f"{history.reason}. {how}"
    if history.status == "stopped" and left_journal(history, options.logs_dir):
        for name, value in engine.config.limits.budgets.items():
            sentence += f" {flag_of(name)} {2 * value or 1:.12g}"
    return sentence


def next_commands(engine: GameEngine, words: Sequence[str], options: Namespace) -> Iterator[str]:
    """Yield the commands to try after a game: show its log, and play again with the next seed."""
    where = logs_dir_option(options.logs_dir)
    is_new = engine.config.game_id is None
    if options.logs_dir is not None:
        log = f"logs.py --filename {engine.history.game_id}{where}"
        yield f"{log} --terminal --include-prompts"
        yield f"{log} --pdf"
        if not is_new:
            yield f"logs.py --list{where}"
    if is_new:
        again = [PROGRAM, *words_without("--seed", words), "--seed", str(engine.config.seed + 1)]
        yield join_words(again)


def ask_on_stderr(question: str) -> str:
    """Print `question` to stderr and return the typed line; raise EOFError at the end of input."""
    print(question, end="", file=sys.stderr, flush=True)
    # `sys.stdin` is None if the process was started with stdin closed.
    line = sys.stdin.readline() if sys.stdin else ""
    if not line:
        raise EOFError
    return line.rstrip("\n")
