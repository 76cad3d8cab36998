"""Ctrl-C and SIGTERM, with streams open and games under way."""

import signal
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.serving.surviving import TOKEN, Mortal
from benchmarks.serving.watchers import Watchers

STREAMS = 100
GAMES = 10
SECONDS = 6.0
LONG = {
    "game": {"name": "conversation", "length": 200},
    "player_configs": [
        {"player_id": "Ada", "provider": "ollama", "model": "m"},
        {"player_id": "Ben", "provider": "scripted", "model": "random"},
    ],
}


def ending_breaches(models: str, count: int) -> tuple[list[float], list[str]]:
    """End a server so many times; return the seconds it took each time, and what was wrong."""
    took = []
    bad: list[str] = []
    for number in range(count):
        sign = (signal.SIGINT, signal.SIGTERM)[number % 2]
        with tempfile.TemporaryDirectory() as folder:
            seconds, wrong = end_one(Mortal(Path(folder), models), sign)
        took.append(seconds)
        bad += [f"{sign.name}: {one}" for one in wrong]
    return took, bad


def end_one(mortal: Mortal, sign: signal.Signals) -> tuple[float, list[str]]:
    """Begin games, watch them, and end the server with a signal."""
    from engine.engine import GameEngine
    from engine.runs.replay import unfinished_journal

    mortal.start()
    begun = mortal.post("", {"config": LONG, "games": GAMES})["games"]
    names = [one["name"] for one in begun]
    lines = f"Host: 127.0.0.1:{mortal.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
    heads = []
    for place in range(STREAMS):
        path = f"/api/games/{names[place % GAMES]}/events?as=*"
        heads.append(f"GET {path} HTTP/1.1\r\n{lines}Accept: text/event-stream\r\n\r\n".encode())
    bad = []
    with Watchers() as crowd:
        crowd.ask("open", mortal.port, heads)
        before = time.monotonic()
        mortal.process.send_signal(sign)
        try:
            mortal.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            mortal.kill()
        seconds = time.monotonic() - before
        ended = crowd.ask("over", 5)
    if seconds > SECONDS:
        bad.append(f"{seconds:.1f} s")
    if ended != STREAMS:
        bad.append(f"{ended} of {STREAMS} streams ended")
    if mortal.process.returncode != 5:
        bad.append(f"exit code {mortal.process.returncode}")
    for name in names:
        try:
            GameEngine.replay(unfinished_journal(mortal.folder, name))
        except (ValueError, OSError) as error:
            bad.append(f"{name} cannot go on: {error}")
    return seconds, bad
