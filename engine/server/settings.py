"""A server's settings."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

PORT = 8642
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def new_token() -> str:
    """Return a host's token: 32 random bytes as text that a link can hold."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class ServerSettings:
    """The options of serve.py.

    `port` is the port to listen on, never 0. `allow_hosts` are the names, besides this machine's
    own, by which a browser may reach the server, with a port if it differs from `port`, and with
    `https://` in front if a proxy provides TLS. `token` is the host's. `max_cost` is in dollars,
    for all games during the server's run together; `max_games` and `max_watchers` limit concurrent
    ones. A `read_only` server begins, stops and changes nothing. `allow_models` are the files of
    models and policies that a seat from the web may name. A key opens its game for `key_days`.
    """

    logs_dir: Path = Path("logs")
    host: str = LOOPBACK[0]
    port: int = PORT
    allow_hosts: tuple[str, ...] = ()
    token: str = field(default_factory=new_token, repr=False)
    max_cost: float = 10.0
    max_games: int = 200
    max_watchers: int = 1000
    read_only: bool = False
    allow_models: tuple[str, ...] = ()
    key_days: int = 30
