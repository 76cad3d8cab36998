"""The files with games of deliberations, and the facts read from each."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from engine.history import History, history_from_json
from engine.record.files import read_regular
from engine.record.journal import Journal
from labs.deliberations.facts import GameFacts, game_facts
from protocol.suggest import did_you_mean

GAME = "deliberations"
LOGS = Path("logs")
Reason = Literal["unfinished", "other game", "imported", "seats changed hands", "no log", "twice"]
# The report's wording of each reason for leaving out files.
MEANINGS: dict[Reason, str] = {
    "unfinished": "unfinished, stopped or failed",
    "other game": "of other games",
    "imported": "imported from other programs",
    "seats changed hands": "with a seat that changed hands",
    "no log": "not a game log, or damaged",
    "twice": "of a game already read",
}
# Errors that reading a foreign file may raise.
FOREIGN = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


# The facts in a file, or the reason to leave the file out.
FileFacts = GameFacts | Reason


def study_files(words: Sequence[str]) -> list[str]:
    """Return the files that `words` (folders or files) name: logs, and journals without a log.

    In a tournament's folder, the games are in `games/`. A word that is not a path is looked up in
    `logs/`. Raises ValueError for a missing path, or for a folder without games.
    """
    paths: dict[str, None] = {}
    for word in words:
        path = place_named(word)
        files = [path] if path.is_file() else logs_beneath(path)
        if not files:
            raise ValueError(
                f"there is no log in {str(path)!r}: name a folder of games, such as {LOGS}, or "
                "play some with uv run example.py deliberations --offline --games 20"
            )
        paths |= dict.fromkeys(map(str, files))
    return [*paths]


def place_named(word: str) -> Path:
    """Return the folder or file that a word refers to; raise ValueError if there is none."""
    for path in (Path(word), LOGS / word):
        if path.exists():
            return path
    folders = [path.name for path in sorted(LOGS.glob("*/"))]
    raise ValueError(
        f"there is no folder or file {word!r}, nor one in {LOGS}:{did_you_mean(word, folders)} "
        "name a folder of logs, such as logs, or a tournament's"
    )


def logs_beneath(folder: Path) -> list[Path]:
    """Return the logs in a folder and its `games/`, sorted, and any journals without a log."""
    files = []
    for place in (folder, folder / "games"):
        files += sorted(place.glob("*.json"))
        for journal in sorted(place.glob("*.jsonl")):
            if not journal.with_suffix(".json").exists():
                files.append(journal)
    return files


def read_file(file: str) -> FileFacts:
    """Return the facts about the game in a file, or the reason to leave it out."""
    path = Path(file)
    try:
        if path.suffix == ".jsonl":
            header = Journal.load(path).header
            name = header["made_from"]["config"]["game"]["name"]
            return "unfinished" if name == GAME else "other game"
        history = history_from_json(read_regular(path))
        return why_left_out(history) or game_facts(history)
    except FOREIGN:
        return "no log"


def why_left_out(history: History) -> Reason | None:
    """Return why a log is left out, or None if it is used."""
    if "imported_from" in history.config:
        return "imported"
    if history.game != GAME:
        return "other game"
    if history.status != "finished":
        return "unfinished"
    if history.config.get("handovers"):
        return "seats changed hands"
    return None


def split_files(files: Sequence[FileFacts]) -> tuple[list[GameFacts], Counter[Reason]]:
    """Return each game once, and the number of files left out for each reason."""
    games: dict[str, GameFacts] = {}
    left_out = Counter[Reason]()
    for file in files:
        if not isinstance(file, GameFacts):
            left_out[file] += 1
        elif file.game_id in games:
            left_out["twice"] += 1
        else:
            games[file.game_id] = file
    return [*games.values()], left_out


def reasons_told(left_out: Counter[Reason]) -> str:
    """Return how many files were left out and why, or "nothing left out"."""
    parts = [f"{count} {MEANINGS[reason]}" for reason, count in left_out.most_common()]
    return f"left out: {', '.join(parts)}" if parts else "nothing left out"
