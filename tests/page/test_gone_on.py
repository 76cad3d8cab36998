"""A server that is killed while a person plays: the person's page goes on where it was."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from json import dumps, loads
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.support.paths import ROOT
from tests.support.web.browser import open_page
from tests.support.web.by_keyboard import answer_question

TOKEN = "a-token-of-enough-letters"
CONFIG = {
    "game": {"name": "conversation", "length": 6, "bank_size": 3},
    "seed": 7,
    "player_configs": [
        {"player_id": "Ada", "provider": "human"},
        {"player_id": "Ben", "provider": "scripted", "model": "greedy"},
    ],
}


@dataclass
class Process:
    """serve.py in a process of its own, which can be killed."""

    process: "subprocess.Popen[str]"
    port: int

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection.request(method, f"/api{path}", dumps(body) if body else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status < 300, text
        return loads(text)

    @property
    def link(self) -> str:
        return f"http://127.0.0.1:{self.port}/#/?token={TOKEN}"


@contextmanager
def serve(folder: Path, port: int = 0) -> Iterator[Process]:
    """Run serve.py while the block runs, then kill it."""
    words = ["serve.py", "--no-open", f"--port={port}", f"--logs-dir={folder}"]
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "ARENA_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.findall(r":(\d+)/", process.stdout.readline())
        assert found
        yield Process(process, int(found[0]))
    finally:
        process.kill()
        process.communicate(timeout=10)


def indices(page: Page) -> list[int]:
    """Return the events that the page shows, by their indices."""
    rows = page.locator(".event").evaluate_all("rows => rows.map(row => row.dataset.index)")
    return [int(index) for index in rows]


def test_a_person_goes_on_in_the_same_page(browser: Browser, tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        begun = server.ask("POST", "/games", {"config": CONFIG})["games"][0]
        seen = open_page(browser, begun["seats"]["Ada"])
        page = seen.page
        form = page.locator("form.question")
        for _ in range(2):
            form.wait_for()
            answer_question(page)
        form.wait_for()
        before = indices(page)
        asked = page.locator(".question .text").inner_text()
    with serve(tmp_path, server.port) as again:
        host = open_page(browser, again.link).page
        row = host.locator(".games li").filter(has_text="unfinished")
        row.get_by_role("link").click()
        host.get_by_text("Actions").click()
        host.get_by_role("button", name="Go on…").click()
        host.get_by_role("dialog").get_by_role("button", name="Go on").click()
        expect(host.locator(".status.running")).to_be_visible()
        expect(page.locator(".status.running")).to_be_visible()
        # The third question was open, and is asked again.
        page.locator('.extra[data-number="3"] form').wait_for()
        assert page.locator(".question .text").inner_text() == asked
        over = page.locator(".status.finished")
        while not over.count():
            form.or_(over).first.wait_for()
            if form.count():
                answer_question(page)
        log = again.ask("GET", f"/games/{begun['name']}/log?as=Ada")
    events = [event["index"] for one in log["rounds"] for event in one["events"]]
    page.keyboard.press("End")
    expect(page.locator(".count").first).to_have_text(f"{len(events)} / {len(events)}")
    assert indices(page) == events
    assert events[: len(before)] == before
    assert not seen.dialogs
