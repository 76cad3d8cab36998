"""Labelled random streams, one for each purpose, so that draws do not affect each other."""

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def stream(seed: int, *labels: str | int) -> random.Random:
    """Return the random stream named by `seed` and `labels`.

    Equal arguments give equal streams on every machine; different labels give independent ones.

    >>> stream(7, "round", 3, "votes").random() == stream(7, "round", 3, "votes").random()
    True
    >>> stream(7, "round", 3, "votes").random() == stream(7, "round", 3, "pitches").random()
    False
    """
    return random.Random(number(seed, *labels))


def number(seed: int, *labels: str | int) -> int:
    """Return the seed of the stream named by `seed` and `labels`."""
    address = repr((seed, *labels))
    digest = hashlib.blake2b(address.encode(), digest_size=16).digest()
    return int.from_bytes(digest, "big")


def array_stream(seed: int) -> "np.random.Generator":
    """Return numpy's random stream for `seed`, for draws of whole arrays."""
    # Commands that draw no arrays start faster without this import.
    from numpy.random import default_rng

    return default_rng(seed)


def unseeded_stream() -> random.Random:
    """Return a new stream, seeded by the operating system."""
    return random.Random()
