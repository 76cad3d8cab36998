"""Browser cookies, and signed keys that give the right to play in or watch one game.

A key is `base64(JSON).HMAC-SHA256`. The host's token is new at each start, unless the environment
sets one.
"""

import hmac
import json
import os
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal
from urllib.parse import quote

from engine.record.files import read_json, read_text
from engine.server.settings import ServerSettings
from protocol.answer import Plain

LINKS_FILE = ".server"
REVOKED_FILE = ".revoked"
DAY = 24 * 60 * 60
SECRET_BYTES = 32
# A cookie holds at most 4 KB, so a caller with more keys must send some of them again.
MOST_GRANTS = 20
Watch = Literal["", "public", "all"]


@dataclass(frozen=True, slots=True)
class Grant:
    """The right to play as `seat` in a game, or to `watch` it, until a Unix time."""

    game: str
    seat: str = ""
    watch: Watch = ""
    until: int = field(default=0, compare=False)

    @property
    def plain(self) -> Plain:
        """The grant as plain data, for the JSON in its key."""
        opened = {"seat": self.seat} if self.seat else {"watch": self.watch}
        return {"game": self.game, **opened, "until": self.until}


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request; `host` gives all rights, and each grant gives rights in one game."""

    host: bool = False
    grants: tuple[Grant, ...] = ()

    @property
    def label(self) -> str:
        """The caller's identity for rate limits; cookies with the same rights share it."""
        if self.host:
            return "host"
        rights = [json.dumps([grant.game, grant.seat, grant.watch]) for grant in self.grants]
        return " ".join(sorted(rights))

    def grants_of(self, game: str) -> list[Grant]:
        """Return this caller's grants for `game`."""
        return [grant for grant in self.grants if grant.game == game]


