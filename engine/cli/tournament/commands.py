"""`tournament.py`: each verb has a row here and a module, which is imported only when needed."""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import resolve_name

from engine.cli.main import ExitCode
from engine.cli.parser import HELP, Parser

PROGRAM = "tournament.py"
ABOUT = "Play many games between the same entrants, and publish their ratings."
# Each verb's module, the function that adds its options, and the path of the one that runs it.
VERBS = {
    "plan": ("plan", "add_plan_options", "plan:run_plan"),
    "play": ("play", "add_play_options", "play:run_play"),
    "rate": ("rate", "add_rate_options", "rate:run_rate"),
    "measure": ("measure", "add_measure_options", "measuring:measure_models"),
    "compare": ("compare", "add_compare_options", "compare:run_compare"),
    "jury": ("jury", "add_jury_options", "jury:run_jury"),
    "export": ("export", "add_export_options", "export:run_export"),
    "import": ("import_logs", "add_import_options", "import_logs:run_import"),
    "list": ("list_tournaments", "add_list_options", "list_tournaments:run_list"),
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
    name, *rest = words
    options = verb_parser(name).read(rest)
    _, _, path = VERBS[name]
    code: ExitCode = resolve_name(f"engine.cli.tournament.{path}")(options)
    return code


def _help_text() -> str:
    lines = ["verbs:"]
    for name, (module, *_) in VERBS.items():
        about = resolve_name(f"engine.cli.tournament.{module}:ABOUT")
        lines.append(f"  {name:9}{about}")
    listed = "\n".join([*lines, "", EXAMPLES])
    return Parser(f"{PROGRAM} VERB", ABOUT, listed).format_help()


def verb_parser(name: str) -> Parser:
    """Return a verb's argument parser; for an unknown verb, raise ValueError naming the nearest."""
    if name not in VERBS:
        from protocol.suggest import one_of

        one_of(name, VERBS, "verb")
    module_name, add_options, _ = VERBS[name]
    module = import_module(f"engine.cli.tournament.{module_name}")
    parser = Parser(f"{PROGRAM} {name}", module.ABOUT, module.EXAMPLES)
    getattr(module, add_options)(parser)
    return parser
