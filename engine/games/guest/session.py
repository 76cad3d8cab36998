"""A session as a moderator plays it: one decision every few steps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, TypeAlias

from engine.games.guest.rules import State, Terms, agents_of, check_count, step

WAIT = 0
STOP = 1


class Frame(NamedTuple):
    """The frame of a session: its terms, its number of steps, and the steps per decision."""

    terms: Terms
    steps: int
    every: int = 1


class Moment(NamedTuple):
    """One step as played: the action, the state after it, the reward, and the Gini coefficient."""

    action: int
    state: State
    reward: float
    gini: float


@dataclass(frozen=True, slots=True)
class Session:
    """A session so far, as policies see it: the decisions `taken`, and sums over its steps."""

    frame: Frame
    start: State
    state: State
    taken: tuple[int, ...] = ()
    reward: float = 0.0
    evenness: float = 0.0
    stops: int = 0

    @property
    def left(self) -> int:
        """The number of steps still to be played."""
        return self.frame.steps - self.state.step_counter

    @property
    def equality(self) -> float:
        """The mean of 1 - gini over the steps so far, or 1 before the first step."""
        steps = self.state.step_counter
        return self.evenness / steps if steps else 1.0


Policy: TypeAlias = Callable[[Session, Random], int]


def begin(start: State, frame: Frame) -> Session:
    """Return a session before its first step."""
    return Session(frame, start, start)


def moments(session: Session, action: int) -> tuple[Moment, ...]:
    """Return the steps of one decision: "one decision each k steps, waiting between"."""
    terms = session.frame.terms
    state = session.state
    played = []
    for place in range(min(session.frame.every, session.left)):
        now = action if place == 0 else WAIT
        state, reward, gini = step(state, now, terms)
        played.append(Moment(now, state, reward, gini))
    return tuple(played)


def advance_session(session: Session, played: tuple[Moment, ...]) -> Session:
    """Return the session after the steps of one decision."""
    action = played[0].action
    stopped = action == STOP and session.state.current_speaker >= 0
    reward = sum(moment.reward for moment in played)
    evenness = sum(1 - moment.gini for moment in played)
    return Session(
        frame=session.frame,
        start=session.start,
        state=played[-1].state,
        taken=(*session.taken, action),
        reward=session.reward + reward,
        evenness=session.evenness + evenness,
        stops=session.stops + stopped,
    )


def play(
    policy: Policy,
    session: Session,
    rng: Random,
) -> Session:
    """Return the session after `policy` has played it to the end."""
    while session.left > 0:
        action = policy(session, rng)
        session = advance_session(session, moments(session, action))
    return session


def frame_of(settings: Mapping[str, Any]) -> Frame:
    """Return the frame for a game's settings, or raise ValueError naming an invalid setting."""
    params = settings.get("agent_params")
    if params:
        params = {int(place): agent for place, agent in params.items()}
    terms = Terms(settings["imbalance_factor"], agents_of(params))
    steps = check_count("max_steps", settings["max_steps"])
    return Frame(terms, steps, settings["every"])


# Earlier names, which notebooks import.
after = advance_session
