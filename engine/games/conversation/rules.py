"""The rules for the deal, the speaker and the end of the game; `points` has the scoring rules."""

import random
import re
from collections.abc import Mapping, Sequence

from engine.games.conversation.record import Composition, Item

SILENCE = "stay silent"

# The names of subjects if the settings give only their number.
TOPICS = (
    "rivers", "jazz", "bread", "bridges", "dreams", "volcanoes", "chess", "bees", "trains",
    "poetry", "gardens", "tides", "robots", "markets", "owls", "maps", "tea", "comets", "theatre",
    "glaciers", "cats", "cathedrals", "cycling", "mushrooms", "money", "languages", "deserts",
    "football", "perfume", "whales", "clocks", "cheese", "myths", "forests", "photography",
    "elections", "dancing", "fossils", "islands", "novels", "soup", "satellites", "lighthouses",
    "weddings", "opera", "spiders", "schools", "snow", "cinema", "bicycles", "ghosts",
    "chocolate", "mountains", "painting", "neighbours", "vaccines", "kites", "coffee", "castles",
    "rain", "horses", "puzzles", "tattoos", "ferries", "philosophy", "magnets", "wine",
    "carnivals", "libraries", "earthquakes", "pottery", "swimming", "dinosaurs", "gossip",
    "caves", "spices", "violins", "cities", "penguins", "inventions", "sleep", "apples",
    "circuses", "statistics", "lakes", "fashion", "pirates", "insects", "radio", "prisons",
    "honey", "skyscrapers", "manners", "parrots", "astronomy", "salt", "migration", "sculpture",
    "noodles", "storms", "tennis", "fairy tales", "wolves", "museums", "memory", "windmills",
    "comics", "hotels", "orchids", "drums", "justice", "submarines", "pears", "grandparents",
    "silk", "puppets", "sailing", "crows", "mathematics", "toys",
)  # fmt: skip

_JOINT = " & "
_NUMBERED = re.compile(r" \(\d+\)$")


def _topic_name(number: int) -> str:
    lap, place = divmod(number, len(TOPICS))
    return f"{TOPICS[place]} {lap + 1}" if lap else TOPICS[place]


def subject_names(subjects: int | Sequence[str]) -> tuple[str, ...]:
    """Return the subjects' names: the first `subjects` built-in names, or the custom names.

    >>> subject_names(3)
    ('rivers', 'jazz', 'bread')

    Names beyond the built-in ones are numbered ("rivers 2"). Raises ValueError for custom names
    that are empty, duplicated, the word for silence, or ambiguous as item names ("tea & jazz", "tea
    (2)").
    """
    if isinstance(subjects, int):
        if subjects < 0:
            raise ValueError(f"expected subjects to be at least 0: {subjects!r}")
        return tuple(map(_topic_name, range(subjects)))
    for name in subjects:
        _check_name(name)
    if len(set(subjects)) < len(subjects):
        raise ValueError(
            f"expected subjects to be names that are all different: {list(subjects)!r}"
        )
    return tuple(subjects)


def _check_name(name: str) -> None:
    last_word = name.rpartition(" (")[2]
    numbered = name.endswith(")") and last_word[:-1].isdigit()
    if not name.strip() or name == SILENCE or _JOINT in name or numbered:
        raise ValueError(
            f"expected subjects to be names that are not empty, not {SILENCE!r}, "
            f"without {_JOINT!r} and without a number in brackets at the end: {name!r}"
        )


def check_settings(*, players: int, bank_size: int, subjects: int, length: int) -> None:
    """Raise ValueError, naming the setting, if no game can be played with these numbers."""
    reason = " where banks hold two-subject items" if bank_size else ""
    for name, number, least, why in (
        ("players", players, 1, ""),
        ("bank_size", bank_size, 0, ""),
        ("subjects", subjects, 2 if bank_size else 0, reason),
        ("length", length, 0, ""),
    ):
        if not isinstance(number, int) or number < least:
            raise ValueError(
                f"expected {name} to be a whole number of at least {least}{why}: {number!r}"
            )


