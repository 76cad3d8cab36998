"""The rules that a finished log can be held to: start, steps, answers and outcome, all of it played again."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from engine.games.guest.record import CHOICES, facts_of
from engine.games.guest.rules import skewed, start_state
from engine.games.guest.scoring import outcome_of
from engine.games.guest.session import Session, after, begin, frame_of, moments

Log = Mapping[str, Any]


def start(log: Log) -> Iterator[str]:
    """Yield the start if it is not "[0.5*(1-imbalance), 0.5, 0.5*(1+imbalance)]" nor "uniform random in [0.4, 0.6]"."""
    energy, skew = start_of(log), log["config"]["game"]["energy_imbalance"]
    if skew and energy != [*skewed(skew)]:
        yield f"start: expected the energies {[*skewed(skew)]}: got {energy}"
    if not skew and not all(0.4 <= one <= 0.6 for one in energy):
        yield f"start: expected three energies from 0.4 to 0.6: got {energy}"


def steps(log: Log) -> Iterator[str]:
    """Yield each decision whose steps are not what the rules make of it."""
    for decision in decisions(log, begun(log)):
        if decision.logged != decision.expected:
            yield f"{decision.where}: expected the steps {decision.expected}: got {decision.logged}"


def answers(log: Log) -> Iterator[str]:
    """Yield each answer that was not done."""
    for decision in decisions(log, begun(log)):
        if decision.answer != decision.logged[0]["action"]:
            yield f"{decision.where}: expected {decision.answer!r} to be done: got {decision.logged[0]['action']!r}"


def outcome(log: Log) -> Iterator[str]:
    """Yield whatever of the outcome does not follow from the sessions as the rules play them."""
    sessions = begun(log)
    for _ in decisions(log, sessions):
        pass
    for name, session in sessions.items():
        if session.left:
            yield f"{name}: expected {session.frame.steps} steps: got {session.state.step_counter}"
    for name, expected in outcome_of(sessions).items():
        if log["outcome"][name] != expected:
            yield f"outcome: expected the {name} {expected}: got {log['outcome'][name]}"


class Decision(NamedTuple):
    """One decision of a log: where it stands, what was answered, and its steps as logged and as the rules have them."""

    where: str
    answer: str
    logged: list[Any]
    expected: list[Any]


def begun(log: Log) -> dict[str, Session]:
    """Return everybody's session before its first step."""
    state, frame = start_state(start_of(log)), frame_of(log["config"]["game"])
    return {player["player_id"]: begin(state, frame) for player in log["players"]}


def decisions(log: Log, sessions: dict[str, Session]) -> Iterator[Decision]:
    """Yield every decision, and play `sessions` on by what was done."""
    answered = {}
    for one in log["rounds"]:
        for event in one["events"]:
            if event["kind"] == "action":
                answered[event["player_id"]] = event["data"]["action"]
            elif event["kind"] == "step":
                name, logged = event["data"]["player_id"], event["data"]["steps"]
                played = moments(sessions[name], CHOICES.index(logged[0]["action"]))
                sessions[name] = after(sessions[name], played)
                where = f"round {one['round_index']}, {name}"
                yield Decision(where, answered.pop(name), logged, facts_of(played))


def start_of(log: Log) -> list[float]:
    """Return the energies that a log says everybody began with."""
    energy: list[float] = log["rounds"][0]["events"][0]["data"]["energy"]
    return energy


CHECKS: dict[str, Callable[[Any], Iterator[str]]] = {
    "start": start,
    "steps": steps,
    "answers": answers,
    "outcome": outcome,
}
