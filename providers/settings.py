"""The client settings that logs and journals may contain; no credential is ever written."""

import re
from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any, TypeGuard

from providers import PROVIDERS, Provider

REDACTED = "(redacted)"
# The setting that names the environment variable of a seat's key.
KEY_VARIABLE = "api_key_env"
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
SECRET_NAME = re.compile(
    r"(?i)secret|passw|passphrase|(?<![a-z])(?:pass|pwd)(?![a-z])|credential|cookie|bearer"
    r"|signature|jwt|auth(?!ors?(?![a-z]))"
    r"|api_?key|(?<![a-z])keys?(?![a-z])|(?-i:[a-z]Keys?(?![a-z]))"
)
# A "token" is a credential, or, if it is a number, a count of a model's tokens.
TOKEN_NAME = re.compile(r"(?i)token(?!iz)")
KEY = re.compile(
    r"(?i)bearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|hf|tgp|key)[-_][^\s\"',]{6,}|\bAIza\S{10,}"
)
USER_IN_ADDRESS = re.compile(r"(?<=://)[^/?#\s]+@|(?<!\S)[^\s:@/]+:[^\s@/]+@")
HOST = re.compile(r"(://[^/?#\s]*)")
QUERY = re.compile(r"(?<=\?).+$")
SEPARATOR = re.compile(r"[\s:=&;,]+")
LISTS = (list, tuple, set, frozenset)
UNKNOWN_PROVIDER = Provider(client="")


def public_settings(provider: str, settings: Any) -> Any:
    """Return a seat's `client_kwargs` as written to logs and journals.

    A setting is written unchanged, unless the provider's row names it in `secrets`, or its name
    suggests a credential ("x-api-key"; "token", if it is not a number). A mapping may carry a
    credential under any name, so its texts are only written if the row names them in `plain`.
    Numbers and booleans are always written. Anything that looks like a key (except a host name) is
    removed from every text, as are the user and the query of an address. "(redacted)" replaces each
    omission; a secret mapping, such as headers, keeps its names.
    """
    row = PROVIDERS.get(provider, UNKNOWN_PROVIDER)
    if not isinstance(settings, Mapping):
        return _public_value(row, settings, plain=True)
    return {name: _public_setting(row, name, held, plain=True) for name, held in settings.items()}


def is_variable(value: object) -> TypeGuard[str]:
    """Return whether a value can name an environment variable: in capitals, and unlike a key."""
    return isinstance(value, str) and VARIABLE.fullmatch(value) is not None


def _public_setting(row: Provider, name: object, value: Any, *, plain: bool) -> Any:
    if name == KEY_VARIABLE and is_variable(value):
        return value
    if name not in row.secrets and not _sounds_secret(row, name, value):
        return _public_value(row, value, plain=plain)
    return dict.fromkeys(value, REDACTED) if isinstance(value, Mapping) else REDACTED


def _sounds_secret(row: Provider, name: object, value: Any) -> bool:
    if name in row.plain:
        return False
    is_token = TOKEN_NAME.search(str(name)) and not isinstance(value, int | float)
    return bool(is_token or SECRET_NAME.search(str(name)))


def _public_value(row: Provider, value: Any, *, plain: bool) -> Any:
    if isinstance(value, str):
        return without_keys(value) if plain else REDACTED
    if isinstance(value, Mapping):
        return {
            name: _public_setting(row, name, held, plain=name in row.plain)
            for name, held in value.items()
        }
    if isinstance(value, LISTS):
        # A list inside a list may pair a name with a credential.
        return [
            _public_value(row, item, plain=plain and not isinstance(item, LISTS)) for item in value
        ]
    return value


def hidden_texts(settings: Any, public: Any) -> Iterator[str]:
    """Yield the values that `public_settings` left out of `settings`; `public` is its result."""
    if isinstance(settings, Mapping):
        is_open = isinstance(public, Mapping)
        for name, held in settings.items():
            yield from hidden_texts(held, public[name] if is_open else REDACTED)
    elif isinstance(settings, LISTS):
        shown = public if isinstance(public, list) else repeat(REDACTED)
        for held, left in zip(settings, shown, strict=False):
            yield from hidden_texts(held, left)
    elif isinstance(settings, str) and settings != public:
        yield from _left_out(settings, str(public))


def _left_out(text: str, public: str) -> Iterator[str]:
    """Yield the parts of `text` that `public` replaces with "(redacted)", and pieces of them."""
    around = map(re.escape, public.split(REDACTED))
    match = re.fullmatch("(.*)".join(around), text, re.DOTALL)
    for part in match.groups() if match else (text,):
        yield part
        # "me:secret", "Bearer secret", "code=secret&..."
        yield from SEPARATOR.split(part)[1:]


def without_keys(text: str) -> str:
    """Return `text` without parts that look like keys, and addresses without user and query."""
    text = USER_IN_ADDRESS.sub(f"{REDACTED}@", text)
    if "://" in text:
        text = QUERY.sub(REDACTED, text)
    parts = HOST.split(text)
    parts[::2] = [KEY.sub(REDACTED, part) for part in parts[::2]]
    return "".join(parts)


def without_password(address: str) -> str:
    """Return a text, possibly an address, without anything that may be a user name or a query."""
    _, user, rest = address.rpartition("@")
    shown = f"{REDACTED}@{rest}" if user else address
    return without_keys(shown.partition("?")[0])
