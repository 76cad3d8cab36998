"""Three rules that detect when a talk loses its thread, and the pause between interjections."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import DIGITS, Constants
from engine.games.talks.host.parts import HostTurn, Loss
from engine.games.talks.state import Exchange
from engine.games.talks.theory.choosing import is_circling, is_last_warning

# Embeddings import NumPy, which would make `--help` too slow.
if TYPE_CHECKING:
    from engine.games.talks.memory.embeddings import Embedder


def may_interject(turn: int, said: Sequence[HostTurn], constants: Constants) -> bool:
    """Return whether a host may interject after `turn` exchanges: at most once in four turns."""
    return turn - said[-1].turn >= constants.host_pause if said else turn > 0


def question_left_open(
    exchanges: Sequence[Exchange],
    said: Sequence[HostTurn],
    constants: Constants,
) -> Loss | None:
    """Return a loss if a QUESTION is still open after three turns and the host never raised it."""
    named = {turn.loss.about for turn in said if turn.loss is not None}
    spoke_since: set[str | None] = {None}
    for exchange in reversed(exchanges):
        waited = len(exchanges) - exchange.turn
        is_new = waited >= constants.unanswered and exchange.turn not in named
        asks = exchange.move is Move.QUESTION and exchange.content
        if is_new and asks and exchange.target not in spoke_since:
            return Loss("unanswered", exchange.turn)
        spoke_since.add(exchange.speaker)
    return None


def goes_in_circles(
    exchanges: Sequence[Exchange],
    min_novelty: float | None,
    constants: Constants,
) -> Loss | None:
    """Return a loss if the talk circles, or if one more turn below `min_novelty` would end it."""
    if is_last_warning(exchanges, min_novelty, constants) or is_circling(exchanges, constants):
        return Loss("circles", len(exchanges))
    return None


def leaves_topic(
    topic: str,
    exchanges: Sequence[Exchange],
    constants: Constants,
    embedder: "Embedder",
) -> Loss | None:
    """Return a loss if the last two turns both differ from the topic and all earlier words.

    At least two earlier turns are required, since few utterances resemble a bare topic.
    Silence does not count as leaving the topic.
    """
    texts_so_far = [exchange.content for exchange in exchanges]
    begin = len(texts_so_far) - constants.off_turns
    last = texts_so_far[begin:]
    if begin < constants.off_turns or "" in last:
        return None
    thread = " ".join([topic, *texts_so_far[:begin]])
    near = max(embedder.similarities(thread, last))
    if round(near, DIGITS) > constants.off_thread:
        return None
    return Loss("off_topic", begin + 1)
