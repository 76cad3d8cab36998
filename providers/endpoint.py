"""A model's address, settings and time limit, and the objects that all its calls share."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Things = dict[Hashable, Any]
PORT = re.compile(r"(?P<host>.*):(?P<port>\d*)")
# Addresses of a server that listens on all interfaces; no request can be sent there.
EVERYWHERE = {"", "0.0.0.0", "::"}  # noqa: S104 - nothing is bound: these are replaced
HERE = "127.0.0.1"
OLLAMA_PORT = "11434"
PORTS = {"http": "80", "https": "443"}


class Pool:
    """Objects made once per event loop, so that one client can serve several loops or threads."""

    def __init__(self) -> None:
        # Each loop's shared objects, and the generator that closes them when the loop ends.
        self._made: dict[asyncio.AbstractEventLoop, tuple[Things, AsyncGenerator[Things]]] = {}

    async def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return this loop's object `name`, made by `make` on the first call."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            keeper = self._keep(loop)
            self._made[loop] = (await anext(keeper), keeper)
        things, _ = self._made[loop]
        if name not in things:
            things[name] = make()
        thing: T = things[name]
        return thing

    async def aclose(self) -> None:
        """Close the HTTP connections of this loop; the next request opens new ones."""
        made = self._made.get(asyncio.get_running_loop())
        if made is not None:
            await made[1].aclose()

    async def _keep(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[Things]:
        things: Things = {}
        # asyncio.run closes open generators when its loop ends, so connections are always closed.
        try:
            yield things
        finally:
            self._made.pop(loop, None)
            for thing in things.values():
                # An HTTP client of any library.
                if hasattr(thing, "aclose"):
                    await thing.aclose()


@dataclass(frozen=True)
class Endpoint:
    """A model's name, address, key, time limit in seconds for one call, and settings.

    `settings` are fields of the API's own request body, which override ours; `headers` (or
    `extra_headers`) among them are sent as headers. With `structured: false`, the prompt describes
    the answer's form in words, for a model that takes no schema. `key_variable` is the environment
    variable of the key, if it came from one. `secrets` are other texts in the seat's config that no
    log may contain. `thinks` and `shows` are as in the provider's row. `concurrency` is the maximum
    number of calls at a time.
    """

    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    pool: Pool = field(default_factory=Pool)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    thinks: bool = False
    shows: Mapping[str, Any] = field(default_factory=dict)
    key_variable: str = ""
    concurrency: int = 1


def ollama_address(host: str) -> str:
    """Return the base URL for a value of OLLAMA_HOST, read as Ollama itself reads it.

    >>> ollama_address("gpu.local")
    'http://gpu.local:11434/v1'
    >>> ollama_address("0.0.0.0:11500")
    'http://127.0.0.1:11500/v1'
    >>> ollama_address("https://gpu.local/ollama/")
    'https://gpu.local:443/ollama/v1'
    """
    written = host.strip().strip("'\"")
    usual = OLLAMA_PORT
    scheme = "http"
    if "://" in written:
        scheme, _, written = written.partition("://")
        scheme = scheme.lower()
        usual = PORTS.get(scheme, OLLAMA_PORT)
    place, _, path = written.partition("/")
    name, port = _host_and_port(place)
    if name in EVERYWHERE:
        name = HERE
    if ":" in name:
        name = f"[{name}]"
    parts = [f"{scheme}://{name}:{port or usual}", path.strip("/"), "v1"]
    return "/".join(filter(None, parts))


def _host_and_port(place: str) -> tuple[str, str]:
    """Return the host and the port of "host:port"; in an IPv6 address, the port follows "]"."""
    bare = place.strip("[]")
    match = PORT.fullmatch(place)
    if match is None or (":" in match["host"] and "]" not in match["host"]):
        return bare, ""
    return match["host"].strip("[]"), match["port"]
