"""The page's own files by URL path, read and compressed at startup.

The files are sent without indentation and comments, as in the single-file page; this saves a fifth
of their size. A URL never becomes a path on this machine.
"""

import gzip
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine import own_folder
from engine.record.files import read_regular
from engine.server.guard import READS
from engine.server.web.refusal import Refusal
from engine.views.page import packed_style, without_comments

PAGE = own_folder("page")
FRONT = "/index.html"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
BARE = {".css": packed_style, ".js": without_comments}
# A coding in Accept-Encoding, with its optional weight.
CODING = re.compile(r"\s*([\w*-]+)\s*(?:;\s*q=([\d.]+)\s*)?")


@dataclass(frozen=True)
class PageFile:
    """One file: its media type, its content, and the content compressed with gzip."""

    kind: str
    content: bytes
    packed: bytes

    @cached_property
    def etag(self) -> str:
        """A hash that identifies this version of the file in a browser's cache."""
        return f'"{sha256(self.content).hexdigest()[:16]}"'


class PageFiles:
    """Serves the page's files as they were when the server started."""

    def __init__(self) -> None:
        self.files = files_in(PAGE)
        if FRONT in self.files:
            self.files["/"] = self.files[FRONT]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or refuse it."""
        if scope["type"] != "http" or scope["path"] not in self.files:
            raise Refusal(404, "there is nothing at this address: start at /")
        if scope["method"] not in READS:
            raise Refusal(405, "expected GET", {"allow": "GET, HEAD"})
        file = self.files[scope["path"]]
        await file_answer(file, Request(scope))(scope, receive, send)


def files_in(folder: Path) -> dict[str, PageFile]:
    """Return the files that a page can use, by their URL paths."""
    files = {}
    for path in sorted(folder.rglob("*")):
        kind = KINDS.get(path.suffix)
        if kind is not None and path.is_file():
            content = read_regular(path)
            if path.suffix in BARE:
                content = BARE[path.suffix](content.decode()).encode()
            packed = gzip.compress(content, mtime=0)
            files[f"/{path.relative_to(folder).as_posix()}"] = PageFile(kind, content, packed)
    return files


def file_answer(file: PageFile, request: Request) -> Response:
    """Return a response with the file, or with status 304 if the browser already has it."""
    # The ETag is weak because it is the same for every content coding.
    headers = {
        "etag": f"W/{file.etag}",
        "cache-control": "no-cache",
        "vary": "accept-encoding",
    }
    if is_cached(request, file.etag):
        return Response(status_code=304, headers=headers)
    if not takes_gzip(request):
        return Response(file.content, headers=headers, media_type=file.kind)
    headers["content-encoding"] = "gzip"
    return Response(file.packed, headers=headers, media_type=file.kind)


def takes_gzip(request: Request) -> bool:
    """Return whether the request's Accept-Encoding allows gzip."""
    weights = {}
    for part in request.headers.get("accept-encoding", "").lower().split(","):
        match = CODING.fullmatch(part)
        if match is not None:
            weights[match[1]] = match[2] or "1"
    weight = weights.get("gzip", weights.get("*", "0"))
    return weight.strip("0.") != ""


def is_cached(request: Request, etag: str) -> bool:
    """Return whether the client already has the version with this ETag."""
    known = request.headers.get("if-none-match", "")
    return etag in [part.strip().removeprefix("W/") for part in known.split(",")]
