"""Hold a finished log to the oracle of its game: a second implementation of the game's rules."""

from collections.abc import Mapping

from engine.history import History
from tests.oracles import conversation, deliberations, dilemma, guest, talks
from tests.oracles.reading import Check, Checks

ORACLES: Mapping[str, Checks] = {
    "conversation": conversation.CHECKS,
    "deliberations": deliberations.CHECKS,
    "dilemma": dilemma.CHECKS,
    "guest": guest.CHECKS,
    "talks": talks.CHECKS,
}


def broken_rules(history: History) -> dict[str, list[str]]:
    """Return the rules of its game's oracle that a log breaks, with the breaches of each."""
    found = {rule: breaches_of(check, history) for rule, check in ORACLES[history.game].items()}
    return {rule: breaches for rule, breaches in found.items() if breaches}


def breaches_of(check: Check, history: History) -> list[str]:
    """Return the breaches that `check` finds; an unreadable log is a breach."""
    try:
        return [*check(history)]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return [f"expected a log that can be read by this rule: {error!r:.200}"]
