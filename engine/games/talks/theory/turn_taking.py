"""The rules for turns: dominant speakers, answers owed, and pairs going back and forth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.games.talks.constants import CONSTANTS, Constants
from engine.games.talks.state import NEVER, Exchange


@dataclass(frozen=True, slots=True)
class Wish:
    """One participant's wish to speak: its urgency, noise and final score, and the reasons.

    `owes_answer` is the number of turns for which the participant has owed an answer.
    """

    urgency: float
    noise: float
    score: float
    addressed: bool
    dominant: bool
    below_average: bool
    ping_pong: bool
    owes_answer: int = 0
    unheard: bool = False


def time_factor(last_spoke_turn: int, turn_number: int, constants: Constants) -> float:
    """Return min(1, turns since the participant spoke / 5), or 0.5 if it has never spoken."""
    if last_spoke_turn == NEVER:
        return constants.never_spoke
    return min(1.0, (turn_number - last_spoke_turn) / constants.patience)


def dominant_speaker(turns: Mapping[str, int], constants: Constants) -> str | None:
    """Return the sole most frequent speaker if it has over 1.5 times the mean number of turns.

    Returns None otherwise, or if there are fewer turns than participants.
    """
    total = sum(turns.values())
    if not turns or total < len(turns):
        return None

    most = max(turns.values())
    leaders = [name for name, count in turns.items() if count == most]
    if len(leaders) > 1 or most <= constants.dominance * total / len(turns):
        return None
    return leaders[0]


def back_and_forth(
    recent: Sequence[str], participants: int, constants: Constants
) -> frozenset[str]:
    """Return the pair that took all `recent` turns; empty if there is none or only two take part.

    The pair loses the bonus for being addressed, so that a third participant gets a turn.
    """
    pair = frozenset(recent)
    if participants <= 2 or len(recent) < constants.ping_pong or len(pair) > 2:
        return frozenset()
    return pair


def turns_waited(exchanges: Sequence[Exchange], participant_id: str) -> int:
    """Return the number of turns for which a participant has owed an answer."""
    waited = 0
    for turns, exchange in enumerate(reversed(exchanges), 1):
        if exchange.speaker == participant_id:
            break
        if exchange.target == participant_id:
            waited = turns
    return waited


def added_urgency(waited: int, unheard_turns: int, constants: Constants = CONSTANTS) -> float:
    """Return the addition to the design's urgency, usually 0.

    A participant that owes an answer gets 0.45 for the first two turns, and 1.2 from the third on.
    A participant that has never spoken also gets 0.06 times `unheard_turns`.
    """
    waiting = constants.waiting if waited < constants.unanswered else constants.overdue
    return bool(waited) * waiting + unheard_turns * constants.unheard


def pick_speaker(scores: Mapping[str, float], last_speaker: str | None) -> str:
    """Return the top scorer other than the last speaker; the first wins ties.

    "Speaker with highest final_score is selected". Raises ValueError if there is no other speaker.
    """
    free = [name for name in scores if name != last_speaker]
    if not free:
        raise ValueError(
            f"expected another speaker than the last one {last_speaker!r}: got {[*scores]!r}"
        )
    return max(free, key=scores.__getitem__)
