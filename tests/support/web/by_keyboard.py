"""A person without a mouse in the browser: how a question is answered."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

MOST_TABS = 80
MOST_QUESTIONS = 42
FOCUS = """() => {
  const at = document.activeElement;
  const form = document.querySelector("form.question");
  const chosen = () => Boolean(form.querySelector(`[name="${at.name}"]:checked`));
  return {
    inside: Boolean(form && form.contains(at)),
    kind: at.type ?? at.tagName,
    ready: at.type === "radio" ? chosen() : at.value !== "",
    seen: at.getClientRects().length > 0,
  };
}"""


def focus(page: Page) -> dict[str, Any]:
    """Return where the focus is, and whether something was chosen or written there."""
    found: dict[str, Any] = page.evaluate(FOCUS)
    return found


def answer_question(page: Page, words: str = "Bread is worth the wait.") -> None:
    """Answer the open question with the first choice and `words`, and wait until it is gone."""
    keys = page.keyboard
    number = page.locator(".extra").get_attribute("data-number")
    for _ in range(MOST_TABS):
        at = focus(page)
        if at["inside"] and at["kind"] == "submit":
            break
        if at["inside"] and at["kind"] == "radio" and not at["ready"]:
            keys.press("Space")
        if at["inside"] and at["kind"] == "textarea" and not at["ready"]:
            keys.type(words)
        keys.press("Tab")
    assert focus(page)["seen"]
    keys.press("Enter")
    page.locator(f'.extra[data-number="{number}"] form').wait_for(state="detached")


def play(page: Page, act: Callable[[Page], None] = answer_question) -> int:
    """Answer with `act` until the game is over; return how many questions there were."""
    over = page.locator(".status.finished")
    for asked in range(MOST_QUESTIONS):
        page.locator("form.question").or_(over).first.wait_for()
        if over.count():
            return asked
        act(page)
    raise AssertionError("the game does not end")
