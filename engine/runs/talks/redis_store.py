"""Sessions in Redis, for several processes and machines; requires `--extra redis`."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from engine.record.files import read_json
from engine.runs.talks.store import DAY, PATIENCE, StoreError, json_text

INSTALL = (
    "sessions in Redis need the package redis: install it with uv sync --extra redis, "
    "or unset REDIS_URL to keep them in a file"
)


class RedisStore:
    """Sessions in the Redis at `url`, such as redis://localhost:6379/0, kept for `ttl` seconds.

    Raises ValueError if the URL is invalid or the package is missing; methods raise StoreError if
    Redis does not answer.
    """

    def __init__(self, url: str, *, ttl: float = DAY) -> None:
        self.address = address_of(url)
        self.ttl = ttl
        try:
            from redis.asyncio import Redis
        except ImportError:
            raise ValueError(INSTALL) from None
        try:
            self._redis = Redis.from_url(
                url, decode_responses=True, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
            )
        except ValueError:
            # The error's own text may contain the password.
            raise ValueError(wrong_url(self.address)) from None

    async def put(self, values: Mapping[str, Any]) -> None:
        """Store all values atomically, each with its full time to live."""
        texts = {key: json_text(value) for key, value in values.items()}
        async with self._asked(), self._redis.pipeline(transaction=True) as pipe:
            for key, text in texts.items():
                pipe.set(key, text, px=max(1, round(self.ttl * 1000)))
            await pipe.execute()

    async def get(self, key: str) -> Any | None:
        """Return the value under `key`, or None if it is missing or has expired."""
        async with self._asked():
            text = await self._redis.get(key)
        return None if text is None else read_json(text)

    async def close(self) -> None:
        """Close the connection; the stored values stay."""
        await self._redis.aclose()

    @asynccontextmanager
    async def _asked(self) -> AsyncIterator[None]:
        """Turn a Redis error into a one-sentence StoreError without the password."""
        from redis.exceptions import AuthenticationError, RedisError
        from redis.exceptions import ConnectionError as Unreachable
        from redis.exceptions import TimeoutError as Silent

        try:
            yield
        except AuthenticationError:
            raise StoreError(
                f"the Redis at {self.address} rejects the password: set the right one in REDIS_URL"
            ) from None
        except (Unreachable, Silent, OSError):
            raise StoreError(
                f"no Redis answers at {self.address}: start one with "
                f"redis-server --port {urlsplit(self.address).port or 6379}, "
                "or unset REDIS_URL to keep sessions in a file"
            ) from None
        except RedisError as error:
            raise StoreError(f"the Redis at {self.address} reports an error: {error}") from None


def address_of(url: str) -> str:
    """Return a URL without its user and password; raise ValueError if it is not a Redis URL.

    >>> address_of("redis://anna:secret@localhost:6380/2")
    'redis://localhost:6380/2'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError(wrong_url("a URL that cannot be read")) from None
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise ValueError(wrong_url(f"a URL of {parts.scheme or 'no scheme'!r}"))
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path}"


def wrong_url(got: str) -> str:
    """Return the error message for an invalid URL; `got` must not contain a password."""
    return f"expected REDIS_URL to look like redis://localhost:6379/0: got {got}"
