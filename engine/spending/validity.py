"""Whether a game's scores rest on its players' own answers: a game is void where they do not.

It is void where a seat answered none of its questions, or fewer than `limits.valid_from` of them
with at least two fallbacks; where that is 0, as in a tournament, no seat makes it void. That is
derived from what any log has counted, so it is no status: a game may be finished and void. A seat
that was never asked makes no game void.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.history import History, PlayerUsage

VALID_FROM = 0.9
# One answer that is lost says little about a seat, however short the game.
FEWEST_FALLBACKS = 2


class SeatAnswers(NamedTuple):
    """How many of its questions a seat answered itself; the fallback stands for the others."""

    player_id: str
    answered: int
    asked: int


def seat_answers(history: History) -> list[SeatAnswers]:
    """Return what each seat answered, in the order of `history.usage`."""
    return [SeatAnswers(name, answers_of(used), used.asks) for name, used in history.usage.items()]


def answers_of(used: PlayerUsage) -> int:
    """Return how many questions were answered by the seat itself."""
    return max(0, used.asks - used.fallbacks)


def void_seats(history: History) -> list[SeatAnswers]:
    """Return the seats that make a game void, each with what it answered; none: it is valid."""
    valid_from = valid_from_of(history)
    return [seat for seat in seat_answers(history) if is_void(seat, valid_from)]


def is_void(seat: SeatAnswers, valid_from: float = VALID_FROM) -> bool:
    """Return whether a seat answered so little that its game is void."""
    if not valid_from:
        return False
    fallbacks = seat.asked - seat.answered
    if not seat.answered:
        return fallbacks > 0
    if fallbacks < FEWEST_FALLBACKS:
        return False
    return seat.answered / seat.asked < valid_from


def void_sentence(history: History) -> str:
    """Return why a game is void, such as "void: Ada answered 3 of 20"; "" if it is valid."""
    seats = void_words(history)
    return f"void: {seats}" if seats else ""


def void_words(history: History) -> str:
    """Return what the seats that make a game void answered; "" if it is valid."""
    return answers_in_words(void_seats(history))


def answers_in_words(seats: Iterable[SeatAnswers]) -> str:
    """Return how many of its questions each seat answered; "" for no seat."""
    return ", ".join(f"{name} answered {answers} of {asked}" for name, answers, asked in seats)


def valid_from_of(history: History) -> float:
    """Return the share of questions a seat must have answered, by the log's config."""
    limits = history.config.get("limits")
    if not isinstance(limits, dict):
        return VALID_FROM
    share = limits.get("valid_from")
    if isinstance(share, bool) or not isinstance(share, int | float):
        return VALID_FROM
    return float(share) if 0 <= share <= 1 else VALID_FROM
