"""`tournament.py`: each verb has a row here and a module, which is imported only when needed."""

from collections.abc import Sequence
from pkgutil import resolve_name

from engine.cli.main import ExitCode
from engine.cli.parser import HELP, Parser

PROGRAM = "tournament.py"
ABOUT = "Play many games between the same entrants, and publish their ratings."
# Each verb's module, and the function that returns the verb's argument parser. The parser's default
# `run` executes the verb.
VERBS = {
    "plan": ("plan", "plan_parser"),
    "play": ("play", "play_parser"),
    "rate": ("rate", "rate_parser"),
    "measure": ("measure", "measure_parser"),
    "compare": ("compare", "compare_parser"),
    "jury": ("jury", "jury_parser"),
    "export": ("export", "data_set_parser"),
    "import": ("import_logs", "import_parser"),
    "list": ("list_tournaments", "list_parser"),
}
EXAMPLES = """examples:
  uv run tournament.py plan configs/cups/conversation.yaml   games, dollars and hours for each gap
  uv run tournament.py play configs/cups/conversation.yaml   start it, or continue it
  uv run tournament.py rate conversation-cup --html          its tables again, and a report
  uv run tournament.py measure local --quick                 how good one model is, beside scripts
  uv run tournament.py play --help                           the options of one verb
"""


def run_verb(words: Sequence[str]) -> ExitCode:
    """Run the subcommand in `words`; raise ValueError if they are invalid."""
    if not words or words[0] in HELP:
        print(_help_text(), end="")
        return ExitCode.DONE
    options = verb_parser(words[0]).read(words[1:])
    code: ExitCode = options.run(options)
    return code


def _help_text() -> str:
    lines = ["verbs:"]
    for name, (module, _) in VERBS.items():
        about = resolve_name(f"engine.cli.tournament.{module}:ABOUT")
        lines.append(f"  {name:9}{about}")
    listed = "\n".join([*lines, "", EXAMPLES])
    return Parser(f"{PROGRAM} VERB", ABOUT, listed).format_help()


def verb_parser(name: str) -> Parser:
    """Return a verb's argument parser; for an unknown verb, raise ValueError with the nearest."""
    if name not in VERBS:
        from protocol.suggest import one_of

        one_of(name, VERBS, "verb")
    module, function = VERBS[name]
    parser: Parser = resolve_name(f"engine.cli.tournament.{module}:{function}")()
    return parser
