"""The choice of learned weights for a conversation."""

from collections.abc import Mapping
from functools import cache, lru_cache
from math import log
from pathlib import Path
from typing import NamedTuple, TypeAlias

from engine.prompting import read_data

Weights: TypeAlias = tuple[float, ...]
Numbers: TypeAlias = tuple[int, int, int, int]

# Written by `uv run studies.py conversation train`; see `record` in the file.
WEIGHTS = Path(__file__).with_name("weights.json")

# Beyond this distance, the general weights do better than those of the nearest setting.
FARTHEST = 0.5
# Up to this many items per turn, the weights for few items win paired games against those for many.
FEW = 0.7


class Learned(NamedTuple):
    """The learned weights (see `value`): for many items, for few items, and by trained setting.

    A setting is (players, bank size, subjects, length). The weights for few items were trained with
    up to one item per turn and are used for up to `FEW` items per turn. `record` describes the
    training.
    """

    record: Mapping[str, object]
    for_many: Weights
    for_few: Weights
    by_setting: Mapping[Numbers, Weights]


@cache
def learned_weights() -> Learned:
    """Return the repository's weights, or raise ValueError if the file is missing or broken."""
    return read_weights(WEIGHTS)


def read_weights(path: Path) -> Learned:
    """Return the weights in a file, or raise ValueError if the file is missing or broken."""
    data = read_data(path)
    by_setting = {}
    for setting, weights in data["settings"].items():
        players, bank_size, subjects, length = map(int, setting.split("/"))
        by_setting[players, bank_size, subjects, length] = tuple(weights)
    return Learned(data["record"], tuple(data["many"]), tuple(data["few"]), by_setting)


@lru_cache
def weights_for(
    players: int,
    bank_size: int,
    subjects: int,
    length: int,
) -> Weights:
    """Return the weights of the nearest setting.

    If no setting is near, returns the weights for many or few items.
    """
    _, for_many, for_few, by_setting = learned_weights()
    setting = (players, bank_size, subjects, length)
    nearest = min(by_setting, key=lambda known: distance(known, setting), default=None)
    if nearest is not None and distance(nearest, setting) <= FARTHEST:
        return by_setting[nearest]
    few = players * bank_size <= FEW * length
    return for_few if few else for_many


def distance(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """Return the largest difference between the logarithms of two settings' numbers.

    >>> round(distance((5, 10, 20, 20), (10, 10, 20, 25)), 2)
    0.69
    """
    pairs = zip(first, second, strict=True)
    return max(abs(log(max(1, left) / max(1, right))) for left, right in pairs)
