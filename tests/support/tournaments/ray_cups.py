"""Tournaments on a Ray cluster of two nodes on this machine, one of which dies; see `main`.

It is a program of its own: Ray keeps threads and exit handlers that no test should inherit.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.cli.tournament.play import QUIET

os.environ.update(QUIET)
os.environ["RAY_TMPDIR"] = sys.argv[1]

import psutil
from ray.cluster_utils import Cluster

from engine.tournaments.play_game import GAMES
from engine.tournaments.ray_workers import RayTables
from engine.tournaments.run import TournamentRun
from engine.tournaments.settings import TournamentSettings
from tests.support.fake_api import FakeApi

KEY = "ARENA_TEST_KEY"
STORE = 80_000_000
# A dead node is noticed within seconds instead of half a minute.
SOON = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 3,
}


def settings_of(name: str, url: str, games: int, **more: Any) -> TournamentSettings:
    """Return a small cup of two models and a script, the models behind one address."""
    kwargs = {"base_url": f"{url}/v1", "api_key_env": KEY}
    entrants: dict[str, Any] = {"script": {"provider": "scripted", "model": "greedy"}}
    for model in ("one", "two"):
        entrants[model] = {"provider": "compatible", "model": model, "client_kwargs": kwargs}
    game = {"name": "conversation", "length": 4}
    settings = {"name": name, "game": game, "table": 2, "entrants": entrants, "games": games}
    return TournamentSettings.model_validate(settings | more)


def logs_in(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / GAMES).glob("*"))


class Cups:
    """The cluster, the models' server, and the observations."""

    def __init__(self, root: Path, api: FakeApi) -> None:
        self.root = root
        self.api = api
        self.said: list[str] = []
        self.begin_nodes()

    def begin_nodes(self) -> None:
        """Begin a node in each of two folders; each has the models' key in its own `.env`."""
        args = {"num_cpus": 1, "object_store_memory": STORE}
        for name in ("first", "second", "driver"):
            (self.root / name).mkdir()
            (self.root / name / ".env").write_text(f"{KEY}=sk-canary\n")
        os.chdir(self.root / "first")
        more = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
        head = {**args, **more, "_system_config": SOON}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        os.chdir(self.root / "second")
        self.second = self.cluster.add_node(**args)
        os.chdir(self.root / "driver")

    async def play(
        self,
        settings: TournamentSettings,
        watch: Callable[[TournamentRun], None] | None = None,
        *,
        collect: bool = False,
    ) -> dict[str, Any]:
        self.said.clear()
        calls = len(self.api.requests)
        machines = RayTables(self.cluster.address, collect=collect, tell=self.said.append)
        folder = Path("logs") / settings.name
        run = TournamentRun(settings, folder, watch=watch, machines=machines)
        await run.play()
        done = run.state.done.values()
        return {
            "said": [*self.said],
            "calls": len(self.api.requests) - calls,
            "counted": sum(one.calls for one in done),
            "metered": run.meter.calls,
            "stopped": run.stopped,
            "finished": sum(one.status == "finished" for one in done),
            "logs": logs_in(folder),
            "rows": run.rows,
        }

    async def play_alone(self, settings: TournamentSettings) -> dict[str, Any]:
        os.environ[KEY] = "sk-canary"
        run = TournamentRun(settings, Path("logs-alone") / settings.name)
        await run.play()
        del os.environ[KEY]
        return {"rows": run.rows}

    def kill(self, name: str) -> None:
        for process in psutil.Process().children(recursive=True):
            if process.name().startswith(f"ray::{name}") or f"ray::{name}" in process.cmdline()[:1]:
                process.send_signal(signal.SIGKILL)
                return
        raise LookupError(name)


def killing(cups: Cups) -> Callable[[TournamentRun], None]:
    """Return what kills an actor, the gate and a node while a tournament is played."""

    def lose_node() -> None:
        cups.cluster.remove_node(cups.second, allow_graceful=False)

    steps: list[tuple[int, Callable[[], None]]] = [
        (2, lambda: cups.kill("TableActor")),
        (4, lambda: cups.kill("GateActor")),
        (6, lose_node),
    ]

    def watch(run: TournamentRun) -> None:
        if steps and len(run.rows) >= steps[0][0]:
            _, kill = steps.pop(0)
            kill()

    return watch


async def play_cups(root: Path) -> dict[str, Any]:
    """Play all cups, the nodes' own last."""
    async with FakeApi(delay=0.05) as api:
        cups = Cups(root, api)
        try:
            bounded = settings_of("bounded", api.url, 9, budgets={"max_calls": 30}, concurrency=4)
            found = {"bounded": await cups.play(bounded, collect=True)}
            for node in ("first", "second"):
                found[node] = {"logs": logs_in(root / node / "logs" / "bounded")}
            rates = {"compatible": {"calls_per_minute": 6000}}
            killed = settings_of("killed", api.url, 16, rates=rates, concurrency=4)
            found["killed"] = await cups.play(killed, killing(cups))
            found["alone"] = await cups.play_alone(killed)
        finally:
            cups.cluster.shutdown()
    return found


def main(root: Path) -> None:
    """Play in `root`, and write each cup's results to `found.json` there."""
    try:
        (root / "found.json").write_text(json.dumps(asyncio.run(play_cups(root))))
    finally:
        shutil.rmtree(root / "ray", ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
