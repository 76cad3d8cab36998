"""What all adapters share: what each fault means, and how long a server asks to be left alone."""

from typing import Any

import pytest

from providers import FatalError, ProviderError, RequestError, TransientError
from providers.faults import fault_of_status, retry_after


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "insufficient_quota", "message": "You exceeded your quota"}, FatalError),
        (400, {"message": "Your credit balance is too low"}, FatalError),
        (400, {"message": "API key not valid. Please pass a valid API key."}, FatalError),
        (
            400,
            {"message": "The player wrote: your credit balance, insufficient_quota"},
            RequestError,
        ),
        (400, {"type": "exceed_context_size_error", "message": "too long"}, RequestError),
        (500, "<html>", TransientError),
        (418, None, RequestError),
    ],
)
def test_what_no_later_call_can_mend_is_fatal(
    status: int, error: Any, kind: type[ProviderError]
) -> None:
    fault = fault_of_status(status, {"error": error})
    assert type(fault) is kind
    assert "<" not in str(fault)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "3", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_the_servers_wish_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
