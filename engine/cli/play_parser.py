"""The argument parser of `example.py`. Printing its general help imports no game."""

from argparse import ArgumentTypeError
from pathlib import Path

from engine.cli.parser import LOGS, Parser, add_budgets, add_listing, add_plain
from engine.games import GAMES
from providers import PROVIDERS

PROGRAM = "example.py"
ABOUT = "Play a game in the terminal: a new game, many at once, or one replayed from the logs."
# The default game, which shows a first result within half a minute.
SHOWN_GAME = "conversation"
SHOWN_LENGTH = 8
MOST_GAMES = 100_000
PLAYERS = (
    "separated by commas: PROVIDER[:MODEL[@ADDRESS]], scripted:STRATEGY, trained:FILE (guest), "
    "human"
)
SEED = "random seed (default: a new one, which is printed)"
EXAMPLES = """examples:
  uv run example.py                                   a model and four scripts converse
  uv run example.py --offline --seed 7                scripts only, the same game every time
  uv run example.py --players openai:gpt-5.4-mini,scripted:greedy,human
  uv run example.py --players ollama:llama3.2,scripted:greedy
  uv run example.py --players compatible:MODEL@http://127.0.0.1:4000/v1,scripted:greedy
  uv run example.py --config configs/small_talk.yaml --length 40
  uv run example.py guest --players openai,scripted:beam
  uv run example.py --offline --json > events.jsonl   every event as a line of JSON
  uv run example.py --offline --games 20 --concurrency 8
before a game costs anything:
  uv run example.py --players anthropic,openai --dry-run       what it costs at most, with no call
  uv run example.py --players anthropic,openai --check         one tiny call each, to test the keys
  uv run example.py --players anthropic,openai --max-cost 0.5  stop when half a dollar is spent
from the logs:
  uv run example.py --resume gameplay_20260101_120000_ab12cd34   continue an interrupted game
  uv run example.py --replay last                                the newest game again, with no call
  uv run example.py --fork gameplay_20260101_120000_ab12cd34 --at 40 --players Ada=scripted:greedy
a game of your own:
  uv run example.py --init-game number_guess --players 2       writes one that plays and is tested
"""


def overview() -> Parser:
    """Return the argument parser for the general help, which lists games but no settings."""
    parser = words_parser(listing=True)
    add_listing(parser, "settings and scripted players", {"example.py GAME --help": "of one game"})
    add_provider_listing(parser)
    return parser


def words_parser(*, listing: bool) -> Parser:
    """Return the parser of the options for any game; with `listing`, its help lists the games."""
    parser = Parser(PROGRAM, ABOUT, EXAMPLES, parents=[shared_options()])
    # Not "game": games with a library have a setting of that name.
    parser.add_argument(
        "word",
        metavar="game",
        nargs="?",
        help=f"{', '.join(GAMES)} (default: {SHOWN_GAME}, of {SHOWN_LENGTH} turns)",
    )
    if listing:
        add_listing(parser, "games", {name: GAMES.about(name) for name in GAMES})
    return parser


def shared_options() -> Parser:
    """Return the parser of the options that all games share."""
    parser = Parser(PROGRAM, ABOUT, add_help=False)
    parser.add_value("--config", "FILE", "a game as YAML, or the name of one in configs/", Path)
    parser.add_value("--players", "LIST", PLAYERS)
    parser.add_number("--seed", SEED)
    parser.add_flag("--offline", "scripted players only")
    parser.add_flag("--json", "events as JSON lines on stdout, everything else on stderr")
    add_plain(parser)
    parser.add_value("--logs-dir", "DIR", f"where logs are stored (default: {LOGS})", Path)
    parser.add_flag("--dry-run", "show the maximum calls, tokens and cost; make no call")
    parser.add_flag("--check", "send each client one short request, and play nothing")
    parser.add_flag("--list-games", "list what games such as openspiel can play")
    parser.add_value(
        "--init-game",
        "NAME",
        "write a new game into this clone, for any number of players or for --players N",
    )
    add_log_options(parser)
    add_batch_options(parser)
    add_budgets(parser)
    return parser


def add_log_options(parser: Parser) -> None:
    """Add the options that start from a game in the logs."""
    parser.add_value("--resume", "NAME", "continue an interrupted game")
    parser.add_flag("--allow-changed", "resume even if settings or prompts changed")
    parser.add_value("--replay", "NAME", "show a finished game again, without any call")
    parser.add_value(
        "--fork", "NAME", "continue from an event of a finished game with other --players"
    )
    parser.add_value("--at", "EVENT", "the last event that --fork keeps, by its index", int)


def add_batch_options(parser: Parser) -> None:
    """Add the options for many games."""
    parser.add_argument(
        "--games",
        type=game_count,
        metavar="N",
        help=f"play N games, at most {MOST_GAMES}; "
        "with P players game k, from 0, is deal k // P in rotation k %% P",
    )
    parser.add_argument(
        "--no-rotate",
        dest="rotate",
        action="store_false",
        help="keep all players in their seats; each of the --games has its own deal",
    )
    parser.add_flag(
        "--include-void",
        "include void games, in which a seat answered too few questions, in the averages of "
        "--games",
    )
    parser.add_number("--concurrency", "games at a time", 8)


def game_count(word: str) -> int:
    """Return a number of games; raise ArgumentTypeError unless it is a whole number in range."""
    try:
        count = int(word)
    except ValueError:
        count = MOST_GAMES + 1
    if count > MOST_GAMES:
        raise ArgumentTypeError(f"expected a whole number up to {MOST_GAMES}: got {word:.40}")
    return count


def add_provider_listing(parser: Parser) -> None:
    """Add each provider's requirements to the help."""
    meanings = {}
    for name, provider in PROVIDERS.items():
        key = f"key in {provider.key_variable}" if provider.key_variable else "needs no key"
        key += "" if provider.needs_key else " if any"
        model = f"; model {provider.default_model} by default" if provider.default_model else ""
        meanings[name] = f"{key}{model}"
    add_listing(parser, "providers of models, as --players PROVIDER:MODEL", meanings)
