"""The total cost of games, by day, game, model or player."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query

from engine.runs.game_row import GameRow
from engine.runs.index import Index
from engine.runs.query import Query as IndexQuery
from engine.server.keys import Caller
from engine.server.web.desk import AtDesk, HostAsking
from engine.server.web.rights import is_veiled
from protocol.answer import Plain

router = APIRouter()
WAYS = ("day", "game", "model", "player")
DAY = len("2026-01-01")
By = Annotated[str, Query(description="day, game, model or player")]
Share = tuple[str, int | None, float | None]


@dataclass
class Sum:
    """Total tokens and dollars of games or seats; `unknown` counts those with an unknown cost."""

    games: int = 0
    tokens: int = 0
    cost: float = 0.0
    unknown: int = 0

    def add(self, tokens: int | None, cost: float | None) -> None:
        """Add the tokens and cost of one game or seat to the totals."""
        self.games += 1
        self.tokens += tokens or 0
        self.cost += cost or 0.0
        self.unknown += cost is None


@router.get("/costs", summary="Sums of games, tokens and dollars")
async def show_costs(caller: HostAsking, desk: AtDesk, by: By = "day") -> Plain:
    """Return the sums by day, game, model or player; unknown costs are counted separately.

    Unfinished games in which the caller has a seat are left out.
    """
    with desk.refuse_errors():
        if by not in WAYS:
            raise ValueError(f"expected by to be one of {', '.join(WAYS)}: got {by!r:.40}")
        return await asyncio.to_thread(costs_in, await desk.fresh_index(), caller, by)


def costs_in(index: Index, caller: Caller, by: str) -> Plain:
    """Return tokens and costs by day (latest first) or by another key (most expensive first)."""
    sums, whole = _sums_in(index, caller, by)
    if by == "day":
        keys = sorted(sums, reverse=True)
    else:
        keys = sorted(sums, key=lambda key: (-sums[key].cost, -sums[key].tokens, key))
    rows = [{"key": key, **vars(sums[key])} for key in keys]
    return {"by": by, "rows": rows, "all": vars(whole)}


def _sums_in(index: Index, caller: Caller, by: str) -> tuple[dict[str, Sum], Sum]:
    """Return the sums by key, and the sum of all games that the caller may see."""
    sums: dict[str, Sum] = {}
    whole = Sum()
    for row in index.every(IndexQuery()):
        if is_veiled(caller, row):
            continue
        whole.add(row.tokens, row.cost)
        for key, tokens, cost in cost_shares(row, by):
            sums.setdefault(key, Sum()).add(tokens, cost)
    return sums, whole


def cost_shares(row: GameRow, by: str) -> Iterator[Share]:
    """Yield the key, tokens and dollars of a game, or of each seat if `by` is model or player."""
    if by in {"day", "game"}:
        name = row.began[:DAY] if by == "day" else row.game
        yield name or "unknown", row.tokens, row.cost
        return
    names = row.models if by == "model" else row.players
    for name, spent in zip(names, row.spent, strict=False):
        yield name, spent.tokens, spent.cost
