"""Hold a discussion: game theory decides who speaks, with which move, and when it is over."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from dotenv import load_dotenv
from pydantic import ValidationError

from engine.apps.talks.keeper import keep_sessions
from engine.apps.talks.orchestrator import (
    MultiAgentDiscussionOrchestrator,
    ParticipantAgent,
    SimpleOrchestrator,
)
from engine.apps.talks.store import StoreError
from engine.cli.interrupt import at_first_interrupt
from engine.cli.options import add_budgets, configured
from engine.cli.parser import LOGS, Parser, add_settings, elsewhere
from engine.config import GameEngineConfig, gathered, known_settings, read_config
from engine.engine import GameEngine
from engine.games.talks.archetypes import DEPTHS, Gender, Move, PersonalityArchetype
from engine.games.talks.game import TalksGame
from engine.games.talks.state import DialogueMove, Exchange, GroupDiscussionState, ParticipantState
from engine.games.talks.termination import (
    ConversationTerminator,
    DepthManager,
    EndTerms,
    NoveltySensor,
)
from engine.games.talks.theory.choosing import MultiAgentGameTheory
from engine.history import Event, History
from engine.record.journal import JournalError
from engine.runs.seating import read_players
from engine.views.terminal import Page, Screen, safe_text
from player import Console
from protocol.suggest import did_you_mean, explain

__all__ = [
    "ConversationTerminator",
    "DepthManager",
    "DialogueMove",
    "EndTerms",
    "Exchange",
    "Gender",
    "GroupDiscussionState",
    "Move",
    "MultiAgentDiscussionOrchestrator",
    "MultiAgentGameTheory",
    "NoveltySensor",
    "ParticipantAgent",
    "ParticipantState",
    "PersonalityArchetype",
    "SimpleOrchestrator",
]

OK, FAILED, USAGE, STOPPED, INTERRUPTED = 0, 1, 2, 4, 5
CODES = {"finished": OK, "failed": FAILED, "stopped": STOPPED, "running": INTERRUPTED}
COMPANY = 2
EXAMPLES = """examples:
  uv run talks.py "What is love?" --depth 1                     two participants, on the embedded model or your keys'
  uv run talks.py "Ethics of AI" --depth 3 --participants 5     five of the default cast
  uv run talks.py "What is love?" --offline --explain --seed 7  scripts, with every number behind every turn
  uv run talks.py --config configs/academic_panel.yaml          a panel of your own
  uv run talks.py "What is love?" --players ollama:gpt-oss:120b,ollama:gpt-oss:120b
  uv run talks.py "What is love?" --players local,human         you are in it
