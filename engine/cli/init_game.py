"""`example.py --init-game`: write a small game that runs and passes the tests."""

import keyword
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from string import capwords

from engine import ROOT, is_installed
from engine.cli.parser import show_commands

SKELETON = Path(__file__).parent / "skeleton"
GAME_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# Longer names would make lines in the files too long.
LONGEST = 24
MOST_SEATS = 26
# The target folder of each skeleton file.
FOLDERS = {
    "__init__.py": "engine/games/NAME",
    "rules.py": "engine/games/NAME",
    "strategies.py": "engine/games/NAME",
    "game.py": "engine/games/NAME",
    "rules.j2": "prompts/NAME",
    "guess.j2": "prompts/NAME",
    "test_rules.py": "tests/engine/games/NAME",
}
TABLE = "GAMES = Games(\n    {\n"
SEATS_METHOD = re.compile(r"    def seats\(.*?\n\n", re.DOTALL)


def init_game(name: str, players: str | None) -> None:
    """Write the game `name` into the checkout and list its files.

    If `players` is None, any number can play. Raises ValueError if the name or the number is
    invalid, if the name is in use, or if this is an installed package.
    """
    seats = read_count(players)
    if is_installed():
        raise ValueError("expected a clone of the project: --init-game writes into its folders")
    paths = _new_paths(name)
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (SKELETON / f"{path.name}.txt").read_text(encoding="utf-8")
        path.write_text(fill_skeleton(text, name, seats), encoding="utf-8")
    add_to_table(ROOT / "engine/games/__init__.py", name)
    _show_written(paths, name)


def _show_written(paths: Iterable[Path], name: str) -> None:
    print("Written:", *(f"  {path.relative_to(ROOT)}" for path in paths), sep="\n")
    print("  engine/games/__init__.py, one line")
    commands = [
        f"example.py {name} --offline",
        f"--group dev pytest tests/test_every_game.py tests/engine/games/{name} -k {name}",
    ]
    show_commands("Play it, test it, and change it (docs/write-a-game.md):", commands, sys.stdout)


def _new_paths(name: str) -> list[Path]:
    if not GAME_NAME.fullmatch(name) or len(name) > LONGEST or keyword.iskeyword(name):
        raise ValueError(
            f"expected a name of at most {LONGEST} lower-case letters, digits and single "
            f"underscores, such as number_guess: got {name!r:.60}"
        )
    paths = [ROOT / folder.replace("NAME", name) / file for file, folder in FOLDERS.items()]
    if any(path.parent.exists() for path in paths):
        raise ValueError(f"expected the name of a new game: {name} exists")
    return paths


def read_count(players: str | None) -> int:
    """Return a new game's number of players, or 0 if `players` is None (any number can play)."""
    if players is None:
        return 0
    if not players.isdecimal() or not 2 <= int(players[:9]) <= MOST_SEATS:
        raise ValueError(
            f"expected --players to be a number from 2 to {MOST_SEATS} with --init-game: "
            f"got {players!r:.60}"
        )
    return int(players)


def fill_skeleton(text: str, name: str, seats: int) -> str:
    """Return the text of a skeleton file for the game `name`; if `seats` is 0, any number plays."""
    if not seats:
        text = SEATS_METHOD.sub("", text)
    values = {
        "Title": capwords(name, "_").replace("_", ""),
        "NAME": name,
        "SEATS": str(seats),
        "EXPECTED": f"len(player_ids) != {seats}" if seats else "len(player_ids) < 2",
        "WANTED": str(seats or "at least 2"),
    }
    for word, value in values.items():
        text = re.sub(rf"\b{word}(?=\b|Game)", value, text)
    return text


def add_to_table(path: Path, name: str) -> None:
    """Add a game to the table GAMES, in alphabetical order."""
    text = path.read_text(encoding="utf-8")
    begin = text.index(TABLE) + len(TABLE)
    end = text.index("    },\n", begin)
    title = capwords(name, "_").replace("_", "")
    lines = text[begin:end].splitlines(keepends=True)
    lines.append(f'        "{name}": "{name}.game:{title}Game",\n')
    path.write_text(text[:begin] + "".join(sorted(lines)) + text[end:], encoding="utf-8")
