"""People in several browsers and tabs: what each is sent, and what becomes of a seat meanwhile."""

import asyncio
import json
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from engine.config import GameEngineConfig
from tests.support.web.by_keyboard import answer_question
from tests.support.web.real_server import TOKEN, Served, table_of

STREAM = """async (path) => {
  const answer = await fetch(path, { headers: { Accept: "text/event-stream" } });
  return [answer.status, await answer.text()];
}"""


def config_of(game: str, *models: str, **settings: Any) -> dict[str, Any]:
    players = ",".join(["human", *(f"scripted:{model}" for model in models)])
    return table_of(game, players, **settings)


def begin(served: Served, config: dict[str, Any]) -> tuple[str, str]:
    """Begin a game; return its name and the link to Ada's seat."""
    begun = served.begin(config)
    return begun["name"], begun["seats"]["Ada"]


def show(context: BrowserContext, link: str) -> Page:
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.goto(link)
    return page


def asked(page: Page, number: int) -> None:
    page.locator(f'.extra[data-number="{number}"] form').wait_for()


def frames_in(text: str) -> list[dict[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if lines.get("event") == "event":
            found.append(json.loads(lines["data"]))
    return found


@pytest.mark.parametrize(
    "config",
    [
        config_of("deliberations", "loyal", "grudge", "bandwagon"),
        config_of("conversation", "greedy", "random", length=6, voice=True),
    ],
    ids=["deliberations", "conversation"],
)
def test_a_seats_link_in_another_browser_is_sent_that_seats_view(
    browser: Browser, served: Served, config: dict[str, Any]
) -> None:
    name, link = begin(served, config)
    other, _ = begin(served, config)
    answers: list[Response] = []
    context = browser.new_context()
    context.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - it is marked
    page = show(context, link)
    asked(page, 1)
    for refused in (f"/games/{name}/events?as=*", f"/games/{other}", "/games"):
        assert page.evaluate(STREAM, f"/api{refused}")[0] in (401, 403, 409)
    served.hall.seats(name)["Ada"].leave()
    expect(page.locator(".status.finished")).to_be_visible()
    status, stream = page.evaluate(STREAM, f"/api/games/{name}/events?as=Ada")
    assert status == 200

    log = served.get(f"/api/games/{name}/log?as=*").json
    events = [event for one in log["rounds"] for event in one["events"]]
    own = [event for event in events if "Ada" in event["visibility"]]
    hidden = [event for event in events if "Ada" not in event["visibility"]]
    assert len(hidden) > 3
    frames = frames_in(stream)
    assert [frame["index"] for frame in frames] == [*range(len(own))]
    for frame in frames:
        assert frame["data"] == {}
        if frame["player_id"] != "Ada":
            nothing = (frame["prompt"], frame["reasoning"], frame["usage"], frame["attempts"])
            assert nothing == (None, "", None, [])
    sent = [stream]
    for answer in answers:
        if "json" in answer.headers.get("content-type", "") and answer.ok:
            sent.append(answer.text())
    assert len(sent) > 2
    heard = "\n".join(event["content"] for event in own)
    for event in hidden:
        secret = json.dumps(event["content"], ensure_ascii=False)[1:-1]
        if event["player_id"] != "Ada" and event["content"] not in heard:
            assert not any(secret in text for text in sent)
    context.close()


def test_a_host_who_sits_sees_no_more_than_the_seat(browser: Browser, served: Served) -> None:
    name, link = begin(served, config_of("conversation", "greedy", length=4))
    context = browser.new_context()
    host = show(context, f"{served.origin}/#/?token={TOKEN}")
    host.locator(".games li").first.wait_for()
    host.goto(f"{served.origin}/#/game/{name}")
    views = host.get_by_label("View")
    # Somebody sits there: it is first shown as the public sees it.
    expect(views).to_have_value("")
    assert "Everything" in views.inner_text()
    asked(show(context, link), 1)
    host.reload()
    expect(views).to_have_value("Ada")
    assert "Everything" not in views.inner_text()
    context.close()


def test_two_tabs_of_a_seat_and_watchers_of_two_views(browser: Browser, served: Served) -> None:
    name, link = begin(served, config_of("conversation", "greedy", length=5, bank_size=3))
    context = browser.new_context()
    first = show(context, link)
    second = show(context, link)
    asked(second, 1)
    asked(first, 1)
    answer_question(first)
    # The question is answered in both; the next is asked in both.
    asked(second, 2)
    asked(first, 2)
    answer_question(second)
    asked(first, 3)
    late = browser.new_context()
    everything = show(late, f"{served.origin}/#/?token={TOKEN}")
    everything.locator(".games li").first.wait_for()
    everything.goto(f"{served.origin}/#/game/{name}?as=*")
    public = show(late, f"{served.origin}/#/game/{name}?as=public")
    served.hall.seats(name)["Ada"].leave()
    for page, view in ((everything, "*"), (public, "public"), (first, "Ada"), (second, "Ada")):
        expect(page.locator(".status.finished")).to_be_visible()
        page.keyboard.press("End")
        seen = served.get(f"/api/games/{name}/log?as={view}").json
        indices = [event["index"] for one in seen["rounds"] for event in one["events"]]
        expect(page.locator(".count").first).to_have_text(f"{len(indices)} / {len(indices)}")
        rows = page.locator(".event").evaluate_all("rows => rows.map(row => row.dataset.index)")
        assert [int(row) for row in rows] == indices
    context.close()
    late.close()


def test_who_closes_the_tab_misses_a_deadline_and_may_come_back(
    browser: Browser, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.server.seats.ANSWER_WITHIN", 5.0)
    config = GameEngineConfig.model_validate(config_of("conversation", "greedy", length=3))
    web = served.server.servers[0].get_loop()
    name = asyncio.run_coroutine_threadsafe(served.hall.begin(config), web).result(30)
    link = served.get(f"/api/games/{name}").json["seats"]["Ada"]
    context = browser.new_context()
    page = show(context, link)
    asked(page, 1)
    assert "s left" in page.locator("form.question").inner_text()
    page.close()
    watcher = show(context, link.split("?")[0])
    asked(watcher, 2)
    answer_question(watcher)
    served.hall.seats(name)["Ada"].leave()
    expect(watcher.locator(".status.finished")).to_be_visible()
    events = served.get(f"/api/games/{name}/events?as=*&limit=200").json["events"]
    faults = [event["content"] for event in events if event["kind"] == "fault"]
    assert "did not answer within 5 s" in faults[0]
    own = [
        event["fell_back"]
        for event in events
        if event["kind"] == "proposal" and event["player_id"] == "Ada"
    ]
    assert own[:2] == [True, False]
    context.close()
