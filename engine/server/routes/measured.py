"""Measured models: their points in each task of a suite, and the games that were measured."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fastapi import APIRouter, Response

from engine.server.web.desk import AtDesk, Desk, HostAsking
from engine.server.web.refusal import Refusal
from protocol.answer import Plain

router = APIRouter()
T = TypeVar("T")


@router.get("/measured", summary="All measured models, the best of each suite first")
async def list_measurements(_caller: HostAsking, desk: AtDesk) -> Plain:
    """Return the models measured so far, by suite, with their points."""
    # The import loads NumPy, so only requests that need it wait for it.
    from engine.tournaments.measure.listing import suites_in

    return await answer_from(desk, partial(suites_in, desk.settings.logs_dir))


@router.get("/measured/{suite}/{model}/{task}", summary="The games of a model in one task")
async def list_task_games(
    suite: str, model: str, task: str, _caller: HostAsking, desk: AtDesk
) -> Plain:
    """Return each game's metric and opponents."""
    from engine.tournaments.measure.listing import task_games

    return await answer_from(desk, partial(task_games, desk.settings.logs_dir, suite, model, task))


@router.get("/measured/{suite}/{model}/{task}/{number}.html", summary="A measured game as a file")
async def export_measured_game(
    number: int, suite: str, model: str, task: str, _caller: HostAsking, desk: AtDesk
) -> Response:
    """Return a measured game as an HTML page to download."""
    from engine.tournaments.measure.listing import page_of_game

    make = partial(page_of_game, desk.settings.logs_dir, suite, model, task, number)
    async with desk.exports:
        page = await answer_from(desk, make)
    name = f"{task}_{number:06}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(page, headers=headers, media_type="text/html")


async def answer_from(desk: Desk, make: Callable[[], T]) -> T:
    """Return the result of `make`, called in a thread; raise Refusal if the address is unknown."""
    with desk.refuse_errors():
        try:
            return await asyncio.to_thread(make)
        except KeyError:
            raise Refusal(404, "nothing was measured at this address: see /api/measured") from None
