"""Conversations among seats that all decide alike, on numbers alone: what training plays, compiled.

The functions that decide are those of the strategy `foresight`; only the deal and the drawing of
lots are written here again, without names. Seats, and items of all banks, are told by number.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.games.conversation.strategies.foresight.beliefs import (
    NOTHING,
    Ahead,
    Said,
    Table,
    hear,
    mean_items,
    new_table,
    warmths,
)
from engine.games.conversation.strategies.foresight.thresholds import look_ahead
from engine.games.conversation.strategies.foresight.value import When, gain, worth_of


class Setting(NamedTuple):
    """A configuration of the game: P, B, S and L."""

    players: int
    bank_size: int
    subjects: int
    length: int


class Banks(NamedTuple):
    """The items of all seats, by number (seat * B + place): subjects, importance, and whether it is unspoken."""

    own: list[int]
    importance: list[float]
    fresh: list[bool]


def rehearse(
    weights: Sequence[float], setting: Setting, randoms: int, draws: Sequence[float], at: int
) -> tuple[float, list[int]]:
    """Play a conversation and return its shared score, and the items spoken, -1 for a pause.

    The first `randoms` seats propose any item, the others as the weights say. All that is left to
    chance comes from `draws`, numbers in [0, 1), from place `at` on: see `draws_needed`.
    """
    players, bank_size, subjects, length = setting
    banks = dealt(setting, draws, at)
    own, importance, fresh = banks
    at += 3 * players * bank_size
    table = new_table(players, bank_size, subjects)
    last_speaker, pauses, items, score = -1, 0, players * bank_size, 0.0
    turns = [0] * 0
    while len(turns) < length and pauses < 3:
        ahead = look_ahead(
            weights, table, When(length - len(turns) - 1, items, pauses), last_speaker
        )
        mean = mean_items(items, bank_size, subjects)
        proposals = [
            seat * bank_size + int(draws[at + seat] * bank_size)
            if seat < randoms
            else proposal(table, ahead, banks, seat, mean)
            for seat in range(players)
        ]
        speaker = drawn_speaker(table, proposals, last_speaker, draws, at + players)
        at += 2 * players + 1
        if speaker < 0:
            hear(table, ahead, NOTHING)
            turns.append(-1)
            pauses += 1
            continue
        item = proposals[speaker]
        said = Said(speaker, own[item], fresh[item], importance[item])
        score += gain(ahead.terms.scene, said.own, said.first) + (
            said.importance if said.first else 0.0
        )
        items -= 1 if said.first else 0
        hear(table, ahead, said)
        fresh[item] = False
        turns.append(item)
        last_speaker, pauses = speaker, 0
    return score, turns


def draws_needed(setting: Setting) -> int:
    """Return how many numbers one conversation takes from `draws`: for its deal, and for each turn."""
    return 3 * setting.players * setting.bank_size + (2 * setting.players + 1) * setting.length


def dealt(setting: Setting, draws: Sequence[float], at: int) -> Banks:
    """Return the banks: the first half of each has one subject an item, the rest two."""
    many = setting.players * setting.bank_size
    own, importance = [0] * many, [0.0] * many
    for item in range(many):
        subject = int(draws[at + 3 * item] * setting.subjects)
        own[item] = 1 << subject
        if item % setting.bank_size >= setting.bank_size // 2:
            other = subject + 1 + int(draws[at + 3 * item + 1] * (setting.subjects - 1))
            own[item] |= 1 << other % setting.subjects
        importance[item] = draws[at + 3 * item + 2]
    return Banks(own, importance, [True] * many)


def proposal(table: Table, ahead: Ahead, banks: Banks, seat: int, mean: float) -> int:
    """Return the best item of a seat if it is worth the seat's threshold, or -1."""
    size = len(banks.own) // len(table.spoke)
    bank = range(seat * size, seat * size + size)
    unspoken = [banks.own[item] for item in bank if banks.fresh[item]]
    warmth = warmths(table, ahead.expected, seat, unspoken, mean)
    best, chosen = table.thresholds[seat], -1
    for item in bank:
        worth = worth_of(
            ahead.terms, banks.own[item], banks.fresh[item], banks.importance[item], warmth
        )
        if worth > best or (chosen < 0 and worth == best):
            best, chosen = worth, item
    return chosen


def drawn_speaker(
    table: Table, proposals: list[int], last_speaker: int, draws: Sequence[float], at: int
) -> int:
    """Return who of the proposers speaks, or -1, by the rule of `rules.choose_speaker`."""
    players = len(proposals)
    if last_speaker >= 0 and proposals[last_speaker] >= 0 and draws[at + players] < 0.5:
        return last_speaker
    speaker, ties = -1, 0
    for seat in range(players):
        if proposals[seat] < 0 or (speaker >= 0 and table.spoke[seat] > table.spoke[speaker]):
            continue
        ties = ties + 1 if speaker >= 0 and table.spoke[seat] == table.spoke[speaker] else 1
        if draws[at + seat] * ties < 1.0:
            speaker = seat
    return speaker


def rehearse_all(
    weights: Sequence[float], setting: Setting, randoms: int, draws: Sequence[float], games: int
) -> list[float]:
    """Return the shared scores a turn of so many conversations, each from its own part of `draws`."""
    step = len(draws) // games
    return [
        rehearse(weights, setting, randoms, draws, game * step)[0] / setting.length
        for game in range(games)
    ]
