"""The strategy that looks ahead: it speaks only if the table is not likely to do better without it."""

import random
from functools import lru_cache
from typing import NamedTuple

from engine.games.conversation.points import subject_set
from engine.games.conversation.record import Item
from engine.games.conversation.state import Observation
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
from engine.games.conversation.strategies.foresight.value import When, worth_of
from engine.games.conversation.strategies.foresight.weights import weights_for
from engine.games.conversation.strategies.plain import patient

# A cold look at a long conversation goes through it in steps, so as not to recurse too deep.
STRIDE = 64
# Items a subject: with fewer of them, and no more items than turns, patience was measured to do
# better.
FEW = 3


class Company(NamedTuple):
    """Who sits at the table, and what everybody knows before the first turn."""

    players: tuple[str, ...]
    bank_size: int
    subjects: int
    length: int

    @property
    def thin(self) -> bool:
        """Whether so few items are dealt that hardly any finds company of its own subjects in time."""
        items = len(self.players) * self.bank_size
        return items <= self.length and items < FEW * self.subjects

    def unspoken(self, spoken: frozenset[str]) -> int:
        """Return how many items all together have not spoken yet."""
        return max(0, len(self.players) * self.bank_size - len(spoken))


class Moment(NamedTuple):
    """What everybody knows before a turn, and what follows from it for the turn; nobody changes it."""

    table: Table
    ahead: Ahead
    spoken: frozenset[str]
    pauses: int


def foresight(observation: Observation, rng: random.Random) -> str | None:
    """Propose the own item that is worth most, if it is worth more than what the others are expected to do.

    An item is worth the exact change of the shared score, its importance (less where it would be
    earned later anyway), and the learned value of the window that it leaves to those who speak
    next. What is expected of the others comes from backward induction over the order of speaking,
    from what they showed by speaking and by keeping silent, and from whether they talk at random.
    Of equals the first in the bank. At a `thin` table there is nothing to wait for: there it plays
    as `patient` does, save where a third pause would end it for others too.
    """
    company = company_of(observation)
    if len(observation.turns) >= company.length:
        return None
    last_chance = tuple(observation.turns[-2:]) == (None, None) and len(company.players) > 1
    if company.thin and not last_chance:
        subjects = company.subjects
        return patient(observation._replace(ranking=tuple(range(subjects)), subjects=subjects), rng)
    moment = moment_of(company, observation.turns)
    own = [
        (item, subject_set(item.subjects), item.id not in moment.spoken)
        for item in observation.bank
    ]
    seat = company.players.index(observation.player_id)
    unspoken = [subjects for _, subjects, first in own if first]
    mean = mean_items(company.unspoken(moment.spoken), company.bank_size, company.subjects)
    warmth = warmths(moment.table, moment.ahead.expected, seat, unspoken, mean)
    best, chosen = moment.table.thresholds[seat], None
    for item, subjects, first in own:
        worth = worth_of(moment.ahead.terms, subjects, first, item.importance, warmth)
        if worth > best or (chosen is None and worth == best):
            best, chosen = worth, item.id
    return chosen


def company_of(observation: Observation) -> Company:
    """Return the company, with a place for every speaker and subject that turns up."""
    speakers = [item.player_id for item in observation.turns if item is not None]
    players = tuple(dict.fromkeys((*observation.players, observation.player_id, *speakers)))
    said = [*observation.bank, *(item for item in observation.turns if item is not None)]
    subjects = max([observation.subjects, *(1 + max(item.subjects) for item in said)])
    return Company(
        players, max(observation.bank_size, len(observation.bank)), subjects, observation.length
    )


def moment_of(company: Company, turns: tuple[Item | None, ...]) -> Moment:
    """Return what is known after the turns; of a conversation that grows only the last turn is new."""
    for step in range(0, len(turns), STRIDE):
        _after(company, turns[:step])
    return _after(company, turns)


@lru_cache(maxsize=1024)
def _after(company: Company, turns: tuple[Item | None, ...]) -> Moment:
    """Return what is known after the turns, from what was known before the last of them."""
    if not turns:
        table = new_table(len(company.players), company.bank_size, company.subjects)
        return _before(
            company,
            table,
            When(company.length - 1, company.unspoken(frozenset()), 0),
            -1,
            frozenset(),
        )
    past, item = _after(company, turns[:-1]), turns[-1]
    table, spoken, left = (
        Table(*[[*known] for known in past.table]),
        past.spoken,
        company.length - len(turns) - 1,
    )
    if item is None:
        hear(table, past.ahead, NOTHING)
        when = When(left, company.unspoken(spoken), past.pauses + 1)
        return _before(company, table, when, past.ahead.last_speaker, spoken)
    speaker, first = company.players.index(item.player_id), item.id not in spoken
    hear(table, past.ahead, Said(speaker, subject_set(item.subjects), first, item.importance))
    spoken |= {item.id}
    return _before(company, table, When(left, company.unspoken(spoken), 0), speaker, spoken)


def _before(
    company: Company, table: Table, when: When, last_speaker: int, spoken: frozenset[str]
) -> Moment:
    """Return the moment before a turn; the thresholds of the table become those of this turn."""
    weights = weights_for(len(company.players), company.bank_size, company.subjects, company.length)
    return Moment(table, look_ahead(weights, table, when, last_speaker), spoken, when.pauses)
