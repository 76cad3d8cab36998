"""What scripted players expect of a ballot: from whom others spoke against; nothing is drawn."""

from collections.abc import Mapping
from dataclasses import replace

from engine.games.deliberations.listening import count_attacks
from engine.round_phases import RoundView
from engine.round_phases.probes import Guess


def expect_ballot(seen: RoundView, guesses: Mapping[str, Guess]) -> dict[str, int]:
    """Return a script's per cents by field.

    The more speeches of the round are against a player the likelier it leaves, or loses the final,
    and the likelier anybody votes against it.
    """
    named = tuple(guess.name for guess in guesses.values() if not guess.against)
    attacks = count_attacks(replace(seen, options=named))
    total = sum(1 + attacks[name] for name in named)
    odds = {name: round(100 * (1 + attacks[name]) / total) for name in named}
    lost = odds.get(seen.player_id, 0)
    if seen.final_round:
        odds = {name: (100 - part) // max(1, len(named) - 1) for name, part in odds.items()}
    return {field: lost if guess.against else odds[guess.name] for field, guess in guesses.items()}
