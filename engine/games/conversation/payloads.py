"""The data of a conversation's events, as the log has it: a dataclass for each kind."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BankItem:
    """An item as the log keeps it; `subjects` are numbers from 0, `importance` is from 0 to 1."""

    id: str
    player_id: str
    subjects: tuple[int, ...]
    importance: float


@dataclass(frozen=True, slots=True)
class SetupData:
    """The data of a setup: all that one player privately holds, its ranking best subject first."""

    bank: tuple[BankItem, ...]
    ranking: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProposalData:
    """The data of a proposal: the id of an item, None for silence."""

    item: str | None
    rationale: str


@dataclass(frozen=True, slots=True)
class SharedPoints:
    """By how much a turn changed each part of the shared score."""

    importance: float
    coherence: float
    freshness: float
    nonmonotonousness: float


@dataclass(frozen=True, slots=True)
class SpeechData:
    """The data of a speech: the id of the item, and its points for all and for its speaker.

    `cut`: the sentence that was said about it was too long.
    """

    item: str
    score: SharedPoints
    private: float
    cut: bool = False
