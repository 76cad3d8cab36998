"""A fork opens beside its parent, aligned where it branches off, and what differs is marked."""

import pytest
from playwright.sync_api import Browser, expect

from tests.page.test_accessible import violations
from tests.support.web.browser import PHONE, WIDE, open_page
from tests.support.web.real_server import TOKEN, Served, table_of

PLAYERS = "scripted:loyal,scripted:grudge,scripted:bandwagon,scripted:loyal"
BRANCH = 2


@pytest.fixture(scope="module")
def parent(served: Served) -> str:
    name: str = served.begin(table_of("deliberations", PLAYERS))["name"]
    served.wait_for(name)
    return name


def contents_of(served: Served, name: str) -> list[str]:
    page = served.get(f"/api/games/{name}/events?as=*&limit=400").json
    return [event["content"] for event in page["events"]]


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "light"), (PHONE, "dark")])
def test_a_fork_opens_beside_its_parent(
    browser: Browser, served: Served, parent: str, size: dict[str, int], theme: str
) -> None:
    place = f"{served.origin}/#/game/{parent}?token={TOKEN}&event={BRANCH}&as=*"
    seen = open_page(browser, place, viewport=size, color_scheme=theme)
    page = seen.page
    page.locator("svg.board").first.wait_for()
    page.locator(".event[aria-current]").wait_for()
    page.get_by_text("Actions").press("Enter")
    page.locator(".menu[open]").wait_for()
    page.get_by_role("button", name="Fork from here…").press("Enter")
    page.get_by_label("Who plays").first.select_option("scripted")
    page.get_by_label("Strategy").first.select_option("contrarian")
    page.get_by_role("button", name="Start the fork").press("Enter")
    page.locator(".pairs .differs").first.wait_for()
    fork = page.url.rpartition("/")[2]
    served.wait_for(fork)
    page.wait_for_timeout(300)
    expect(page.locator(".heads a")).to_have_text([parent, fork])
    told = f"After event {BRANCH} Ada is played by scripted contrarian."
    expect(page.locator(".compare > .quiet").first).to_contain_text(told)
    rows = page.locator(".pairs > li")
    before, after = contents_of(served, parent), contents_of(served, fork)
    # The events before the branch are the same, and so is what is not marked behind it.
    assert before[: BRANCH + 1] == after[: BRANCH + 1]
    marked = 0
    for row in rows.all():
        texts = row.locator(".text").all_inner_texts()
        if "differs" in (row.get_attribute("class") or ""):
            marked += 1
            assert len(texts) < 2 or texts[0] != texts[1]
        else:
            assert texts[0] == texts[1]
    assert marked
    assert marked <= page.locator(".strip circle[fill='var(--accent)']").count() <= 2 * marked
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert violations(seen) == []
    assert seen.errors == []
    # The way back is in the fork's own menu.
    page.goto(f"{served.origin}/#/game/{fork}")
    page.get_by_text("Actions").press("Enter")
    link = page.get_by_role("link", name="Beside its parent")
    expect(link).to_have_attribute("href", f"#/fork/{fork}")


def test_a_game_that_is_no_fork_has_nothing_beside_it(
    browser: Browser, served: Served, parent: str
) -> None:
    seen = open_page(browser, f"{served.origin}/#/fork/{parent}?token={TOKEN}")
    expect(seen.page.get_by_role("alert")).to_contain_text("not a fork")
