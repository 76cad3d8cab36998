"""The links that open a game in a browser: the key stands in the fragment, which no log sees."""

from urllib.parse import quote

from starlette.requests import Request

from engine.server.keys import Keys


def site_of(request: Request) -> str:
    """Return the address by which a caller reached this server; the guard checked both headers."""
    return request.headers.get("origin") or f"http://{request.headers['host']}"


def seat_link(keys: Keys, site: str, game: str, player_id: str) -> str:
    """Return the link that sits and sees as a player."""
    player = quote(player_id, safe="")
    key = keys.seat_key(game, player_id)
    return f"{site}/#/seat/{game}/{player}?key={key}"


def watch_links(keys: Keys, site: str, game: str) -> dict[str, str]:
    """Return the links that only watch: what all players see, and all there is."""
    page = f"{site}/#/game/{game}"
    public_key = keys.watch_key(game, "public")
    whole_key = keys.watch_key(game, "all")
    return {
        "public": f"{page}?as=public&key={public_key}",
        "all": f"{page}?as=*&key={whole_key}",
    }
