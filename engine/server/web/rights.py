"""A caller's views of a game, and its other rights there."""

from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator

from engine.history import History
from engine.runs.game_row import GameRow
from engine.server.keys import Caller
from engine.server.web.refusal import Refusal
from engine.views.perspective import EVERYTHING, PUBLIC
from protocol.suggest import one_of
from protocol.text import compose

OVER = {"finished"}
PUBLIC_WORDS = {PUBLIC, "public"}
# A player with such a name would see what the view of that name shows.
VIEW_NAMES = (*PUBLIC_WORDS, EVERYTHING)
VIEW_ABOUT = "the view: * is all there is, public what all players see, else a player's name"
# A name is the same however its accented letters are encoded.
ONE_SPELLING = AfterValidator(compose)
AsView = Annotated[
    Annotated[str, ONE_SPELLING] | None, Query(alias="as", description=VIEW_ABOUT, examples=["Ada"])
]


def allowed_view(caller: Caller, name: str, history: History, wanted: str | None) -> str:
    """Return the requested view of a game; without one, the fullest that the caller may see.

    Refusal: 404 if there is no player of that name, 403 if the view is not the caller's, 409 if it
    would show a player in a game under way what the others hide.
    """
    if wanted is None:
        return usual_view(caller, name, history)
    if wanted in PUBLIC_WORDS:
        return PUBLIC
    if wanted != EVERYTHING:
        check_player(history, wanted)
    seats = seats_of(caller, name)
    if wanted in seats:
        return wanted
    if not sees_all(caller, name):
        raise Refusal(403, "this key does not show that view: leave out as=, or ask the host")
    if seats and history.status not in OVER:
        raise Refusal(
            409, f"you sit in this game as {seats[0]}: what others hide is shown when it is over"
        )
    return wanted


def usual_view(caller: Caller, name: str, history: History) -> str:
    """Return the fullest view of a game that a caller may see."""
    seats = seats_of(caller, name)
    if sees_all(caller, name) and (not seats or history.status in OVER):
        return EVERYTHING
    # A key may be older than the file that has the game's name now.
    players = {seat.player_id for seat in history.players}
    return next((seat for seat in seats if seat in players), PUBLIC)


def sees_all(caller: Caller, name: str) -> bool:
    """Return whether a caller has the right to the omniscient view of a game."""
    return caller.host or any(grant.watch == "all" for grant in caller.grants_of(name))


def seats_of(caller: Caller, name: str) -> list[str]:
    """Return the seats of a game that a caller has keys of; none that is called as a view is."""
    seats = [grant.seat for grant in caller.grants_of(name) if grant.seat]
    return [seat for seat in seats if seat not in VIEW_NAMES]


def is_veiled(caller: Caller, row: GameRow) -> bool:
    """Return whether the caller sits in an unfinished game: who plays it stays hidden."""
    return row.status not in OVER and bool(seats_of(caller, row.name))


def check_player(history: History, player_id: str) -> None:
    """Refuse a player who is not in the game, with the nearest name."""
    try:
        one_of(player_id, [seat.player_id for seat in history.players], "player")
    except ValueError as error:
        raise Refusal(404, str(error)) from None
