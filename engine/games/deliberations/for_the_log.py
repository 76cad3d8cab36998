"""Scripted answers that only the log shows: predictions before a ballot, and the debrief."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.games.deliberations.listening import count_attacks, last_ally, named_as_foes, pick
from engine.round_phases import RoundView
from engine.round_phases.asking import without
from engine.round_phases.debrief import ROUND
from engine.round_phases.probes import Guess
from engine.round_phases.questionnaire import Entry
from engine.round_phases.voting import most_in

HEAD = re.compile(r"Round (\d+) of ")
OUT = re.compile(r"(?:in the revote )?votes to eliminate (.+?)(?::|$)")
CROWN = re.compile(r"(?:in the revote )?votes for (.+?)(?::|$)")


def look_back(
    seen: RoundView,
    entries: Mapping[str, Entry],
    remarks: list[str],
    rng: random.Random,
) -> dict[str, str | None]:
    """Return a script's debrief answers by field, with random guesses of models as a baseline."""
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
    """Return the player's last-named ally, or else the option whose pitches agreed most often.

    A pitch agrees with the player if it attacks somebody that the player voted to eliminate.
    """
    ally = last_ally(seen, seen.options)
    return ally or pick(most_in(count_agreement(seen)), rng)


def count_agreement(seen: RoundView) -> Counter[str]:
    """Return how often each option pitched against players that this player voted against."""
    ballots = [OUT.match(text) for _, text in own_lines(seen)]
    foes = [ballot[1] for ballot in ballots if ballot]
    agreed = Counter(dict.fromkeys(seen.options, 0))
    for line in seen.lines:
        if line.kind == "pitch" and line.player_id in seen.options:
            agreed[line.player_id] += len(named_as_foes(line.text, foes))
    return agreed


def round_of_decision(seen: RoundView) -> int:
    """Return the round in which a player first spoke or voted against a rival of its favourite.

    The favourite is the finalist that the player voted for, or else the player itself. The default
    is the current round.
    """
    ballots = [CROWN.match(text) for _, text in own_lines(seen)]
    favourite = next((ballot[1] for ballot in reversed(ballots) if ballot), seen.player_id)
    rivals = without(seen.active_player_ids, favourite)
    rounds = (number for number, text in own_lines(seen) if named_as_foes(text, rivals))
    return next(rounds, seen.round_index)


def own_lines(seen: RoundView) -> Iterator[tuple[int, str]]:
    """Yield a player's own pitches and votes, with the round of each."""
    number = 1
    for line in seen.lines:
        head = HEAD.match(line.text) if line.player_id is None else None
        if head is not None:
            number = int(head[1])
        if line.player_id == seen.player_id and line.kind in ("pitch", "vote"):
            yield number, line.text


def odds_of_attacks(seen: RoundView) -> dict[str, int]:
    """Return a percentage for each option; more attacks in the round mean a higher percentage."""
    attacks = count_attacks(seen)
    total = sum(1 + attacks[name] for name in seen.options)
    return {name: round(100 * (1 + attacks[name]) / total) for name in seen.options}


def expect_ballot(seen: RoundView, guesses: Mapping[str, Guess]) -> dict[str, int]:
    """Return a script's predictions by field, in percent.

    Players attacked more often in the round are likelier to leave or, in the final, to lose.
    """
    named = tuple(guess.name for guess in guesses.values() if not guess.against)
    odds = odds_of_attacks(replace(seen, options=named))
    lost = odds.get(seen.player_id, 0)
    if seen.final_round:
        odds = {name: (100 - part) // max(1, len(named) - 1) for name, part in odds.items()}
    return {field: lost if guess.against else odds[guess.name] for field, guess in guesses.items()}
