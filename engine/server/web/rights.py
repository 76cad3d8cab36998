"""The views of a game that a caller may see, and the caller's other rights in the game."""

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
# A player must not have such a name, or it would see the view of that name.
VIEW_NAMES = (*PUBLIC_WORDS, EVERYTHING)
VIEW_ABOUT = "the view: * for everything, public for what all players see, or a player's name"
# A name has one spelling, however its accented letters are encoded.
ONE_SPELLING = AfterValidator(compose)
AsView = Annotated[
    Annotated[str, ONE_SPELLING] | None, Query(alias="as", description=VIEW_ABOUT, examples=["Ada"])
]


def allowed_view(caller: Caller, name: str, history: History, wanted: str | None) -> str:
    """Return the `wanted` view of a game; if None, the fullest view that the caller may see.

    Raises Refusal: 404 for an unknown player, 403 for a view that the caller may not see, and 409
    for a view that would show a player the other players' secrets before the game is over.
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
            409, f"you play in this game as {seats[0]}: hidden information is shown when it is over"
        )
    return wanted


def usual_view(caller: Caller, name: str, history: History) -> str:
    """Return the fullest view of a game that a caller may see."""
    seats = seats_of(caller, name)
    if sees_all(caller, name) and (not seats or history.status in OVER):
        return EVERYTHING
    # A key may be older than the game that now has this name.
    players = {*history.player_ids}
    return next((seat for seat in seats if seat in players), PUBLIC)


def sees_all(caller: Caller, name: str) -> bool:
    """Return whether the caller has the right to the omniscient view of a game."""
    return caller.host or any(grant.watch == "all" for grant in caller.grants_of(name))


def seats_of(caller: Caller, name: str) -> list[str]:
    """Return the seats in a game that the caller has keys for, except seats named like a view."""
    seats = [grant.seat for grant in caller.grants_of(name) if grant.seat]
    return [seat for seat in seats if seat not in VIEW_NAMES]


def is_veiled(caller: Caller, row: GameRow) -> bool:
    """Return whether the caller plays in this unfinished game and must not see its secrets."""
    return row.status not in OVER and bool(seats_of(caller, row.name))


def check_player(history: History, player_id: str) -> None:
    """Raise Refusal for an unknown player, suggesting the nearest name."""
    try:
        one_of(player_id, history.player_ids, "player")
    except ValueError as error:
        raise Refusal(404, str(error)) from None
