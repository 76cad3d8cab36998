"""Players without a model: each a pure function of the session so far and of its own random stream."""

from functools import partial
from random import Random

from engine.games.guest.rules import ACTIONS, State
from engine.games.guest.session import STOP, Policy, Session, moments

WAIT, STARE, ENCOURAGE = 0, 2, 5
LEAD = 2
AHEAD = 60


def quietest(state: State) -> int:
    """Return the agent with the fewest phonemes, of equals the first."""
    return min(range(3), key=state.phonemes.__getitem__)


def wait(_session: Session, _rng: Random) -> int:
    """Never intervene: the conversation as it goes by itself, which every score is measured from."""
    return WAIT


def uniform(_session: Session, rng: Random) -> int:
    """Draw one of the eight actions, whether it has an effect now or not."""
    return rng.randrange(len(ACTIONS))


def towards_quietest(kind: int, session: Session, _rng: Random) -> int:
    """Do for the quietest agent what `kind` says, in every step: stare at it, or encourage it."""
    return kind + quietest(session.state)


def leader(session: Session, _rng: Random) -> int:
    """Stop a speaker who is at least two phonemes ahead of the quietest; else help the quietest.

    Help is a stare while someone speaks, when encouraging would be void, and else encouragement.
    """
    state = session.state
    speaker, quiet = state.current_speaker, quietest(state)
    if speaker < 0:
        return ENCOURAGE + quiet
    return STOP if state.phonemes[speaker] - state.phonemes[quiet] >= LEAD else STARE + quiet


def bonus(session: Session, _rng: Random) -> int:
    """Stop a speaker once the bonus for the second step of a turn is paid, unless that is the quietest agent.

    "in silence encourage the quietest"; until then, and while the quietest speaks, stare at it.
    """
    state = session.state
    speaker, quiet = state.current_speaker, quietest(state)
    if speaker < 0:
        return ENCOURAGE + quiet
    return STOP if speaker != quiet and state.speaking_time[speaker] >= 1 else STARE + quiet


def greedy(session: Session, _rng: Random) -> int:
    """Try every action on the rules and take the one whose own steps bring the most, of equals the first."""
    return max(
        ACTIONS, key=lambda action: sum(moment.reward for moment in moments(session, action))
    )


def beam(session: Session, _rng: Random) -> int:
    """Follow the best course that a beam search finds from the start of the session.

    Whoever takes this seat over from another, and so is on no such course, searches some steps
    ahead at every decision.
    """
    # NumPy takes longer to import than all the other policies take to play.
    from engine.games.guest.search import plan

    (terms, steps, every), taken = session.frame, session.taken
    course = plan(session.start, terms, steps, every)
    if course[: len(taken)] == taken:
        return course[len(taken)]
    return plan(session.state, terms, min(session.left, AHEAD * every), every)[0]


# The default table seats the last ones first.
POLICIES: dict[str, Policy] = {
    "wait": wait,
    "random": uniform,
    "stare": partial(towards_quietest, STARE),
    "encourage": partial(towards_quietest, ENCOURAGE),
    "leader": leader,
    "bonus": bonus,
    "greedy": greedy,
    "beam": beam,
}
