"""Turn failed calls into ProviderErrors, whose messages may still contain keys."""

import errno
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from providers import FatalError, ProviderError, RequestError, TransientError
from providers.redaction import first_words

CHECK_KEY = "check the API key"
REMEDIES = {
    401: CHECK_KEY,
    402: "add credit",
    403: "check the key's permissions",
    404: "check model and base_url",
    405: "check model and base_url",
    410: "check model and base_url",
}
TRANSIENT = {408, 409, 425, 429, 499}
BUSY = {429, 529}
HOPELESS_CODES = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_error",
    "model_not_found",
}
HOPELESS_WORDS = ("your credit balance", "api key not valid")
REFUSALS = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.EHOSTUNREACH: "there is no route to that host",
    errno.ENETUNREACH: "there is no route to that network",
}


def fault_of_status(
    status: int, body: object, headers: Mapping[str, str] | None = None
) -> ProviderError:
    """Return the ProviderError for a response with an HTTP error status and a JSON body."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    details = error if isinstance(error, Mapping) else {"message": error}
    message = _message_in(details)
    sentence = f"answered HTTP {status}"
    if message:
        sentence += f": {message}"

    if status in REMEDIES or _is_hopeless(details, message):
        remedy = REMEDIES.get(status, "check key, credit and model")
        return FatalError(f"{sentence} ({remedy})")
    if status in TRANSIENT or status >= 500:
        wish = retry_after(headers or {})
        return TransientError(sentence, wish, busy=status in BUSY)
    return RequestError(sentence)


def _message_in(details: Mapping[str, object]) -> str:
    """Return the first words of the server's message, or "" for an HTML page."""
    message = details.get("message", details.get("detail"))
    if isinstance(message, list):
        # FastAPI's format: a location and a sentence for each fault.
        faults = [fault for fault in message if isinstance(fault, Mapping)]
        message = "; ".join(f"{fault.get('msg')} at {fault.get('loc')}" for fault in faults)
    if not isinstance(message, str):
        return ""
    words = first_words(message)
    return "" if words.lstrip().startswith("<") else words


def _is_hopeless(details: Mapping[str, object], said: str) -> bool:
    """Return whether a fault, whatever its status, concerns the key, the credit or the model."""
    codes = (details.get("code"), details.get("type"))
    named = any(code in HOPELESS_CODES for code in codes if isinstance(code, str))
    return named or said.lower().startswith(HOPELESS_WORDS)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait in seconds (0 or more) that a server's headers request, or None."""
    wish = headers.get("retry-after", "")
    milliseconds = headers.get("retry-after-ms", "")
    try:
        seconds = float(milliseconds) / 1000 if milliseconds else float(wish)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(wish) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def names_one_of(settings: Iterable[str], said: str) -> bool:
    """Return whether a sentence contains one of `settings` as a whole word."""
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in settings)


def refusal_in(error: BaseException) -> str:
    """Return why a call could not connect, or "" if it connected and broke off later."""
    # This import takes as long as the rest of a scripted game.
    from aiohttp import ClientConnectorDNSError, ClientConnectorError, ClientSSLError

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ClientConnectorError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return ""
    if isinstance(cause, ClientConnectorDNSError):
        return "there is no such host"
    if isinstance(cause, ClientSSLError):
        return "no secure connection could be made"
    return REFUSALS.get(cause.errno or 0, "no connection could be made")


def late_words(seconds: float, address: str) -> str:
    """Return a clause about a timeout after `seconds`, with the address unless it is ""."""
    where = f" at {address}" if address else ""
    return f"did not answer within {seconds:g} s{where}"
