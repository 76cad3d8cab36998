"""Strategies that look at the coming turn only."""

import random

from engine.games.conversation.points import private_bonus, private_bonuses, subject_set
from engine.games.conversation.scoring import Item, Outlook, Parts
from engine.games.conversation.state import Observation


def outlook_of(observation: Observation) -> Outlook:
    """Return the scorer of what this player might say next: it looks at the tail of the turns and the ids spoken."""
    spoken = {item.id for item in observation.turns[:-3] if item is not None}
    firsts = []
    for item in observation.turns[-3:]:
        firsts.append(item is not None and item.id not in spoken)
        if item is not None:
            spoken.add(item.id)
    recent = [0 if item is None else subject_set(item.subjects) for item in observation.turns[-6:]]
    return Outlook(
        recent, firsts, spoken, {observation.player_id: private_bonuses(observation.ranking)}
    )


def silent(_observation: Observation, _rng: random.Random) -> str | None:
    """Never speak: the null player of any comparison; a table of these pauses three times and is done."""
    return None


def uniform(observation: Observation, rng: random.Random) -> str | None:
    """Propose any own item, spoken before or not, every turn: the source's "possibly random players"."""
    bank = observation.bank
    return bank[int(rng.random() * len(bank))].id if bank else None


def uniform_with_pauses(observation: Observation, rng: random.Random) -> str | None:
    """Be silent half of the time and else propose any own item: a random player that lets pauses happen."""
    return None if rng.random() < 0.5 else uniform(observation, rng)


def greedy(observation: Observation, _rng: random.Random) -> str | None:
    """Propose what raises the shared score most at once, the coherence of the items before it included; else be silent.

    The one-turn reading of the source's goal, "the highest possible final conversation quality", by
    a player that expects nothing of the others. Of equals it proposes the most important item, then
    the one with the first id.
    """
    return _best(
        [((change.shared, item.importance), item) for item, change, _ in gains(observation)]
    )


def neighbourly(observation: Observation, _rng: random.Random) -> str | None:
    """Propose what lifts most of the up to three items before it, then what earns most itself, if the table gains.

    From the shape of the window, "up to 3 preceding and up to 3 following items": an item's
    coherence is in the hands of those who speak next, and what they say can lift it but never lower
    it. So nobody before is hurt, and an item that would cost the table more than it gives is kept
    back.
    """
    return _best([((lifted, change.shared), item) for item, change, lifted in gains(observation)])


def patient(observation: Observation, _rng: random.Random) -> str | None:
    """Propose as greedy does, but only what raises the shared score by more than a threshold that falls with time.

    If there are more items than turns, most will never be spoken, and a mean one is better kept back: the threshold is
    1.0 for any number of items to a turn that is left, and falls to 0.0 for one or less.
    """
    spoken = {item.id for item in observation.turns if item is not None}
    own = sum(item.id not in spoken for item in observation.bank)
    left = observation.length - len(observation.turns)
    threshold = max(0.0, 1.0 - left / max(1, own * len(observation.players)))
    found = [(item, change) for item, change, _ in gains(observation) if change.shared > threshold]
    return _best([((change.shared, item.importance), item) for item, change in found])


def weave(observation: Observation, _rng: random.Random) -> str | None:
    """Weave two subjects, A B A B: speak of what was spoken of two turns ago, and not in the last.

    From the window and the three items before: of two subjects that alternate each item inside has
    its own in at least two of its neighbours, and none stands in three turns in a row. Where there
    is no thread yet it begins one with the most important item of other subjects; without an item
    for the next stitch it is silent.
    """
    turns = [0 if item is None else subject_set(item.subjects) for item in observation.turns[-2:]]
    last, before = turns[-1] if turns else 0, turns[0] if len(turns) > 1 else 0
    spoken = {item.id for item in observation.turns if item is not None}
    fresh = [
        (item, subject_set(item.subjects)) for item in observation.bank if item.id not in spoken
    ]
    if last and before:
        fits = [(item, own) for item, own in fresh if own & before and not own & ~(last | before)]
        changes = {item.id: change for item, change, _ in gains(observation)}
        return _best(
            [
                ((changes[item.id].shared, item.importance), item)
                for item, _ in fits
                if item.id in changes
            ]
        )
    return _best(
        [
            ((float(own.bit_count() == 1), item.importance), item)
            for item, own in fresh
            if not own & last
        ]
    )


def selfish(observation: Observation, _rng: random.Random) -> str | None:
    """Propose the item of the highest private bonus, again and again, whatever it does to the others.

    "Players who only maximize private bonuses", which are paid at every instance: the source's
    question about how much they harm the shared score. Of equals it proposes the most important
    item, then the one with the first id.
    """
    bonuses = private_bonuses(observation.ranking)
    found = [(private_bonus(item.subjects, bonuses), item) for item in observation.bank]
    return _best([((bonus, item.importance), item) for bonus, item in found if bonus > 0])


def gains(observation: Observation) -> list[tuple[Item, Parts, int]]:
    """Return the own items that would raise the shared score now, each with its change and how many items it lifts."""
    outlook = outlook_of(observation)
    changes = [(item, outlook.delta(item), len(outlook.lifted(item))) for item in observation.bank]
    return [found for found in changes if found[1].shared > 0]


def _best(candidates: list[tuple[tuple[float, float], Item]]) -> str | None:
    """Return the id of the item of the highest value, of equals the first id; None if there is no candidate."""
    by_id = sorted(candidates, key=lambda candidate: candidate[1].id)
    return max(by_id, key=lambda candidate: candidate[0])[1].id if by_id else None
