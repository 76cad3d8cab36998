"""Print a newcomer's waits and downloads: fresh clone, empty cache, `uv run example.py` twice.

uv run benchmarks/newcomer.py
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LISTENER = """
import runpy, sys
hosts = set()
def hear(event, values):
    if event == "socket.connect" and isinstance(values[1], tuple):
        hosts.add(str(values[1][0]))
sys.addaudithook(hear)
sys.argv = ["example.py"]
try:
    runpy.run_path("example.py", run_name="__main__")
finally:
    print("connected to:", ", ".join(sorted(hosts)) or "nothing", file=sys.stderr)
"""


def timed(command: list[str], folder: Path, environ: dict[str, str]) -> tuple[float, str]:
    """Return the seconds of a command and its stderr; exit if it fails."""
    begun = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return time.perf_counter() - begun, done.stderr


def download_size(clone: Path, environ: dict[str, str]) -> int:
    """Download the packages of the default install once more and return their bytes."""
    listed = ["uv", "export", "--quiet", "--no-hashes", "--output-file", "packages.txt"]
    fetched = [
        "uv",
        "run",
        "--no-project",
        "--with",
        "pip",
        "python",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
    ]
    timed(listed, clone, environ)
    timed([*fetched, "--dest", "packages", "-r", "packages.txt"], clone, environ)
    return disk_size(clone / "packages")


def disk_size(folder: Path) -> int:
    """Return the bytes of all files below `folder`."""
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "arena"
        kept = {
            name: value
            for name, value in os.environ.items()
            if "API_KEY" not in name and name != "VIRTUAL_ENV"
        }
        environ = kept | {"UV_CACHE_DIR": f"{scratch}/cache", "UV_LINK_MODE": "copy"}
        cloning, _ = timed(["git", "clone", "--quiet", str(ROOT), str(clone)], ROOT, environ)
        cold, _ = timed(["uv", "run", "example.py"], clone, environ)
        warm, heard = timed(["uv", "run", "python", "-c", LISTENER], clone, environ)
        print(f"git clone and first `uv run example.py`, install included  {cloning + cold:6.1f} s")
        print(f"the same again, installed                                  {warm:6.1f} s")
        ratio = (cloning + cold) / warm
        print(f"ratio                                                      {ratio:6.2f}")
        print(f"downloaded by the default install  {download_size(clone, environ) / 1e6:6.0f} MB")
        print(f"on disk                            {disk_size(clone / '.venv') / 1e6:6.0f} MB")
        print(heard.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
