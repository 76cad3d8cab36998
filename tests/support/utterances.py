"""Utterances of three sentences, each with the same in other words and with a new argument."""

from pathlib import Path
from typing import NamedTuple

TEXT = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")


class Case(NamedTuple):
    """What was said, the same restated, and what else may be said about the topic."""

    said: str
    restated: str
    new: str


CASES = tuple(Case(*block.splitlines()) for block in TEXT.strip().split("\n\n"))
