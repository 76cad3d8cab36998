"""A strategy that looks ahead and speaks unless the other players are likely to do better."""

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
    share_evenly,
    warmths,
)
from engine.games.conversation.strategies.foresight.groups import Kinds
from engine.games.conversation.strategies.foresight.thresholds import look_ahead
from engine.games.conversation.strategies.foresight.value import (
    FOLLOW_UP,
    MOST_BEYOND,
    When,
    follow_up,
    gain,
    warm_parts,
    worth_of,
)
from engine.games.conversation.strategies.foresight.weights import weights_for

# A long conversation is processed in steps of this many turns to limit recursion depth.
STRIDE = 64


class Bank(NamedTuple):
    """A seat's items: their subjects, importances, and whether they are unspoken.

    `own` has the subjects as bit sets. `one` and `other` have them as numbers; `other` is -1 for an
    item with one subject.
    """

    own: list[int]
    one: list[int]
    other: list[int]
    importance: list[float]
    fresh: list[bool]


class Company(NamedTuple):
    """The seats at the table, and the settings that determine the initial shared beliefs."""

    players: tuple[str, ...]
    bank_size: int
    subjects: int
    length: int
    coin: bool

    def unspoken(self, spoken: frozenset[str]) -> int:
        """Return the total number of unspoken items."""
        return max(0, len(self.players) * self.bank_size - len(spoken))


class Position(NamedTuple):
    """The shared beliefs before a turn and the expectation for that turn; immutable."""

    beliefs: Beliefs
    ahead: Ahead
    spoken: frozenset[str]
    pauses: int


def foresight(observation: Observation, _rng: random.Random) -> str | None:
    """Propose the seat's best item if it is worth more than the other players' expected play.

    An item's value is the sum of its exact effect on the shared score, its importance (reduced if
    it would be earned later anyway), and the learned value of the window left to the next
    speakers. Backward induction over the order of speaking predicts the other players' play from
    their items and silences so far, and from the chance that they play at random. Ties go to the
    first item in the bank.
    """
    company = company_of(observation)
    if len(observation.turns) >= company.length:
        return None
    beliefs, ahead, spoken, _ = position_of(company, observation.turns)
    mean = mean_items(company.unspoken(spoken), company.bank_size, company.subjects, company.coin)
    seat = company.players.index(observation.player_id)
    bank = _bank_of(observation.bank, spoken)
    place = best_place(bank, beliefs, ahead, seat, mean)
    return observation.bank[place].id if place >= 0 else None


def _bank_of(items: Sequence[Item], spoken: frozenset[str]) -> Bank:
    """Return the items as a Bank; `spoken` has the ids of spoken items."""
    bank = Bank([], [], [], [], [])
    for item in items:
        first, last = item.subjects[0], item.subjects[-1]
        bank.own.append(subject_set(item.subjects))
        bank.one.append(first)
        bank.other.append(-1 if last == first else last)
        bank.importance.append(item.importance)
        bank.fresh.append(item.id not in spoken)
    return bank


def company_of(observation: Observation) -> Company:
    """Return the company, including every speaker and subject in the observation."""
    spoken = [item for item in observation.turns if item is not None]
    speakers = [item.player_id for item in spoken]
    players = dict.fromkeys((*observation.players, observation.player_id, *speakers))
    subjects = observation.subjects
    for item in (*observation.bank, *spoken):
        subjects = max(subjects, 1 + max(item.subjects))
    bank_size = max(observation.bank_size, len(observation.bank))
    coin = observation.composition == "coin"
    return Company(tuple(players), bank_size, subjects, observation.length, coin)


def position_of(company: Company, turns: tuple[Item | None, ...]) -> Position:
    """Return the position after these turns, reusing cached positions of earlier turns."""
    for step in range(0, len(turns), STRIDE):
        _after(company, turns[:step])
    return _after(company, turns)


@lru_cache(maxsize=1024)
def _after(company: Company, turns: tuple[Item | None, ...]) -> Position:
    """Return the position after these turns, computed from the position before the last turn."""
    numbers = (len(company.players), company.bank_size, company.subjects)
    spoken: frozenset[str] = frozenset()
    speaker = -1
    pauses = 0
    if turns:
        past = _after(company, turns[:-1])
        spoken = past.spoken
        speaker = past.ahead.last_speaker
        pauses = past.pauses + 1
        said = _said(company, turns[-1], spoken)
        if turns[-1] is not None:
            speaker = said.speaker
            pauses = 0
            spoken |= {turns[-1].id}
        # Copied, since each position has its own beliefs.
        copies = [[*known] for known in past.beliefs]
        beliefs = Beliefs(*copies)
        hear(beliefs, past.ahead, said)
        if company.coin and said.first:
            before = past.beliefs
            share_evenly(beliefs, speaker, before.singles[speaker] + before.pairs[speaker] - 1)
    else:
        beliefs = new_beliefs(*numbers, company.coin)
    when = When(company.length - len(turns) - 1, company.unspoken(spoken), pauses)
    ahead = look_ahead(weights_for(*numbers, company.length), beliefs, when, speaker)
    return Position(beliefs, ahead, spoken, pauses)


def _said(company: Company, item: Item | None, spoken: frozenset[str]) -> Said:
    """Return a turn in the form that `hear` takes; `spoken` has the ids of earlier items."""
    if item is None:
        return NOTHING
    speaker = company.players.index(item.player_id)
    first = item.id not in spoken
    return Said(speaker, subject_set(item.subjects), first, item.importance)


def best_place(
    bank: Bank,
    beliefs: Beliefs,
    ahead: Ahead,
    seat: int,
    mean: float,
) -> int:
    """Return the index of a seat's best item, or -1 if no item reaches the seat's threshold.

    `mean` is as in `warmths`. A repeat is considered only if it does not lower the shared score.
    Ties go to the first item.
    """
    subjects, _, _, importance, fresh = bank
    many = len(subjects)
    unspoken = [subjects[place] for place in range(many) if fresh[place]]
    importances = [importance[place] for place in range(many) if fresh[place]]
    warmth = warmths(beliefs, ahead.expected, seat, unspoken, mean)
    valuation = ahead.valuation
    every, added = warm_parts(valuation, warmth)
    worths = worths_if_first(bank, ahead.kinds, every, added)

    most = max(0.0, valuation.part * valuation.weights[FOLLOW_UP] * MOST_BEYOND)
    best = beliefs.thresholds[seat]
    chosen = -1
    number = -1
    for place in range(many):
        if fresh[place]:
            number += 1
            worth = worths[place] + valuation.share * importance[place]
            if worth + most > best:
                worth += follow_up(valuation, subjects[place], unspoken, importances, number)
        elif gain(valuation.scene, subjects[place], False) < 0:
            continue
        else:
            worth = worth_of(valuation, subjects[place], False, 0.0, warmth)
        if worth > best or (chosen < 0 and worth == best):
            best = worth
            chosen = place
    return chosen


def worths_if_first(
    bank: Bank,
    kinds: Kinds,
    every: float,
    added: list[float],
) -> list[float]:
    """Return each item's value as a first instance, without importance; see `value.warm_parts`."""
    _, ones, others, _, _ = bank
    _, of, singles, pairs, _ = kinds
    many = len(singles)
    worths = [every] * len(ones)
    for place in range(len(ones)):
        first = ones[place]
        second = others[place]
        worth = added[first]
        if second < 0:
            worth += singles[of[first]]
        else:
            worth += added[second] + pairs[of[first] * many + of[second]]
        worths[place] += worth
    return worths
