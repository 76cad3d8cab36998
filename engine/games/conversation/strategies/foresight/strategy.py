"""The strategy that looks ahead: it speaks unless the table is likely to do better without it."""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.games.conversation.points import subject_set
from engine.games.conversation.record import Item
from engine.games.conversation.state import Observation
from engine.games.conversation.strategies.foresight.beliefs import (
    NOTHING,
    Ahead,
    Beliefs,
    Said,
    hear,
    mean_items,
    new_beliefs,
)
from engine.games.conversation.strategies.foresight.choice import Bank, best_place
from engine.games.conversation.strategies.foresight.thresholds import look_ahead
from engine.games.conversation.strategies.foresight.value import When
from engine.games.conversation.strategies.foresight.weights import weights_for

# A cold look at a long conversation goes through it in steps, so as not to recurse too deep.
STRIDE = 64


class Company(NamedTuple):
    """Who sits at the table, and what everybody knows before the first turn."""

    players: tuple[str, ...]
    bank_size: int
    subjects: int
    length: int

    def unspoken(self, spoken: frozenset[str]) -> int:
        """Return how many items all players together have not spoken yet."""
        return max(0, len(self.players) * self.bank_size - len(spoken))


class Position(NamedTuple):
    """What everybody knows before a turn, and what follows for it; nobody changes it."""

    beliefs: Beliefs
    ahead: Ahead
    spoken: frozenset[str]
    pauses: int


def foresight(observation: Observation, _rng: random.Random) -> str | None:
    """Propose the own item that is worth most, if that is more than what to expect of the others.

    An item is worth the exact change of the shared score, its importance (less where it would be
    earned later anyway), and the learned value of the window that it leaves to those who speak
    next. What is expected of the others comes from backward induction over the order of speaking,
    from what they showed by speaking and by keeping silent, and from whether they talk at random.
    Of equals the first in the bank.
    """
    company = company_of(observation)
    if len(observation.turns) >= company.length:
        return None
    position = position_of(company, observation.turns)
    return _best_worth_it(observation, company, position)


def _best_worth_it(
    observation: Observation,
    company: Company,
    position: Position,
) -> str | None:
    """Return the id of the best own item if it reaches the threshold of its player."""
    beliefs, ahead, spoken, _ = position
    left = company.unspoken(spoken)
    mean = mean_items(left, company.bank_size, company.subjects)
    seat = company.players.index(observation.player_id)
    bank = _bank_of(observation.bank, spoken)
    place = best_place(bank, beliefs, ahead, seat, mean)
    return observation.bank[place].id if place >= 0 else None


def _bank_of(items: Sequence[Item], spoken: frozenset[str]) -> Bank:
    """Return a bank in numbers."""
    bank = Bank([], [], [], [], [])
    for item in items:
        one, other = item.subjects[0], item.subjects[-1]
        bank.own.append(subject_set(item.subjects))
        bank.one.append(one)
        bank.other.append(-1 if other == one else other)
        bank.importance.append(item.importance)
        bank.fresh.append(item.id not in spoken)
    return bank


def company_of(observation: Observation) -> Company:
    """Return the company, with a place for every speaker and subject that turns up."""
    spoken = [item for item in observation.turns if item is not None]
    speakers = [item.player_id for item in spoken]
    players = dict.fromkeys((*observation.players, observation.player_id, *speakers))
    subjects = observation.subjects
    for item in (*observation.bank, *spoken):
        subjects = max(subjects, 1 + max(item.subjects))
    bank_size = max(observation.bank_size, len(observation.bank))
    return Company(tuple(players), bank_size, subjects, observation.length)


def position_of(company: Company, turns: tuple[Item | None, ...]) -> Position:
    """Return what is known after the turns; in a growing conversation only the last turn is new."""
    for step in range(0, len(turns), STRIDE):
        earlier = turns[:step]
        _after(company, earlier)
    return _after(company, turns)


@lru_cache(maxsize=1024)
def _after(company: Company, turns: tuple[Item | None, ...]) -> Position:
    """Return what is known after the turns, from what was known before the last of them."""
    left = company.length - len(turns) - 1
    if not turns:
        return _at_start(company, left)

    past = _after(company, turns[:-1])
    item = turns[-1]
    if item is None:
        return _after_pause(company, past, left)
    return _after_item(company, past, item, left)


def _at_start(company: Company, left: int) -> Position:
    """Return what is known before the first turn, with `left` turns after it."""
    spoken: frozenset[str] = frozenset()
    beliefs = new_beliefs(len(company.players), company.bank_size, company.subjects)
    when = When(left, company.unspoken(spoken), 0)
    return _before(company, beliefs, when, -1, spoken)


def _after_pause(
    company: Company,
    past: Position,
    left: int,
) -> Position:
    """Return what is known after a pause, with `left` turns after the coming one."""
    beliefs = _copy_of(past.beliefs)
    hear(beliefs, past.ahead, NOTHING)
    when = When(left, company.unspoken(past.spoken), past.pauses + 1)
    return _before(company, beliefs, when, past.ahead.last_speaker, past.spoken)


def _after_item(
    company: Company,
    past: Position,
    item: Item,
    left: int,
) -> Position:
    """Return what is known after an item, with `left` turns after the coming one."""
    beliefs = _copy_of(past.beliefs)
    speaker = company.players.index(item.player_id)
    said = Said(
        speaker,
        own=subject_set(item.subjects),
        first=item.id not in past.spoken,
        importance=item.importance,
    )
    hear(beliefs, past.ahead, said)
    spoken = past.spoken | {item.id}
    when = When(left, company.unspoken(spoken), 0)
    return _before(company, beliefs, when, speaker, spoken)


def _copy_of(beliefs: Beliefs) -> Beliefs:
    """Return beliefs that may be changed; a position keeps its own."""
    copies = [[*known] for known in beliefs]
    return Beliefs(*copies)


def _before(
    company: Company,
    beliefs: Beliefs,
    when: When,
    last_speaker: int,
    spoken: frozenset[str],
) -> Position:
    """Return the position before a turn; the thresholds become those of this turn."""
    weights = weights_for(
        len(company.players),
        company.bank_size,
        company.subjects,
        company.length,
    )
    ahead = look_ahead(weights, beliefs, when, last_speaker)
    return Position(beliefs, ahead, spoken, when.pauses)
