"""The ledger of a tournament: the scheduled games and how each one ended.

`ledger.jsonl` (or `ledger-3of8.jsonl` for one shard) is append-only, with lines sealed like a
journal's (`engine.record.chain`). Only the process that drives the tournament writes to it and
holds its lock. Every table can be rebuilt from the ledger and the games' logs.

- header: the settings, without keys, and their fingerprint; a later header replaces an earlier one.
- draw: a game, written when it is scheduled; it counts once a `batch` line follows.
- done: how a game ended, and its log's fingerprint; a game's later line replaces an earlier one.
- void: a game's `done` line no longer counts, because its log was lost.
- stop: play ended because, by the settings' `stop` rule, enough is known.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from engine.record.chain import Chain, checksum_in, lock_alone, unseal
from engine.record.files import read_json, read_regular, writing
from engine.record.journal import Clock, utc_now
from engine.tournaments.play_game import Done
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings

FORMAT = b"ledger 1"
LEDGER = "ledger.jsonl"
PRICES = "genai_prices"
OVER = ("finished", "void")
REPLAYED = "its log was lost, and it is played again"


class LedgerError(ValueError):
    """A ledger cannot be read, or belongs to another tournament."""


class LedgerTaken(Exception):  # noqa: N818 - not a fault in the ledger
    """Another process is driving the tournament."""


@dataclass
class LedgerState:
    """The content of one ledger, or of all shards' ledgers.

    `header` is None before the first line. `draws` and `done` are keyed by game number; the
    outcomes in `done` have no rows. `lost` contains the outcomes of games that are played again
    because their logs were lost; their cost still counts. `began` and `ended` are the times of the
    first and last lines, in ISO 8601 and UTC.
    """

    header: dict[str, Any] | None = None
    draws: dict[int, Draw] = field(default_factory=dict)
    done: dict[int, Done] = field(default_factory=dict)
    lost: list[Done] = field(default_factory=list)
    stop: dict[str, Any] | None = None
    began: str = ""
    ended: str = ""
    waiting: list[Draw] = field(default_factory=list)

    @property
    def settings(self) -> TournamentSettings:
        """The tournament's settings; raises LedgerError if there is no header."""
        if self.header is None:
            raise LedgerError("expected a tournament that has started: its ledger has no header")
        return TournamentSettings.model_validate(self.header["settings"])

    def in_order(self) -> list[Draw]:
        """Return the scheduled games in the order of their numbers."""
        return [self.draws[number] for number in sorted(self.draws)]

    def is_over(self, number: int) -> bool:
        """Return whether a game is finished or void, so that its log counts."""
        return number in self.done and self.done[number].status in OVER

    def games_over(self) -> list[int]:
        """Return the numbers of the games with a log that counts, sorted."""
        return [*filter(self.is_over, sorted(self.done))]

    def open_games(self) -> list[int]:
        """Return the numbers of the scheduled games that are not over, sorted."""
        return [number for number in sorted(self.draws) if not self.is_over(number)]

    def take_in(self, line: dict[str, Any]) -> None:
        """Add the content of one line; raise LedgerError if it is not a ledger line."""
        entry = dict(line)
        try:
            at = str(entry.pop("at"))
            self.began = self.began or at
            self.ended = max(self.ended, at)
            self._take_entry(entry.pop("kind"), entry)
        except (ValidationError, KeyError, TypeError) as error:
            raise LedgerError(
                f"expected a ledger with lines written by a tournament: {error!r:.200}"
            ) from None

    def _take_entry(self, kind: str, entry: dict[str, Any]) -> None:
        match kind:
            case "header":
                self.header = entry
            case "draw":
                self.waiting.append(DRAW.validate_python(entry))
            case "batch":
                self._begin_batch(entry["games"])
            case "done":
                done = DONE.validate_python(entry)
                self.done[done.number] = done
            case "void":
                self.lost.append(self.done.pop(entry["number"]))
            case "stop":
                self.stop = entry
            case other:
                raise KeyError(other)

    def _begin_batch(self, games: int) -> None:
        # The games of an incomplete earlier batch do not count.
        for draw in self.waiting[len(self.waiting) - games :]:
            self.draws[draw.number] = draw
        self.waiting = []


DRAW = TypeAdapter(Draw)
DONE = TypeAdapter(Done)


