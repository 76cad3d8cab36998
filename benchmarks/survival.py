"""Check that killed processes, failing disks and damaged files lose nothing a game recorded.

`uv run --group dev benchmarks/survival.py` takes minutes (with `--short`, seconds). The model
server always gives the same answer to the same prompt, and the clock is frozen. So a resumed game
must write the same bytes as an undisturbed one. Games are disturbed at every system call that
writes.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, main, say
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import history_from_json
from engine.record.journal import Journal
from tests.support.sabotage import FAULTS, KILLS, Saboteur, in_child, steady_server, taken
from tests.support.tables import config_for, own_games

FINISHED, FAILED = 0, 1
SETTINGS: dict[str, Any] = {
    "conversation": {"length": 6},
    "dilemma": {"game_length": [1, 2], "max_rounds": 1},
}
BROKEN = ("other bytes", "recorded calls repeated", "other calls repeated")


@dataclass
class Table:
    """One game of the campaign: its config, and the files and calls of an undisturbed run."""

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
    """Play the game of `config`, or resume it from a journal; return FINISHED or FAILED."""
    assert config.logs_dir is not None
    journal = config.logs_dir / "game.jsonl"
    engine = GameEngine.resume(journal, config) if journal.exists() else GameEngine(config)
    if saboteur is not None:
        saboteur.work()
    history = engine.run()
    if calls is not None and saboteur is not None:
        calls.write_text(" ".join(saboteur.seen))
    is_clear = "cannot be written" in history.reason and "\n" not in history.reason
    if history.status == "failed" and not is_clear:
        raise AssertionError(f"expected one clear sentence: {history.reason!r}")
    return FINISHED if history.status == "finished" else FAILED


def play_undisturbed(table: Table, folder: Path) -> None:
    """Play the game undisturbed, and keep its files, system calls and questions."""
    # Play once here first, so that everything is imported once and not in every child.
    GameEngine(table.config(folder).model_copy(update={"logs_dir": None})).run()
    taken(table.url)
    assert in_child(partial(play, table.config(folder), Saboteur(), folder / "calls")) == FINISHED
    table.asked = Counter(taken(table.url))
    table.log = (folder / "game.json").read_bytes()
    table.calls = (folder / "calls").read_text().split()
    # The journal is complete just before the final log replaces it.
    table.journal, _ = strike(table, folder / "journal", "replace", "before")


def strike(table: Table, folder: Path, at: int | str, how: str) -> tuple[bytes, int]:
    """Play a game and disturb it at most once; return its journal (empty if none) and exit code."""
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
    left, ended = strike(table, folder, at, how)
    before = Counter(taken(table.url))
    answers = len(Journal.load(folder / "game.jsonl").recorded) if b"\n" in left else 0
    whole = (folder / "game.json").exists()
    if b"\n" not in left and not whole:
        # The journal's first line is missing, so no game had begun and no model was asked.
        (folder / "game.jsonl").unlink(missing_ok=True)
    code = FINISHED if whole and not left else in_child(partial(play, table.config(folder)))
    after = Counter(taken(table.url))
    missing = 0 if whole else table.asked.total() - answers
    again, lines = (before + after - table.asked).total(), left[: left.rfind(b"\n") + 1]
    under_way = lines.count(b'"kind": "begun"') - lines.count(b'"kind": "answer"')
    found["games"] += 1
    found["ended before"] += how in KILLS and ended == FINISHED
    found["other bytes"] += code != FINISHED or (folder / "game.json").read_bytes() != table.log
    found["recorded calls repeated"] += max(after.total() - missing, 0)
    found["calls under way"] += again
    found["other calls repeated"] += max(again - under_way, 0)


def damages(content: bytes, count: int) -> Iterator[bytes]:
    """Yield `count` truncated copies of `content`, and `count` copies with a flipped bit."""
    rng = random.Random(1)
    for place in sorted(rng.sample(range(len(content)), min(count, len(content)))):
        yield content[:place]
    for _ in range(count):
        flipped = bytearray(content)
        flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        yield bytes(flipped)


def read_damaged(
    whole: bytes, count: int, read: Callable[[bytes], bool], found: Counter[str]
) -> None:
    """Read damaged copies; `read` returns whether the content is right, or raises ValueError."""
    for content in damages(whole, count):
        found["files"] += 1
        try:
            found["read as they were" if read(content) else "read wrongly"] += 1
        except ValueError as error:
            found["no clear sentence"] += "\n" in str(error)


def damage(table: Table, folder: Path, count: int, found: dict[str, Counter[str]]) -> None:
    """Damage a game's log and journal; a damaged journal may yield only a prefix of its answers."""
    path = folder / "game.jsonl"
    path.write_bytes(table.journal)
    answers = [*Journal.load(path).recorded.items()]
    history = history_from_json(table.log)

    def is_prefix(content: bytes) -> bool:
        path.write_bytes(content)
        read = [*Journal.load(path).recorded.items()]
        return read == answers[: len(read)]

    read_damaged(table.journal, count, is_prefix, found["damaged journals"])

    def is_whole(content: bytes) -> bool:
        return history_from_json(content) == history

    read_damaged(table.log, count, is_whole, found["damaged logs"])


def tables(url: str, short: bool) -> Iterator[Table]:
    """Yield the campaign's games: all with models and a script, except one with scripts alone."""
    models = ",".join(["compatible:m"] * (2 if short else 3))
    for game in ["conversation"] if short else own_games():
        settings = {"length": 3} if short else SETTINGS.get(game, {})
        seats = f"{models},scripted:{[*GAMES[game].strategies][-1]}"
        yield Table(game, partial(table_config, game, seats, url, settings), url)
    yield Table("scripts", partial(table_config, "conversation", "", "", {}), url)


def table_config(
    game: str, seats: str, url: str, settings: dict[str, Any], folder: Path
) -> GameEngineConfig:
    """Return the config of a game whose log is in `folder`."""
    return config_for(game, seats, folder, at=url, settings=settings)


def campaign(short: bool) -> Iterator[Row]:
    """Disturb every game in every way."""
    found = {name: Counter[str]() for name in ("killed", "disk failed")}
    harmed = {name: Counter[str]() for name in ("damaged journals", "damaged logs")}
    with TemporaryDirectory() as place, steady_server() as url:
        for number, table in enumerate(tables(url, short)):
            folder = Path(place) / str(number)
            folder.mkdir()
            play_undisturbed(table, folder)
            say(f"{table.name}: {len(table.calls)} system calls, {table.asked.total()} of models")
            step = 11 if short and len(table.calls) > 10 else 1
            for at, call in [*enumerate(table.calls)][::step]:
                for way in (*KILLS, *FAULTS):
                    if call == "write" or way not in {"middle", "full", "short"}:
                        kind = "killed" if way in KILLS else "disk failed"
                        survive(table, folder / f"{at}{way}", at, way, found[kind])
            damage(table, folder, 150 if short else 2500, harmed)
    for name, counts in found.items():
        early, again = counts["ended before"], counts["calls under way"]
        basis = f"{counts['games']:,} games {name} ({early} ended before), {again} calls made again"
        for broken in BROKEN:
            yield Row(broken, str(counts[broken]), "", basis, "0", not counts[broken])
    for name, counts in harmed.items():
        bad = counts["read wrongly"] + counts["no clear sentence"]
        basis = f"{counts['files']:,} {name}, {counts['read as they were']:,} read as they were"
        yield Row("read wrongly, or refused unclearly", str(bad), "", basis, "0", not bad)


if __name__ == "__main__":
    main(str(__doc__), {"campaign": campaign})
