"""Play games on the machines of a Ray cluster; this module is imported only for `--ray`.

The driver schedules the games, writes the ledger and shows the table. On each node, one actor per
core plays games and returns their outcomes. All actors share one gate, which enforces the rates and
counts all spending. A lost actor is restarted on any node and gets the same request again, so its
game is resumed from the journal.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from errno import ECONNRESET
from pathlib import Path
from typing import Any, NamedTuple

import ray
from dotenv import load_dotenv
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from engine.engine import GameEngine
from engine.record.files import read_regular, write_whole
from engine.record.journal import JournalTaken, utc_now
from engine.spending.budget import Limits, Meter
from engine.tournaments.course.restore import add_spent
from engine.tournaments.far_gate import GateActor, GateState, NodeFactory
from engine.tournaments.nodes import (
    NodeReport,
    look_around,
    nonce_in,
    refuse_secrets,
    refuse_unfit,
    spent_by,
)
from engine.tournaments.play_game import Done, play_draw
from engine.tournaments.row_cache import log_of
from engine.tournaments.run import TournamentRun
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings

# The gate's name, which is unique within one run of a tournament.
GATE = "gate"
# The address that starts a cluster on this machine.
THIS_MACHINE = "local"
# The size of a node's object store in bytes; small, because processes exchange only small objects.
STORE = 80_000_000
# The maximum number of calls waiting for a permit, in all games together.
MOST_CALLS = 10_000
# How many requests besides games an actor can serve at once.
SPARE = 10
# Seconds to wait for a node's first answer, between checks of the gate, and for the last check.
PATIENCE = 180.0
LOOK = 0.5
LAST = 5.0
# How much of Ray's own message to show, in characters.
WORDS = 200
# An actor and its requests survive the loss of its process or node.
FOREVER = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1}


class TableActor:
    """Plays games on one core of a node, several at once, with the node's own keys.

    A relative folder is relative to the folder in which Ray was started on the node. With
    `collect`, the games' logs are sent back.
    """

    def __init__(
        self, settings: dict[str, Any], folder: Path, *, collect: bool, allow_changed: bool
    ) -> None:
        load_dotenv(Path(".env"))
        self.settings = TournamentSettings.model_validate(settings)
        self.folder = folder
        self.collect = collect
        self.allow_changed = allow_changed
        # Look up the gate by name: an actor that was passed a handle cannot always be restarted.
        self.factory = NodeFactory(ray.get_actor(GATE), self.settings.rates)
        self.under_way: dict[int, GameEngine] = {}
        self.closing = False

    async def report(self, nonce: Path | None, wanted: list[int]) -> NodeReport:
        """Return a report on this node and on its files of the `wanted` games."""
        node = ray.get_runtime_context().get_node_id()
        return look_around(node, self.settings, self.folder, nonce, wanted)

    async def play(self, draw: Draw) -> tuple[Done, bytes]:
        """Play a game; return its outcome and its log, which is empty unless logs are collected."""
        done = await self._play(draw)
        if not (self.collect and done.sha256):
            return done, b""
        return done, read_regular(log_of(self.folder, self.settings, draw.number))

    async def _play(self, draw: Draw) -> Done:
        nothing = Meter(Limits(), utc_now)
        while True:
            if self.closing:
                return Done(draw.number, "running")
            with suppress(JournalTaken):
                # Another actor may be playing the game on a live node that Ray considers lost.
                return await play_draw(
                    self.settings,
                    draw,
                    self.folder,
                    factory=self.factory,
                    whole=nothing,
                    under_way=self.under_way,
                    allow_changed=self.allow_changed,
                )

    async def interrupt(self) -> None:
        """Ask no more questions; games end once their pending calls are recorded."""
        self.closing = True
        for engine in [*self.under_way.values()]:
            engine.interrupt()


class Node(NamedTuple):
    """A machine of the cluster: Ray's name for it, its address, and its cores."""

    name: str
    host: str
    cores: int


@dataclass(eq=False)
class NodeTable:
    """An actor as the driver sees it: the node it started on, and the games it is playing."""

    actor: Any
    node: str
    games: set[int] = field(default_factory=set)


