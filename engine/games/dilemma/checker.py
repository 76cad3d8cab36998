"""The rules that a finished log can be held to: points, pairings, eliminations, and answers as they took effect."""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

from engine.games.dilemma.rules import score_of_moves
from engine.games.dilemma.tournament import lowest


def points(log: Mapping[str, Any]) -> Iterator[str]:
    """Yield each game whose points are not those of its moves."""
    for index, match in of_kind(log, "match"):
        sides = match["moves"]
        expected = dict(zip(sides, score_of_moves(*sides.values()), strict=True))
        if match["points"] != expected:
            yield f"round {index}: expected the points {expected}: got {match['points']}"


def pairings(log: Mapping[str, Any]) -> Iterator[str]:
    """Yield each round that is not "every agent plays every other agent", all of them games of one length."""
    for one in log["rounds"]:
        matches = [
            match["moves"] for index, match in of_kind(log, "match") if index == one["round_index"]
        ]
        if [(*sides,) for sides in matches] != [*combinations(one["active_player_ids"], 2)]:
            yield f"round {one['round_index']}: expected one game of each pair of {', '.join(one['active_player_ids'])}"
        if len({len(moves) for sides in matches for moves in sides.values()}) != 1:
            yield f"round {one['round_index']}: expected games of one length"


def eliminations(log: Mapping[str, Any]) -> Iterator[str]:
    """Yield each standing that is not the sum of its round's games, or after which others left than the lowest."""
    standings = dict(of_kind(log, "standing"))
    for one, after in zip(log["rounds"], [*log["rounds"][1:], None], strict=True):
        index, active = one["round_index"], one["active_player_ids"]
        matches = [match["points"] for number, match in of_kind(log, "match") if number == index]
        sums = {name: sum(match.get(name, 0) for match in matches) for name in active}
        told = standings[index]
        if told["table"] != sums:
            yield f"round {index}: expected the sums {sums}: got {told['table']}"
        if set(told["dropped"]) != set(lowest(sums)):
            yield f"round {index}: expected {[*lowest(sums)]} to be dropped: got {told['dropped']}"
        if after is not None and set(after["active_player_ids"]) != set(active) - set(
            told["dropped"]
        ):
            yield f"round {index}: expected the others to go on: got {after['active_player_ids']}"


def answers(log: Mapping[str, Any]) -> Iterator[str]:
    """Yield each answer of a model or person that did not take effect as it was given, save for its flips."""
    matches = {(index, *match["moves"]): match for index, match in of_kind(log, "match")}
    for one in log["rounds"]:
        for event in one["events"]:
            if event["kind"] != "block":
                continue
            own, block = event["player_id"], event["data"]
            pair = (one["round_index"], own, block["opponent"])
            match = matches[pair if pair in matches else (pair[0], pair[2], pair[1])]
            played, flips, begun = match["moves"][own], match["flips"][own], block["move"]
            for move, (answer, effect) in enumerate(
                zip(block["answer"], played[begun:], strict=False), begun
            ):
                if (answer != effect) != (move in flips):
                    yield f"round {pair[0]}: expected {own}'s {answer} in move {move} against {pair[2]}, but for flips"


def of_kind(log: Mapping[str, Any], kind: str) -> Iterator[tuple[int, Any]]:
    """Yield the facts of all events of a kind, each with its round's number."""
    for one in log["rounds"]:
        for event in one["events"]:
            if event["kind"] == kind:
                yield one["round_index"], event["data"]


CHECKS: dict[str, Callable[[Any], Iterator[str]]] = {
    "points": points,
    "pairings": pairings,
    "eliminations": eliminations,
    "answers": answers,
}
