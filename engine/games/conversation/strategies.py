"""Players without a model: each a pure function of what a player observes and of its own random stream."""

import random

from engine.games.conversation.points import private_bonuses, subject_set
from engine.games.conversation.scoring import Item, Outlook, Parts
from engine.games.conversation.state import Observation, Strategy

__all__ = [
    "STRATEGIES",
    "Strategy",
    "gains",
    "greedy",
    "neighbourly",
    "outlook_of",
    "silent",
    "uniform",
    "uniform_with_pauses",
]


def outlook_of(observation: Observation) -> Outlook:
    """Return the scorer of what this player might say next: it looks at the tail of the turns and the ids spoken."""
    spoken = {item.id for item in observation.turns[:-3] if item is not None}
    firsts = []
    for item in observation.turns[-3:]:
        firsts.append(item is not None and item.id not in spoken)
        if item is not None:
            spoken.add(item.id)
    recent = [0 if item is None else subject_set(item.subjects) for item in observation.turns[-6:]]
    return Outlook(recent, firsts, spoken, {observation.player_id: private_bonuses(observation.ranking)})


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

    The one-turn reading of the source's goal, "the highest possible final conversation quality", by a player that
    expects nothing of the others. Of equals it proposes the most important item, then the one with the first id.
    """
    return _best([((change.shared, item.importance), item) for item, change, _ in gains(observation)])


def neighbourly(observation: Observation, _rng: random.Random) -> str | None:
    """Propose what lifts most of the up to three items before it, then what earns most itself, if the table gains.

    From the shape of the window, "up to 3 preceding and up to 3 following items": an item's coherence is in the hands
    of those who speak next, and what they say can lift it but never lower it. So nobody before is hurt, and an item
    that would cost the table more than it gives is kept back.
    """
    return _best([((lifted, change.shared), item) for item, change, lifted in gains(observation)])


def gains(observation: Observation) -> list[tuple[Item, Parts, int]]:
    """Return the own items that would raise the shared score now, each with its change and how many items it lifts."""
    outlook = outlook_of(observation)
    changes = [(item, outlook.delta(item), len(outlook.lifted(item))) for item in observation.bank]
    return [found for found in changes if found[1].shared > 0]


def _best(candidates: list[tuple[tuple[float, float], Item]]) -> str | None:
    """Return the id of the item of the highest value, of equals the first id; None if there is no candidate."""
    by_id = sorted(candidates, key=lambda candidate: candidate[1].id)
    return max(by_id, key=lambda candidate: candidate[0])[1].id if by_id else None


STRATEGIES: dict[str, Strategy] = {
    "silent": silent,
    "random": uniform,
    "random-pause": uniform_with_pauses,
    "greedy": greedy,
    "neighbourly": neighbourly,
}
