"""Which requests pass the guard: every credential, Origin, Sec-Fetch-Site and way of asking."""

from itertools import product

from tests.support.web.attacks import socket_lines, status_of
from tests.support.web.real_server import PATIENCE, Served

GAME = "gameplay_20260101_120000_ab12"
Headers = dict[str, str]
# The statuses of a request that the guard lets through, by the way of asking.
PASSED = {"GET": 200, "POST": 204, "WS": 404}
PATHS = {"GET": "/api/openapi.json", "POST": "/api/session", "WS": f"/api/games/{GAME}/stream"}
ORIGINS = ("", "own", "own by name", "other", "other port", "secure", "null", "own twice")
SITES = ("", "same-origin", "none", "same-site", "cross-site")


def credentials(served: Served) -> dict[str, Headers]:
    """Return the headers of every kind of credential, and of some that are none."""
    seat = served.key_of(GAME, "Ada")
    hosts = served.cookie_for(served.bearer)
    return {
        "nothing": {},
        "wrong bearer": {"Authorization": "Bearer wrong"},
        "token in the query": {},
        "host's bearer": served.bearer,
        "seat's bearer": seat,
        "watcher's bearer": served.key_of(GAME, watch="public"),
        "host's cookie": hosts,
        "seat's cookie": served.cookie_for(seat),
        "bearer beside a cookie": seat | hosts,
        "host's bearer beside a cookie": served.bearer | hosts,
        "wrong bearer beside a cookie": {"Authorization": "Bearer wrong"} | hosts,
        "cookie of another port": {"Cookie": "arena_1" + hosts["Cookie"][10:]},
    }


def expected(credential: str, origin: str, site: str, way: str) -> int:
    """Return the status as docs/server.md promises it, without a look at the guard."""
    if origin == "own twice" and way == "WS":
        # The handshake is refused before anybody sees it.
        return 400
    if origin in ("other", "other port", "secure", "null", "own twice"):
        return 403
    if site in ("same-site", "cross-site"):
        return 403
    if credential.startswith(("nothing", "wrong bearer", "token in", "cookie of another")):
        return 401
    if way != "GET" and "cookie" in credential and not origin:
        return 403
    return PASSED[way]


def ask(served: Served, path: str, way: str, lines: list[str]) -> int:
    method = "POST" if way == "POST" else "GET"
    head = [f"{method} {path} HTTP/1.1", f"Host: {served.host}", *lines]
    if way == "WS":
        head += socket_lines().splitlines()
    else:
        head.append("Connection: close")
    if way == "POST":
        head += ["Content-Type: application/json", "Content-Length: 2"]
    body = "{}" if way == "POST" else ""
    return status_of(served.raw("\r\n".join([*head, "", body]).encode(), patience=PATIENCE))


def test_every_combination_is_answered_as_promised(served: Served) -> None:
    port = served.settings.port
    origins = {
        "": [],
        "own": [served.origin],
        "own by name": [f"http://localhost:{port}"],
        "other": ["https://evil.example"],
        "other port": [f"http://127.0.0.1:{port - 1}"],
        "secure": [served.origin.replace("http", "https")],
        "null": ["null"],
        "own twice": [served.origin, served.origin],
    }
    wrong = []
    shown = credentials(served)
    for credential, origin, site, way in product(shown, ORIGINS, SITES, PATHS):
        lines = [f"{name}: {value}" for name, value in shown[credential].items()]
        lines += [f"Origin: {value}" for value in origins[origin]]
        lines += [f"Sec-Fetch-Site: {site}"] if site else []
        query = f"?token={served.settings.token}" if credential == "token in the query" else ""
        status = ask(served, PATHS[way] + query, way, lines)
        if status != expected(credential, origin, site, way):
            wrong.append((credential, origin, site, way, status))
    assert wrong == []
