"""The guard: pure ASGI middleware that checks every request before anything parses it.

It checks the head's size and form; Host (421); Origin and Sec-Fetch-Site (403); the token, cookie
or key (401); the headers that a browser must send with a cookie (403, 415); the rate of requests
that change something (429); and the body's size (413) and arrival time (408). The server's names
are fixed when it starts. Origin is compared with these names, never with Host, so a foreign domain
that resolves to this server gains no access.
"""

import asyncio
import logging
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.server.keys import Caller, Keys
from engine.server.settings import ServerSettings
from engine.server.web.limits import RateLimit
from engine.server.web.refusal import Refusal, refuse

MOST_HEAD = 16 << 10
MOST_BODY = 64 << 10
BODY_SECONDS = 30.0
POSTS_A_SECOND = 20
LINE = 4
STARTS = {"http.response.start", "websocket.accept", "websocket.http.response.start"}
JSON = "application/json"
VERSIONS = {"1.0", "1.1"}
READS = {"GET", "HEAD"}
OWN_SITES = {"same-origin", "none"}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# The ports that browsers omit from an origin, by scheme.
USUAL_PORTS = {"http": 80, "https": 443}
SCHEME = "://"
# The path for agents that speak MCP.
AGENTS = "/mcp"
# Sent with every response, so that a browser runs only the page's own files.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
SAFE_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
NO_STORE = (b"cache-control", b"no-store")

logger = logging.getLogger("arena.server")


def own_origins(settings: ServerSettings) -> frozenset[str]:
    """Return the origins of this server's pages as browsers spell them.

    Names in `allow_hosts` without a scheme are taken as http.
    """
    port = settings.port
    origins = {f"http://{name}:{port}" for name in LOOPBACK}
    for name in settings.allow_hosts:
        origin = name.lower() if SCHEME in name else f"http://{name.lower()}"
        origins |= {origin, f"{origin}:{port}"}
    for origin in [*origins]:
        scheme = origin.partition(SCHEME)[0]
        origins.add(origin.removesuffix(f":{USUAL_PORTS[scheme]}"))
    return frozenset(origins)


def cookie_name(settings: ServerSettings) -> str:
    """Return this server's cookie name, which contains the port because cookies ignore ports."""
    return f"arena_{settings.port}"


class Guard:
    """Passes each request to the app or refuses it."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, keys: Keys) -> None:
        self.app = app
        self.keys = keys
        self.cookie = cookie_name(settings)
        self.origins = own_origins(settings)
        self.hosts = {origin.partition(SCHEME)[2] for origin in self.origins}
        self.posts = RateLimit(POSTS_A_SECOND)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; every response gets the security headers."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            if message["type"] in STARTS:
                begun = True
                message = {**message, "headers": with_safety(message.get("headers", []))}
            await send(message)

        try:
            self.check(scope)
            if scope["type"] == "http":
                receive = await read_body(scope, receive)
            await self.app(scope, receive, answer)
        except Refusal as refusal:
            await refuse(refusal, scope, receive, answer)
        except Exception:
            logger.exception("a request failed")
            if not begun:
                failed = Refusal(
                    500, "the server failed to handle this request: its terminal shows why"
                )
                await refuse(failed, scope, receive, answer)

    def check(self, scope: Scope) -> None:
        """Check a request except its body, and store the caller in the scope; may raise Refusal."""
        headers = Headers(scope=scope)
        check_head(scope, headers)
        self.check_host(headers)
        self.check_origin(scope, headers)
        if is_open(scope["path"]):
            return
        caller = self.caller_of(scope, headers)
        scope.setdefault("state", {})["caller"] = caller
        is_socket = scope["type"] == "websocket"
        if not is_socket and scope["method"] in READS:
            return
        if "cookie" in headers:
            check_browser(headers, is_socket=is_socket)
        if not is_socket and not self.posts.allows(caller.label):
            raise Refusal(
                429,
                f"expected {POSTS_A_SECOND} changes per second at most: wait a second",
                {"retry-after": "1"},
            )

    def check_host(self, headers: Headers) -> None:
        """Reject requests sent to any other host name, as in DNS rebinding."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            raise Refusal(
                421,
                "this server answers only to its own host names: open the link that it printed, "
                "or restart it with --allow-host NAME",
            )

    def check_origin(self, scope: Scope, headers: Headers) -> None:
        """Reject requests that another site's page makes from a user's browser."""
        origins = headers.getlist("origin")
        if origins and (len(origins) > 1 or origins[0] not in self.origins):
            raise Refusal(403, "requests from other pages are refused: open this server's own link")
        sites = headers.getlist("sec-fetch-site")
        if not sites or (len(sites) == 1 and sites[0] in OWN_SITES):
            return
        # A link in an email may open the page itself, which holds no data and cannot be framed.
        opens_page = headers.get("sec-fetch-mode") == "navigate" and scope["path"] == "/"
        if not opens_page or scope["type"] != "http":
            raise Refusal(403, "requests from other pages are refused: open this server's own link")

    def caller_of(self, scope: Scope, headers: Headers) -> Caller:
        """Return the caller, identified by a bearer token or key if there is one, or by cookie."""
        caller = None
        credentials = headers.getlist("authorization")
        if credentials:
            scheme, _, text = credentials[0].partition(" ")
            if len(credentials) == 1 and scheme.lower() == "bearer":
                caller = self.keys.bearer(text.strip())
        else:
            caller = self.keys.cookie(HTTPConnection(scope).cookies.get(self.cookie, ""))
        if caller is None:
            raise Refusal(
                401,
                "expected the token in the link that the server printed, or a key of a game: send "
                "it as Authorization: Bearer ..., or open the link",
                {"www-authenticate": "Bearer"},
            )
        return caller


