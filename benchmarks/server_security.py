"""Run every attack from the server's tests, many more times than the tests do.

`uv run --group dev benchmarks/server_security.py [requests] [random] [dripping] [crowd] [deaf]
[ends]`. The server's environment contains a key that no answer may contain.
"""

import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, main, none_of, row, say
from benchmarks.serving import MODEL, SCRIPT, Server, Watchers, model_server
from engine.engine import GameEngine
from engine.runs.replay import unfinished_journal
from engine.server.keys import Keys
from tests.support.tables import config_for
from tests.support.web import attacks, floods
from tests.support.web.hostile_configs import hostile_bodies, send_hostile_configs
from tests.support.web.real_server import CANARY_KEY, Served

DRIPPING, CROWD, KEPT, NEVER_READ = 500, 10_000, 1000, 200
HONEST, PATIENCE, SLOW = 0.5, 30, 5
STREAMS, GAMES, SECONDS = 100, 10, 6.0
GAME = "gameplay_20260101_120000_ab12"


def requests(short: bool) -> Iterator[Row]:
    """Send single requests that must be rejected."""
    del short
    with TemporaryDirectory() as folder, Server(Path(folder)) as server:
        served = server.served
        false = false_tokens(served)
        kinds: dict[str, tuple[int, Callable[[Served], list[str]]]] = {
            "path traversals": (len([*attacks.climbing_paths()]), attacks.traversals),
            "foreign Origins": (3 * len(attacks.foreign_origins(served)), attacks.pass_origins),
            "foreign Hosts": (3 * len(attacks.foreign_hosts(served)), attacks.pass_hosts),
            "malformed heads": (len(attacks.malformed_heads(served)), attacks.send_malformed),
            "hostile configs": (len(hostile_bodies()), send_hostile_configs),
            "false tokens and keys": (len(false), lambda one: passing_tokens(one, false)),
        }
        for name, (count, send) in kinds.items():
            say(f"{name} ...")
            yield none_of("attacks that got through", send(served), count, name)
        yield row("an honest request", honest_seconds(served), "s", "after these", most=HONEST)


def random_requests(short: bool) -> Iterator[Row]:
    """Send requests with seeded random methods, paths, headers, Origins and bodies."""
    count, rng = 300 if short else 3000, random.Random(20)
    with TemporaryDirectory() as folder, Server(Path(folder)) as server:
        served = server.served
        described = served.get("/api/openapi.json").json["paths"]
        paths = [*described, "/", "/mcp", *attacks.climbing_paths()]
        bodies = [b"", b"{}", b"\0" * 70_000, *hostile_bodies().values()]
        bad = []
        for number in range(count):
            sent = random_request(rng, served, paths, bodies)
            before = time.perf_counter()
            answer = served.raw(sent, patience=10.0)
            status, took = attacks.status_of(answer), time.perf_counter() - before
            is_leak = CANARY_KEY.encode() in answer or b"Traceback" in answer
            if status >= 500 or is_leak or not status or took > SLOW:
                bad.append(f"request {number}: status {status} in {took:.1f} s: {sent[:200]!r}")
        basis = f"{len(paths)} paths, {len(bodies)} bodies"
        yield none_of("random requests with a 5xx, a leak or a hang", bad, count, basis)
        yield row("an honest request", honest_seconds(served), "s", "after these", most=HONEST)


