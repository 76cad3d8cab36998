"""Whether scores reflect players' own answers: rules for a seat, a game and an entrant.

- A seat is void if it answered none of its questions, or if it answered less than the share
  `limits.valid_from` of them and fell back at least twice.
- A game is void if it has a void seat and fewer than two valid ones.
- An entrant is not rated if it fails the seat test over the questions of all its games together,
  with `rated_from` as the share.

If the share is 0, there is no test. A seat that was never asked is valid. Validity is derived
from the counts in a log or row and is not a status: a game may be finished and void.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from engine.history import History, PlayerUsage

VALID_FROM = 0.9
# One lost answer says little about a seat, however short the game.
FEWEST_FALLBACKS = 2
# A score compares at least two seats.
FEWEST_SEATS = 2


class SeatAnswers(NamedTuple):
    """The number of questions that a seat answered itself; the fallback answered the rest."""

    player_id: str
    answered: int
    asked: int

    @classmethod
    def counted(cls, player_id: str, asks: int, fallbacks: int) -> Self:
        """Return the counts of a player with `asks` questions and `fallbacks` fallbacks."""
        return cls(player_id, max(0, asks - fallbacks), asks)

    def __str__(self) -> str:
        return f"answered {self.answered} of {self.asked}"


def answers_of(used: "PlayerUsage") -> int:
    """Return how many questions the seat answered itself."""
    return SeatAnswers.counted("", used.asks, used.fallbacks).answered


def void_seats(history: "History") -> list[SeatAnswers]:
    """Return the void seats of a game, each with its counts, in the order of `history.usage`."""
    valid_from = valid_from_of(history)
    usage = history.usage.items()
    seats = [SeatAnswers.counted(name, used.asks, used.fallbacks) for name, used in usage]
    return [seat for seat in seats if is_void(seat, valid_from)]


def is_void(seat: SeatAnswers, valid_from: float = VALID_FROM) -> bool:
    """Return whether a seat, or an entrant over all its seats, answered too few questions."""
    if not valid_from:
        return False
    fallbacks = seat.asked - seat.answered
    if not seat.answered:
        return fallbacks > 0
    return fallbacks >= FEWEST_FALLBACKS and seat.answered / seat.asked < valid_from


def is_void_game(void: Sequence[SeatAnswers], seats: int) -> bool:
    """Return whether a game with this many seats is void, given its void seats."""
    return bool(void) and seats - len(void) < FEWEST_SEATS


def unrated_entrants(seats: Iterable[SeatAnswers], rated_from: float) -> dict[str, str]:
    """Return the entrants with too few answers over all their seats, and why they are not rated."""
    whole: dict[str, SeatAnswers] = {}
    for name, answered, asked in seats:
        before = whole.get(name, SeatAnswers(name, 0, 0))
        whole[name] = SeatAnswers(name, before.answered + answered, before.asked + asked)
    return {name: str(whole[name]) for name in sorted(whole) if is_void(whole[name], rated_from)}


def void_sentence(history: "History") -> str:
    """Return why a game is void, such as "void: Ada answered 3 of 20", or "" if it is valid."""
    seats = void_words(history)
    return f"void: {seats}" if seats else ""


def validity_sentence(history: "History") -> str:
    """Return why a game is void, or else which of its seats are void; "" if all are valid."""
    seats = void_seats_words(history)
    return f"seat void: {seats}" if seats else void_sentence(history)


def void_words(history: "History") -> str:
    """Return the counts of the seats that make a game void, as text, or "" if it is valid."""
    void = void_seats(history)
    return answers_in_words(void) if is_void_game(void, len(history.players)) else ""


def void_seats_words(history: "History") -> str:
    """Return the counts of a valid game's void seats, as text, or "" for other games."""
    void = void_seats(history)
    return "" if is_void_game(void, len(history.players)) else answers_in_words(void)


def answers_in_words(seats: Iterable[SeatAnswers]) -> str:
    """Return as text how many of its questions each seat answered, or "" if there are no seats."""
    return ", ".join(f"{seat.player_id} {seat}" for seat in seats)


def valid_from_of(history: "History") -> float:
    """Return the share of questions that a seat must have answered, from the log's config."""
    limits = history.config.get("limits")
    share: Any = limits.get("valid_from") if isinstance(limits, dict) else None
    is_share = type(share) in (int, float) and 0 <= share <= 1
    return float(share) if is_share else VALID_FROM
