"""Strategies that consider only the coming turn."""

import random
from collections.abc import Iterable, Sequence

from engine.games.conversation.points import private_bonus, private_bonuses, subject_set
from engine.games.conversation.scoring import Item, Outlook, Parts
from engine.games.conversation.state import Observation


def outlook_of(observation: Observation) -> Outlook:
    """Return the outlook that scores this player's next item after the turns so far."""
    turns = observation.turns
    spoken = _ids_of(turns[:-3])
    firsts = []
    for item in turns[-3:]:
        if item is None:
            firsts.append(False)
        else:
            firsts.append(item.id not in spoken)
            spoken.add(item.id)

    recent = [_subjects_of(item) for item in turns[-6:]]
    bonuses = {observation.player_id: private_bonuses(observation.ranking)}
    return Outlook(recent, firsts, spoken, bonuses)


def silent(_observation: Observation, _rng: random.Random) -> str | None:
    """Never speak. This is a baseline: a game of silent players ends after three pauses."""
    return None


def any_item(observation: Observation, rng: random.Random) -> str | None:
    """Propose a random item from the bank, even a spoken one ("possibly random players")."""
    bank = observation.bank
    return bank[int(rng.random() * len(bank))].id if bank else None


def any_item_or_silence(observation: Observation, rng: random.Random) -> str | None:
    """Stay silent half of the time, and otherwise propose a random item."""
    if rng.random() < 0.5:
        return None
    return any_item(observation, rng)


def greedy(observation: Observation, _rng: random.Random) -> str | None:
    """Propose the item that raises the shared score most now, or stay silent if none raises it.

    This pursues "the highest possible final conversation quality" one turn ahead, ignoring what
    other players may say later. Ties go to the most important item, then to the smallest id.
    """
    rises = gains(observation)
    return best_of((change.shared, item.importance, item) for item, change, _ in rises)


def neighbourly(observation: Observation, _rng: random.Random) -> str | None:
    """Of the items that raise the shared score, propose the one that lifts the most earlier items.

    The window has "up to 3 preceding and up to 3 following items", so later items can raise an
    item's coherence but never lower it. Ties go to the item that raises the score most. If no item
    raises the score, the player stays silent.
    """
    rises = gains(observation)
    return best_of((lifted, change.shared, item) for item, change, lifted in rises)


def patient(observation: Observation, _rng: random.Random) -> str | None:
    """Propose like `greedy`, but only items worth more than max(0, 1 - turns left / items left).

    If there are more items than turns, some will never be spoken, so the player holds back average
    items.
    """
    fresh_count = len(_fresh_items(observation))
    items = max(1, fresh_count * len(observation.players))
    left = observation.length - len(observation.turns)
    threshold = max(0.0, 1.0 - left / items)
    rises = gains(observation)
    return best_of(
        ((change.shared, item.importance, item) for item, change, _ in rises), above=threshold
    )


def weave(observation: Observation, _rng: random.Random) -> str | None:
    """Alternate two subjects, A B A B, by proposing an item with a subject from two turns ago.

    Each item then shares a subject with the items two turns before and after it, and no subject is
    in three turns in a row. If either of the last two turns has no item, the player proposes an
    item that shares no subject with the last turn, preferring one-subject items, then important
    ones.
    """
    turns = [_subjects_of(item) for item in observation.turns[-2:]]
    last = turns[-1] if turns else 0
    before = turns[0] if len(turns) > 1 else 0
    if last and before:
        return _next_stitch(observation, last, before)
    others = [item for item in _fresh_items(observation) if not subject_set(item.subjects) & last]
    return best_of((len(item.subjects) == 1, item.importance, item) for item in others)


def _next_stitch(
    observation: Observation,
    last: int,
    before: int,
) -> str | None:
    """Return the id of the best item with a subject in `before` and all in `last | before`."""
    thread = last | before
    fits = set()
    for item in _fresh_items(observation):
        subjects = subject_set(item.subjects)
        if subjects & before and not subjects & ~thread:
            fits.add(item.id)

    if not fits:
        return None
    rises = [rise for rise in gains(observation) if rise[0].id in fits]
    return best_of((change.shared, item.importance, item) for item, change, _ in rises)


def selfish(observation: Observation, _rng: random.Random) -> str | None:
    """Propose the item with the highest private bonus in every turn, whatever it costs others.

    The source asks how much "players who only maximize private bonuses" harm the shared score. An
    item pays its bonus each time it is spoken. Ties go to the most important item, then to the
    smallest id.
    """
    bonuses = private_bonuses(observation.ranking)
    rated = [
        (private_bonus(item.subjects, bonuses), item.importance, item) for item in observation.bank
    ]
    return best_of(rated, above=0.0)


def gains(observation: Observation) -> list[tuple[Item, Parts, int]]:
    """Return the items that raise the shared score now, with their points and `Outlook.lifts`."""
    outlook = outlook_of(observation)
    changes = [(item, outlook.delta(item)) for item in observation.bank]
    return [(item, change, outlook.lifts(item)) for item, change in changes if change.shared > 0]


def best_of(rated: Iterable[tuple[float, float, Item]], above: float = -1.0) -> str | None:
    """Return the id of the item with the highest pair of values, or the smallest id in a tie.

    Returns None if no first value is above `above`.
    """
    ranked = [(-value, -then, item.id) for value, then, item in rated]
    if not ranked:
        return None
    value, _, item_id = min(ranked)
    return item_id if -value > above else None


def _ids_of(turns: Sequence[Item | None]) -> set[str]:
    """Return the ids of the items spoken in these turns."""
    return {item.id for item in turns if item is not None}


def _subjects_of(item: Item | None) -> int:
    """Return a turn's subjects as a bit set, empty for a pause (None)."""
    if item is None:
        return 0
    return subject_set(item.subjects)


def _fresh_items(observation: Observation) -> list[Item]:
    """Return the player's items that have not been spoken yet."""
    spoken = _ids_of(observation.turns)
    return [item for item in observation.bank if item.id not in spoken]