class Keys:
    """Creates and checks keys and cookies, and checks the host's token.

    The secret is in `LOGS/.server`, so that keys survive a restart; revoked keys are listed in
    `LOGS/.revoked`. `clock` returns Unix time. Raises ValueError if the secret is damaged.
    """

    def __init__(self, settings: ServerSettings, clock: Callable[[], float] = time.time) -> None:
        self._secret = read_secret(settings.logs_dir)
        self._token = settings.token.encode()
        self._days = settings.key_days
        self._clock = clock
        self._file = settings.logs_dir / REVOKED_FILE
        self._revoked = set(read_text(self._file).split()) if self._file.exists() else set()
        # A host's cookie is valid only as long as the token that the browser exchanged for it.
        self._host = hmac.new(self._secret, b"host " + self._token, sha256).hexdigest()

    def seat_key(self, game: str, player_id: str) -> str:
        """Return the key to the seat of `player_id` in `game`."""
        return self._key_of(Grant(game, seat=player_id))

    def watch_key(self, game: str, watch: Watch) -> str:
        """Return a key for watching only; `watch` is "public" or "all" (the omniscient view)."""
        return self._key_of(Grant(game, watch=watch))

    def _key_of(self, grant: Grant) -> str:
        """Return today's key for a grant, or a different key if today's was revoked."""
        until = (int(self._clock()) // DAY + self._days + 1) * DAY
        while self._seal_of(replace(grant, until=until)) in self._revoked:
            until += 1
        return self._sign(replace(grant, until=until).plain)

    def revoke(self, key: str) -> None:
        """Revoke a key permanently; raise ValueError if it is invalid, OSError for a disk error."""
        grant = self._grant_in(self._read(key))
        if grant is None:
            raise ValueError("expected a valid key of a game, or a link that contains one")
        seal = self._seal_of(grant)
        self._revoked.add(seal)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{seal}\n")

    def _seal_of(self, grant: Grant) -> str:
        """Return the signature of a grant's key, by which revoked keys are listed."""
        return self._sign(grant.plain).partition(".")[2]

    def _grant_in(self, plain: Plain) -> Grant | None:
        """Return the grant in a signed text's JSON, or None if the text is not a valid key."""
        game = plain.get("game")
        if not game:
            return None
        grant = Grant(game, plain.get("seat", ""), plain.get("watch", ""), plain.get("until", 0))
        is_good = grant.until > self._clock() and self._seal_of(grant) not in self._revoked
        return grant if is_good else None

    def seat_link(self, site: str, game: str, player_id: str) -> str:
        """Return the link to a player's seat; the key is in the fragment, which no server logs."""
        key = self.seat_key(game, player_id)
        return f"{site}/#/seat/{game}/{quote(player_id, safe='')}?key={key}"

    def watch_links(self, site: str, game: str) -> dict[str, str]:
        """Return the links for watching the public view and the omniscient view."""
        page = f"{site}/#/game/{game}"
        return {
            "public": f"{page}?as=public&key={self.watch_key(game, 'public')}",
            "all": f"{page}?as=*&key={self.watch_key(game, 'all')}",
        }

    def cookie_of(self, caller: Caller) -> str:
        """Return the cookie that identifies `caller`."""
        grants = [grant.plain for grant in caller.grants[-MOST_GRANTS:]]
        return self._sign({"host": self._host if caller.host else "", "grants": grants})

    def bearer(self, text: str) -> Caller | None:
        """Return the caller with this token or key, or None if it is not valid."""
        if hmac.compare_digest(text.encode(), self._token):
            return Caller(host=True)
        grant = self._grant_in(self._read(text))
        return None if grant is None else Caller(grants=(grant,))

    def cookie(self, text: str) -> Caller | None:
        """Return a cookie's caller, or None if the cookie is invalid or contains no valid right."""
        plain = self._read(text)
        if "grants" not in plain:
            return None
        grants = tuple(filter(None, map(self._grant_in, plain["grants"])))
        is_host = hmac.compare_digest(str(plain.get("host", "")), self._host)
        if not is_host and not grants:
            return None
        return Caller(is_host, grants)

    def _sign(self, plain: Plain) -> str:
        body = urlsafe_b64encode(json.dumps(plain).encode()).decode().rstrip("=")
        return f"{body}.{self._seal(body)}"

    def _seal(self, body: str) -> str:
        return hmac.new(self._secret, body.encode(), sha256).hexdigest()

    def _read(self, text: str) -> Plain:
        """Return the content of a signed text, or {} if the signature is wrong."""
        body, _, seal = text.partition(".")
        if not hmac.compare_digest(seal.encode(), self._seal(body).encode()):
            return {}
        padding = "=" * (-len(body) % 4)
        plain: Plain = read_json(urlsafe_b64decode(body + padding))
        return plain


def with_rights_of(one: Caller, other: Caller | None) -> Caller:
    """Return a caller with the rights of both callers: a browser may hold several keys."""
    if other is None:
        return one
    # If two keys give the same rights, the one received last counts.
    grants = {grant: grant for grant in (*other.grants, *one.grants)}
    return Caller(one.host or other.host, tuple(grants.values()))


def read_secret(folder: Path) -> bytes:
    """Return the key-signing secret, created if necessary; raise ValueError if it is damaged.

    If the folder is not writable, a new secret lasts only as long as the server runs.
    """
    path = folder / LINKS_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            # If another server writes a secret meanwhile, that secret is used.
            with suppress(FileExistsError):
                _write_secret(path)
    except OSError:
        return secrets.token_bytes(SECRET_BYTES)
    try:
        secret = bytes.fromhex(read_text(path))
    except (OSError, ValueError):
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise ValueError(
            f"expected {path} to contain the secret that signs links to games: it is damaged; "
            "delete it, and hand out new links"
        )
    with suppress(OSError):  # the folder cannot be written, or the file is another user's
        path.chmod(0o600)
    return secret


def _write_secret(path: Path) -> None:
    """Write a new secret that only this user may read; raise FileExistsError if one exists."""
    # Only its owner may read or write a temporary file.
    with NamedTemporaryFile(dir=path.parent, prefix=path.name) as part:
        part.write(secrets.token_hex(SECRET_BYTES).encode())
        part.flush()
        os.link(part.name, path)