@dataclass(eq=False)
class Ledger:
    """A ledger opened for writing by the process that drives the tournament."""

    chain: Chain
    state: LedgerState
    clock: Clock = utc_now

    @classmethod
    def open(cls, path: Path, clock: Clock = utc_now) -> "Ledger":
        """Lock and read the ledger at `path`, creating it if it does not exist.

        An incomplete last line is removed. Raise LedgerTaken if another process holds the ledger,
        LedgerError if it is damaged, and DiskError if it cannot be written.
        """
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b", buffering=0)
        if not lock_alone(file):
            file.close()
            raise LedgerTaken(
                f"the tournament in {path.parent} is being played by another process: wait until "
                "that one ends"
            )
        try:
            chain, state = read_ledger(path)
            chain.file = file
            with writing(path):
                chain.cut()
        except (LedgerError, OSError):
            file.close()
            raise
        return cls(chain, state, clock)

    async def write(self, entries: Iterable[dict[str, Any]]) -> None:
        """Append a line for each of `entries`, and wait until all lines are on disk."""
        at = self.clock().isoformat(timespec="seconds")
        lines = [entry | {"at": at} for entry in entries]
        self.chain.append(lines)
        for line in lines:
            self.state.take_in(line)
        await self.chain.sync()

    async def begin(self, settings: TournamentSettings, shard: str = "") -> None:
        """Write the header, which contains the tournament's settings."""
        header = {
            "kind": "header",
            "version": 1,
            "shard": shard,
            "settings": settings.public(),
            "sha256": settings.sha256,
            "game_version": settings.new_game().version,
            "prices_sha256": prices_sha256(),
        }
        await self.write([header])

    async def draw(self, draws: Sequence[Draw]) -> None:
        """Write games that were scheduled together: either all of them count, or none."""
        lines = [{"kind": "draw", **asdict(draw)} for draw in draws]
        await self.write([*lines, {"kind": "batch", "games": len(draws)}])

    async def done(self, done: Done) -> None:
        """Write how a game ended."""
        line = {"kind": "done", **asdict(done)}
        del line["rows"]
        await self.write([line])

    async def void(self, number: int) -> None:
        """Write that the recorded end of a game no longer counts, because its log was lost."""
        await self.write([{"kind": "void", "number": number, "reason": REPLAYED}])

    async def stop(self, games: int, reason: str) -> None:
        """Write that play stopped after `games` games because enough is known."""
        await self.write([{"kind": "stop", "games": games, "reason": reason}])

    def close(self) -> None:
        """Release the lock, so that another process can drive the tournament."""
        self.chain.close()


def prices_sha256() -> str:
    """Return the fingerprint of the price table without importing it."""
    spec = find_spec(PRICES)
    if spec is None or spec.origin is None:
        return "none"
    return sha256(read_regular(Path(spec.origin).with_name("data.py"))).hexdigest()


def read_ledger(path: Path) -> tuple[Chain, LedgerState]:
    """Return one ledger's chain and content; raise LedgerError, naming the first damaged line."""
    content = read_regular(path)
    *lines, torn = content.split(b"\n")
    state = LedgerState()
    last = FORMAT
    for number, line in enumerate(lines, 1):
        body = unseal(line, last)
        if body is None:
            raise LedgerError(
                f"expected line {number} of {path} to be unchanged: its checksum does not match, "
                "or a line before it is missing; restore a copy of that file"
            )
        state.take_in(read_json(body))
        last = checksum_in(line)
    return Chain(last, len(content) - len(torn)), state


def read_ledgers(folder: Path) -> LedgerState:
    """Return the combined content of all ledgers of the tournament in `folder`.

    Raise LedgerError if there is no ledger, if one is damaged, or if the ledgers belong to
    different tournaments or divisions into shards.
    """
    paths = ledgers_in(folder)
    if not paths:
        raise LedgerError(f"expected a tournament in {folder}: there is no {LEDGER}")
    if len({shards_in(path) for path in paths}) > 1:
        names = ", ".join(path.name for path in paths)
        raise LedgerError(
            f"expected the ledgers in {folder} to belong to one division into shards: there are "
            f"{names}; move away those of the other division"
        )
    whole = LedgerState()
    for path in paths:
        _, state = read_ledger(path)
        if state.header is None:
            continue
        whole.header = whole.header or state.header
        if whole.header["sha256"] != state.header["sha256"]:
            raise LedgerError(
                f"expected the shards in {folder} to belong to one tournament: {path.name} was "
                "started with other settings"
            )
        _add_shard(whole, state)
    return whole


def _add_shard(whole: LedgerState, shard: LedgerState) -> None:
    whole.draws |= shard.draws
    whole.done |= shard.done
    whole.lost += shard.lost
    whole.stop = whole.stop or shard.stop
    whole.began = min(whole.began or shard.began, shard.began)
    whole.ended = max(whole.ended, shard.ended)


def shards_in(path: Path) -> int:
    """Return the number of shards, from a ledger's file name."""
    divided = re.fullmatch(r"ledger-\d+of(\d+)\.jsonl", path.name)
    return int(divided[1]) if divided else 1


def ledgers_in(folder: Path) -> list[Path]:
    """Return the ledgers of the tournament in `folder`: a single ledger, or one for each shard."""
    return sorted(folder.glob("ledger*.jsonl"))


def tournament_names(logs_dir: Path) -> list[str]:
    """Return the names of the tournaments in a folder."""
    if not logs_dir.is_dir():
        return []
    return sorted(path.name for path in logs_dir.iterdir() if path.is_dir() and ledgers_in(path))
