"""A session's score: its reward relative to waiting and to the best known course."""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import NamedTuple

from engine.games.guest.policies import beam, wait
from engine.games.guest.rules import State
from engine.games.guest.session import Frame, Session, begin, play
from engine.history import Outcome
from engine.report.statistics import places_of

# Rewards that agree to this many digits count as equal: sums depend on the order of addition.
DIGITS = 9


class Marks(NamedTuple):
    """The rewards that a score is measured against: those of waiting and of the beam search."""

    wait: float
    beam: float


@lru_cache(maxsize=256)
def marks_of(start: State, frame: Frame) -> Marks:
    """Return the rewards of waiting and of the beam search, deciding as often as the players do."""
    session = begin(start, frame)
    waited = play(wait, session, Random(0))
    searched = play(beam, session, Random(0))
    return Marks(waited.reward, searched.reward)


def score_between(reward: float, marks: Marks) -> float:
    """Return "(R - R_wait) / (R_beam - R_wait)", or 0.0 if the marks are equal."""
    span = marks.beam - marks.wait
    return (reward - marks.wait) / span if span else 0.0


def rank_by_reward(sessions: Mapping[str, Session]) -> dict[str, int]:
    """Return each session's place by reward, highest first; equal rewards share a place."""
    return places_of({name: round(session.reward, DIGITS) for name, session in sessions.items()})


def session_figures(session: Session) -> dict[str, float]:
    """Return a session's reward, its equality, and its number of stops."""
    return {
        "reward": session.reward,
        "equality": session.equality,
        "stops": session.stops,
    }


def summarise_sessions(sessions: Mapping[str, Session], marks: Marks) -> str:
    """Return a sentence with the best moderators, and the rewards of waiting and of the search."""
    places = rank_by_reward(sessions)
    best = [name for name in sessions if places[name] == 1]
    names = " and ".join(best)
    verb = "moderates" if len(best) == 1 else "moderate"
    session = sessions[best[0]]
    return (
        f"{names} {verb} best with a reward of {session.reward:.2f}, "
        f"equality {session.equality:.3f} and {session.stops} stops; "
        f"waiting brings {marks.wait:.2f}, the best course known {marks.beam:.2f}."
    )


def outcome_of(sessions: Mapping[str, Session]) -> Outcome:
    """Return the outcome of sessions that all had the same start."""
    first = next(iter(sessions.values()))
    marks = marks_of(first.start, first.frame)
    scores = {}
    figures = {}
    for name, session in sessions.items():
        scores[name] = score_between(session.reward, marks)
        figures[name] = session_figures(session)
    return Outcome(
        placements=rank_by_reward(sessions),
        scores=scores,
        figures=figures,
        shared=marks._asdict(),
        summary=summarise_sessions(sessions, marks),
    )
