"""The cookie of a browser, for the token or a key of its link."""

from fastapi import APIRouter, Request, Response

from engine.server.guard import cookie_name
from engine.server.keys import cookie_in, with_rights_of
from engine.server.web.desk import Asking, AtDesk

router = APIRouter()


@router.post("/session", status_code=204, summary="Trade a token or a key for a cookie")
async def begin_session(request: Request, caller: Asking, desk: AtDesk) -> Response:
    """Return a cookie with the rights of the token or key, and of the cookie sent along."""
    name = cookie_name(desk.settings)
    before = desk.keys.cookie(cookie_in(request.headers.getlist("cookie"), name))
    response = Response(status_code=204)
    response.set_cookie(
        name,
        desk.keys.cookie_of(with_rights_of(caller, before)),
        httponly=True,
        samesite="strict",
        secure=request.headers.get("origin", "").startswith("https://"),
    )
    return response
