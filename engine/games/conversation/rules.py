"""The rules of a conversation but for its scoring: what the players are dealt, who speaks, and when it is over."""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.games.conversation.record import Item

SILENCE = "stay silent"

_JOINT = " & "
_TOPICS = (
    "rivers", "jazz", "bread", "bridges", "dreams", "volcanoes", "chess", "bees", "trains", "poetry",
    "gardens", "tides", "robots", "markets", "owls", "maps", "tea", "comets", "theatre", "glaciers",
    "cats", "cathedrals", "cycling", "mushrooms", "money", "languages", "deserts", "football", "perfume", "whales",
    "clocks", "cheese", "myths", "forests", "photography", "elections", "dancing", "fossils", "islands", "novels",
    "soup", "satellites", "lighthouses", "weddings", "opera", "spiders", "schools", "snow", "cinema", "bicycles",
    "ghosts", "chocolate", "mountains", "painting", "neighbours", "vaccines", "kites", "coffee", "castles", "rain",
    "horses", "puzzles", "tattoos", "ferries", "philosophy", "magnets", "wine", "carnivals", "libraries", "earthquakes",
    "pottery", "swimming", "dinosaurs", "gossip", "caves", "spices", "violins", "cities", "penguins", "inventions",
    "sleep", "apples", "circuses", "statistics", "lakes", "fashion", "pirates", "insects", "radio", "prisons",
    "honey", "skyscrapers", "manners", "parrots", "astronomy", "salt", "migration", "sculpture", "noodles", "storms",
    "tennis", "fairy tales", "wolves", "museums", "memory", "windmills", "comics", "hotels", "orchids", "drums",
    "justice", "submarines", "pears", "grandparents", "silk", "puppets", "sailing", "crows", "mathematics", "toys",
)  # fmt: skip


class Deal(NamedTuple):
    """What the players privately hold, by player id: items, and all subjects from best to worst."""

    banks: dict[str, tuple[Item, ...]]
    rankings: dict[str, tuple[int, ...]]


def subject_names(subjects: int | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the subjects: as many as asked for, or your own.

    >>> subject_names(3)
    ('rivers', 'jazz', 'bread')

    Beyond the built-in list names are numbered ("rivers 2"). Raises ValueError for own names that
    are empty, not unique, the word for silence, or that could be read as the name of another item
    ("tea & jazz", "tea (2)").
    """
    if isinstance(subjects, int):
        if subjects < 0:
            raise ValueError(f"expected subjects to be at least 0: {subjects!r}")
        rounds = (
            (number // len(_TOPICS) + 1, _TOPICS[number % len(_TOPICS)])
            for number in range(subjects)
        )
        return tuple(name if lap == 1 else f"{name} {lap}" for lap, name in rounds)
    for name in subjects:
        numbered = name.endswith(")") and name.rpartition(" (")[2][:-1].isdigit()
        if not name.strip() or name == SILENCE or _JOINT in name or numbered:
            raise ValueError(
                f"expected subjects to be names that are not empty, not {SILENCE!r}, "
                f"without {_JOINT!r} and without a number in brackets at the end: {name!r}"
            )
    if len(set(subjects)) < len(subjects):
        raise ValueError(
            f"expected subjects to be names that are all different: {list(subjects)!r}"
        )
    return tuple(subjects)


def check_settings(*, players: int, bank_size: int, subjects: int, length: int) -> None:
    """Raise ValueError, with a sentence that names the setting, for numbers with which no game can be played."""
    least = {"players": 1, "bank_size": 0, "subjects": 2 if bank_size else 0, "length": 0}
    for (name, low), got in zip(least.items(), (players, bank_size, subjects, length), strict=True):
        if not isinstance(got, int) or got < low:
            reason = " where banks hold two-subject items" if name == "subjects" and low else ""
            raise ValueError(
                f"expected {name} to be a whole number of at least {low}{reason}: {got!r}"
            )


def deal(
    player_ids: Sequence[str], *, bank_size: int, subjects: Sequence[str], rng: random.Random
) -> Deal:
    """Return a bank of `bank_size` items and a ranking of the named `subjects` for each player.

    "Half of a player's B items are single-subject items, half are two-subject items": of an odd B
    the extra one has two, and two are distinct and uniform over pairs. "Each item has an importance
    value drawn uniformly from [0,1]." "Each player receives a private random permutation (ranking)
    of the S subjects."
    """
    banks, rankings = {}, {}
    for player_id in player_ids:
        banks[player_id] = _bank(player_id, bank_size, subjects, rng)
        rankings[player_id] = tuple(rng.sample(range(len(subjects)), len(subjects)))
    return Deal(banks, rankings)


def item_name(item: Item) -> str:
    """Return the item's name as its owner calls it, unique in one bank.

    >>> item_name(Item("ann: rivers & jazz (2)", "ann", (0, 1), 0.5))
    'rivers & jazz (2)'
    """
    return item.id.removeprefix(f"{item.player_id}: ")


def choose_speaker(
    proposers: Sequence[str],
    last_speaker: str | None,
    contributions: Mapping[str, int],
    rng: random.Random,
) -> str:
    """Return which of the proposers speaks; `rng` is drawn from only if there are two or more.

    "If the previous non-pause speaker is among proposers, that speaker is selected with probability
    0.5 to speak again. Otherwise (or if the previous speaker is not chosen), the simulator selects
    uniformly at random among the proposers who have contributed the fewest items so far": the last
    speaker has a part in that draw too. `contributions` are the items that each player has spoken
    so far, repeats included. Raises ValueError without a proposer.
    """
    if not proposers:
        raise ValueError(f"expected at least one proposer: {proposers!r}")
    if len(proposers) == 1:
        return proposers[0]
    if last_speaker is not None and last_speaker in proposers and rng.random() < 0.5:
        return last_speaker
    fewest = min([contributions[player_id] for player_id in proposers])
    return rng.choice([player_id for player_id in proposers if contributions[player_id] == fewest])


def is_over(turns: Sequence[object | None], length: int) -> bool:
    """Return whether the conversation has ended: "up to L" turns, or "three consecutive pauses" (None) before."""
    return len(turns) >= length or (len(turns) >= 3 and turns[-1] is turns[-2] is turns[-3] is None)


def _bank(
    player_id: str, size: int, subjects: Sequence[str], rng: random.Random
) -> tuple[Item, ...]:
    """Return one player's items; those of the same subjects are numbered within this bank, which tells of no other."""
    everything = range(len(subjects))
    counts: dict[tuple[int, ...], int] = {}
    bank = []
    for index in range(size):
        own = (
            (rng.choice(everything),)
            if index < size // 2
            else tuple(sorted(rng.sample(everything, 2)))
        )
        counts[own] = count = counts.get(own, 0) + 1
        name = _JOINT.join([subjects[subject] for subject in own])
        number = f" ({count})" if count > 1 else ""
        bank.append(Item(f"{player_id}: {name}{number}", player_id, own, rng.random()))
    return tuple(bank)
