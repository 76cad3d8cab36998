"""What every session store keeps, for how long, and how long it waits for an answer."""

import json
from typing import Any

# Seconds.
DAY = 24 * 60 * 60
PATIENCE = 5.0


def dumped(value: Any) -> str:
    """Return plain data as compact JSON; ValueError if it is no plain data, or has a number that JSON has not."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected plain data to keep: {error}: got {value!r:.80}") from None
