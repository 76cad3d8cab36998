"""Play the cups, and write their tables and pictures for docs/leaderboard.md.

    uv run --group dev python docs/make_leaderboard.py
    uv run --group dev python docs/make_leaderboard.py --games 40 --model NAME=PATH.gguf
    uv run --group dev python docs/make_leaderboard.py --games 0

Cups in configs/cups/ that only scripts play are replayed; their tables are always the same. Then
the built-in model, and models in your own files, play `--games` short conversations with scripts.
Finished games are kept, so the same command resumes. With `--games 0`, the page keeps its
existing part on models.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from shutil import copyfile

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from engine.ratings import Results  # noqa: E402
from engine.report.tables import Table  # noqa: E402
from engine.tournaments.report.figures import pictures_of  # noqa: E402
from engine.tournaments.report.sentences import beside_table  # noqa: E402
from engine.tournaments.report.tables import rating_table, record_table  # noqa: E402
from engine.tournaments.run import PlayOptions, TournamentRun  # noqa: E402
from engine.tournaments.settings import TournamentSettings, read_tournament  # noqa: E402
from engine.tournaments.sources.find import read_cup  # noqa: E402
from engine.tournaments.standings.method import Method  # noqa: E402
from engine.tournaments.standings.rate import rated_standings  # noqa: E402
from engine.tournaments.standings.standings import Standings, TargetTable  # noqa: E402
from engine.views.plots import save_chart  # noqa: E402

PAGE = ROOT / "docs" / "leaderboard.md"
PICTURES = ROOT / "docs" / "pictures"
CUPS = ROOT / "configs" / "cups"
# The cup whose pictures appear in the documentation.
PICTURED = "dilemma-cup"
COLUMNS = ("rank", "entrant", "rating", "low", "high", "games", "failed")
RECORD_COLUMNS = ("entrant", "seats", "failed", "95 %", "answers", "tokens/game")
SCRIPTS = ("silent", "random", "greedy", "selfish", "foresight")
BUNDLED = "smollm2"
# On a busy machine a local model may take minutes to answer.
PATIENT = {"timeout": 600}
MEGABYTE = 1_000_000
SHOWN = 16  # digits of a fingerprint
# Paths of model files by model name, passed as `--model NAME=PATH`.
Models = Mapping[str, Path]


def models_cup(games: int, models: Models) -> TournamentSettings:
    """Return the tournament of the bundled model, `models` and scripts."""
    entrants = {BUNDLED: local_entrant(BUNDLED)}
    entrants |= {script: {"provider": "scripted", "model": script} for script in SCRIPTS}
    entrants |= {name: local_entrant(str(path)) for name, path in models.items()}
    settings = {
        "name": "models-cup",
        "title": "Small models among scripts",
        "license": "CC0-1.0",
        "game": {"name": "conversation", "length": 6},
        "table": 4,
        "entrants": entrants,
        "games": games,
        "min_games": 10,
        "concurrency": 1,
        "seed": 7,
    }
    return TournamentSettings.model_validate(settings)


def local_entrant(model: str) -> dict[str, object]:
    """Return the entrant for a model that runs on this machine."""
    return {"provider": "local", "model": model, "client_kwargs": PATIENT}


def play_cup(settings: TournamentSettings, logs: Path) -> Standings:
    """Play or resume a tournament, and return its standings."""
    folder = logs / settings.name
    run = TournamentRun(settings, folder, PlayOptions(allow_changed=True))
    run.run()
    if run.broken:
        raise ValueError(run.broken)
    source = read_cup(folder)
    return rated_standings(Method.of(settings), Results.from_rows(source.rows), source.counts)


def cup_lines(settings: TournamentSettings, standings: Standings) -> list[str]:
    """Return a tournament's part of the page."""
    lines = [f"### {settings.title}", ""]
    for table in standings.targets:
        lines += target_part(table, standings)
    return lines


def target_part(table: TargetTable, standings: Standings) -> list[str]:
    """Return a target's table and the data behind it."""
    lines = [f"**{table.kind.heading}** ({table.unit}). {table.sentence}", ""]
    lines += markdown_lines(rating_table(table, standings), COLUMNS)
    for heading, sentences in beside_table(table, standings):
        if heading != "In one sentence":
            mark = "" if heading.endswith("?") else ":"
            lines.append(f"- {heading}{mark} {' '.join(sentences)}")
    return [*lines, ""]


