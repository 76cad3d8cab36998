"""Attack the server in every way that its tests know, at full count.

`uv run --group dev benchmarks/server_security.py [ATTACKS ...]` takes ten minutes, needs no network
(for hostile words Debian's chromium), and exits with 1 if anything got through. The server is a
process of its own, in whose environment a key lies about that no answer may hold.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.serving.browsing import write_game
from benchmarks.serving.endings import ending_breaches
from benchmarks.serving.figures import FULL, SHORT, USUAL, Figure, load, say
from benchmarks.serving.games import serve_models
from benchmarks.serving.hostile import hostile_breaches
from benchmarks.serving.house import SPAWN, House, connections, memory
from benchmarks.serving.views import view_breaches
from engine.engine import GameEngine
from engine.games import GAMES
from engine.record.journal import utc_now
from engine.server.keys import Keys, read_secret
from engine.server.settings import ServerSettings
from tests.support.tables import config_for
from tests.support.web import attacks, floods
from tests.support.web.hostile_configs import hostile_bodies, send_hostile_configs
from tests.support.web.real_server import CANARY_KEY, CANARY_NAMES, Served

DRIPPING = 500
CROWD = 10_000
KEPT = 1000
HONEST = 0.5
NEVER_READ = 200
MORE_MEMORY = 20
PATIENCE = 30
GAME = "gameplay_20260101_120000_ab12"
Attack = Callable[[Path, int], Iterator[Figure]]


def served_by(house: House) -> Served:
    """Return how the attacks ask a server in another process."""
    settings = replace(ServerSettings(logs_dir=house.folder), port=house.port, token=house.token)
    elsewhere: Any = None
    return Served(settings, elsewhere, elsewhere)


def requests(folder: Path, effort: int) -> Iterator[Figure]:
    """Send single requests that must be refused."""
    del effort
    with House(folder / "logs") as house:
        served = served_by(house)
        told = false_tokens(served)
        kinds: dict[str, tuple[int, Callable[[Served], list[str]]]] = {
            "path traversals": (len([*attacks.climbing_paths()]), attacks.traversals),
            "foreign Origins": (3 * len(attacks.foreign_origins(served)), attacks.pass_origins),
            "foreign Hosts": (3 * len(attacks.foreign_hosts(served)), attacks.pass_hosts),
            "malformed heads": (len(attacks.malformed_heads(served)), attacks.send_malformed),
            "hostile configs": (len(hostile_bodies()), send_hostile_configs),
            "false tokens and keys": (len(told), lambda one: passing_tokens(one, told)),
        }
        for name, (count, send) in kinds.items():
            say(f"{name} ...")
            yield Figure.none_of(name, send(served), count)
        yield honest(served, "an honest request afterwards")
    yield Figure("canary keys in all these answers", "0", "0", good=True)


def false_tokens(served: Served) -> list[str]:
    """Return tokens and keys that are nobody's."""
    keys = Keys(read_secret(served.settings.logs_dir), served.settings.token)
    true = {name: keys.seat_key(GAME, name) for name in ("Ada", "Ben", "Cleo")}
    true["all"] = keys.watch_key(GAME, "all")
    false = attacks.false_credentials(served, true)
    return [one for one in false if one.isascii() and one.isprintable()]


def passing_tokens(served: Served, false: list[str]) -> list[str]:
    """Return the false tokens that open anything."""
    found = []
    for text in false:
        headers = {"Authorization": f"Bearer {text}"}
        if served.get("/api/offer", headers=headers, bare=True).status != 401:
            found.append(text)
    return found


def honest(served: Served, what: str) -> Figure:
    """Return how long an honest request takes."""
    return Figure.at_most(f"  {what}, s", honest_seconds(served), HONEST, "{:.2f}")


def honest_seconds(served: Served) -> float:
    """Return the seconds of an honest request; it must be answered."""
    before = time.perf_counter()
    if served.get("/api/games").status != 200:
        raise SystemExit("an honest request was refused")
    return time.perf_counter() - before


def dripping(folder: Path, effort: int) -> Iterator[Figure]:
    """Drip heads on many connections."""
    del effort
    say(f"{DRIPPING} connections that drip ...")
    with House(folder / "logs") as house:
        served = served_by(house)
        before = time.perf_counter()
        closed = floods.drip(served, DRIPPING, patience=20, pause=2)
        took = time.perf_counter() - before
        what = f"{DRIPPING} dripping heads: left open"
        yield Figure(what, f"{DRIPPING - closed}", "0", closed == DRIPPING)
        yield Figure.at_most("  the last one was closed after, s (looked at every 2 s)", took, 14)
        yield honest(served, "an honest request afterwards")


def crowding(folder: Path, effort: int) -> Iterator[Figure]:
    """Open more connections than there is room for."""
    del effort
    say(f"{CROWD} connections ...")
    with House(folder / "logs") as house:
        served = served_by(house)
        before = house.call(memory)
        kept, seconds = floods.crowd_and_ask(served, CROWD, lambda: honest_seconds(served))
        more = (house.call(memory) - before) / 1e6
    yield Figure.at_most(f"{CROWD:,} silent connections: kept", kept, KEPT)
    yield Figure.at_most("  an honest request meanwhile, s", seconds, HONEST, "{:.2f}")
    yield Figure("  memory, MB more", f"{more:.0f}")


