"""What a session is worth: its reward between that of waiting and that of the best course known from the same start."""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from engine.games.guest.policies import beam, wait
from engine.games.guest.rules import State
from engine.games.guest.session import Frame, Session, begin, play

# Rewards that agree so far are equal: their sums differ by the order in which they were added.
DIGITS = 9


class Marks(NamedTuple):
    """The rewards that a score is measured by, from one start: of waiting, and of the beam search."""

    wait: float
    beam: float


@lru_cache(maxsize=256)
def marks_of(start: State, frame: Frame) -> Marks:
    """Return the marks of a session; both decide as seldom as whoever is measured."""
    return Marks(*(play(policy, begin(start, frame), Random(0)).reward for policy in (wait, beam)))


def score_of(reward: float, marks: Marks) -> float:
    """Return "(R - R_wait) / (R_beam - R_wait)": 0 is waiting, 1 the best course known; 0.0 where those are equal."""
    span = marks.beam - marks.wait
    return (reward - marks.wait) / span if span else 0.0


def places_of(sessions: Mapping[str, Session]) -> dict[str, int]:
    """Return the place of each session by its reward, the most first; equals share a place."""
    rewards = {name: round(session.reward, DIGITS) for name, session in sessions.items()}
    return {
        name: 1 + sum(other > own for other in rewards.values()) for name, own in rewards.items()
    }


def figures_of(sessions: Mapping[str, Session]) -> dict[str, dict[str, float]]:
    """Return the figures of each session: the reward, and beside it what the reward does not say."""
    return {
        name: {"reward": session.reward, "equality": session.equality, "stops": session.stops}
        for name, session in sessions.items()
    }


def summary_of(sessions: Mapping[str, Session], marks: Marks) -> str:
    """Return who moderated best, and how far that is from waiting and from the best course known."""
    places = places_of(sessions)
    best = [name for name in sessions if places[name] == 1]
    session, many = sessions[best[0]], len(best) > 1
    return (
        f"{' and '.join(best)} moderate{'' if many else 's'} best with a reward of {session.reward:.2f}, "
        f"equality {session.equality:.3f} and {session.stops} stops; "
        f"waiting brings {marks.wait:.2f}, the best course known {marks.beam:.2f}."
    )


def outcome_of(sessions: Mapping[str, Session]) -> dict[str, Any]:
    """Return how the sessions ended, by the names of an outcome's parts; all of them began alike."""
    first = next(iter(sessions.values()))
    marks = marks_of(first.start, first.frame)
    return {
        "placements": places_of(sessions),
        "scores": {name: score_of(session.reward, marks) for name, session in sessions.items()},
        "figures": figures_of(sessions),
        "shared": marks._asdict(),
        "summary": summary_of(sessions, marks),
    }
