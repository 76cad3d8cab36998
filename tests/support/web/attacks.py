"""Attacks that the guard must stop; each returns what got through, or an empty list.

`benchmarks/server_security.py` runs the same at full count.
"""

import base64
import json
from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import quote

from tests.support.web.real_server import Served

CANARY = "canary-0123456789abcdef"
MALFORMED = {400, 408, 411, 413, 417, 421, 431, 501, 505}
CLIMBS = (
    "../", "..\\", "%2e%2e/", "%2e%2e%2f", "..%2f", "..%5c", "%252e%252e%252f", "..%c0%af",
    "..%ef%bc%8f", "%c0%ae%c0%ae/", "....//", "..;/", "/..//", "..%00/", "%u002e%u002e/",
)  # fmt: skip
TARGETS = (
    "etc/passwd", "proc/self/environ", "canary.txt", "canary.json", "logs/.server",
    "pyproject.toml", "C:/Windows/win.ini",
)  # fmt: skip
PLACES = ("/", "/boards/", "/api/games/", "/api/games/none/charts/", "/api/games/none/seats/")
DEEP = (1, 8)
SECRETS = (b"root:", b"PATH=", CANARY.encode(), b"[project]", b"[tool.")


def traversals(served: Served) -> list[str]:
    """Climb out of every place to every target; a foreign byte or a 5xx is a breach."""
    for name in ("canary.txt", "canary.json"):
        (served.settings.logs_dir.parent / name).write_text(CANARY)
    secret = (served.settings.logs_dir / ".server").read_bytes()
    found = []
    for path in climbing_paths():
        answer = served.raw(head(served, path) + b"\r\n")
        status = status_of(answer)
        if not 400 <= status < 500:
            found.append(f"{path}: {status}")
        if any(foreign in answer for foreign in (*SECRETS, secret)):
            found.append(f"{path}: foreign bytes")
    return found


def climbing_paths() -> Iterator[str]:
    """Yield 15 ways to climb to 7 targets, from 5 places and 2 depths: more than a thousand."""
    for place in PLACES:
        for climb in CLIMBS:
            for target in TARGETS:
                for depth in DEEP:
                    yield f"{place}{climb * depth}{target}"


def head(
    served: Served, path: str, more: str = "", *, host: str = "", method: str = "GET"
) -> bytes:
    """Return a head by the host's token, without its last line; it closes the connection."""
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {host or served.host}",
        f"Authorization: Bearer {served.settings.token}",
        "Connection: close",
        *more.splitlines(),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1", "replace")


def status_of(answer: bytes) -> int:
    """Return the status of a raw answer, 0 if there was none."""
    words = answer.split(b" ", 2)
    return int(words[1][:3]) if len(words) > 1 and words[0] == b"HTTP/1.1" else 0


def socket_lines() -> str:
    """Return the header lines of a WebSocket's handshake."""
    key = base64.b64encode(b"0123456789abcdef").decode()
    return (
        f"Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Key: {key}\n"
        "Sec-WebSocket-Version: 13\n"
    )


def ways_in(path: str = "/api/games/none") -> dict[str, tuple[str, str]]:
    """Return the three ways to ask, each a path and header lines: HTTP, SSE and WebSocket."""
    return {
        "http": (path, ""),
        "sse": (f"{path}/events", "Accept: text/event-stream\n"),
        "socket": (f"{path}/stream", socket_lines()),
    }


