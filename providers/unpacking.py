"""Answers unpacked on the way in, up to a bound: a few bytes may stand for gigabytes."""

import zlib
from collections.abc import AsyncIterable, AsyncIterator

import httpx2

from providers import RequestError

MOST_BYTES = 64 * 2**20
# A piece of gzip becomes 1,032 times as large at most; other packings have no such bound.
PACKED = {"gzip", "x-gzip", "deflate"}
PLAIN = {"", "identity"}
# What HTTP clients ask for.
HEADERS = {"accept-encoding": "gzip, deflate"}
ANY_HEADER = 32 + zlib.MAX_WBITS


async def unpack_within_bounds(response: httpx2.Response) -> None:
    """Have a response read within MOST_BYTES; RequestError for a packing that nobody asked for.

    A hook of the HTTP client, which would unpack all that comes.
    """
    packing = response.headers.get("content-encoding", "").strip().lower()
    length = response.headers.get("content-length", "")
    if packing in PLAIN and length.isdecimal() and int(length) <= MOST_BYTES:
        return
    if packing in PACKED:
        del response.headers["content-encoding"]
    elif packing not in PLAIN:
        raise RequestError(f"packed its answer as {packing}, which was not asked for")
    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream)
    response.stream = BoundedStream(stream, packed=packing in PACKED)


class BoundedStream(httpx2.AsyncByteStream):
    """The body of a response, unpacked; RequestError once it has more than MOST_BYTES."""

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