def with_safety(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return `headers` with the security headers, and with no-store if cache-control is not set."""
    names = {name.lower() for name, _ in headers}
    added = [header for header in (*SAFE_HEADERS, NO_STORE) if header[0] not in names]
    return [*headers, *added]


def is_open(path: str) -> bool:
    """Return whether a path needs no key: /api/health, and the page's files, which hold no data."""
    return path == "/api/health" or not (path.startswith("/api/") or path == AGENTS)


def check_head(scope: Scope, headers: Headers) -> None:
    """Reject heads that are too long, are not HTTP/1, or announce an ambiguous or huge body."""
    if scope["http_version"] not in VERSIONS:
        raise Refusal(505, "expected HTTP/1.1")
    address = len(scope.get("raw_path") or b"") + len(scope["query_string"])
    size = address + sum(len(name) + len(value) + LINE for name, value in scope["headers"])
    if size > MOST_HEAD:
        raise Refusal(431, f"expected a head of at most {MOST_HEAD} bytes: got {size}")
    _check_length(headers)


def _check_length(headers: Headers) -> None:
    lengths = headers.getlist("content-length")
    if len(lengths) > 1 or (lengths and "transfer-encoding" in headers):
        raise Refusal(400, "expected either Content-Length or Transfer-Encoding, once")
    if lengths and int(lengths[0]) > MOST_BODY:
        raise too_large()


def check_browser(headers: Headers, *, is_socket: bool) -> None:
    """Reject requests that a foreign page could make a browser send with this server's cookie."""
    if "origin" not in headers:
        raise Refusal(
            403,
            "expected an Origin header with a cookie: programs send Authorization: Bearer ... "
            "instead",
        )
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not is_socket and kind != JSON:
        raise Refusal(415, f"expected Content-Type: {JSON}")


async def read_body(scope: Scope, receive: Receive) -> Receive:
    """Read the whole body, and return a function that passes it to the app."""
    headers = Headers(scope=scope)
    if "content-length" not in headers and "transfer-encoding" not in headers:
        return receive
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await whole_body(receive)
    except TimeoutError:
        raise Refusal(408, f"expected the body within {BODY_SECONDS:g} seconds") from None
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_part() -> Message:
        return parts.pop() if parts else await receive()

    return next_part


async def whole_body(receive: Receive) -> bytes:
    """Return a body of at most 64 KiB; raise Refusal if it is larger or the client disconnects."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "expected a complete body")
        body += message.get("body", b"")
        if len(body) > MOST_BODY:
            raise too_large()
        if not message.get("more_body"):
            return bytes(body)


def too_large() -> Refusal:
    """Return the Refusal for an oversized body."""
    return Refusal(413, f"expected a body of at most {MOST_BODY >> 10} KiB")