def foreign_origins(served: Served) -> list[str]:
    """Return 60 origins that are not this server's, though some look like it."""
    port = served.settings.port
    own = f"127.0.0.1:{port}"
    return [
        "null", "", "*", "file://", "http://", "https://", own, f"//{own}", f"http:{own}",
        f"HTTP://{own}", f"http://{own}/", f"http://{own}/x", f"http://{own}?", f"http://{own}#",
        f"http://{own}.evil.example", f"http://{own}@evil.example", f"http://evil.example@{own}",
        f"http://evil.example#{own}", f"http://evil.example/{own}", f"http://evil.example?{own}",
        f"http://user:pass@{own}", f"http://{own}, http://{own}", f"http://{own} http://evil",
        f"https://{own}", f"ws://{own}", f"ftp://{own}", f"chrome-extension://{own}", f"javascript://{own}",
        f"blob:http://{own}", f"data:http://{own}", f"http://127.0.0.1:{port + 1}",
        f"http://127.0.0.1:{port}0", f"http://127.0.0.1:0{port}", "http://127.0.0.1",
        "http://localhost", "https://localhost", f"http://localhost.:{port}",
        f"http://LOCALHOST:{port}", f"http://Localhost:{port}", f"http://localhost:{port}\\@evil",
        f"http://localhost%00:{port}", f"http://localhost.evil.example:{port}",
        f"http://evil-localhost:{port}", f"http://127.0.0.1.nip.io:{port}",
        f"http://127.1:{port}", f"http://2130706433:{port}", f"http://0x7f000001:{port}",
        f"http://0177.0.0.1:{port}", f"http://127.0.0.2:{port}", f"http://0.0.0.0:{port}",
        f"http://[::]:{port}", f"http://[::ffff:127.0.0.1]:{port}", f"http://::1:{port}",
        f"http://xn--lcalhost-55a:{port}", f"http://l\u00f6calhost:{port}",
        "http://evil.example", f"http://evil.example:{port}", "https://evil.example",
        f"http://evil.example:80@{own}", f"http://{own}:80", f"{own}://{own}",
        f"http://{own}\t", f" http://{own}.",
    ]  # fmt: skip


def pass_origins(served: Served) -> list[str]:
    """Ask in three ways from every foreign origin; all but 403 (or 400, for no header) is one."""
    found = []
    for origin in foreign_origins(served):
        for way, (path, more) in ways_in().items():
            answer = served.raw(head(served, path, f"{more}Origin: {origin}") + b"\r\n")
            if status_of(answer) not in {403, 400} and origin.strip() != served.origin:
                found.append(f"{way} {origin!r}: {status_of(answer)}")
    return found


def foreign_hosts(served: Served) -> list[str]:
    """Return 40 values of Host that are not this server's, as used in DNS rebinding."""
    port = served.settings.port
    names = [
        "evil.example", "127.0.0.1.nip.io", "localhost.evil.example", "localhost.", "localhost..",
        "LOCALHOST", "Localhost", "127.0.0.1.", "127.1", "127.0.1", "127.0.0.2", "0.0.0.0",
        "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "[::]",
        "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "::1", "10.0.0.1", "192.168.0.1",
        "169.254.169.254", "user@127.0.0.1", "127.0.0.1@evil.example", "l\u00f6calhost",
        "xn--lcalhost-55a", "%31%32%37.0.0.1", "127.0.0.1,evil.example", "evil.example,127.0.0.1",
        "127.0.0.1/evil", "127.0.0.1#evil",
    ]  # fmt: skip
    with_port = [f"{name}:{port}" for name in names]
    return [
        *with_port, "", "127.0.0.1", "localhost", f"127.0.0.1:{port + 1}", f"127.0.0.1:0{port}",
        f"127.0.0.1:{port} evil", f"http://127.0.0.1:{port}",
    ]  # fmt: skip


def pass_hosts(served: Served) -> list[str]:
    """Ask in three ways by every foreign name, by none, and by two; all but 421 or 400 is one."""
    found = []
    own = f"Host: {served.host}\r\n".encode()
    for way, (path, more) in ways_in().items():
        for host in foreign_hosts(served):
            asked = head(served, path, more, host="HOST").replace(b"HOST", host.encode("latin-1"))
            answer = served.raw(asked + b"\r\n")
            if status_of(answer) not in {421, 400}:
                found.append(f"{way} {host!r}: {status_of(answer)}")
        for hosts in (b"", own + own, own + b"Host: evil.example\r\n"):
            answer = served.raw(head(served, path, more).replace(own, hosts) + b"\r\n")
            if status_of(answer) not in {421, 400}:
                found.append(f"{way} {hosts!r}: {status_of(answer)}")
    return found


