"""Why no connection came about, whatever the SDKs make of it."""

import errno
import socket
import ssl

import httpx2
import pytest
from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientConnectorSSLError,
    ServerDisconnectedError,
)
from aiohttp.client_reqrep import ConnectionKey

from providers.arrivals import is_same_server
from providers.faults import refusal_in

KEY = ConnectionKey("host", 80, False, True, None, None, None)
REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ClientConnectorError(KEY, REFUSED), "the connection was refused"),
        (
            ClientConnectorError(KEY, OSError(errno.EHOSTUNREACH, "no")),
            "there is no route to that host",
        ),
        (ClientConnectorError(KEY, OSError("several")), "no connection could be made"),
        (
            ClientConnectorDNSError(KEY, socket.gaierror(-2, "Name or service not known")),
            "there is no such host",
        ),
        (
            ClientConnectorSSLError(KEY, ssl.SSLError(1, "bad")),
            "no secure connection could be made",
        ),
        # The server was there: it is no refusal that the connection broke off.
        (ServerDisconnectedError(), ""),
        (ConnectionResetError(errno.ECONNRESET, "reset"), ""),
    ],
)
def test_a_refusal_is_found_behind_what_wraps_it(fault: Exception, words: str) -> None:
    assert refusal_in(fault) == words
    caused = TimeoutError("Request timed out.")
    caused.__cause__ = fault
    within = RuntimeError("inside a handler")
    within.__context__ = caused
    assert refusal_in(within) == words


@pytest.mark.parametrize(
    ("asked", "there", "same"),
    [
        ("http://a/v1", "http://a/v2", True),
        ("http://a:8080", "http://a:8080/v1", True),
        ("http://a:8080", "http://a:8081", False),
        ("http://a", "http://b", False),
        ("https://a", "https://a:443/v1", True),
        # https may take the place of http, at their usual ports alone, and never the other way.
        ("http://a", "https://a", True),
        ("http://a:80", "https://a:443", True),
        ("https://a", "http://a", False),
        ("http://a:80", "https://a:80", False),
        ("http://a:8080", "https://a:8443", False),
        ("http://a:79", "https://a:443", False),
    ],
)
def test_a_redirection_stays_at_the_server(asked: str, there: str, same: bool) -> None:
    assert is_same_server(httpx2.URL(asked), httpx2.URL(there)) is same
