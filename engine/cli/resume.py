"""How an unfinished game goes on."""

from pathlib import Path

from engine.cli.parser import logs_dir_option
from engine.history import History


def how_to_resume(history: History, folder: Path | None) -> str:
    """Return the sentence that says how an unfinished game goes on."""
    if not left_journal(history, folder):
        return "It kept no journal to go on from."
    where = logs_dir_option(folder)
    return f"Go on with: uv run example.py --resume {history.game_id}{where}"


def left_journal(history: History, folder: Path | None) -> bool:
    """Return whether an unfinished game left its journal in `folder`.

    It left none if the folder was full, or if nothing is kept.
    """
    return folder is not None and (folder / f"{history.game_id}.jsonl").exists()