@dataclass(eq=False)
class RayTables:
    """The actors of a cluster: a tournament starts them, plays on them and shuts them down.

    With `collect`, the nodes need no shared folder: logs are sent to this machine, and journals
    stay on their nodes. `tell` receives sentences to show, and `waiting` says why calls wait.
    """

    address: str
    collect: bool = False
    tell: Callable[[str], object] = print
    waiting: str = ""
    tables: list[NodeTable] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    # For each game unfinished at the start: its calls so far, and the nodes that have its files.
    held: dict[int, int] = field(default_factory=dict)
    holders: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    # Calls begun through lost gates, calls begun through this gate, and calls of finished games.
    begun_before: int = 0
    begun: int = 0
    counted: int = 0
    watcher: asyncio.Task[None] | None = None

    async def open(self, tournament: TournamentRun) -> None:
        """Connect and start the actors; raise ValueError, with the reason, if a node is unfit."""
        refuse_secrets(tournament.settings)
        self.tournament = tournament
        connect(self.address)
        self.nodes = {node.name: node for node in living_nodes()}
        gate = ray.remote(GateActor).options(name=GATE, max_concurrency=MOST_CALLS, **FOREVER)
        self.gate = gate.remote(tournament.settings.rates)
        self._begin_tables()
        reports = await self._check_tables()
        for report in reports:
            for number, spent in report.held.items():
                self.held[number] = spent.calls
                self.holders[number].add(report.node)
        await self._open_gate(reports, tournament.idle)
        self.watcher = asyncio.create_task(self._watch())

    async def play(self, draw: Draw) -> Done:
        """Play a game on a node that has its files, or else on the actor with the fewest games."""
        number = draw.number
        near = [table for table in self.tables if table.node in self.holders[number]]
        table = min(near or self.tables, key=lambda table: len(table.games))
        table.games.add(number)
        done: Done
        content: bytes
        try:
            done, content = await table.actor.play.remote(draw)
        except RayTaskError as error:
            raise error.cause from None
        except RayError as error:
            words = f"the cluster was lost ({in_short(error)}); run the same command to continue"
            raise OSError(ECONNRESET, words, self.address) from None
        finally:
            table.games.discard(number)
        self.counted += done.calls - self.held.pop(number, 0)
        if content:
            log = self._log_of(number)
            log.parent.mkdir(parents=True, exist_ok=True)
            await asyncio.to_thread(write_whole, log, content)
        return done

    def interrupt(self) -> None:
        """Ask no more questions; pending calls are recorded."""
        for table in self.tables:
            table.actor.interrupt.remote()

    async def close(self) -> None:
        """Read the final figures from the gate, and shut down everything that was started."""
        if self.watcher is not None:
            self.watcher.cancel()
            with suppress(asyncio.CancelledError, RayError):
                await self.watcher
            with suppress(RayError, TimeoutError):
                async with asyncio.timeout(LAST):
                    self._follow(await self.gate.state.remote())
            self._tell_made_again()
        ray.shutdown()

    def _tell_made_again(self) -> None:
        """Report how many calls were repeated after losses, unless the tournament ended early."""
        begun = self.begun_before + self.begun
        again = begun - self.counted
        if again > 0 and not (self.tournament.is_over or self.tournament.playing):
            self.tell(f"{again} of {begun} calls were repeated, because their results were lost")

    def _begin_tables(self) -> None:
        """Start an actor per core, up to the number of concurrent games; no node is left out."""
        tournament = self.tournament
        settings = tournament.settings.public()
        folder = tournament.folder if self.collect else tournament.folder.resolve()
        most = max(tournament.at_once, len(self.nodes))
        for name in in_turn(self.nodes.values())[:most]:
            actor = ray.remote(TableActor).options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(name, soft=True),
                max_concurrency=tournament.at_once + SPARE,
                **FOREVER,
            )
            table = actor.remote(
                settings,
                folder,
                collect=self.collect,
                allow_changed=tournament.options.allow_changed,
            )
            self.tables.append(NodeTable(table, name))

    def _log_of(self, number: int) -> Path:
        return log_of(self.tournament.folder, self.tournament.settings, number)

    async def _check_tables(self) -> list[NodeReport]:
        if self.collect:
            reports = await self._ask_tables(None)
            refuse_unfit(reports, "")
            return reports
        with nonce_in(self.tournament.folder.resolve()) as (path, nonce):
            reports = await self._ask_tables(path)
        refuse_unfit(reports, nonce)
        return reports

    async def _ask_tables(self, nonce: Path | None) -> list[NodeReport]:
        """Return the report of each actor's node; raise ValueError if a node does not answer."""
        wanted = self.tournament.state.open_games()
        asked = [table.actor.report.remote(nonce, wanted) for table in self.tables]
        reports = []
        for table, answer in zip(self.tables, asked, strict=True):
            try:
                async with asyncio.timeout(PATIENCE):
                    report = await answer
            except (RayError, TimeoutError) as error:
                raise ValueError(
                    f"{self.nodes[table.node].host} cannot play: {in_short(error)}; start Ray "
                    "there in the project's folder: uv run --extra cluster ray start "
                    "--address=HEAD:6379"
                ) from None
            # If a node is not ready yet, Ray starts its actors on other nodes.
            table.node = report.node
            reports.append(report)
        return reports

    async def _open_gate(self, reports: Iterable[NodeReport], idle: float | None) -> None:
        """Open the gate, starting its count at the spending of all games on all machines."""
        spent = self.tournament.recount()
        elsewhere: dict[int, Meter] = {}
        for report in reports:
            elsewhere |= report.held
        for number, held in elsewhere.items():
            if spent_by(self._log_of(number)) is None:
                add_spent(spent, held)
        await self.gate.open.remote(spent, idle)

    async def _watch(self) -> None:
        """Watch the gate and the nodes; report losses and reopen a lost gate."""
        while True:
            state = await self.gate.state.remote()
            self._follow(state)
            if not state.opened:
                self.tell("the gate was lost: calls resume once the spending so far is counted")
                self.begun_before += self.begun
                self.begun = 0
                reports = await self._ask_tables(None) if self.collect else []
                await self._open_gate(reports, 0.0)
            living = {node.name for node in living_nodes()}
            for name in self.nodes.keys() - living:
                lost = self.nodes.pop(name)
                self.tell(f"{lost.host} was lost: its games continue elsewhere")
            await asyncio.sleep(LOOK)

    def _follow(self, state: GateState) -> None:
        if state.opened:
            # Time is measured on this machine's clock.
            self.tournament.meter = replace(state.spent, watch=self.tournament.meter.watch)
            self.begun = state.begun
            self.waiting = state.waiting


