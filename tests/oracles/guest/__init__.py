"""The rules as checks on a finished log, which play it again: start, steps, answers, outcome."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.games.guest.record import CHOICES, Act, Opening, StepFacts, Steps, facts_of
from engine.games.guest.rules import Trio, skew_energies, start_state
from engine.games.guest.scoring import outcome_of
from engine.games.guest.session import (
    Moment,
    Session,
    advance_session,
    begin,
    frame_of,
    moments,
)
from engine.history import Event, History, Outcome, payload_of
from tests.oracles.reading import Checks, check_headings, check_usage

OUTCOME_PARTS = (
    "placements",
    "scores",
    "figures",
    "shared",
    "summary",
)


def check_start(history: History) -> Iterator[str]:
    """Check the energies of the start.

    "[0.5*(1-imbalance), 0.5, 0.5*(1+imbalance)]", or else "uniform random in [0.4, 0.6]".
    """
    energy = starting_energy(history)
    skew = history.config["game"]["energy_imbalance"]
    if not skew:
        drawn = all(0.4 <= one <= 0.6 for one in energy)
        if not drawn:
            yield f"start: expected three energies from 0.4 to 0.6: got {[*energy]}"
        return

    skewed = skew_energies(skew)
    if energy != skewed:
        yield f"start: expected the energies {[*skewed]}: got {[*energy]}"


def check_steps(history: History) -> Iterator[str]:
    """Check that the steps of each decision are those that the rules make of it."""
    for decision in replay_decisions(history, opening_sessions(history)):
        if decision.logged != decision.expected:
            expected = [*decision.expected]
            logged = [*decision.logged]
            yield f"{decision.where}: expected the steps {expected}: got {logged}"


def check_answers(history: History) -> Iterator[str]:
    """Check that each answer was carried out."""
    for decision in replay_decisions(history, opening_sessions(history)):
        played = decision.logged[0].action
        if decision.answer != played:
            yield f"{decision.where}: expected {decision.answer!r} to be done: got {played!r}"


def check_outcome(history: History) -> Iterator[str]:
    """Check that the sessions are complete, and that the outcome follows from them."""
    sessions = opening_sessions(history)
    for _ in replay_decisions(history, sessions):
        pass
    for name, session in sessions.items():
        if session.left:
            steps = session.frame.steps
            taken = session.state.step_counter
            yield f"{name}: expected {steps} steps: got {taken}"

    expected = outcome_of(sessions)
    found = history.outcome or Outcome({}, {})
    for name in OUTCOME_PARTS:
        due = getattr(expected, name)
        got = getattr(found, name)
        if got != due:
            yield f"outcome: expected the {name} {due}: got {got}"


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """One decision of a log: where, the answer, its steps as logged and by the rules."""

    where: str
    answer: str
    logged: tuple[StepFacts, ...]
    expected: tuple[StepFacts, ...]


def opening_sessions(history: History) -> dict[str, Session]:
    """Return every player's session before its first step."""
    state = start_state(starting_energy(history))
    session = begin(state, frame_of(history.config["game"]))
    return {seat.player_id: session for seat in history.players}


def replay_decisions(history: History, sessions: dict[str, Session]) -> Iterator[LoggedDecision]:
    """Yield every decision, and advance `sessions` by what was done."""
    answers: dict[str | None, str] = {}
    for log in history.rounds:
        for event in log.events:
            match event.kind:
                case "action":
                    answers[event.player_id] = payload_of(event, Act).action
                case "step":
                    steps = payload_of(event, Steps)
                    name = steps.player_id
                    played = play_again(sessions[name], steps)
                    sessions[name] = advance_session(sessions[name], played)
                    yield LoggedDecision(
                        where=f"round {log.round_index}, {name}",
                        answer=answers.pop(name),
                        logged=steps.steps,
                        expected=facts_of(played),
                    )


def play_again(session: Session, steps: Steps) -> tuple[Moment, ...]:
    """Return the steps that the rules make of the logged decision."""
    action = steps.steps[0].action
    return moments(session, CHOICES.index(action))


def starting_energy(history: History) -> Trio:
    """Return the energies that all sessions of a log began with."""
    return payload_of(history.rounds[0].events[0], Opening).energy


def heading_of_steps(event: Event) -> str:
    """Return the heading of what a decision did: which steps it took."""
    steps = payload_of(event, Steps).steps
    first = steps[0].step
    last = steps[-1].step
    return f"Step {first}" if first == last else f"Steps {first} to {last}"


CHECKS: Checks = {
    "start": check_start,
    "steps": check_steps,
    "answers": check_answers,
    "outcome": check_outcome,
    "headings": check_headings(step=heading_of_steps),
    "usage": check_usage,
}
