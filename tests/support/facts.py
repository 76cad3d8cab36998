"""What `Game.facts_of` says of an event beyond what its readers have anyway."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from engine.history import Event

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def leaks_in(
    told: Mapping[str, Any],
    event: Event,
    before: Collection[Event],
    player_ids: Collection[str],
) -> list[str]:
    """Return the leaves of the facts that stand nowhere in what the event's readers have.

    A number must be one of the numbers, and a player's id one of the words, in the event's own
    heading and content, or it is the event's player: who is told of votes must have read them.
    Other text may also stand in one of the events before it that all players see. A flag is a leak,
    since no text can bear it out: leave the key away.
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
    """Return whether `words` stand in `text`, as whole words."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def leaves_of(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Yield each value within lists and mappings with its path, and each key but plain names."""
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