def connect(address: str) -> None:
    """Connect to the cluster at `address` or start one here; raise ValueError if that fails."""
    more: dict[str, Any] = {}
    if address == THIS_MACHINE:
        more = {"include_dashboard": False, "object_store_memory": STORE}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **more)
    except (ConnectionError, ValueError, RuntimeError, ImportError) as error:
        raise ValueError(
            f"expected a Ray cluster at {address}: {in_short(error)}; start one with `uv run "
            "--extra cluster ray start --head`, or name another: auto, HOST:6379, "
            "ray://HOST:10001, or local for this machine only"
        ) from None


def living_nodes() -> list[Node]:
    """Return the nodes that can play, which are alive and have at least one core."""
    nodes = []
    for node in ray.nodes():
        cores = int(node["Resources"].get("CPU", 0))
        if node["Alive"] and cores:
            nodes.append(Node(node["NodeID"], node["NodeManagerAddress"], cores))
    return nodes


def in_turn(nodes: Iterable[Node]) -> list[str]:
    """Return the nodes' names in rotation, each as often as the node has cores."""
    places = sorted((core, node.name) for node in nodes for core in range(node.cores))
    return [name for _, name in places]


def in_short(error: Exception) -> str:
    """Return the cause of an error, which is the last line of Ray's message."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip()[:WORDS] if lines else type(error).__name__
