"""The numbers behind each turn of a talk, as the log has them: urgencies, payoffs, criteria."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.history import Event
from engine.report.tables import Facts, Table

BECAUSE = ("addressed", "dominant", "below_average", "ping_pong")


def explanation(event: Event) -> Iterator[Facts | Table]:
    """Yield the numbers behind a turn: who wanted to speak, which moves were open, what each criterion said."""
    if event.kind == "selection":
        yield from choice(event.data)
    elif event.kind == "check":
        yield Facts(f"Criteria after exchange {event.data['exchanges']}", (*criteria(event.data),))


def choice(data: Mapping[str, Any]) -> Iterator[Table]:
    """Yield how everybody's urgency came about, and the chosen speaker's payoffs, as computed and after the damper."""
    wishes = []
    for name, wish in data["wishes"].items():
        because = ", ".join(fact.replace("_", " ") for fact in BECAUSE if wish[fact])
        chosen = "speaks" if name == data["speaker"] else ""
        wishes.append((name, wish["urgency"], wish["noise"], wish["score"], because, chosen))
    yield Table("Who speaks", ("player", "urgency", "noise", "score", "because", ""), tuple(wishes))
    towards = f"to {data['target']}" if data["target"] else "to the group"
    moves = [
        (move, value, data["adjusted"][move], f"chosen, {towards}" if move == data["move"] else "")
        for move, value in data["payoffs"].items()
    ]
    yield Table(f"{data['speaker']}'s moves", ("move", "payoff", "adjusted", ""), tuple(moves))


def criteria(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the value of each criterion beside its bound, and whether it is met."""
    votes = ", ".join(f"{name} {payoff:.2f}" for name, payoff in data["conclude_payoffs"].items())
    aspects, exchanges = (
        f"{data[one]} of {data[f'needed_{one}']} {one}" for one in ("aspects", "exchanges")
    )
    novelty = f"{data['novelty']:.2f} (met below {data['min_novelty']:g})"
    convergence = f"{data['convergence']:.2f} (met above {data['min_convergence']:g})"
    yield "Depth explored", f"{met(data['depth_complete'])}: {aspects}, {exchanges}"
    yield "Novelty exhausted", f"{met(data['novelty_exhausted'])}: {novelty}"
    yield "Want to conclude", f"{met(data['want_conclude'])}: {votes}"
    yield "High convergence", f"{met(data['high_convergence'])}: {convergence}"
    yield (
        "Cap reached",
        f"{met(data['exchanges'] >= data['cap'])}: {data['exchanges']} of {data['cap']} exchanges",
    )


def met(criterion: bool) -> str:
    """Return a criterion's answer in a word."""
    return "yes" if criterion else "no"
