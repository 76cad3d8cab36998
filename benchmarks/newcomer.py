"""Time a newcomer's waits: a fresh clone and its first game, and the start of each command.

`uv run benchmarks/newcomer.py [install] [start]`. The first part needs the package index: it
downloads all packages of the default install twice, the first time into an empty cache.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import ROOT, Row, main, row

FACES = ("example", "logs", "serve", "studies", "talks", "tournament")
PIP = "uv run --no-project --with pip python -m pip"


def timed(words: str | list[str], folder: Path, environ: Mapping[str, str]) -> tuple[float, str]:
    """Return a command's run time in seconds and its stderr; exit if it fails."""
    command = words.split() if isinstance(words, str) else words
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return time.perf_counter() - begun, done.stderr


def disk_size(folder: Path) -> int:
    """Return the total bytes of all files in `folder`."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return sum(path.stat().st_size for path in files)


def install(short: bool) -> Iterator[Row]:
    """Clone, install and play, then measure the download."""
    del short
    kept = {name: text for name, text in os.environ.items() if "API_KEY" not in name}
    kept.pop("VIRTUAL_ENV", None)
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "arena"
        environ = kept | {"UV_CACHE_DIR": f"{scratch}/cache", "UV_LINK_MODE": "copy"}
        cloning, _ = timed(["git", "clone", "--quiet", str(ROOT), str(clone)], ROOT, environ)
        cold, _ = timed("uv run example.py", clone, environ)
        yield row("clone, install and first game", cloning + cold, "s", "caches empty")
        warm, _ = timed("uv run example.py", clone, environ)
        yield row("the same game again", warm, "s", "installed")
        timed("uv export --quiet --no-hashes --output-file packages.txt", clone, environ)
        timed(f"{PIP} download --quiet --no-deps --dest packages -r packages.txt", clone, environ)
        packages, environment = disk_size(clone / "packages"), disk_size(clone / ".venv")
    yield row("download of the default install", packages / 1e6, "MB", most=250)
    yield row("the default install on disk", environment / 1e6, "MB", most=600)


def start(short: bool) -> Iterator[Row]:
    """Time each command's start, alternating with a bare interpreter so that load slows both."""
    runs = 3 if short else 15
    for face in FACES:
        times: dict[str, list[float]] = {"face": [], "bare": []}
        for _ in range(runs):
            for name, words in (("face", [f"{face}.py", "--help"]), ("bare", ["-c", "pass"])):
                times[name].append(timed([sys.executable, *words], ROOT, os.environ)[0])
        took, bare = median(times["face"]), median(times["bare"])
        told = f"{took / bare:.1f} times a bare interpreter, median of {runs}"
        yield row(f"`{face}.py --help`", 1000 * took, "ms", told)
    with tempfile.TemporaryDirectory() as compiled:
        first, *later = [seconds_to_link(compiled) for _ in range(1 + runs)]
    what = "`serve.py` to its link, processor time"
    yield row(what, median(later), "s", f"median of {runs}", most=0.5)
    yield row(what, first, "s", "its modules compiled first")


def seconds_to_link(compiled: str) -> float:
    """Return serve.py's processor seconds until it prints its link; bytecode goes to `compiled`."""
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "serve.py", "--port", "0", "--no-open", f"--logs-dir={folder}"]
        process = subprocess.Popen(words, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not re.search(r":\d+/", line):
                raise SystemExit(f"expected a link: {line!r}")
            used = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    main(str(__doc__), {"install": install, "start": start}, online="install")