"""


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
    options = read_options(words)
    engine = GameEngine(config_of(options), console=Console(news=False))
    screen = Screen()
    human = any(player.kind.asks == "person" for player in engine.config.player_configs)
    thinking = not all(player.computed for player in engine.config.player_configs)
    stage = Stage(screen, engine, explaining=options.explain)
    stage.new_talk()
    try:
        calm = at_first_interrupt(None if human else engine.interrupt, screen.print)
        # A person types where the spinner would turn.
        with (
            calm,
            keep_sessions([engine], options.logs_dir),
            screen.status("The participants think ...")
            if thinking and not human
            else nullcontext(),
        ):
            engine.subscribe(stage.event)
            history = engine.run()
    except (JournalError, StoreError) as error:
        return complain(str(error), FAILED)
    except KeyboardInterrupt:
        close(engine.history, screen, options)
        sys.stdout.flush()
        # A person's seat may still wait for a line in its thread, which a normal exit would wait
        # for too.
        os._exit(INTERRUPTED)
    for block in TalksGame.report(history):
        stage.page.show(block)
    return close(history, screen, options)


def read_options(words: Sequence[str]) -> argparse.Namespace:
    """Return the options; ValueError says what is wrong with them."""
    parser = Parser("talks.py", __doc__, EXAMPLES)
    parser.add_argument(
        "question", nargs="?", metavar="TOPIC", help="what is discussed, the same as --topic"
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="a discussion as YAML, such as those in configs/",
    )
    parser.add_argument(
        "--players", metavar="LIST", help="who answers: PROVIDER[:MODEL], scripted:HABIT or human"
    )
    parser.add_argument("--offline", action="store_true", help="scripted participants only")
    parser.add_argument(
        "--seed", type=int, help="fixes every draw (default: a new one, which is printed)"
    )
    parser.add_argument(
        "--explain", action="store_true", help="show every turn's urgencies, payoffs and criteria"
    )
    parser.add_argument(
        "--logs-dir", type=Path, default=LOGS, metavar="DIR", help=f"(default: {LOGS})"
    )
    add_settings(parser.add_argument_group("settings"), TalksGame)
    add_budgets(parser)
    options = parser.read(words)
    if options.question is not None and options.topic is not None:
        raise ValueError(
            f"expected one topic: got {options.question!r} and --topic {options.topic!r}"
        )
    options.topic = options.question if options.topic is None else options.topic
    return options


def config_of(options: argparse.Namespace) -> GameEngineConfig:
    """Return the config that the options ask for, all of it checked."""
    base = {} if options.config is None else read_config(options.config)
    if options.topic is not None and "game" not in base:
        # With the topic at hand, whatever else stands in the file may be a setting of the talk.
        base = gathered(base | {"topic": options.topic})
    for name in base.keys() - GameEngineConfig.model_fields.keys():
        near = did_you_mean(str(name), known_settings()) or " it is no setting of a talk"
        raise ValueError(f"unknown setting {name!r}:{near}")
    game = base.setdefault("game", {"name": TalksGame.name})
    if not isinstance(game, dict) or game.get("name") != TalksGame.name:
        raise ValueError(
            f"expected a config of talks: {options.config} is one for uv run example.py --config"
        )
    if options.topic is None and "topic" not in game:
        raise ValueError('expected a topic, such as uv run talks.py "What is love?"')
    people = game.get("participants")
    if people is None and options.participants is None:
        game["participants"] = company(options.players)
    elif isinstance(people, list) and isinstance(options.participants, int):
        game["participants"] = first_of(people, options.participants)
        options.participants = None
    return configured(options, base, TalksGame, os.environ)


def company(players: str | None) -> int | list[Any]:
    """Return how many of the default cast talk: two, or as many as the players listed; those with names keep them."""
    if players is None:
        return COMPANY
    return [] if "=" in players else len(read_players(players))


def first_of(people: list[Any], count: int) -> list[Any]:
    """Return the first `count` participants of a config; ValueError if it has fewer."""
    if not 2 <= count <= len(people):
        raise ValueError(
            f"expected --participants to be 2 to {len(people)}, as many as the config has: got {count}"
        )
    return people[:count]


class Stage:
    """A discussion, printed turn by turn; with `explaining` the numbers behind each turn too."""

    def __init__(self, screen: Screen, engine: GameEngine, *, explaining: bool) -> None:
        self.screen = screen
        self.engine = engine
        self.explaining = explaining
        self.page = Page(screen, engine.history)
        self.humans = {
            one.player_id for one in engine.config.player_configs if one.kind.asks == "person"
        }
        self.people: dict[str, str] = {
            engine.state.names[one]: str(own.personality)
            for one, own in engine.state.talk.participants.items()
        }

    def new_talk(self) -> None:
        """Print what is discussed, how deep, and by how many."""
        game = self.engine.config.game
        assert isinstance(game, TalksGame)
        self.line("🎭 Talks: Multi-Agent Discussion System", "bold")
        self.line(f"Topic: {game.topic}")
        self.line(f"Depth: {game.depth} ({DEPTHS[game.depth].name})")
        self.line(f"Participants: {len(self.people)}")
        seed = self.engine.config.seed
        self.line(f"Seed: {seed} (the same draws again with --seed {seed})", "dim")

    def event(self, event: Event) -> None:
        """Print what an event tells."""
        for block in TalksGame.explain(event) if self.explaining else ():
            self.page.show(block)
        match event.kind:
            case "setup" if event.player_id in self.humans:
                self.line(f"\n{event.content}", "italic")
            case "utterance":
                self.utterance(event)
            case "fault":
                self.line(
                    f"fault: {event.player_id}: {event.content}; {event.data.get('then', '')}",
                    "red",
                )
            case "stop":
                self.stop(event.data)

    def utterance(self, event: Event) -> None:
        """Print one turn."""
        data = event.data
        self.line(
            f"\n--- Turn {data['turn']}: {data['speaker']} ({self.people[data['speaker']]}) ---",
            "bold",
        )
        self.line(f"Move: {data['move']}{' → ' + data['target'] if data['target'] else ''}", "cyan")
        self.line(event.content + " (the fallback)" * event.fell_back)

    def stop(self, data: dict[str, Any]) -> None:
        """Print why the discussion is over, and what came of it."""
        self.line(f"\n✅ Discussion Complete: {data['sentence']}", "bold green")
        self.line(
            f"📊 Summary: {data['exchanges']} exchanges, {data['aspects']} aspects explored, "
            f"convergence: {data['convergence']:.2f}"
        )

    def line(self, text: str, style: str = "") -> None:
        """Print a line as it is, whatever stands in it; a line end before it is an empty line."""
        if text.startswith("\n"):
            self.screen.print()
        self.screen.print(safe_text(text, style))


def close(history: History, screen: Screen, options: argparse.Namespace) -> int:
    """Say where the log is and what to try next, and return the exit code."""
    name, where = history.game_id, elsewhere(options.logs_dir)
    if history.status != "finished":
        why = f"{history.reason}. " if history.reason else "interrupted; nothing is lost. "
        return complain(
            f"{why}Go on with: uv run example.py --resume {name}{where}", CODES[history.status]
        )
    screen.print()
    screen.print(safe_text(f"Log: {options.logs_dir / name}.json"), soft_wrap=True)
    logs = f"uv run logs.py --filename {name}{where}"
    next_ones = "\n".join(
        f"  {logs} {way}" for way in ("--charts", "--terminal --explain", "--pdf")
    )
    screen.print(safe_text(f"Next:\n{next_ones}"), soft_wrap=True)
    return OK


def complain(sentence: str, code: int = USAGE) -> int:
    """Say what is wrong on stderr and return the exit code."""
    print(f"talks.py: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
