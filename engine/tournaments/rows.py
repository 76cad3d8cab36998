"""What a tournament's game says of its seats: one row each, and whether the game may be rated."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from statistics import fmean
from typing import Any, Literal

from engine.games import GAMES
from engine.history import Event, History, PlayerUsage
from engine.round_payloads import Decision
from engine.round_phases.ballots import words_in_event
from engine.spending.costs import costs
from engine.spending.validity import answers_in_words, seat_answers
from engine.tournaments.schedule.draw import Draw
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.table import entrants_of
from engine.voting import still_tied

GameStatus = Literal["finished", "void", "stopped", "failed", "running"]
Rows = list[dict[str, Any]]
# A rating compares at least two.
FEWEST_SEATS = 2
# What every result of a vote tells.
DECISION = {one.name for one in fields(Decision) if one.default is MISSING}


def status_of_game(history: History) -> GameStatus:
    """Return how a game of a tournament ended.

    "void" is a finished game in which fewer than two seats answered anything themselves: it is
    counted, and never rated. A seat that was never asked did not fail.
    """
    if history.status != "finished":
        return history.status
    return "void" if silent_seats(history) else "finished"


def silent_seats(history: History) -> str:
    """Return what the seats answered that make a game void, in words; "" if it is not void."""
    silent = [seat for seat in seat_answers(history) if seat.asked and not seat.answered]
    speaking = len(history.usage) - len(silent)
    return answers_in_words(silent) if speaking < FEWEST_SEATS else ""


def rows_of_game(history: History, draw: Draw, settings: TournamentSettings) -> Rows:
    """Return a row for each seat of a drawn game, as `seat_rows` has them."""
    return seat_rows(history, entrants_of(settings, draw), draw.block)


def seat_rows(history: History, entrants: Mapping[str, str], block: str) -> Rows:
    """Return a row for each seat of a finished game, in seat order, with the keys of a SeatRow.

    `entrants` tells who plays under which player id, `block` which games share a draw. `words` is
    the mean length of what the player said to everybody who was in the game, 0 if nothing, None
    where nobody said anything; `cost` is in dollars, None if it is unknown. A game without outcome
    has no rows.
    """
    outcome = history.outcome
    if outcome is None:
        return []
    pays_by_score = is_paid_by_score(history.game)
    spent = costs(history)
    spoken = mean_speeches(history)
    lots = drawn_by_lot(history)
    rows = []
    for number, seat in enumerate(history.players, 1):
        player_id = seat.player_id
        score = outcome.scores.get(player_id)
        row = {
            "game_id": history.game_id,
            "block": block,
            "game": history.game,
            "seat": number,
            "entrant": entrants[player_id],
            "place": outcome.placements.get(player_id),
            "score": score,
            "payoff": score if pays_by_score else None,
            "lot": player_id in lots,
            "provider": seat.provider,
            "words": spoken.get(player_id, 0.0) if spoken else None,
            "cost": spent.get(player_id, 0.0),
        }
        rows.append(row | use_of(history.usage[player_id]))
    return rows


def is_paid_by_score(game: str) -> bool:
    """Return whether a score is a payoff: in games that are none of ours, their reader tells."""
    return game not in GAMES or "points" in GAMES[game].targets


def use_of(used: PlayerUsage) -> dict[str, int]:
    """Return what a seat was asked, how often it failed, and how many tokens that took."""
    tokens = used.tokens.prompt_tokens + used.tokens.completion_tokens
    return {"asks": used.asks, "fallbacks": used.fallbacks, "tokens": tokens}


def drawn_by_lot(history: History) -> set[str]:
    """Return the players whose places a lot decided: who left by one, or both of a final.

    A vote is a lot if several had the most votes and, where all voted again and then the ballots so
    far were counted, were equal in that too.
    """
    found: set[str] = set()
    for log in history.rounds:
        for event in log.events:
            tied = tied_in(event, final_round=log.final_round)
            if len(tied) > 1:
                found.update(tied if log.final_round else [event.data["selected"]])
    return found


def tied_in(event: Event, *, final_round: bool) -> tuple[str, ...]:
    """Return who was selected by the result of a vote, or could be by lot; nobody elsewhere."""
    if event.kind != "result" or not event.data.keys() >= DECISION:
        return ()
    data = event.data
    revote = data.get("revote")
    against = data.get("against")
    return still_tied(data["tally"], revote, against, final_round=final_round)


def mean_speeches(history: History) -> dict[str, float]:
    """Return the mean number of words that each player said to everybody in the game at a time.

    A sum would be no cause of staying: who stays longer says more in all.
    """
    lengths: dict[str, list[int]] = {}
    for log in history.rounds:
        present = {*log.active_player_ids}
        for event in log.events:
            by = event.player_id
            if by is None or not present <= {*event.visibility}:
                continue
            said = lengths.setdefault(by, [])
            words = words_in_event(event)
            said.append(words)
    return {player_id: fmean(said) for player_id, said in lengths.items()}
