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
    from aiohttp import ClientConnectorError

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ClientConnectorError):
            return _refusal_of(cause)
        cause = cause.__cause__ or cause.__context__
    return ""


def _refusal_of(error: OSError) -> str:
    from aiohttp import ClientConnectorDNSError, ClientSSLError

    if isinstance(error, ClientConnectorDNSError):
        return "there is no such host"
    if isinstance(error, ClientSSLError):
        return "no secure connection came about"
    return REFUSALS.get(error.errno or 0, "no connection came about")
