"""The rules of GuestEnv as checks on a finished log, which play it again by code of their own."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from engine.games.guest.record import Act, Opening, Steps
from engine.history import History, Outcome, payload_of
from tests.oracles.guest.room import Room, room_of
from tests.oracles.reading import Checks, agree, check_usage, ids_of, setting_of

SAME_TO = 9  # digits to which two rewards are the same


class LoggedDecision(NamedTuple):
    """One decision of a log: where, the answer, its steps as logged and by the rules."""

    where: str
    answer: str
    logged: list[dict[str, Any]]
    due: list[dict[str, Any]]


def check_start(history: History) -> Iterator[str]:
    """Check the initial energies.

    "[0.5*(1-imbalance), 0.5, 0.5*(1+imbalance)]", or else "uniform random in [0.4, 0.6]".
    """
    energy = starting_energy(history)
    x = setting_of(history, "energy_imbalance")
    if not x:
        if not all(0.4 <= one <= 0.6 for one in energy):
            yield f"start: expected three energies from 0.4 to 0.6: got {[*energy]}"
        return
    due = [0.5 * (1 - x), 0.5, 0.5 * (1 + x)]
    if [*energy] != due:
        yield f"start: expected the energies {due}: got {[*energy]}"


def check_steps(history: History) -> Iterator[str]:
    """Check that the steps of each decision follow from it by the rules."""
    for decision in decisions_of(history, opening_rooms(history)):
        if not agree(decision.logged, decision.due):
            yield f"{decision.where}: expected the steps {decision.due}: got {decision.logged}"


def check_answers(history: History) -> Iterator[str]:
    """Check that each answer was carried out."""
    for decision in decisions_of(history, opening_rooms(history)):
        played = decision.logged[0]["action"]
        if decision.answer != played:
            yield f"{decision.where}: expected {decision.answer!r} to be done: got {played!r}"


def check_outcome(history: History) -> Iterator[str]:
    """Check that the sessions are complete, and that the outcome follows from them.

    No rule says how good the best known course is, so that mark is taken from the log.
    """
    rooms = opening_rooms(history)
    for _ in decisions_of(history, rooms):
        pass
    steps = setting_of(history, "max_steps")
    for name, room in rooms.items():
        if room.steps != steps:
            yield f"{name}: expected {steps} steps: got {room.steps}"

    found = asdict(history.outcome or Outcome({}, {}))
    marks = {"wait": reward_of_waiting(history), "beam": found["shared"].get("beam", 0.0)}
    for name, due in outcome_due(rooms, marks).items():
        if not agree(found[name], due):
            yield f"outcome: expected the {name} {due}: got {found[name]}"


def decisions_of(history: History, rooms: Mapping[str, Room]) -> Iterator[LoggedDecision]:
    """Yield every decision, and play its steps in the player's room: one action, then waiting."""
    answers: dict[str | None, str] = {}
    every = setting_of(history, "every")
    steps = setting_of(history, "max_steps")
    for log in history.rounds:
        for event in log.events:
            if event.kind == "action":
                answers[event.player_id] = payload_of(event, Act).action
            if event.kind != "step":
                continue
            told = payload_of(event, Steps)
            room = rooms[told.player_id]
            actions = [told.steps[0].action] + ["wait"] * (every - 1)
            yield LoggedDecision(
                where=f"round {log.round_index}, {told.player_id}",
                answer=answers.pop(told.player_id),
                logged=[asdict(step) for step in told.steps],
                due=[room.play(action) for action in actions[: steps - room.steps]],
            )


def outcome_due(rooms: Mapping[str, Room], marks: Mapping[str, float]) -> dict[str, Any]:
    """Return how the sessions must have ended: places by reward, "(R - wait) / (beam - wait)"."""
    rewards = {name: round(room.reward, SAME_TO) for name, room in rooms.items()}
    placements, scores, figures = {}, {}, {}
    span = marks["beam"] - marks["wait"]
    for name, room in rooms.items():
        placements[name] = 1 + sum(other > rewards[name] for other in rewards.values())
        scores[name] = (room.reward - marks["wait"]) / span if span else 0.0
        equality = room.equality / room.steps if room.steps else 1.0
        figures[name] = {"reward": room.reward, "equality": equality, "stops": room.stops}
    best = [name for name, place in placements.items() if place == 1]
    verb = "moderates" if len(best) == 1 else "moderate"
    first = figures[best[0]]
    return {
        "placements": placements,
        "scores": scores,
        "figures": figures,
        "shared": dict(marks),
        "summary": f"{' and '.join(best)} {verb} best with a reward of {first['reward']:.2f}, "
        f"equality {first['equality']:.3f} and {first['stops']} stops; "
        f"waiting brings {marks['wait']:.2f}, the best course known {marks['beam']:.2f}.",
    }


def reward_of_waiting(history: History) -> float:
    """Return the reward of a session in which the Guest does nothing."""
    room = room_of(history.config["game"], starting_energy(history))
    for _ in range(setting_of(history, "max_steps")):
        room.play("wait")
    return room.reward


def opening_rooms(history: History) -> dict[str, Room]:
    """Return every player's room before its first step."""
    energy = starting_energy(history)
    return {name: room_of(history.config["game"], energy) for name in ids_of(history)}


def starting_energy(history: History) -> tuple[float, float, float]:
    """Return the energies that all sessions of a log began with."""
    return payload_of(history.rounds[0].events[0], Opening).energy


CHECKS: Checks = {
    "start": check_start,
    "steps": check_steps,
    "answers": check_answers,
    "outcome": check_outcome,
    "usage": check_usage,
}
