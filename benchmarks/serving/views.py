"""What each view of a game shows, compared with what it may."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.games import GAMES
from engine.history import History
from engine.server.keys import Keys, read_secret
from engine.views.perspective import event_in, seen_by
from tests.support.web.real_server import Served

PAGE = 1000
SHORTEST = 16
DATA = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)
KEPT = ("index", "kind", "heading", "player_id", "content", "visibility")


def view_breaches(served: Served, histories: dict[str, History]) -> tuple[int, list[str]]:
    """Return how many events were looked at in all views of these games, and what is wrong."""
    count = 0
    found: list[str] = []
    for name, history in histories.items():
        ids = [seat.player_id for seat in history.players]
        for view in ("", *ids):
            for way, events, body in ways_to_see(served, name, view):
                count += len(events)
                where = f"{name} as {view or 'public'}, {way}"
                found += [f"{where}: {one}" for one in wrong_events(history, view, ids, events)]
                found += [f"{where}: {one}" for one in told_secrets(history, view, ids, body)]
    return count, found


def ways_to_see(
    served: Served, name: str, view: str
) -> Iterator[tuple[str, list[dict[str, Any]], str]]:
    """Yield each way to see a game in a view: its events, and all that was sent."""
    keys = Keys(read_secret(served.settings.logs_dir), served.settings.token)
    given = keys.seat_key(name, view) if view else keys.watch_key(name, "public")
    asked = f"as={view or 'public'}"
    for who, headers in (("host", {}), ("key", {"Authorization": f"Bearer {given}"})):
        more = {"headers": headers, "bare": bool(headers)}
        events: list[dict[str, Any]] = []
        after = -1
        body = ""
        while after is not None:
            path = f"/api/games/{name}/events?{asked}&limit={PAGE}&after={after}"
            answer = served.get(path, **more)
            events += answer.json["events"]
            after = answer.json["next"]
            body += answer.body.decode()
        yield f"events of the {who}", events, body
        log = served.get(f"/api/games/{name}/log?{asked}", **more)
        yield f"log of the {who}", events_of(log.json), log.body.decode()
        file = served.get(f"/api/games/{name}/page.html?{asked}&include_prompts=1", **more)
        text = file.body.decode()
        data = json.loads(DATA.findall(text)[0])
        yield f"file of the {who}", events_of(data["log"]), text


def events_of(log: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a log."""
    return [event for part in log["rounds"] for event in part["events"]]


def wrong_events(
    history: History, view: str, ids: Sequence[str], events: list[dict[str, Any]]
) -> Iterator[str]:
    """Yield each event that is not there, or has more than the view may see."""
    expected = {}
    for event in history.events:
        seen = event_in(event, view, ids)
        if seen is not None:
            expected[event.index] = seen
    if [one["index"] for one in events] != [*expected]:
        yield "other events"
        return
    # What is told of an event is read from all of it; the kit of games proves that each word of
    # it stands in the content too.
    told = {event.index: GAMES[history.game].told(event) for event in history.events}
    for one in events:
        seen = expected[one["index"]]
        if any(one[field] != as_plain(getattr(seen, field)) for field in KEPT):
            yield f"event {one['index']} is another"
        if one["data"] or one.get("told", {}) not in ({}, as_plain(told[seen.index])):
            yield f"event {one['index']} has data"
        is_own = bool(view) and one["player_id"] == view
        if not is_own and any(one[field] for field in ("prompt", "reasoning", "usage", "attempts")):
            yield f"event {one['index']} has what is another's"


def told_secrets(history: History, view: str, ids: Sequence[str], body: str) -> Iterator[str]:
    """Yield words of events that the view does not see, and that none that it sees has."""
    seen = seen_by(history, view).to_json() if view else ""
    for event in history.events:
        text = json.dumps(event.content)[1:-1]
        if event_in(event, view, ids) is None and len(text) >= SHORTEST and text in body:
            shown = [one.content for one in history.events if event_in(one, view, ids)]
            if not any(event.content in content for content in shown) and text not in seen:
                yield f"the words of event {event.index}"


def as_plain(value: Any) -> Any:
    """Return what JSON makes of a value."""
    return json.loads(json.dumps(value))
