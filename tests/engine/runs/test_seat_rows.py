"""A row a seat: what of a game counts for its player."""

from engine.history import RoundLog
from engine.runs.seat_rows import mean_speeches
from tests.support.histories import TRIO, add, small_history


def test_speeches_are_those_that_all_who_are_left_can_hear() -> None:
    """Ada says 3, 1 and 5 words aloud, a mean of 3; Cleo hears none of the last, being out."""
    history = small_history()
    history.rounds = [RoundLog(1, False, TRIO, ()), RoundLog(2, True, TRIO[:2], TRIO[2:])]
    first, last = history.rounds
    add(history, first, "pitch", "one two three", player_id="Ada")
    add(history, first, "pitch", "four", player_id="Ada")
    add(history, first, "sidebar", "a b c d e f g", player_id="Ada", seen=("Ada", "Ben"))
    add(history, last, "sidebar", "a b c d e", player_id="Ada", seen=("Ada", "Ben"))
    add(history, last, "vote", "a b c", player_id="Ben", seen=("Ben",))
    assert mean_speeches(history) == {"Ada": 3.0}
