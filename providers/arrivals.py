"""Limits on incoming HTTP responses: safe redirects and bounded decompressed sizes.

The limits are response hooks. Without them, HTTP clients decompress any amount and, on a redirect
to another server, remove only the Authorization header.
"""

import zlib
from collections.abc import AsyncIterable, AsyncIterator

import httpx2

from providers import FatalError, RequestError

MOST_BYTES = 64 * 2**20
# Gzip expands at most 1,032-fold; other encodings have no such bound.
PACKED = {"gzip", "x-gzip", "deflate"}
PLAIN = {"", "identity"}
# The encodings that our HTTP clients request.
HEADERS = {"accept-encoding": "gzip, deflate"}
ANY_HEADER = 32 + zlib.MAX_WBITS
DEFAULT_PORTS = {"http": 80, "https": 443}
UPGRADE = (DEFAULT_PORTS["http"], DEFAULT_PORTS["https"])


async def unpack_within_bounds(response: httpx2.Response) -> None:
    """Limit a response to MOST_BYTES; raise RequestError for an encoding that was not requested."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    length = response.headers.get("content-length", "")
    if packing in PLAIN and length.isdecimal() and int(length) <= MOST_BYTES:
        return
    if packing in PACKED:
        del response.headers["content-encoding"]
    elif packing not in PLAIN:
        raise RequestError(f"compressed its answer with {packing}, which was not requested")
    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream)
    response.stream = BoundedStream(stream, packed=packing in PACKED)


class BoundedStream(httpx2.AsyncByteStream):
    """The decompressed body of a response; reading more than MOST_BYTES raises RequestError."""

    def __init__(self, stream: httpx2.AsyncByteStream, *, packed: bool) -> None:
        self.stream = stream
        self.packed = packed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body piece by piece."""
        size = 0
        async for piece in _unpacked(self.stream) if self.packed else self.stream:
            size += len(piece)
            if size > MOST_BYTES:
                raise RequestError(f"answered with more than {MOST_BYTES // 2**20} MB")
            yield piece

    async def aclose(self) -> None:
        """Close the response."""
        await self.stream.aclose()


async def _unpacked(pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    unpacker = zlib.decompressobj(ANY_HEADER)
    async for piece in pieces:
        yield unpacker.decompress(piece)
    yield unpacker.flush()


async def stay_with_server(response: httpx2.Response) -> None:
    """Raise FatalError if a response redirects the request, headers and all, to another server."""
    if not response.has_redirect_location:
        return
    asked = response.request.url
    there = asked.join(response.headers["location"])
    if not is_same_server(asked, there):
        raise FatalError(
            f"redirected (HTTP {response.status_code}) to another server, "
            f"{there.scheme}://{there.host}: check base_url"
        )


def is_same_server(asked: httpx2.URL, there: httpx2.URL) -> bool:
    """Return whether two addresses belong to the same server; http may be upgraded to https."""
    if asked.host != there.host:
        return False
    ports = (_port_of(asked), _port_of(there))
    if asked.scheme == there.scheme:
        return ports[0] == ports[1]
    return ports == UPGRADE


def _port_of(url: httpx2.URL) -> int | None:
    """Return the port of an address, explicit or default."""
    return url.port or DEFAULT_PORTS.get(url.scheme)
