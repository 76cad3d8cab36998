"""The location of the project, and copies of it."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]


def copy_project(target: Path, *left_out: str) -> None:
    """Copy the project to `target`, but for what it leaves behind, and folders `left_out`."""
    hidden = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", *left_out)

    def ignored(folder: str, names: list[str]) -> set[str]:
        # Rooms may be called logs too.
        here = {"logs", "site"} if Path(folder) == ROOT else set()
        return {*hidden(folder, names), *here}

    shutil.copytree(ROOT, target, ignore=ignored)
