"""Attack the server in every way that its tests know, at full count.

`uv run benchmarks/server_security.py` takes a minute or two, needs no network, and exits with 1 if
anything got through.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.server.keys import Keys, read_secret
from tests.support.web import attacks, floods
from tests.support.web.hostile_configs import hostile_bodies, send_hostile_configs
from tests.support.web.real_server import Served, serving

DRIPPING = 500
CROWD = 10_000
KEPT = 1000
HONEST = 0.5
GAME = "gameplay_20260101_120000_ab12"


def attacks_on(served: Served) -> dict[str, tuple[int, Callable[[], list[str]]]]:
    """Return each attack by name: how many there are, and what sends them and returns breaches."""
    return {
        "paths": (len([*attacks.climbing_paths()]), lambda: attacks.traversals(served)),
        "origins x 3": (len(attacks.foreign_origins(served)), lambda: attacks.pass_origins(served)),
        "hosts x 3": (len(attacks.foreign_hosts(served)), lambda: attacks.pass_hosts(served)),
        "malformed": (len(attacks.malformed_heads(served)), lambda: attacks.send_malformed(served)),
        "configs": (len(hostile_bodies()), lambda: send_hostile_configs(served)),
        "tokens": (len(false_tokens(served)), lambda: passing_tokens(served)),
    }


def false_tokens(served: Served) -> list[str]:
    """Return tokens and keys that are nobody's."""
    keys = Keys(read_secret(served.settings.logs_dir), served.settings.token)
    true = {name: keys.seat_key(GAME, name) for name in ("Ada", "Ben", "Cleo")}
    true["all"] = keys.watch_key(GAME, "all")
    false = attacks.false_credentials(served, true)
    return [one for one in false if one.isascii() and one.isprintable()]


def passing_tokens(served: Served) -> list[str]:
    """Return the false tokens that open anything."""
    found = []
    for text in false_tokens(served):
        headers = {"Authorization": f"Bearer {text}"}
        if served.get("/api/offer", headers=headers, bare=True).status != 401:
            found.append(text)
    return found


def honest_seconds(served: Served) -> float:
    """Return how long an honest request takes."""
    before = time.perf_counter()
    assert served.get("/api/games").status == 200
    return time.perf_counter() - before


def main() -> int:
    """Attack, print a line for each kind, and return the exit code."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    broken = 0
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "logs") as served:
        for name, (count, send) in attacks_on(served).items():
            breaches = send()
            broken += len(breaches)
            print(f"{name:14} {count:5} sent  {len(breaches)} got through", *breaches[:5])
        before = time.perf_counter()
        closed = floods.drip(served, DRIPPING, patience=20, pause=2)
        took = time.perf_counter() - before
        broken += closed != DRIPPING
        print(f"dripping heads {closed} of {DRIPPING} closed in {took:.0f} s")
        # Each open connection takes two of this process's files.
        crowd = min(CROWD, most // 2 - 200)
        kept, seconds = floods.crowd_and_ask(served, crowd, lambda: honest_seconds(served))
        broken += kept > KEPT or seconds > HONEST
        print(f"crowd          {kept} of {crowd} kept, an honest request took {seconds:.2f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
