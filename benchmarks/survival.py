"""Check that killed processes, failing disks and damaged files lose nothing a game recorded.

`uv run benchmarks/survival.py` (minutes; `--short`: seconds) needs no key and no network. It exits
with 1 if any promise was broken. The model server answers the same question always alike and the
clock is frozen, so a resumed game must leave the same bytes as an undisturbed one.
"""

import asyncio
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sabotage import FAULTS, KILLS, Saboteur, in_child, serve, server, taken
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import history_from_json
from engine.record.journal import Journal
from tests.support.tables import config_for

FINISHED, FAILED = 0, 1
SHORT: dict[str, Any] = {"conversation": {"length": 3}}
LONG: dict[str, Any] = {
    "conversation": {"length": 6},
    "dilemma": {"game_length": [1, 2], "max_rounds": 1},
}


@dataclass
class Table:
    """One game of the campaign: its config, and what an undisturbed run leaves and calls."""

    name: str
    config: Callable[[Path], GameEngineConfig]
    url: str
    log: bytes = b""
    journal: bytes = b""
    calls: list[str] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)


def play(
    config: GameEngineConfig, saboteur: Saboteur | None = None, calls: Path | None = None
) -> int:
    """Play the game of `config`, or resume it if it left a journal; return FINISHED or FAILED."""
    assert config.logs_dir is not None
    journal = config.logs_dir / "game.jsonl"
    engine = GameEngine.resume(journal, config) if journal.exists() else GameEngine(config)
    if saboteur is not None:
        saboteur.work()
    history = engine.run()
    if calls is not None and saboteur is not None:
        calls.write_text(" ".join(saboteur.seen))
    if history.status == "failed" and (
        "cannot be written" not in history.reason or "\n" in history.reason
    ):
        raise AssertionError(f"expected one clear sentence: {history.reason!r}")
    return FINISHED if history.status == "finished" else FAILED


def undisturbed(table: Table, folder: Path) -> None:
    """Play the game undisturbed and keep its files, system calls and questions."""
    # Played here first, so that everything is imported once and not in every child.
    GameEngine(table.config(folder).model_copy(update={"logs_dir": None})).run()
    taken(table.url)
    assert in_child(partial(play, table.config(folder), Saboteur(), folder / "calls")) == FINISHED
    table.asked = Counter(taken(table.url))
    table.log, table.calls = (
        (folder / "game.json").read_bytes(),
        (folder / "calls").read_text().split(),
    )
    # The journal is whole just before the final log takes its place.
    table.journal, _ = struck(table, folder / "journal", "replace", "before")


def struck(table: Table, folder: Path, at: int | str, how: str) -> tuple[bytes, int]:
    """Play a game and disturb it once; return its journal (empty if none) and its exit code.

    It may end undisturbed: the number of answers that share one sync varies between runs.
    """
    folder.mkdir()
    code = in_child(partial(play, table.config(folder), Saboteur(at, how)))
    expected = {-9, FINISHED} if how in KILLS else {FINISHED, FAILED}
    if code not in expected:
        raise AssertionError(f"expected {expected} of {table.name} struck {how} at {at}: {code}")
    journal = folder / "game.jsonl"
    return journal.read_bytes() if journal.exists() else b"", code


def survive(table: Table, folder: Path, at: int, how: str, found: Counter[str]) -> None:
    """Disturb a game once, resume it, and count broken promises."""
    taken(table.url)
    left, ended = struck(table, folder, at, how)
    before = Counter(taken(table.url))
    answers = len(Journal.load(folder / "game.jsonl").recorded) if b"\n" in left else 0
    whole = (folder / "game.json").exists()
    if b"\n" not in left and not whole:
        # Its first line was not written yet: no game had begun and no model was asked.
        (folder / "game.jsonl").unlink(missing_ok=True)
        found["begun again"] += 1
    code = FINISHED if whole and not left else in_child(partial(play, table.config(folder)))
    after = Counter(taken(table.url))
    repeats = (
        sum(after.values()) - (sum(table.asked.values()) - answers)
        if not whole
        else sum(after.values())
    )
    found["games"] += 1
    found["not killed, with fewer calls"] += how in KILLS and ended == FINISHED
    found["other bytes"] += code != FINISHED or (folder / "game.json").read_bytes() != table.log
    found["recorded calls repeated"] += max(repeats, 0)
    again, lines = (before + after - table.asked).total(), left[: left.rfind(b"\n") + 1]
    under_way = lines.count(b'"kind": "begun"') - lines.count(b'"kind": "answer"')
    found["calls in flight repeated"] += again
    found["repeated beyond these"] += max(again - under_way, 0)


