"""Go through the doors to other libraries from their side: `uv run benchmarks/doors.py`.

`[NAME ...]`: by default all in `doors/`. Each gets an environment of its own in a folder that goes
away, with what its pyproject names (140 to 330 MB from the package index), and runs its own tests
there, which need no network. The arena is this tree, run by the Python that runs this file. Exits
with 1 if a door does not work.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DOORS = Path(__file__).parent.parent / "doors"
TEST_TOOL = "pytest>=9,<10"


def known_doors() -> list[str]:
    """Return the names of all doors."""
    return sorted(project.parent.name for project in DOORS.glob("*/pyproject.toml"))


def run(command: list[str], folder: Path) -> tuple[str, float]:
    """Return what a command printed and its seconds; CalledProcessError if it failed."""
    begun = time.perf_counter()
    environ = {**os.environ, "ARENA_PYTHON": sys.executable}
    environ.pop("ARENA_HOME", None)
    environ.pop("ARENA_URL", None)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout, time.perf_counter() - begun


def install_door(name: str, place: Path) -> tuple[Path, float]:
    """Make a door's environment; return its Python and the seconds that took."""
    python = place / "bin" / "python"
    _, making = run(["uv", "venv", "--quiet", "--python", sys.executable, str(place)], DOORS)
    packages = ["-e", str(DOORS / name), TEST_TOOL]
    adding = ["uv", "pip", "install", "--quiet", "--python", str(python), *packages]
    _, installing = run(adding, DOORS)
    return python, making + installing


def megabytes(folder: Path) -> float:
    """Return what the files of a folder take on disk."""
    size = 0
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            size += path.stat().st_size
    return size / 1e6


def try_door(name: str) -> bool:
    """Install a door, run its tests, and print a line; return whether all is well."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / name
        try:
            python, installing = install_door(name, place)
            tests = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            told, seconds = run(tests, DOORS / name)
        except subprocess.CalledProcessError as error:
            print(f"{name:10} failed\n{error.stdout}", flush=True)
            return False
        size = megabytes(place)
    summary = told.strip().splitlines()[-1]
    print(
        f"{name:10} ok    installed in {installing:.0f} s, {size:.0f} MB    "
        f"tests {seconds:.0f} s: {summary}",
        flush=True,
    )
    return True


def main() -> None:
    """Try the doors one after the other."""
    names = sys.argv[1:] or known_doors()
    wrong = sorted({*names} - {*known_doors()})
    if wrong:
        sys.exit(f"expected doors of {', '.join(known_doors())}: got {', '.join(wrong)}")
    tried = [try_door(name) for name in names]
    if not all(tried):
        sys.exit(1)


if __name__ == "__main__":
    main()
