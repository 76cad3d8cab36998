"""Which of a client's settings logs and journals may hold: no credential is ever written."""

import re
from collections.abc import Mapping
from typing import Any

from providers import PROVIDERS, Provider

REDACTED = "(redacted)"
SECRET_NAME = re.compile(
    r"(?i)secret|passw|passphrase|(?<![a-z])(?:pass|pwd)(?![a-z])|credential|cookie|bearer"
    r"|signature|jwt|auth(?!ors?(?![a-z]))"
    r"|api_?key|(?<![a-z])keys?(?![a-z])|(?-i:[a-z]Keys?(?![a-z]))"
)
# A token is a credential, or a count of what a model reads: then it is a number.
TOKEN_NAME = re.compile(r"(?i)token(?!iz)")
KEY = re.compile(
    r"(?i)bearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|hf|tgp|key)[-_][^\s\"',]{6,}|\bAIza\S{10,}"
)
USER_IN_ADDRESS = re.compile(r"(?<=://)[^/?#\s]+@|(?<!\S)[^\s:@/]+:[^\s@/]+@")
HOST = re.compile(r"(://[^/?#\s]*)")
QUERY = re.compile(r"(?<=\?).+$")
UNKNOWN_PROVIDER = Provider(client="")


def public_settings(provider: str, settings: Any) -> Any:
    """Return a seat's `client_kwargs` as logs and journals hold them.

    A setting is written as it is, unless the provider's row names it in `secrets`, or its name
    speaks of a credential ("x-api-key"; "token", if it is no number). A mapping is free-form and
    may carry a credential under any name, so of the texts inside one only those that the row names
    in `plain` are written; numbers and true or false always are. From every text go what looks like
    a key (but the name of a host) and, in an address, the user and the query. "(redacted)" takes
    the place of what is left out; of a secret mapping, such as headers, the names stay.
    """
    row = PROVIDERS.get(provider, UNKNOWN_PROVIDER)
    if not isinstance(settings, Mapping):
        return _public_value(row, settings, plain=True)
    return {name: _public_setting(row, name, held, plain=True) for name, held in settings.items()}


def _public_setting(row: Provider, name: object, value: Any, *, plain: bool) -> Any:
    if name not in row.secrets and not _sounds_secret(row, name, value):
        return _public_value(row, value, plain=plain)
    return dict.fromkeys(value, REDACTED) if isinstance(value, Mapping) else REDACTED


def _sounds_secret(row: Provider, name: object, value: Any) -> bool:
    if name in row.plain:
        return False
    if TOKEN_NAME.search(str(name)) and not isinstance(value, int | float):
        return True
    return SECRET_NAME.search(str(name)) is not None


def _public_value(row: Provider, value: Any, *, plain: bool) -> Any:
    if isinstance(value, str):
        return _without_keys(value) if plain else REDACTED
    if isinstance(value, Mapping):
        return {
            name: _public_setting(row, name, held, plain=name in row.plain)
            for name, held in value.items()
        }
    if isinstance(value, list):
        return [_public_value(row, item, plain=plain) for item in value]
    return value


def _without_keys(text: str) -> str:
    text = USER_IN_ADDRESS.sub(f"{REDACTED}@", text)
    if "://" in text:
        text = QUERY.sub(REDACTED, text)
    parts = HOST.split(text)
    parts[::2] = [KEY.sub(REDACTED, part) for part in parts[::2]]
    return "".join(parts)
