"""A server's settings."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

PORT = 8642
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def new_token() -> str:
    """Return a host's token: 32 random bytes as URL-safe text."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class ServerSettings:
    """The options of serve.py.

    `port` is never 0. `allow_hosts` are further names by which a browser may reach the server. Add
    the port to a name if it differs from `port`, and `https://` if a proxy provides TLS. `max_cost`
    limits the total cost of all games while the server runs, in dollars. `max_games` and
    `max_watchers` limit concurrent games and viewers. `allow_models` are the model and policy files
    that players configured over the web may use. Keys are valid for at least `key_days` days.
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
