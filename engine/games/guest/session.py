"""A session as a moderator lives it: one decision each so many steps, and what has come of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, TypeAlias

from engine.games.guest.rules import State, Terms, agents_of, check_count, step

STOP = 1


class Frame(NamedTuple):
    """How a session is played: the terms of its agents, its steps, and how many of them a decision is made for."""

    terms: Terms
    steps: int
    every: int = 1


class Moment(NamedTuple):
    """One step as it was played: the action, the state after it, its reward and the inequality of the phonemes."""

    action: int
    state: State
    reward: float
    gini: float


@dataclass(frozen=True, slots=True)
class Session:
    """A session so far: all that a policy sees.

    `taken` are the decisions, `reward` their sum, `evenness` the sum of 1 - gini, `stops` how many
    turns were cut off.
    """

    frame: Frame
    start: State
    state: State
    taken: tuple[int, ...] = ()
    reward: float = 0.0
    evenness: float = 0.0
    stops: int = 0

    @property
    def left(self) -> int:
        """Steps that are still to be played."""
        return self.frame.steps - self.state.step_counter

    @property
    def equality(self) -> float:
        """The mean of 1 - gini over the steps so far, 1 before the first."""
        return self.evenness / self.state.step_counter if self.state.step_counter else 1.0


Policy: TypeAlias = Callable[[Session, Random], int]


def begin(start: State, frame: Frame) -> Session:
    """Return a session before its first step."""
    return Session(frame, start, start)


def moments(session: Session, action: int) -> tuple[Moment, ...]:
    """Return the steps that a decision is made for: "one decision each k steps, waiting between"."""
    state, played = session.state, []
    for place in range(min(session.frame.every, session.left)):
        now = 0 if place else action
        state, reward, gini = step(state, now, session.frame.terms)
        played.append(Moment(now, state, reward, gini))
    return tuple(played)


def after(session: Session, played: tuple[Moment, ...]) -> Session:
    """Return the session after the steps of one decision."""
    action, stopped = (
        played[0].action,
        played[0].action == STOP and session.state.current_speaker >= 0,
    )
    return Session(
        session.frame,
        session.start,
        played[-1].state,
        (*session.taken, action),
        session.reward + sum(moment.reward for moment in played),
        session.evenness + sum(1 - moment.gini for moment in played),
        session.stops + stopped,
    )


def play(policy: Policy, session: Session, rng: Random) -> Session:
    """Return the session as `policy` plays it to its end."""
    while session.left > 0:
        session = after(session, moments(session, policy(session, rng)))
    return session


def frame_of(settings: Mapping[str, Any]) -> Frame:
    """Return how a session with the settings of a game is played; ValueError says which cannot be."""
    params = settings.get("agent_params")
    agents = agents_of(params and {int(place): agent for place, agent in params.items()})
    terms = Terms(settings["imbalance_factor"], agents)
    return Frame(terms, check_count("max_steps", settings["max_steps"]), settings["every"])
