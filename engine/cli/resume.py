"""How an unfinished game goes on, and why a void one does not count."""

from pathlib import Path

from engine.cli.main import ExitCode, complain
from engine.cli.parser import logs_dir_option
from engine.history import History
from engine.spending.validity import void_sentence


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


def judge_game(program: str, history: History, folder: Path | None) -> ExitCode:
    """Return the exit code of a finished game; if it is void, say why its scores do not count."""
    void = void_sentence(history)
    if not void:
        return ExitCode.DONE
    sentence = f"{void}, so its scores rest on fallbacks and do not count; the faults say why"
    if folder is not None:
        name = f"{history.game_id}{logs_dir_option(folder)}"
        sentence += f": uv run logs.py --filename {name} --terminal"
    return complain(program, sentence, ExitCode.FAILED)