def random_request(
    rng: random.Random, served: Served, paths: Sequence[str], bodies: Sequence[bytes]
) -> bytes:
    """Return the bytes of a random request with the host's token."""
    path = rng.choice(paths).replace("{name}", GAME).replace("{player}", "Ada")
    path = re.sub(r"[{}\s]", "", path) + rng.choice(
        ["", "?as=*", "?limit=-1", "?q=%00", "?after=x"]
    )
    lines = ["Content-Type: application/json"] if rng.random() < 0.8 else []
    if rng.random() < 0.3:
        lines.append(f"Origin: {rng.choice(attacks.foreign_origins(served))}")
    if rng.random() < 0.2:
        lines.append(f"X-{rng.randrange(9)}: " + "a" * rng.choice([1, 5000, 20_000]))
    if rng.random() < 0.2:
        lines.append(
            rng.choice(["Accept: text/event-stream", "Cookie: arena_1=x", "Range: bytes=9-"])
        )
    body = rng.choice(bodies)[: rng.choice([9, 10**6])]
    lines.append(f"Content-Length: {len(body)}")
    method = rng.choice(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", "get", "X"])
    head = attacks.head(served, path, "\n".join(lines), method=method)
    return head + b"\r\n" + body


def false_tokens(served: Served) -> list[str]:
    """Return tokens and keys that are not valid."""
    keys = Keys(served.settings)
    true = {name: keys.seat_key(GAME, name) for name in ("Ada", "Ben", "Cleo")}
    true["all"] = keys.watch_key(GAME, "all")
    false = attacks.false_credentials(served, true)
    return [text for text in false if text.isascii() and text.isprintable()]


def passing_tokens(served: Served, false: list[str]) -> list[str]:
    """Return the false tokens that grant any access."""
    passing = []
    for text in false:
        headers = {"Authorization": f"Bearer {text}"}
        if served.get("/api/offer", headers=headers, bare=True).status != 401:
            passing.append(text)
    return passing


def honest_seconds(served: Served) -> float:
    """Return how many seconds an honest request takes; exit if it is refused."""
    before = time.perf_counter()
    if served.get("/api/games").status != 200:
        raise SystemExit("an honest request was refused")
    return time.perf_counter() - before


def dripping(short: bool) -> Iterator[Row]:
    """Send headers byte by byte on many connections."""
    del short
    with TemporaryDirectory() as folder, Server(Path(folder)) as server:
        before = time.perf_counter()
        closed = floods.drip(server.served, DRIPPING, patience=20, pause=2)
        took = time.perf_counter() - before
    basis = f"{DRIPPING} dripping heads"
    yield row("connections left open", DRIPPING - closed, "", basis, most=0)
    yield row("the last one was closed after", took, "s", f"{basis}, checked every 2 s", most=14)


def crowding(short: bool) -> Iterator[Row]:
    """Open more connections than the server accepts."""
    del short
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with TemporaryDirectory() as folder, Server(Path(folder)) as server:
        served = server.served
        kept, seconds = floods.crowd_and_ask(served, CROWD, lambda: honest_seconds(served))
    basis = f"{CROWD:,} silent connections"
    yield row("connections kept", kept, "", basis, most=KEPT)
    yield row("an honest request", seconds, "s", f"amid {basis}", most=HONEST)


def deaf(short: bool) -> Iterator[Row]:
    """Let watchers request a long game and never read it."""
    name, length = "gameplay_long", 1000 if short else 4000
    with TemporaryDirectory() as folder:
        config = config_for(
            "conversation", logs_dir=Path(folder), game_id=name, settings={"length": length}
        )
        GameEngine(config).run()
        with Server(Path(folder)) as server:
            head = server.head(name)
            # One watcher reads first, so that all frames, which are shared, are already encoded.
            server.served.get(f"/api/games/{name}/log")
            with floods.connect(server.served) as client:
                client.sendall(head)
                while b"event: end" not in client.recv(1 << 20):
                    pass
            before = most = server.memory()
            clients = [floods.connect(server.served, room=4096) for _ in range(NEVER_READ)]
            for client in clients:
                client.sendall(head)
            began = time.monotonic()
            while server.connections() and time.monotonic() - began < 2 * PATIENCE:
                most = max(most, server.memory())
                time.sleep(0.2)
            took, left = time.monotonic() - began, server.connections()
            for client in clients:
                client.close()
    basis = f"{NEVER_READ} watchers that never read {length:,} turns"
    yield row("connections left open", left, "", basis, most=0)
    yield row("all were closed after", took, "s", basis, most=PATIENCE + 5)
    yield row("memory more", most - before, "MB", basis, most=20)


def ends(short: bool) -> Iterator[Row]:
    """End servers by Ctrl-C and SIGTERM, with open streams and running games."""
    count = 2 if short else 20
    took, bad = [], []
    with model_server(0.2) as models:
        for number in range(count):
            sign = (signal.SIGINT, signal.SIGTERM)[number % 2]
            with TemporaryDirectory() as folder, Server(Path(folder), models) as server:
                seconds, wrong = end_server(server, sign)
            took.append(seconds)
            bad += [f"{sign.name}: {each}" for each in wrong]
    basis = f"{STREAMS} streams, {GAMES} games"
    yield none_of("broken promises at Ctrl-C and SIGTERM", bad, count, basis)
    yield row("the longest end", max(took), "s", basis, most=SECONDS)


def end_server(server: Server, sign: signal.Signals) -> tuple[float, list[str]]:
    """Begin and watch games, then end the server with a signal; return seconds and faults."""
    names = server.begin(200, MODEL, SCRIPT, games=GAMES)
    bad = []
    with Watchers() as crowd:
        heads = [server.head(names[place % GAMES]) for place in range(STREAMS)]
        crowd.ask("open", server.port, heads)
        before = time.monotonic()
        server.process.send_signal(sign)
        try:
            server.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.process.kill()
        seconds = time.monotonic() - before
        ended = crowd.ask("over", 5)
    if ended != STREAMS:
        bad.append(f"{ended} of {STREAMS} streams ended")
    if server.process.returncode != 5:
        bad.append(f"exit code {server.process.returncode}")
    for name in names:
        try:
            GameEngine.replay(unfinished_journal(server.folder, name))
        except (ValueError, OSError) as error:
            bad.append(f"{name} cannot go on: {error}")
    return seconds, bad


if __name__ == "__main__":
    parts = {
        "requests": requests,
        "random": random_requests,
        "dripping": dripping,
        "crowd": crowding,
        "deaf": deaf,
    }
    main(str(__doc__), parts | {"ends": ends})