def deaf(folder: Path, effort: int) -> Iterator[Figure]:
    """Let watchers ask for a long game, and never read it."""
    del effort
    say(f"{NEVER_READ} watchers that never read ...")
    logs = folder / "logs"
    logs.mkdir()
    write_game(logs, "gameplay_long", 4000)
    with House(logs) as house:
        house.get("/api/games/gameplay_long/events?as=*&limit=1")
        # One who reads, so that what all share is there: every frame, encoded.
        house.get("/api/games/gameplay_long/log")
        served = served_by(house)
        head = house.head("/api/games/gameplay_long/events?as=*")
        floods.connect(served).close()
        read_whole(served, head)
        before = house.call(memory)
        clients = [floods.connect(served, room=4096) for _ in range(NEVER_READ)]
        for client in clients:
            client.sendall(head)
        most = 0
        began = time.monotonic()
        while house.call(connections) and time.monotonic() - began < 2 * PATIENCE:
            most = max(most, house.call(memory))
            time.sleep(0.2)
        took = time.monotonic() - began
        left = house.call(connections)
        for client in clients:
            client.close()
    yield Figure(f"{NEVER_READ} watchers that never read: left open", f"{left}", "0", not left)
    yield Figure.at_most("  all were closed after, s", took, PATIENCE + 5, "{:.0f}")
    yield Figure.at_most("  memory, MB more", (most - before) / 1e6, MORE_MEMORY, "{:.1f}")


def read_whole(served: Served, head: bytes) -> None:
    """Read a stream to its end."""
    with floods.connect(served) as client:
        client.sendall(head)
        while b"event: end" not in client.recv(1 << 20):
            pass


def views(folder: Path, effort: int) -> Iterator[Figure]:
    """Look at every event of five games in every view."""
    del effort
    say("views ...")
    logs = folder / "logs"
    histories = {}
    for game in sorted(GAMES):
        engine = GameEngine(config_for(game, logs_dir=logs, game_id=game, clock=utc_now))
        histories[game] = engine.run()
    with House(logs) as house:
        count, bad = view_breaches(served_by(house), histories)
    yield Figure.none_of(
        "events in views of players and public: with more than they see", bad, count
    )


def words(folder: Path, effort: int) -> Iterator[Figure]:
    """Show hostile words in a browser."""
    del folder, effort
    say("hostile words ...")
    for place, (count, bad) in hostile_breaches().items():
        yield Figure.none_of(
            f"hostile words, {place}: requests, dialogs, errors, elements", bad, count
        )


def endings(folder: Path, effort: int) -> Iterator[Figure]:
    """End servers by Ctrl-C and SIGTERM."""
    del folder
    count = (2, 20, 20)[effort]
    say(f"{count} ends ...")
    here, there = SPAWN.Pipe()
    models = SPAWN.Process(target=serve_models, args=(there, 0.2), daemon=True)
    models.start()
    took, bad = ending_breaches(here.recv(), count)
    models.terminate()
    yield Figure.none_of(
        "Ctrl-C and SIGTERM with 100 streams and 10 games: not as told", bad, count
    )
    yield Figure.at_most("  the longest took, s", max(took), 6, "{:.1f}")


ATTACKS: dict[str, Attack] = {
    "requests": requests,
    "dripping": dripping,
    "crowd": crowding,
    "deaf": deaf,
    "views": views,
    "words": words,
    "ends": endings,
}


def main() -> int:
    """Attack, print a line for each kind, and return the exit code."""
    options = read_options()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    os.environ.update(dict.fromkeys(CANARY_NAMES, CANARY_KEY))
    print(f"processors wanted at the beginning: {load()}", flush=True)
    broken = 0
    for name in options.attacks or [*ATTACKS]:
        with tempfile.TemporaryDirectory() as folder:
            for figure in ATTACKS[name](Path(folder), options.effort):
                print(figure.line(), flush=True)
                broken += figure.good is False
    return 1 if broken else 0


def read_options() -> argparse.Namespace:
    """Return the options; `--help` explains them."""
    about, _, more = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=more)
    which = f"which: {', '.join(ATTACKS)} (default: all of these)"
    parser.add_argument("attacks", nargs="*", metavar="ATTACKS", help=which)
    parser.add_argument(
        "--short", dest="effort", action="store_const", const=SHORT, help="2 ends instead of 20"
    )
    parser.add_argument(
        "--full", dest="effort", action="store_const", const=FULL, help="all (the default)"
    )
    parser.set_defaults(effort=USUAL)
    options = parser.parse_args()
    unknown = {*options.attacks} - {*ATTACKS}
    if unknown:
        parser.error(f"expected ATTACKS of {', '.join(ATTACKS)}: got {', '.join(unknown)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
