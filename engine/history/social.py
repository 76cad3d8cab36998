"""The data of the events that the phases of social games write, as the log has it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.history.log import Event


@dataclass(frozen=True, slots=True)
class SpeakingOrder:
    """The data of the narration that opens the pitches."""

    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ballot:
    """The data of a vote: None is an abstention; `candidates` are in the order the voter read.

    `revote`: it is the voter's second ballot of the round, among those tied in the first.
    """

    vote: str | None
    candidates: tuple[str, ...]
    revote: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The data of a result: who is selected, and the votes of each candidate in the first ballot.

    `revote` are those in a second ballot among the tied, if there was one; `against` are the
    ballots of the game so far against those who tied in that too.
    """

    selected: str
    tally: Mapping[str, int]
    revote: Mapping[str, int] | None = None
    against: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Immunity:
    """The data of the narration of who cannot be voted out in a round."""

    immune: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """The data of a sidebar's beginning: the player taken aside, and why."""

    partner: str | None
    explanation: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The data of the answer to an invitation: whether its player talks with `to`, and why."""

    to: str
    accepts: bool
    explanation: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """The data of a ranking: the partners that its player wants, the most wanted first, and why."""

    ranking: tuple[str, ...]
    explanation: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The data of the rankings' result: two who talk, the first of them first, or one alone."""

    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Speech:
    """The data of a player's words: whether they were cut as too long, and its plan."""

    cut: bool = False
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Whisper:
    """The data of a message in a sidebar."""

    to: str
    cut: bool = False
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Recap:
    """The data of a summary: the first and last index of the events that it replaces, if any."""

    replaces: tuple[int, int] | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class AnswerTo:
    """The data of a finalist's answer: whose question it answers."""

    to: str
    cut: bool = False
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Debriefing:
    """The data of a debrief, by the names of its questions; None where no answer came.

    `answers`: the name of a player, the number of a round, words, or for models the players taken
        for
    which by player. `choices` are in the order in which the player read them, none for words.
    `right` counts the right ones among the guesses of models.
    """

    answers: Mapping[str, str | int | Mapping[str, str | None] | None]
    choices: Mapping[str, tuple[str, ...]]
    right: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The data of a probe: its player's predictions of a ballot, in whole per cents.

    `chances`: that each who can be selected leaves, or in the final wins. `against`: that each
    other voter votes against the player, or in the final for another one. Both are empty where no
    usable answer came. `revote`: it is about a second ballot of the round.
    """

    chances: Mapping[str, int]
    against: Mapping[str, int]
    revote: bool = False


def is_revote(event: Event) -> bool:
    """Return whether an event is a voter's second ballot of a round, cast again after a tie.

    Logs of other programs number the ballots of a round.
    """
    if event.kind != "vote":
        return False
    return event.data.get("revote") is True or event.data.get("ballot", 1) != 1


def words_in_event(event: Event) -> int:
    """Return how many words a player said; none where no usable answer came."""
    return 0 if event.fell_back else len(event.content.split())
