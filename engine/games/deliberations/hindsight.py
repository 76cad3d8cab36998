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
BALLOT = re.compile(r"votes (?:to eliminate|for) (.+?)(?::|$)")


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
    trusted = most_trusted(seen, rng)
    fields: dict[str, str | None] = {}
    for name, entry in entries.items():
        match entry.question.answer:
            case "player":
                fields[name] = trusted
            case "round":
                fields[name] = f"{ROUND}{round_of_decision(seen)}"
            case "models":
                fields[name] = pick(entry.choices, rng)
            case "text":
                fields[name] = rng.choice(remarks)
    return fields


def most_trusted(seen: RoundView, rng: random.Random) -> str | None:
    """Return the ally that a player named last, else who most often spoke as it voted."""
    ally = last_ally(seen, seen.options)
    if ally is not None:
        return ally
    foes = own_votes(seen)
    agreed: Counter[str] = Counter()
    for line in seen.lines:
        if line.kind == "pitch" and line.player_id in seen.options:
            agreed[line.player_id] += len(named_as_foes(line.text, foes))
    most = max(agreed.values(), default=0)
    closest = [one for one in seen.options if agreed[one] == most]
    return pick(closest, rng)


def own_votes(seen: RoundView) -> list[str]:
    """Return whom a player voted out, as far as it remembers, each once."""
    found = {}
    for _, line in lines_by_round(seen):
        ballot = BALLOT.match(line) if line.startswith("votes to eliminate") else None
        if ballot is not None:
            found[ballot[1]] = True
    return [*found]


def round_of_decision(seen: RoundView) -> int:
    """Return the round in which a player first was against the rival of its favourite.

    The favourite is the finalist whom it voted for, or itself; nothing before: it is the last one.
    """
    favourite = seen.player_id
    for _, line in lines_by_round(seen):
        if line.startswith("votes for "):
            ballot = BALLOT.match(line)
            favourite = ballot[1] if ballot else favourite
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
