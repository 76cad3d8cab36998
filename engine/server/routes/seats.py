"""A person's seat: read the open question, answer it, or leave for good."""

from asyncio import wrap_future
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict

from engine.server.seats import WebAnswerer
from engine.server.web.desk import Asking, AtDesk, GameName
from engine.server.web.refusal import Refusal
from engine.server.web.rights import ONE_SPELLING, check_player, seats_of
from protocol.answer import Plain

router = APIRouter()
PATH = "/games/{name}/seats/{player:path}"
PlayerName = Annotated[str, ONE_SPELLING]
QUESTION = {
    "question": {
        "number": 4,
        "kind": "vote",
        "question": "Whom do you vote for?",
        "fields": [
            {
                "name": "vote",
                "label": "Vote",
                "about": "",
                "choices": ["Ben", "Cleo"],
                "words": None,
            }
        ],
        "silence": None,
        "grid": [],
        "left": 57.2,
    },
    "state": "here",
}


class SeatAnswer(BaseModel):
    """An answer: the question's number, and a value for each of its fields."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"number": 4, "values": {"vote": "Ben"}}]},
    )

    number: int
    values: dict[str, str]


async def own_seat(player: PlayerName, name: GameName, caller: Asking, desk: AtDesk) -> WebAnswerer:
    """Return a player's seat; raise Refusal if the seat is not open or the caller lacks its key."""
    if player not in seats_of(caller, name):
        check_player(await desk.history(name), player)
        raise Refusal(
            403, f"only the key of {player}'s seat can answer for it: open the seat's link"
        )
    seat = desk.hall.seats(name).get(player)
    if seat is not None:
        return seat
    history = await desk.history(name)
    check_player(history, player)
    if history.status == "finished":
        raise Refusal(409, "the game is over: players are no longer asked")
    raise Refusal(409, "the game is not running: ask the host to continue it")


OwnSeat = Annotated[WebAnswerer, Depends(own_seat)]


@router.get(
    PATH,
    summary="The open question of a seat",
    responses={200: {"content": {"application/json": {"example": QUESTION}}}},
)
async def show_question(seat: OwnSeat) -> Plain:
    """Return the open question (or null) and the seat's state; ask an "away" seat again."""
    seat.rejoin()
    return {"question": seat.question, "state": seat.state}


@router.post(PATH, summary="Answer the open question")
async def answer_question(seat: OwnSeat, desk: AtDesk, given: SeatAnswer) -> Plain:
    """Answer question `number`; 422 lists its legal answers, and 409 means that it is closed.

    The answer is in the game's journal before this returns.
    """
    with desk.refuse_errors():
        await wrap_future(seat.answer(given.number, given.values))
    return {"answered": given.number}


@router.delete(PATH, summary="Leave a seat for good", status_code=204)
async def leave_seat(seat: OwnSeat, desk: AtDesk) -> Response:
    """Leave for good; from then on, the seat plays its fallbacks."""
    with desk.refuse_errors():
        await wrap_future(seat.leave())
    return Response(status_code=204)