def malformed_heads(served: Served) -> dict[str, bytes]:
    """Return 25 requests that are malformed, or that two parsers would read differently."""
    start = head(served, "/api/session", method="POST")
    get = head(served, "/api/health")
    return {
        "nothing": b"\r\n\r\n\r\n",
        "a word": b"HELLO\r\n\r\n",
        "TLS": bytes.fromhex("160301020001000001fc0303") + b"\0" * 64,
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/0.9": b"GET /\r\n\r\n",
        "HTTP/9.9": get.replace(b"HTTP/1.1", b"HTTP/9.9") + b"\r\n",
        "no version": b"GET /api/health\r\nHost: x\r\n\r\n",
        "zeros": b"\0" * 200 + b"\r\n\r\n",
        "zero in a name": get + b"X\0: y\r\n\r\n",
        "zero in a value": get + b"X: \0\r\n\r\n",
        "a space before the colon": get + b"X : y\r\n\r\n",
        "a folded line first": b"GET /api/health HTTP/1.1\r\n X: y\r\n\r\n",
        "no colon": get + b"nothing\r\n\r\n",
        "two Hosts": get + b"Host: evil.example\r\n\r\n",
        "a lone CR": get + b"X: y\rZ: z\r\n\r\n",
        "200 KB header": get + b"X: " + b"x" * 200_000 + b"\r\n\r\n",
        "17 KB in small headers": get + b"X: y\r\n" * 3000 + b"\r\n",
        "17 KB of path": head(served, "/" + "x" * 17_000) + b"\r\n",
        "CL and TE": start + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "TE twice": start + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n",
        "odd TE": start + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "two lengths": start + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456",
        "a length below 0": start + b"Content-Length: -1\r\n\r\n",
        "giant Content-Length": start + b"Content-Length: 99999999999\r\n\r\n",
        "endless chunks": start
        + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1000\r\n" + b"x" * 4096 + b"\r\n"
        + (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 31,
        "a chunk that is no number": start + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    }  # fmt: skip


def send_malformed(served: Served) -> list[str]:
    """Send malformed requests; any answer except a refusal is a breach, and so is silence."""
    found = []
    for name, sent in malformed_heads(served).items():
        status = status_of(served.raw(sent))
        if status not in MALFORMED:
            found.append(f"{name}: {status}")
        if served.get("/api/health", bare=True).status != HTTPStatus.OK:
            found.append(f"{name}: nobody answers any more")
    return found


def false_credentials(served: Served, keys: dict[str, str]) -> list[str]:
    """Return 200 invalid tokens and keys made from valid ones.

    They are cut, have bits flipped or parts exchanged, or contain forged JSON.
    """
    token = served.settings.token
    found = ["", " ", "null", "undefined", "Bearer", "bearer", "0", "*", "admin", token.swapcase()]
    for true in (token, *keys.values()):
        found += [true[: len(true) * part // 12] for part in range(1, 12)]
        found += [true + "x", "x" + true, true + "=", true + ".", true[::-1], true + true]
        for place in range(0, len(true), max(1, len(true) // 20)):
            turned = chr(ord(true[place]) ^ 1)
            found.append(true[:place] + turned + true[place + 1 :])
    for one in keys.values():
        for other in keys.values():
            if one != other:
                found.append(f"{one.partition('.')[0]}.{other.partition('.')[2]}")
    for plain in ({"host": True}, {"game": "none", "watch": "all"}, {"grants": [], "host": ""}):
        body = base64.urlsafe_b64encode(json.dumps(plain).encode()).decode()
        found += [body, f"{body}.", f"{body}.{'0' * 64}", quote(body)]
    own = {token, *keys.values()}
    return [one for one in dict.fromkeys(found) if one.strip() not in own]
