"""A server of the page with answers made by hand, to try the page alone."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from engine.server.guard import POLICY
from engine.views.page import PAGE

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
# What is answered: JSON data, or a function of the query and the body that returns it.
Answer = Any | Callable[[dict[str, str], Any], Any]
Stream = Callable[[int], list[str]]


@dataclass
class Canned:
    """The answers by "METHOD /path", the streams by path, and what was asked."""

    answers: dict[str, Answer] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    origin: str = ""


def event_frame(index: int, event: dict[str, Any]) -> str:
    """Return one event as a stream has it."""
    return f"id: {index}\nevent: event\ndata: {json.dumps(event)}\n\n"


def frame(kind: str, data: Any) -> str:
    """Return a frame that is no event."""
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


@contextmanager
def served(canned: Canned) -> Iterator[Canned]:
    """Serve the page and these answers on a free port while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            if not path.startswith("/api/"):
                return self.send_file(path)
            if path in canned.streams and "event-stream" in self.headers.get("Accept", ""):
                return self.send_stream(canned.streams[path])
            return self.send_answer(None)

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            self.send_answer(json.loads(self.rfile.read(length) or b"{}"))

        def send_file(self, path: str) -> None:
            file = PAGE / (path.lstrip("/") or "index.html")
            found = file.is_file()
            kind = KINDS.get(file.suffix, "text/plain")
            self.send_bytes(200 if found else 404, file.read_bytes() if found else b"", kind)

        def send_answer(self, body: Any) -> None:
            parts = urlsplit(self.path)
            canned.asked.append((self.command, self.path, body))
            canned.headers.append(dict(self.headers))
            answer = canned.answers.get(f"{self.command} {parts.path}")
            if callable(answer):
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                answer = answer(query, body)
            status = 404 if answer is None else 200
            if isinstance(answer, dict) and "detail" in answer:
                status = 422
            self.send_bytes(status, json.dumps(answer or {"detail": "none"}).encode())

        def send_stream(self, stream: Stream) -> None:
            """Send the frames behind the last one that the browser has, then end."""
            query = parse_qs(urlsplit(self.path).query)
            last = int(self.headers.get("Last-Event-ID") or query.get("after", ["-1"])[0])
            canned.asked.append(("STREAM", self.path, last))
            text = "retry: 20\n\n" + "".join(stream(last))
            self.send_bytes(200, text.encode(), "text/event-stream")

        def send_bytes(self, status: int, body: bytes, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    canned.origin = f"http://127.0.0.1:{server.server_port}"
    try:
        yield canned
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
