"""Scripted moderators: pure functions of the session so far and of a random stream."""

from random import Random

from engine.games.guest.rules import ACTIONS, NOBODY, State
from engine.games.guest.session import STOP, WAIT, Policy, Session, moments

STARE, ENCOURAGE = 2, 5
LEAD = 2
AHEAD = 60


def quietest(state: State) -> int:
    """Return the agent with the fewest phonemes; the first one wins ties."""
    return state.phonemes.index(min(state.phonemes))


def help_quietest(state: State) -> int:
    """Encourage the quietest agent in silence, and stare at it while an agent speaks."""
    return (ENCOURAGE if state.current_speaker < 0 else STARE) + quietest(state)


def wait(_session: Session, _rng: Random) -> int:
    """Never intervene: the baseline for every score."""
    return WAIT


def any_action(_session: Session, rng: Random) -> int:
    """Take one of the eight actions at random, whether or not it has an effect now."""
    return rng.randrange(len(ACTIONS))


def stare(session: Session, _rng: Random) -> int:
    """Stare at the quietest agent in every step."""
    return STARE + quietest(session.state)


def encourage(session: Session, _rng: Random) -> int:
    """Encourage the quietest agent in every step; this has no effect while an agent speaks."""
    return ENCOURAGE + quietest(session.state)


def leader(session: Session, _rng: Random) -> int:
    """Stop a speaker that leads the quietest agent by two or more phonemes; else help that agent.

    The policy helps by staring while an agent speaks, and by encouraging in silence.
    """
    state = session.state
    speaker = state.current_speaker
    if speaker >= 0 and state.phonemes[speaker] - min(state.phonemes) >= LEAD:
        return STOP
    return help_quietest(state)


def collect_bonus(session: Session, _rng: Random) -> int:
    """Stop a speaker, except the quietest agent, once its turn has earned the second-step bonus.

    Otherwise, "in silence encourage the quietest" agent, and stare at it while an agent speaks.
    """
    state = session.state
    speaker = state.current_speaker
    if speaker not in (NOBODY, quietest(state)) and state.speaking_time[speaker] >= 1:
        return STOP
    return help_quietest(state)


def most_rewarding(session: Session, _rng: Random) -> int:
    """Take the action with the most reward until the next decision; the first one wins ties."""

    def reward_of(action: int) -> float:
        return sum(moment.reward for moment in moments(session, action))

    return max(ACTIONS, key=reward_of)


def beam(session: Session, _rng: Random) -> int:
    """Follow the best course that a beam search finds from the start of the session.

    If the session has left that course, the policy searches up to AHEAD decisions ahead every time.
    """
    # NumPy takes longer to import than all the other policies take to play.
    from engine.games.guest.search import plan

    terms, steps, every = session.frame
    taken = session.taken
    course = plan(session.start, terms, steps, every)
    if course[: len(taken)] == taken:
        return course[len(taken)]
    steps = min(session.left, AHEAD * every)
    return plan(session.state, terms, steps, every)[0]


# A default game seats the last policies first.
POLICIES: dict[str, Policy] = {
    "wait": wait,
    "random": any_action,
    "stare": stare,
    "encourage": encourage,
    "leader": leader,
    "bonus": collect_bonus,
    "greedy": most_rewarding,
    "beam": beam,
}
