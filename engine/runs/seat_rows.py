"""A finished game's rows, one per seat, and whether the game can be rated."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from statistics import fmean
from typing import Literal

from engine.games import GAMES
from engine.history import History, PlayerUsage
from engine.history.legality import MoveCounts, move_counts
from engine.history.social import Decision, words_in_event
from engine.round_phases.voting import still_tied
from engine.runs.game_row import SeatCost
from engine.spending.costs import costs
from engine.spending.validity import void_words
from protocol.answer import Plain

GameStatus = Literal["finished", "void", "stopped", "failed", "running"]
Rows = list[Plain]
# The keys in the data of every vote result.
DECISION = {field.name for field in fields(Decision) if field.default is MISSING}


def status_of_game(history: History) -> GameStatus:
    """Return how a tournament's game ended; a finished game may be "void" and so not rated."""
    is_void = history.status == "finished" and void_words(history)
    return "void" if is_void else history.status


def costs_by_seat(history: History) -> dict[str, SeatCost]:
    """Return the tokens and cost of each seat's calls."""
    dollars = costs(history)
    spent = {}
    for seat in history.players:
        used = history.usage.get(seat.player_id, PlayerUsage())
        tokens = used.tokens.prompt_tokens + used.tokens.completion_tokens
        spent[seat.player_id] = SeatCost(tokens, dollars.get(seat.player_id))
    return spent


def seat_rows(history: History, entrants: Mapping[str, str], block: str) -> Rows:
    """Return a row per seat of a finished game, in seat order, for `Results.from_rows`.

    `entrants` maps player ids to entrants; `block` names the games that share a deal. In a row,
    `words` is the mean number of words in the player's public utterances: 0 if there were none, and
    None if no player spoke. `illegal` counts the player's illegal moves, and `retried` counts the
    questions with at least one illegal move. `cost` is in dollars, or None if unknown. `void` is
    whether the game is void. A game without an outcome has no rows.
    """
    outcome = history.outcome
    if outcome is None:
        return []
    # For imported games, the importer decides which scores are payoffs.
    pays_by_score = history.game not in GAMES or "points" in GAMES[history.game].targets
    spoken = mean_speeches(history)
    lots = drawn_by_lot(history)
    outlived = seats_outlived(history)
    void = bool(void_words(history))
    of_calls = _calls_by_seat(history)
    rows = []
    for number, seat in enumerate(history.players, 1):
        player_id = seat.player_id
        score = outcome.scores.get(player_id)
        row = {
            "game_id": history.game_id,
            "block": block,
            "game": history.game,
            "wording": history.wording,
            "seat": number,
            "entrant": entrants[player_id],
            "place": outcome.placements.get(player_id),
            "score": score,
            "payoff": score if pays_by_score else None,
            "lot": player_id in lots,
            "provider": seat.provider,
            "words": spoken.get(player_id, 0.0) if spoken else None,
            "outlived": outlived.get(player_id),
            "void": void,
        }
        rows.append(row | of_calls[player_id])
    return rows


def _calls_by_seat(history: History) -> dict[str, Plain]:
    """Return, for each seat, the values of its row that come from questions and calls."""
    spent = costs_by_seat(history)
    moves = move_counts(history)
    values = {}
    for player_id, seat_cost in spent.items():
        used = history.usage[player_id]
        counts = moves.get(player_id, MoveCounts())
        values[player_id] = {
            "cost": seat_cost.cost,
            "asks": used.asks,
            "fallbacks": used.fallbacks,
            "illegal": counts.illegal,
            "retried": counts.retried,
            "tokens": seat_cost.tokens,
        }
    return values


def seats_outlived(history: History) -> dict[str, int]:
    """Return how many players had left before the round of each player's first failed answer.

    Players without a failed answer are left out. A game without eliminations has no entries.
    Failures after the player's own exit do not count.
    """
    exits: dict[str, int] = {}
    if not any(log.eliminated_player_ids for log in history.rounds):
        return exits
    for log in history.rounds:
        for event in log.events:
            if event.fell_back and event.player_id in log.active_player_ids:
                exits.setdefault(event.player_id, len(log.eliminated_player_ids))
    return exits


def drawn_by_lot(history: History) -> set[str]:
    """Return the players placed by a random draw: players it eliminated, and all tied finalists."""
    drawn: set[str] = set()
    for log in history.rounds:
        for event in log.events:
            data = event.data
            if event.kind != "result" or not data.keys() >= DECISION:
                continue
            revote, against = data.get("revote"), data.get("against")
            tied = still_tied(data["tally"], revote, against, final_round=log.final_round)
            if len(tied) > 1:
                drawn.update(tied if log.final_round else [data["selected"]])
    return drawn


def mean_speeches(history: History) -> dict[str, float]:
    """Return the mean number of words in each player's public utterances."""
    lengths: dict[str, list[int]] = {}
    for log in history.rounds:
        present = {*log.active_player_ids}
        for event in log.events:
            if event.player_id is not None and present <= {*event.visibility}:
                lengths.setdefault(event.player_id, []).append(words_in_event(event))
    return {player_id: fmean(counts) for player_id, counts in lengths.items()}
