"""Measured models: their points in each task of a suite, and the games behind them."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Response

from engine.server.web.desk import AtDesk, Desk, HostAsking
from engine.server.web.refusal import Refusal
from protocol.answer import Plain

router = APIRouter()
T = TypeVar("T")


@router.get("/measured", summary="All measured models, the best of each suite first")
async def list_measured(caller: HostAsking, desk: AtDesk) -> Plain:
    """Return the models under their suites, each with its points; none is measured here."""
    del caller
    # Whoever only plays does not wait for the numbers' libraries.
    from engine.tournaments.measure.listing import suites_in

    return await read(desk, partial(suites_in, desk.settings.logs_dir))


def names_asked(suite: str, model: str, task: str) -> tuple[str, str, str]:
    """Return what an address names."""
    return suite, model, task


Address = Annotated[tuple[str, str, str], Depends(names_asked)]


@router.get("/measured/{suite}/{model}/{task}", summary="The games of a model in one task")
async def list_task_games(caller: HostAsking, desk: AtDesk, address: Address) -> Plain:
    """Return what each game counted, and whom it was played against."""
    del caller
    from engine.tournaments.measure.listing import games_in

    return await read(desk, partial(games_in, desk.settings.logs_dir, *address))


@router.get("/measured/{suite}/{model}/{task}/{number}.html", summary="A measured game as a file")
async def export_measured_game(
    number: int, caller: HostAsking, desk: AtDesk, address: Address
) -> Response:
    """Return a game as a page for any browser, to be kept."""
    del caller
    from engine.tournaments.measure.listing import page_of_game

    async with desk.exports:
        page = await read(desk, partial(page_of_game, desk.settings.logs_dir, *address, number))
    name = f"{address[2]}_{number:06}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(page, headers=headers, media_type="text/html")


async def read(desk: Desk, make: Callable[[], T]) -> T:
    """Return what is made of the files; Refusal if the address names nothing."""
    with desk.refuse_errors():
        try:
            return await asyncio.to_thread(make)
        except KeyError:
            raise Refusal(
                404, "nothing is measured under this address: see /api/measured"
            ) from None
