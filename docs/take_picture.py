"""Make docs/pictures/page.png: a game of deliberations in the browser, at a vote.

uv run --group dev python docs/take_picture.py
"""

import io
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from PIL import Image
from playwright.sync_api import ViewportSize, sync_playwright

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "page.png"
SIZE: ViewportSize = {"width": 1280, "height": 890}
# Chromium needs these when run as root or without a graphics card.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
COLOURS = 256
ROUND = 2
PATIENCE = 60.0
CONFIG = "first_island"


@contextmanager
def serving() -> Iterator[str]:
    """Serve an empty folder and yield the host's link."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "serve.py", "--port=0", "--no-open", f"--logs-dir={folder}"]
        with subprocess.Popen(  # noqa: S603 - our own server
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            try:
                yield server.stdout.readline().split()[-1]
            finally:
                server.terminate()


def ask(link: str, path: str, body: Any = None) -> Any:
    """Return the server API's response to a request by the host."""
    address, _, token = link.partition("/#/?token=")
    method = "GET" if body is None else "POST"
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx2.request(method, f"{address}/api{path}", json=body, headers=headers)
    return answer.raise_for_status().json()


def begin_and_finish(link: str) -> str:
    """Play the game of CONFIG to its end, and return its name."""
    configs = {offer["name"]: offer["config"] for offer in ask(link, "/offer")["configs"]}
    begun = ask(link, "/games", {"config": configs[CONFIG]})
    name = str(begun["games"][0]["name"])
    latest = time.monotonic() + PATIENCE
    while ask(link, f"/games/{name}")["status"] != "finished":
        assert time.monotonic() < latest, "the game does not end"
        time.sleep(0.1)
    return name


def moment_of(link: str, name: str) -> int:
    """Return the index of the last vote in round ROUND, or 0 if there is none."""
    events = ask(link, f"/games/{name}/events?as=*")["events"]
    votes = [event for event in events if event["kind"] == "vote" and event["round"] == ROUND]
    return votes[-1]["index"] if votes else 0


def photograph(link: str, name: str, moment: int) -> bytes:
    """Return a picture of the page at one moment of a game."""
    address, _, _ = link.partition("#")
    with sync_playwright() as playwright:
        chromium = playwright.chromium
        browser = chromium.launch(executable_path=shutil.which("chromium"), args=[*ARGUMENTS])
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(link)
        page.locator("h1").first.wait_for()
        page.goto(f"{address}#/game/{name}?event={moment}&as=*")
        page.locator(f'input[aria-valuetext$=", round {ROUND}"]').wait_for()
        return page.screenshot()


def save_picture(taken: bytes, path: Path, colours: int) -> None:
    """Write a PNG picture with few colours, and print its size."""
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(colours).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} KB")


def main() -> None:
    """Play the game, and take a picture of it."""
    with serving() as link:
        name = begin_and_finish(link)
        taken = photograph(link, name, moment_of(link, name))
    save_picture(taken, PICTURE, COLOURS)


if __name__ == "__main__":
    main()
