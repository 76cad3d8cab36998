"""The data of a conversation's logged events, with a dataclass for each kind of event."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BankItem:
    """An item as stored in the log, with subjects numbered from 0 and an importance from 0 to 1."""

    id: str
    player_id: str
    subjects: tuple[int, ...]
    importance: float


@dataclass(frozen=True, slots=True)
class SetupData:
    """Data for a setup: one player's private items and its ranking, best subject first."""

    bank: tuple[BankItem, ...]
    ranking: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProposalData:
    """Data for a proposal: an item's id, or None for silence, and the player's rationale."""

    item: str | None
    rationale: str


@dataclass(frozen=True, slots=True)
class SharedPoints:
    """How much a turn changed each part of the shared score."""

    importance: float
    coherence: float
    freshness: float
    nonmonotonousness: float


@dataclass(frozen=True, slots=True)
class SpeechData:
    """Data for a speech: the item's id, its points, and whether its sentence was cut."""

    item: str
    score: SharedPoints
    private: float
    cut: bool = False
