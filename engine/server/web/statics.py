"""The page's own files: a table from path to bytes, made at the start.

Nothing in a URL ever becomes a path of this machine.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.server.web.answers import Refusal

PAGE = Path(__file__).parents[3] / "page"
FRONT = "index.html"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
READS = {"GET", "HEAD"}


@dataclass(frozen=True)
class StaticFile:
    """One file: what it is, and its bytes."""

    kind: str
    content: bytes

    @cached_property
    def etag(self) -> str:
        """The fingerprint by which a browser knows that it has the file."""
        return f'"{sha256(self.content).hexdigest()[:16]}"'


class StaticFiles:
    """Answers with the files of a folder as they were at the start."""

    def __init__(self, folder: Path = PAGE) -> None:
        self.files = {f"/{path}": file for path, file in files_in(folder).items()}
        if f"/{FRONT}" in self.files:
            self.files["/"] = self.files[f"/{FRONT}"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http" or scope["path"] not in self.files:
            raise Refusal(404, "there is nothing at this address: begin at /")
        if scope["method"] not in READS:
            raise Refusal(405, "expected GET", {"allow": "GET, HEAD"})
        file = self.files[scope["path"]]
        await static_answer(file, Request(scope))(scope, receive, send)


def files_in(folder: Path) -> dict[str, StaticFile]:
    """Return the files of the kinds that a page is made of, by their paths inside `folder`."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = KINDS.get(path.suffix)
        if kind is not None and path.is_file():
            found[path.relative_to(folder).as_posix()] = StaticFile(kind, path.read_bytes())
    return found


def static_answer(file: StaticFile, request: Request) -> Response:
    """Return a file, or only that the browser has it already."""
    headers = {"etag": file.etag, "cache-control": "no-cache"}
    if fits(request, file.etag):
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.kind)


def fits(request: Request, etag: str) -> bool:
    """Return whether the sender of a request has what the ETag names."""
    known = request.headers.get("if-none-match", "")
    return etag in [part.strip().removeprefix("W/") for part in known.split(",")]
