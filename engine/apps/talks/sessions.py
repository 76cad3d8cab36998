"""Where a program keeps its sessions: in Redis if REDIS_URL says so, else in a file."""

import os
from pathlib import Path

from engine.apps.talks.store import FILE, SessionStore, SqliteStore


def session_store(folder: Path, url: str | None = None) -> SessionStore:
    """Return Redis at `url` (None: at REDIS_URL); without a URL a file of sessions in `folder`.

    ValueError with one sentence if the URL is wrong, or the package is missing.
    """
    url = os.environ.get("REDIS_URL", "") if url is None else url
    if not url:
        return SqliteStore(folder / FILE)
    from engine.apps.talks.redis_store import RedisStore

    return RedisStore(url)
