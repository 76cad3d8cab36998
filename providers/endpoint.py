"""A model's address, settings and time limit, and the objects that all its calls share."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Things = dict[Hashable, Any]


class Pool:
    """Objects created once per event loop, so that a client can serve several loops or threads."""

    def __init__(self) -> None:
        # Each loop's shared objects, and the generator that closes them when the loop ends.
        self._made: dict[asyncio.AbstractEventLoop, tuple[Things, AsyncGenerator[Things]]] = {}

    async def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return this loop's object `name`, created by `make` on the first call."""
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
