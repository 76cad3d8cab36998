"""Self-play conversations in plain numbers, so that numba can compile them.

Decisions use the functions of the strategy `foresight`; only the deal and the random draws are
reimplemented here, without names. Seats and items are identified by number.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.games.conversation.strategies.foresight.beliefs import (
    NOTHING,
    Ahead,
    Beliefs,
    Said,
    hear,
    mean_items,
    new_beliefs,
)
from engine.games.conversation.strategies.foresight.strategy import Bank, best_place
from engine.games.conversation.strategies.foresight.thresholds import look_ahead
from engine.games.conversation.strategies.foresight.value import Scene, When, gain


class Setting(NamedTuple):
    """The game's settings: players, bank size, subjects and length, written P/B/S/L."""

    players: int
    bank_size: int
    subjects: int
    length: int


def play_game(
    weights: Sequence[float],
    setting: Setting,
    randoms: int,
    draws: Sequence[float],
    at: int,
) -> tuple[float, list[int]]:
    """Play a conversation and return its shared score and the items spoken, with -1 for a pause.

    The first `randoms` seats propose random items; all others propose their best by `weights`. All
    randomness comes from `draws`, numbers in [0, 1) that are read from index `at` on.
    """
    # A single loop, compiled by numba: a lesson runs it hundreds of thousands of times.
    players, bank_size, subjects, length = setting
    banks = draw_banks(setting, draws, at)
    items = players * bank_size
    at += 3 * items
    beliefs = new_beliefs(players, bank_size, subjects)
    last_speaker = -1
    pauses = 0
    score = 0.0
    # An empty list whose type the compiler knows.
    turns = [0] * 0
    while len(turns) < length and pauses < 3:
        when = When(length - len(turns) - 1, items, pauses)
        ahead = look_ahead(weights, beliefs, when, last_speaker)
        mean = mean_items(items, bank_size, subjects)
        proposals = draw_items(min(randoms, players), bank_size, draws, at)
        add_best_items(proposals, beliefs, ahead, banks, mean)
        speaker = draw_speaker(beliefs, proposals, last_speaker, draws, at + players)
        at += 2 * players + 1

        item = proposals[speaker] if speaker >= 0 else -1
        item_said = say(banks, speaker, item)
        hear(beliefs, ahead, item_said)
        turns.append(item)
        if speaker < 0:
            pauses += 1
            continue

        score += points_of(ahead.valuation.scene, item_said)
        items -= item_said.first
        last_speaker = speaker
        pauses = 0
    return score, turns


def draws_needed(setting: Setting) -> int:
    """Return how many of the `draws` a conversation needs for its deal and its turns."""
    for_deal = 3 * setting.players * setting.bank_size
    return for_deal + (2 * setting.players + 1) * setting.length


def draw_banks(setting: Setting, draws: Sequence[float], at: int) -> Bank:
    """Return all seats' items; half of a seat's items have one subject, the others two."""
    players, bank_size, subjects, _ = setting
    many = players * bank_size
    own = [0] * many
    one = [0] * many
    partner = [-1] * many
    importance = [0.0] * many
    for item in range(many):
        place = at + 3 * item
        subject = int(draws[place] * subjects)
        one[item] = subject
        own[item] = 1 << subject
        if item % bank_size >= bank_size // 2:
            step = 1 + int(draws[place + 1] * (subjects - 1))
            second = (subject + step) % subjects
            partner[item] = second
            own[item] |= 1 << second
        importance[item] = draws[place + 2]
    return Bank(own, one, partner, importance, [True] * many)


def draw_items(
    seats: int,
    bank_size: int,
    draws: Sequence[float],
    at: int,
) -> list[int]:
    """Return a random item from each of the first `seats` seats."""
    items = [0] * seats
    for seat in range(seats):
        items[seat] = seat * bank_size + int(draws[at + seat] * bank_size)
    return items


def say(banks: Bank, speaker: int, item: int) -> Said:
    """Mark the spoken item as no longer fresh and return it; return NOTHING if no seat speaks."""
    if speaker < 0:
        return NOTHING
    item_said = Said(speaker, banks.own[item], banks.fresh[item], banks.importance[item])
    banks.fresh[item] = False
    return item_said


def points_of(scene: Scene, said: Said) -> float:
    """Return how much the item in `said` changes the shared score."""
    points = float(gain(scene, said.own, said.first))
    return points + said.importance if said.first else points


def best_item(
    beliefs: Beliefs,
    ahead: Ahead,
    banks: Bank,
    seat: int,
    mean: float,
) -> int:
    """Return a seat's best item if it reaches the seat's threshold, else -1."""
    own, one, other, importance, fresh = banks
    size = len(own) // len(beliefs.spoke)
    begin = seat * size
    end = begin + size
    bank = Bank(
        own[begin:end],
        one[begin:end],
        other[begin:end],
        importance[begin:end],
        fresh[begin:end],
    )
    place = best_place(bank, beliefs, ahead, seat, mean)
    return begin + place if place >= 0 else -1


def add_best_items(
    proposals: list[int],
    beliefs: Beliefs,
    ahead: Ahead,
    banks: Bank,
    mean: float,
) -> None:
    """Add the proposal of each remaining seat: its best item, or -1."""
    for seat in range(len(proposals), len(beliefs.spoke)):
        item = best_item(beliefs, ahead, banks, seat, mean)
        proposals.append(item)


def draw_speaker(
    beliefs: Beliefs,
    proposals: list[int],
    last_speaker: int,
    draws: Sequence[float],
    at: int,
) -> int:
    """Return the seat that speaks (see `rules.choose_speaker`), or -1 if none has a proposal."""
    players = len(proposals)
    if last_speaker >= 0 and proposals[last_speaker] >= 0 and draws[at + players] < 0.5:
        return last_speaker

    speaker = -1
    fewest = 0
    ties = 0
    for seat in range(players):
        if proposals[seat] < 0:
            continue
        spoke = beliefs.spoke[seat]
        if speaker >= 0 and spoke > fewest:
            continue
        ties = ties + 1 if speaker >= 0 and spoke == fewest else 1
        if draws[at + seat] * ties < 1.0:
            speaker, fewest = seat, spoke
    return speaker


def play_games(
    weights: Sequence[float],
    setting: Setting,
    randoms: int,
    draws: Sequence[float],
    games: int,
) -> list[float]:
    """Return the shared score per turn of each of `games` conversations, with separate draws."""
    step = len(draws) // games
    scores = []
    for game in range(games):
        score, _ = play_game(weights, setting, randoms, draws, game * step)
        scores.append(score / setting.length)
    return scores
