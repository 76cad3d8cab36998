"""What `Game.facts_of` says about an event beyond what its readers already know."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from engine.history import Event

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def leaks_in(
    told: Mapping[str, Any], event: Event, before: Collection[Event], player_ids: Collection[str]
) -> list[str]:
    """Return the leaves of the facts that do not occur in anything the event's readers have.

    A number must be among the numbers, and a player's id among the words, of the event's own
    heading and content. A player's id may also be the event's player. Other text may also occur in
    an earlier event that all players see. A boolean is a leak, since no text can confirm it: omit
    the key.
    """
    own = f"{event.player_id or ''}\n{event.heading}\n{event.content}"
    public = [one.content for one in before if set(player_ids) <= set(one.visibility)]
    everything = "\n".join([own, *public])
    numbers = set(map(float, NUMBER.findall(own)))

    found = []
    for path, leaf in leaves_of(told, "told"):
        if isinstance(leaf, int | float) and not isinstance(leaf, bool):
            stands = float(leaf) in numbers
        elif isinstance(leaf, str):
            stands = has_words(own if leaf in player_ids else everything, leaf)
        else:
            stands = leaf is None
        if not stands:
            found.append(f"event {event.index}, a {event.kind}: {path} is {leaf!r}")
    return found


def has_words(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def leaves_of(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Yield each value within lists and mappings with its path, and each key except plain names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not re.fullmatch("[a-z_]+", key):
                yield f"a key of {path}", key
            yield from leaves_of(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from leaves_of(inner, f"{path}[{place}]")
    else:
        yield path, value
