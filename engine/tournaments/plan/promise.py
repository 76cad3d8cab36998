"""The promise made in plan.json before a tournament's first game, and whether it was kept."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.record.files import read_json, read_regular, write_whole, writing
from engine.tournaments.ledger import OVER, ledgers_in
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.sources.source import Source
from engine.tournaments.standings.method import Method

PLAN, LARGEST_PLAN = "plan.json", 1 << 20
SEAL = "sha256"
# How many digits of a fingerprint are shown.
DIGITS = 16
Plain = dict[str, Any]


def promise_of(settings: TournamentSettings, games: int) -> Plain:
    """Return a plan's promise; `settings` is the tournament's fingerprint, which omits `games`."""
    stop = settings.stop
    return {
        "name": settings.name,
        "targets": list(settings.targets),
        "pairs": [list(stop.separated)] if stop and stop.separated else "all",
        "stop": stop.model_dump(mode="json") if stop else None,
        "games": games,
        "settings": settings.sha256,
    }


def seal_of(promise: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a promise without its seal."""
    bare = {name: value for name, value in promise.items() if name != SEAL}
    return sha256(json.dumps(bare, sort_keys=True).encode()).hexdigest()


def write_promise(settings: TournamentSettings, games: int, folder: Path) -> str:
    """Write plan.json unless play has begun; return a note about it, or raise DiskError."""
    path = folder / PLAN
    if ledgers_in(folder):
        kept = "was left unchanged" if path.exists() else "was not written"
        return f"The tournament has already started: {path} {kept}."
    promise = promise_of(settings, games)
    seal = seal_of(promise)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(promise | {SEAL: seal}, indent=1) + "\n")
    return (
        f"Written: {path}, SHA-256 {seal}. Publish it before you play; the report says whether the "
        "tournament followed it."
    )


def method_with_plan(source: Source, method: Method) -> Method:
    """Return the method, with sentences about the plan if the source is a tournament."""
    if source.settings is None:
        return method
    over = sum(source.counts.statuses.get(status, 0) for status in OVER)
    terms = (source.folder, source.settings, method.targets, over)
    return replace(method, plan=plan_sentences(*terms, stopped=source.stopped))


def plan_sentences(
    folder: Path, settings: TournamentSettings, targets: Sequence[str], over: int, *, stopped: bool
) -> tuple[str, ...]:
    """Return sentences on whether a tournament followed its plan.json, or () if there is none.

    `over` is the number of finished and void games.
    """
    path = folder / PLAN
    if not path.is_file():
        return ()
    try:
        plan = read_json(read_regular(path, LARGEST_PLAN))
        seal, games, planned = str(plan[SEAL]), int(plan["games"]), ", ".join(plan["targets"])
    except (ValueError, LookupError, TypeError, OSError):
        return (
            f"{PLAN} differs from what `plan` wrote, so nothing shows that there was a plan before "
            "play.",
        )
    broken = [f"{PLAN} was changed after it was written"] if seal != seal_of(plan) else []
    broken += _changes_since(plan, promise_of(settings, games) | {"targets": list(targets)})
    if over > games or (over < games and not stopped):
        broken.append(f"{over:,} games are over, planned {games:,}")
    kept = f"departs from the plan: {'; '.join(broken)}" if broken else "followed the plan"
    return (
        f"Before play, {games:,} games rated by {planned} were planned (SHA-256 {seal[:DIGITS]}).",
        f"The tournament {kept}.",
    )


def _changes_since(plan: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name, value in now.items():
        if plan.get(name) != value:
            change = f"{name}: {json.dumps(value)}, planned {json.dumps(plan.get(name))}"
            yield "other settings" if name == "settings" else change