def deal(
    player_ids: Sequence[str],
    *,
    bank_size: int,
    subjects: Sequence[str],
    rng: random.Random,
    composition: Composition = "half",
) -> tuple[dict[str, tuple[Item, ...]], dict[str, tuple[int, ...]]]:
    """Return each player's bank of `bank_size` items, and each player's ranking, best first.

    "Half of a player's B items are single-subject items, half are two-subject items". If B is odd,
    the extra item has two subjects. Pairs are drawn uniformly. With the composition "coin", a fair
    coin decides the kind of each item, as in the course's simulator. "Each item has an importance
    value drawn uniformly from [0,1]." "Each player receives a private random permutation (ranking)
    of the S subjects."
    """
    everything = range(len(subjects))
    banks = {}
    rankings = {}
    for player_id in player_ids:
        if composition == "coin":
            singles = [rng.random() < 0.5 for _ in range(bank_size)]
        else:
            singles = [place < bank_size // 2 for place in range(bank_size)]
        banks[player_id] = _bank(player_id, singles, subjects, rng)
        ranking = rng.sample(everything, len(subjects))
        rankings[player_id] = tuple(ranking)
    return banks, rankings


def item_name(item: Item) -> str:
    """Return an item's name, which is unique in its owner's bank.

    >>> item_name(Item("ann: rivers & jazz (2)", "ann", (0, 1), 0.5))
    'rivers & jazz (2)'
    """
    return item.id.removeprefix(f"{item.player_id}: ")


def subjects_in(name: str) -> list[str]:
    """Return the subjects in an item's name.

    >>> subjects_in("rivers & jazz (2)")
    ['rivers', 'jazz']
    """
    return _NUMBERED.sub("", name).split(_JOINT)


def choose_speaker(
    proposers: Sequence[str],
    last_speaker: str | None,
    contributions: Mapping[str, int],
    rng: random.Random,
) -> str:
    """Return the proposer that speaks; `rng` is used only if there are two or more proposers.

    "If the previous non-pause speaker is among proposers, that speaker is selected with probability
    0.5 to speak again. Otherwise (or if the previous speaker is not chosen), the simulator selects
    uniformly at random among the proposers who have contributed the fewest items so far". The last
    speaker takes part in that draw too. `contributions` counts the items each player has spoken,
    repeats included. Raises ValueError if there is no proposer.
    """
    if not proposers:
        raise ValueError(f"expected at least one proposer: {proposers!r}")
    if len(proposers) == 1:
        return proposers[0]
    if last_speaker is not None and last_speaker in proposers and rng.random() < 0.5:
        return last_speaker

    fewest = min([contributions[name] for name in proposers])
    tied = [name for name in proposers if contributions[name] == fewest]
    return rng.choice(tied)


def is_over(turns: Sequence[object | None], length: int) -> bool:
    """Return whether the game is over, after "up to L" turns or "three consecutive pauses"."""
    if len(turns) >= length:
        return True
    if len(turns) < 3:
        return False
    return turns[-1] is turns[-2] is turns[-3] is None


def _bank(
    player_id: str,
    singles: Sequence[bool],
    subjects: Sequence[str],
    rng: random.Random,
) -> tuple[Item, ...]:
    """Return one player's items; items with the same name are numbered."""
    everything = [*range(len(subjects))]
    counts: dict[str, int] = {}
    bank = []
    for single in singles:
        chosen: tuple[int, ...] = (rng.choice(everything),) if single else _pair(everything, rng)
        name = subjects[chosen[0]]
        if not single:
            name = f"{name}{_JOINT}{subjects[chosen[1]]}"
        number = counts[name] = counts.get(name, 0) + 1
        if number > 1:
            name = f"{name} ({number})"
        bank.append(Item(f"{player_id}: {name}", player_id, chosen, rng.random()))
    return tuple(bank)


def _pair(subjects: Sequence[int], rng: random.Random) -> tuple[int, ...]:
    """Draw the same two subjects as `rng.sample(subjects, 2)`, but faster; return them sorted."""
    if len(subjects) > 21:
        # From longer sequences, `sample` draws in a different way.
        first, second = rng.sample(subjects, 2)
    else:
        first, second = rng.choice(subjects), rng.choice(subjects[:-1])
        # The last subject takes the place of the subject that was drawn first.
        if second == first:
            second = subjects[-1]
    return (first, second) if first < second else (second, first)
