"""How scripted players fill in the debrief: from what they themselves said and voted."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from engine.games.deliberations.listening import last_ally, named_as_foes, pick
from engine.round_phases import RoundView
from engine.round_phases.debrief import ROUND
from engine.round_phases.questionnaire import Entry

HEAD = re.compile(r"Round (\d+) of ")
OUT = re.compile(r"(?:in the revote )?votes to eliminate (.+?)(?::|$)")
CROWN = re.compile(r"(?:in the revote )?votes for (.+?)(?::|$)")


def look_back(
    seen: RoundView,
    entries: Mapping[str, Entry],
    remarks: list[str],
    rng: random.Random,
) -> dict[str, str | None]:
    """Return a script's answers by field.

    A player is the one it trusted most, a round the one in which it decided, a text one of the
    `remarks`. Of models it knows nothing, and guesses: that is what others are compared with.
    """
    known = {
        "player": most_trusted(seen, rng),
        "round": f"{ROUND}{round_of_decision(seen)}",
        "text": rng.choice(remarks),
    }
    fields = {}
    for name, entry in entries.items():
        fields[name] = known.get(entry.question.answer) or pick(entry.choices, rng)
    return fields


def most_trusted(seen: RoundView, rng: random.Random) -> str | None:
    """Return the ally that a player named last, else who most often spoke as it voted."""
    ally = last_ally(seen, seen.options)
    if ally is not None:
        return ally
    agreed = count_agreements(seen)
    most = max(agreed.values(), default=0)
    closest = [one for one in seen.options if agreed[one] == most]
    return pick(closest, rng)


def count_agreements(seen: RoundView) -> Counter[str]:
    """Return how often each other's pitches named a player whom this one voted out."""
    # Whom it voted out, as far as it remembers.
    foes = []
    for _, said in lines_by_round(seen):
        ballot = OUT.match(said)
        if ballot is not None:
            foes.append(ballot[1])
    agreed: Counter[str] = Counter()
    for line in seen.lines:
        if line.kind == "pitch" and line.player_id in seen.options:
            agreed[line.player_id] += len(named_as_foes(line.text, foes))
    return agreed


def round_of_decision(seen: RoundView) -> int:
    """Return the round in which a player first was against the rival of its favourite.

    The favourite is the finalist whom it voted for, or itself; nothing before: it is the last one.
    """
    favourite = seen.player_id
    for _, line in lines_by_round(seen):
        ballot = CROWN.match(line)
        if ballot is not None:
            favourite = ballot[1]
    rivals = [one for one in seen.active_player_ids if one != favourite]
    for number, line in lines_by_round(seen):
        if named_as_foes(line, rivals):
            return number
    return seen.round_index


def lines_by_round(seen: RoundView) -> Iterator[tuple[int, str]]:
    """Yield what a player itself said and voted, with the round it was in."""
    number = 1
    for line in seen.lines:
        head = HEAD.match(line.text) if line.player_id is None else None
        if head is not None:
            number = int(head[1])
        if line.player_id == seen.player_id and line.kind in ("pitch", "vote"):
            yield number, line.text
