"""Whether a seat's provider was ever reached; one that was not has answered no question."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field

from providers import Completion, ProviderError, UnreachableError


@dataclass
class Contact:
    """The calls of one seat, until one of them reached its provider.

    A provider is reached by a call that it answers, or that fails in any other way than for want of
    a connection or an answer.
    """

    made: bool = False
    under_way: int = 0
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self, call: Awaitable[Completion]) -> Completion:
        """Return what `call` answers, or raise its fault; note whether it reached the provider."""
        self.under_way += 1
        self.settled.clear()
        try:
            completion = await call
        except UnreachableError:
            raise
        except ProviderError:
            self.made = True
            raise
        else:
            self.made = True
            return completion
        finally:
            self.under_way -= 1
            if self.made or not self.under_way:
                self.settled.set()

    async def was_made(self) -> bool:
        """Return whether the provider was reached, once a call that is under way cannot do so.

        Questions that are asked side by side are a seat's first ones together.
        """
        if not self.made:
            await self.settled.wait()
        return self.made
