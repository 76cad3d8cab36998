"""Influences on votes, all else equal: conditional logits for rounds, juries and exits.

Each entrant has its own appeal, so a coefficient compares a model with itself. Coefficients show
how much more often the model is chosen if it is listed first, shares the voter's provider, or spoke
longer than usual.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from labs.bias.estimators import Effect, choice_effects
from labs.deliberations.facts import GameFacts, RoundFacts

Choice = dict[str, Any]
Cases = list[Choice]
MARKS = {
    "words": "longer pitch",
    "same_provider": "same provider",
    "listed_first": "listed first",
}


def appeal_effects(games: Sequence[GameFacts]) -> dict[str, Effect]:
    """Return the influences on votes in rounds and juries, and on exits, in logits.

    The unit of `words` is one standard deviation over all pitches. An exit is a single choice by
    all voters of a round, so the votes against a long speaker count as one case, not many.
    """
    against, juries, leaving = choices_in(games)
    effects = marked_effects("out", against) | marked_effects("wins", juries)
    by_round = choice_effects(leaving)
    if "words" in by_round:
        effects["leaves: longer pitch"] = by_round["words"]
    return effects


def choices_in(games: Sequence[GameFacts]) -> tuple[Cases, Cases, Cases]:
    """Return the votes in rounds, the votes of juries, and the exits, all as choices."""
    against: Cases = []
    juries: Cases = []
    leaving: Cases = []
    for game in games:
        entrants = entrants_apart(game)
        for around in game.rounds:
            votes = [ballot.as_choice(entrants) for ballot in around.ballots]
            if around.final:
                juries += votes
            elif votes:
                against += votes
                leaving.append(leaving_as_choice(game.game_id, around, entrants))
    return against, juries, leaving


def marked_effects(aim: str, votes: Sequence[Choice]) -> dict[str, Effect]:
    """Return the effects on votes with this aim, by their names in the report."""
    effects = choice_effects(votes)
    return {f"{aim}: {name}": effects[mark] for mark, name in MARKS.items() if mark in effects}


def entrants_apart(game: GameFacts) -> dict[str, str]:
    """Return the entrant in each seat; numbers distinguish repeated seats of one entrant."""
    seats = Counter[str]()
    entrants = {}
    for seat in game.seats:
        seats[seat.entrant] += 1
        number = seats[seat.entrant]
        entrants[seat.player_id] = seat.entrant if number == 1 else f"{seat.entrant} {number}"
    return entrants


def leaving_as_choice(
    game_id: str,
    around: RoundFacts,
    entrants: Mapping[str, str],
) -> Choice:
    """Return the exit in a round as a choice among all its candidates."""
    words: dict[str, int | None] = {}
    for ballot in around.ballots:
        for name in ballot.candidates:
            words[name] = ballot.words.get(name)
    options = sorted(words)
    return {
        "game": game_id,
        "options": [entrants[name] for name in options],
        "chosen": entrants.get(around.selected or ""),
        "words": [words[name] for name in options],
    }
