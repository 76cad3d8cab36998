"""Why no connection to a server came about, in words, from what an SDK raised."""

import errno

REFUSALS = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.EHOSTUNREACH: "no way leads to that host",
    errno.ENETUNREACH: "no way leads to that network",
}


def refusal_in(error: BaseException) -> str:
    """Return what kept a call from being connected; "" if it was connected, and broke off later.

    The SDKs wrap what aiohttp raised, and give a refused connection out as a timeout.
    """
    # It takes as long to import as the rest of a scripted game.
    from aiohttp import ClientConnectorDNSError, ClientConnectorError, ClientSSLError

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ClientConnectorError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return ""
    if isinstance(cause, ClientConnectorDNSError):
        return "there is no such host"
    if isinstance(cause, ClientSSLError):
        return "no secure connection came about"
    return REFUSALS.get(cause.errno or 0, "no connection came about")
