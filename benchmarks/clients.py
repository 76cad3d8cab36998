"""Compare one client shared by a thousand players with a thousand separate SDK clients.

`uv run benchmarks/clients.py` needs no key and no network. It times 100 separate clients and
multiplies by ten.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from openai import AsyncOpenAI
from pydantic import SecretStr

from client_factory import ClientConfig, ClientFactory

PLAYERS, MEASURED = 1000, 100
ADDRESS = "http://127.0.0.1:1/v1"


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def seat(factory: ClientFactory) -> None:
    """Ask for a client once for each player, as the engine does."""
    for _ in range(PLAYERS):
        factory.get(
            ClientConfig.for_player("openai", "m", SecretStr("none"), {"base_url": ADDRESS})
        )


async def separate() -> float:
    """Return the seconds that PLAYERS clients of the SDK take, each with its own connections."""
    clients: list[AsyncOpenAI] = []
    took = seconds(
        lambda: clients.extend(
            AsyncOpenAI(api_key="none", base_url=ADDRESS) for _ in range(MEASURED)
        )
    )
    await asyncio.gather(*(client.close() for client in clients))
    return took * PLAYERS / MEASURED


def main() -> None:
    """Print the figures."""
    factory = ClientFactory()
    shared = seconds(lambda: seat(factory))
    apart = asyncio.run(separate())
    print(f"{PLAYERS} players on one config: {len(factory)} client in {shared:.3f} s")
    print(
        f"{PLAYERS} separate SDK clients: {apart:.1f} s "
        f"({MEASURED} measured, times {PLAYERS // MEASURED})"
    )
    print(f"ratio: {apart / shared:.0f}")


if __name__ == "__main__":
    main()
