"""`tournament.py compare`: the difference between two measured models, deal by deal."""

from argparse import Namespace

from engine.cli.main import ExitCode, suggest_next
from engine.cli.parser import Parser, add_logs_dir, join_words
from engine.cli.tournament.measure import add_suite, results_option

ABOUT = "Compare two measured models, deal by deal."
EXAMPLES = """examples:
  uv run tournament.py compare scripted:greedy scripted:random
  uv run tournament.py compare local ollama:llama3.2
"""


def add_compare_options(parser: Parser) -> None:
    """Add the options of `compare`."""
    for name in ("first", "second"):
        parser.add_argument(name, metavar=name.upper(), help="a model, as it was named for measure")
    add_suite(parser)
    add_logs_dir(parser, "where the folder measure/ is")


def run_compare(options: Namespace) -> ExitCode:
    """Print how the two models differ; raise ValueError if either has not been measured."""
    from engine.cli.tournament.tables import print_parts
    from engine.tournaments.measure.compare import compare_parts
    from engine.tournaments.measure.measured import FILE, measured_folder, read_measured
    from engine.tournaments.measure.suite import read_suite

    suite = read_suite(options.suite)
    words = [options.first, options.second]
    paths = {word: measured_folder(suite.name, word, options.logs_dir) / FILE for word in words}
    models = {word: read_measured(path) for word, path in paths.items() if path.exists()}
    missing = [word for word in paths if word not in models]
    if missing:
        quick = ["--quick"] if any(model.quick for model in models.values()) else []
        command = join_words(["tournament.py", "measure", *missing, *quick])
        where = results_option(options)
        raise ValueError(f"{missing[0]} is not measured yet: uv run {command}{where}")
    print_parts(compare_parts(suite, *(models[word] for word in words)))
    return suggest_next("tournament.py measure --list" + results_option(options))
