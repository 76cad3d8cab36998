"""The rows of a game in which players vote each other out; the entrants are models."""

from collections import Counter
from statistics import fmean

from engine.exchange.game import ForeignGame, Row, seat_row
from engine.history import History
from engine.history.social import words_in_event
from providers import Usage

# The kinds of events in which a player speaks to all players.
SPOKEN = frozenset({"statement", "pitch"})


def voting_game(history: History, figures: Counter[str]) -> ForeignGame:
    """Return a foreign voting game with its rows and figures."""
    rows = voting_rows(history)
    return ForeignGame(history.game_id, rows, history, history.status, figures)


def voting_rows(history: History) -> list[Row]:
    """Return a row for each seat, or none if the game did not end."""
    if history.outcome is None:
        return []
    lots = {event.data["selected"] for event in history.events if event.data.get("lot")}
    lengths = _speech_lengths(history)
    rows = []
    for number, seat in enumerate(history.players, 1):
        player = seat.player_id
        row = seat_row(history, number, seat.model or player)
        row["lot"] = player in lots
        row["words"] = fmean(lengths.get(player, [0]))
        tokens = history.usage[player].tokens
        if tokens != Usage():
            row["cost"] = tokens.cost
            row["tokens"] = tokens.prompt_tokens + tokens.completion_tokens
        rows.append(row)
    return rows


def _speech_lengths(history: History) -> dict[str, list[int]]:
    """Return each player's word counts, one for each event in which the player speaks."""
    lengths: dict[str, list[int]] = {}
    for event in history.events:
        if event.kind in SPOKEN and event.player_id is not None:
            lengths.setdefault(event.player_id, []).append(words_in_event(event))
    return lengths
