"""Where a request may be sent on to: only to the server that it was meant for."""

import httpx2

from providers import FatalError

DEFAULT_PORTS = {"http": 80, "https": 443}
UPGRADE = (DEFAULT_PORTS["http"], DEFAULT_PORTS["https"])


async def stay_with_server(response: httpx2.Response) -> None:
    """Raise FatalError if a response sends the request, headers and all, to another server.

    A hook of the HTTP client, which itself would only take the Authorization header away.
    """
    if not response.has_redirect_location:
        return
    asked = response.request.url
    there = asked.join(response.headers["location"])
    if not is_same_server(asked, there):
        raise FatalError(
            f"answered HTTP {response.status_code}, which leads to another server, "
            f"{there.scheme}://{there.host}: check base_url"
        )


def is_same_server(asked: httpx2.URL, there: httpx2.URL) -> bool:
    """Return whether two addresses are of one server; https may take the place of http."""
    if asked.host != there.host:
        return False
    ports = (_port_of(asked), _port_of(there))
    if asked.scheme == there.scheme:
        return ports[0] == ports[1]
    return ports == UPGRADE


def _port_of(url: httpx2.URL) -> int | None:
    """Return the port of an address, named or not."""
    return url.port or DEFAULT_PORTS.get(url.scheme)