def strike_all(table: Table, folder: Path, ways: Sequence[str], step: int) -> Counter[str]:
    """Disturb every `step`-th system call of the game, in each of `ways` that differ there."""
    found: Counter[str] = Counter()
    for at, call in list(enumerate(table.calls))[::step]:
        for how in ways:
            if call == "write" or how not in {"middle", "full", "short"}:
                survive(table, folder / f"{at}{how}", at, how, found)
    return found


def damages(content: bytes, count: int) -> Iterable[bytes]:
    """Yield `count` truncated copies of `content` and `count` with a flipped bit, from one seed."""
    rng = random.Random(1)
    for place in sorted(rng.sample(range(len(content)), min(count, len(content)))):
        yield content[:place]
    for _ in range(count):
        flipped = bytearray(content)
        flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        yield bytes(flipped)


def damaged_journals(table: Table, folder: Path, count: int) -> Counter[str]:
    """Read damaged journals: each is refused in one sentence or read to an exact prefix."""
    path, found = folder / "game.jsonl", Counter[str]()
    path.write_bytes(table.journal)
    whole = [*Journal.load(path).recorded.items()]
    for content in damages(table.journal, count):
        path.write_bytes(content)
        try:
            read = [*Journal.load(path).recorded.items()]
            found["read to a prefix" if read == whole[: len(read)] else "read wrongly"] += 1
        except ValueError as error:
            found["refused" if "\n" not in str(error) else "no clear sentence"] += 1
    return found


def damaged_logs(table: Table, count: int) -> Counter[str]:
    """Read damaged final logs: each is refused in one sentence or read unchanged."""
    found: Counter[str] = Counter()
    whole = history_from_json(table.log)
    for content in damages(table.log, count):
        try:
            found["read as it was" if history_from_json(content) == whole else "read wrongly"] += 1
        except ValueError as error:
            found["refused" if "\n" not in str(error) else "no clear sentence"] += 1
    return found


def tables(url: str, short: bool) -> list[Table]:
    """Return the campaign's games: models and a script in each game, and one of scripts alone."""
    games = ["conversation"] if short else [*GAMES]

    def seated(game: str, folder: Path) -> GameEngineConfig:
        settings = (SHORT if short else LONG).get(game, {})
        last = [*GAMES[game].strategies][-1]
        models = 2 if short else 3
        seats = ",".join([*["compatible:m"] * models, f"scripted:{last}"])
        return config_for(game, seats, folder, at=url, settings=settings)

    made = [Table(f"{game}, models", partial(seated, game), url) for game in games]
    return [
        *made,
        Table("scripts alone", lambda folder: config_for("conversation", logs_dir=folder), url),
    ]


def tell(what: str, found: Counter[str]) -> bool:
    """Print the counts of one campaign and return whether every promise was kept."""
    print(f"{what}: " + ", ".join(f"{name} {count}" for name, count in found.items()), flush=True)
    bad = (
        "other bytes",
        "recorded calls repeated",
        "repeated beyond these",
        "read wrongly",
        "no clear sentence",
    )
    return not any(found[name] for name in bad)


def campaign(short: bool) -> bool:
    """Run everything and return whether every promise was kept."""
    kept, step, count = True, 11 if short else 1, 150 if short else 2500
    with tempfile.TemporaryDirectory() as place, server(Path(__file__)) as url:
        for number, table in enumerate(tables(url, short)):
            folder = Path(place) / str(number)
            folder.mkdir()
            undisturbed(table, folder)
            asked = sum(table.asked.values())
            made = f"{table.name} ({len(table.calls)} system calls, {asked} model calls)"
            for name, ways in (("killed", KILLS), ("disk failed", FAULTS)):
                (folder / name).mkdir()
                found = strike_all(table, folder / name, ways, step if len(table.calls) > 10 else 1)
                kept &= tell(f"{made}, {name}", found)
            kept &= tell(f"{table.name}, damaged journals", damaged_journals(table, folder, count))
            kept &= tell(f"{table.name}, damaged logs", damaged_logs(table, count))
    print("every promise kept" if kept else "A PROMISE WAS BROKEN")
    return kept


if __name__ == "__main__":
    if "--serve" in sys.argv:
        asyncio.run(serve())
    else:
        sys.exit(not campaign("--short" in sys.argv))
