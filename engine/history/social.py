"""The logged data of events in social games."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.history.log import Event, Ids


@dataclass(frozen=True, slots=True)
class SpeakingOrder:
    """Data for the narration that introduces the pitches: the order in which the players speak."""

    order: Ids


@dataclass(frozen=True, slots=True)
class Ballot:
    """Data for a vote (None for an abstention); `candidates` are in the order shown to the voter.

    `revote` marks the voter's second ballot of the round, among the players tied in the first.
    """

    vote: str | None
    candidates: Ids
    revote: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Data for a result: the selected player, and each candidate's votes in the first ballot.

    `revote` contains the votes of any second ballot among the tied players. `against` contains the
    number of votes so far against each player that tied again.
    """

    selected: str
    tally: Mapping[str, int]
    revote: Mapping[str, int] | None = None
    against: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Immunity:
    """Data for the narration that names the player who cannot be voted out in a round."""

    immune: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """Data for a player's choice of a sidebar partner: the partner, if any, and the reason."""

    partner: str | None
    explanation: str
    candidates: Ids


@dataclass(frozen=True, slots=True)
class Agreement:
    """Data for an answer to an invitation: whether the player will talk with `to`, and why."""

    to: str
    accepts: bool
    explanation: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """Data for a ranking: the player's preferred partners, most wanted first, and why."""

    ranking: Ids
    explanation: str
    candidates: Ids


@dataclass(frozen=True, slots=True)
class Pairing:
    """Data for the result of the rankings: two players who talk, or one who stays alone.

    The first member of a pair speaks first.
    """

    members: Ids


@dataclass(frozen=True, slots=True)
class Speech:
    """Data for a player's words: whether they were cut for length, and the player's plan."""

    cut: bool = False
    plan: str = ""


@dataclass(frozen=True, slots=True)
class SpeechTo:
    """Data for words to one player, in a sidebar or in a finalist's answer to a juror."""

    to: str
    cut: bool = False
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Recap:
    """Data for a summary: the indices of the first and last events that it replaces, if any."""

    replaces: tuple[int, int] | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Debriefing:
    """Data for a debriefing: the answers by question name, with None for a missing answer.

    An answer is a player's name, a round's number, free text, or the guessed models by player.
    `choices` are in the order shown to the player, and empty for free text. `right` counts the
    correct guesses of models.
    """

    answers: Mapping[str, str | int | Mapping[str, str | None] | None]
    choices: Mapping[str, tuple[str, ...]]
    right: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expectation:
    """Data for a probe: one player's predictions for a ballot, in whole percentages.

    `chances` maps each selectable player to the chance that it leaves or, in the final, wins.
    `against` maps each other voter to the chance that it votes against the player or, in the final,
    for another player. Both are empty if there is no usable answer. `revote` marks a second ballot.
    """

    chances: Mapping[str, int]
    against: Mapping[str, int]
    revote: bool = False


def is_revote(event: Event) -> bool:
    """Return whether an event is a voter's second ballot of a round, cast after a tie."""
    if event.kind != "vote":
        return False
    return event.data.get("revote") is True or event.data.get("ballot", 1) != 1


def words_in_event(event: Event) -> int:
    """Return how many words a player said; 0 if there is no usable answer."""
    return 0 if event.fell_back else len(event.content.split())
