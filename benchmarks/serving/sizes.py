"""What is sent, installed and started."""

import gzip
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.newcomer import ROOT, disk_size, download_size, timed
from benchmarks.serving.figures import SHORT, Figure, say

STARTS = 9


def sizes(effort: int) -> Iterator[Figure]:
    """Measure the page, and a game's file over its log."""
    from engine.engine import GameEngine
    from engine.games import GAMES
    from engine.views.page import PAGE, page_html
    from tests.support.tables import config_for

    files = [path.read_bytes() for path in sorted(PAGE.rglob("*")) if path.is_file()]
    what = "the page's files, KB"
    yield Figure.at_most(what, sum(map(len, files)) / 1000, 80, "{:.1f}")
    packed = sum(len(gzip.compress(one)) for one in files)
    yield Figure.at_most("  gzipped, KB", packed / 1000, 30, "{:.1f}")
    over = {}
    for game in sorted(GAMES)[: 1 if effort == SHORT else None]:
        history = GameEngine(config_for(game)).run()
        over[game] = len(page_html(history).encode()) - len(history.to_json().encode())
    worst = max(over, key=lambda game: over[game])
    what = f"a game's file over its log, the most of {len(over)} games ({worst}), KB"
    yield Figure.at_most(what, over[worst] / 1000, 90, "{:.1f}")


def start(effort: int) -> Iterator[Figure]:
    """Measure what it takes until serve.py prints its link."""
    with tempfile.TemporaryDirectory() as compiled:
        # The first start compiles what it imports, as that after an install does.
        first, *took = [
            seconds_to_link(compiled) for _ in range(1 + (3 if effort == SHORT else STARTS))
        ]
    what = "serve.py to its link, seconds of processor time (median)"
    yield Figure.at_most(what, statistics.median(took), 1.0, "{:.2f}")
    yield Figure("  the very first time, when its modules are compiled", f"{first:.2f}")


def seconds_to_link(compiled: str) -> float:
    """Return the processor time of serve.py when its link is there.

    The folder `compiled` keeps its modules as Python has compiled them.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environ = kept | {"PYTHONPYCACHEPREFIX": compiled}
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "serve.py", "--port", "0", "--no-open", f"--logs-dir={folder}"]
        process = subprocess.Popen(words, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not re.search(r":\d+/", line):
                raise SystemExit(f"expected a link: {line!r}")
            told = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
        finally:
            process.kill()
            process.communicate()


def install(effort: int) -> Iterator[Figure]:
    """Measure the default install, downloaded anew into an empty cache."""
    del effort
    say("downloading and installing ...")
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "arena"
        kept = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        environ = kept | {"UV_CACHE_DIR": f"{scratch}/cache", "UV_LINK_MODE": "copy"}
        timed(["git", "clone", "--quiet", str(ROOT), str(clone)], ROOT, environ)
        timed(["uv", "sync", "--quiet", "--no-dev"], clone, environ)
        on_disk = disk_size(clone / ".venv") / 1e6
        sent = download_size(clone, environ) / 1e6
    yield Figure.at_most("the default install: download, MB", sent, 250, "{:.0f}")
    yield Figure.at_most("  on disk, MB", on_disk, 600, "{:.0f}")