def markdown_lines(
    table: Table, columns: Sequence[str], entrants: Collection[str] | None = None
) -> list[str]:
    """Return the named columns (the first of each name) as Markdown, for `entrants` or all."""
    places = [table.columns.index(name) for name in columns]
    lines = [markdown_row(columns), "|" + "---|" * len(columns)]
    entrant = table.columns.index("entrant")
    for row in table.texts():
        if entrants is None or row[entrant] in entrants:
            lines.append(markdown_row([row[place] for place in places]))
    return [*lines, ""]


def markdown_row(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def scripts_part(logs: Path) -> list[str]:
    """Play the cups of scripts, draw their pictures, and return their part of the page."""
    lines = [""]
    for settings in map(read_tournament, sorted(CUPS.glob("*.yaml"))):
        if not all(entrant.computed for entrant in settings.entrants.values()):
            continue
        standings = play_cup(settings, logs)
        lines += cup_lines(settings, standings)
        versions = ", ".join(map(" ".join, standings.made_with.items()))
        lines += [f"Settings {settings.sha256[:SHOWN]}; {versions}.", ""]
        if settings.name == PICTURED:
            save_pictures(standings)
    return lines


def save_pictures(standings: Standings) -> None:
    """Draw the interval chart and the matrix of a tournament for the documentation."""
    with tempfile.TemporaryDirectory() as folder:
        for stem, chart in pictures_of(standings):
            if stem in ("intervals", "matrix"):
                drawn = Path(folder) / stem
                save_chart(chart, drawn)
                copyfile(drawn.with_suffix(".png"), PICTURES / f"tournament-{stem}.png")


def models_part(games: int, models: Models, logs: Path) -> list[str]:
    """Play the rest of the models' cup, and return its part of the page."""
    settings = models_cup(games, models)
    standings = play_cup(settings, logs)
    records = record_table(standings.entrants)
    lines = ["", *cup_lines(settings, standings)]
    lines += ["The models' tokens, and how often a fallback replaced an answer:", ""]
    lines += markdown_lines(records, RECORD_COLUMNS, [BUNDLED, *models])
    return [*lines, *(file_line(name, path) for name, path in models.items())]


def file_line(name: str, path: Path) -> str:
    """Return a line with a model's name, and the size and fingerprint of its file."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256")
    digits = digest.hexdigest()[:SHOWN]
    size = path.stat().st_size / MEGABYTE
    return f"- The file of {name}: {size:.0f} MB, sha256 {digits}."


def plan_part(page: str) -> list[str]:
    """Return the output of `plan` for the tournament in the page's own YAML."""
    command = [sys.executable, str(ROOT / "tournament.py"), "plan", "cup.yaml"]
    width = os.environ | {"COLUMNS": "100"}
    with tempfile.TemporaryDirectory() as folder:
        cup = Path(folder) / "cup.yaml"
        cup.write_text(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
        done = subprocess.run(  # noqa: S603 - our own command
            command, cwd=folder, env=width, stdout=subprocess.PIPE, text=True, check=True
        )
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    return ["", "```", *lines, "```", ""]


def put_part(page: str, name: str, lines: Sequence[str]) -> str:
    """Return the page with `lines` between the markers of the part `name`."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, found_mark, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found_mark or not closed:
        raise ValueError(f"expected {PAGE} to have the marks of {name}")
    text = "\n".join(lines).rstrip()
    return f"{before}{begin}{text}\n\n{end}{after}"


def read_model(word: str) -> tuple[str, Path]:
    """Return the parts of NAME=PATH; raise ArgumentTypeError if there is no such file."""
    name, _, path = word.partition("=")
    if not name or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"expected NAME=PATH of a .gguf file: got {word!r}")
    return name, Path(path)


def read_options() -> argparse.Namespace:
    """Return the command-line options."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--games", type=int, default=20, metavar="N", help="games with models (20)")
    parser.add_argument(
        "--model", type=read_model, action="append", default=[], metavar="NAME=PATH"
    )
    parser.add_argument("--logs-dir", type=Path, default=ROOT / "logs" / "leaderboard")
    return parser.parse_args()


def main() -> None:
    """Play the requested games, and write the page."""
    options = read_options()
    page = PAGE.read_text(encoding="utf-8")
    page = put_part(page, "scripts", scripts_part(options.logs_dir))
    if options.games:
        models = models_part(options.games, dict(options.model), options.logs_dir)
        page = put_part(page, "models", models)
    page = put_part(page, "plan", plan_part(page))
    PAGE.write_text(page, encoding="utf-8")
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
