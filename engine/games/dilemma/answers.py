"""The answers behind a log: each block of moves as it was chosen, before flips."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.games.dilemma.rules import FIELDS, OTHER
from engine.history import Event, History


def blocks_in(history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
    """Yield every block of moves with its answer, in the order in which they were asked for.

    A block without an event of its own is read from its match, before flips.
    """
    size = history.config["game"]["block"]
    for log in history.rounds:
        own: dict[tuple[str | None, str, int], Event] = {}
        matches = []
        for event in log.events:
            if event.kind == "block":
                own[event.player_id, event.data["opponent"], event.data["move"]] = event
            elif event.kind == "match":
                matches.append(event)
        for begin in range(0, max(map(moves_in, matches), default=0), size):
            for match in matches:
                first, second = match.data["moves"]
                for player_id, opponent in ((first, second), (second, first)):
                    block = own.get((player_id, opponent, begin))
                    if block is None:
                        moves = answered_moves(match, player_id, begin, size)
                        yield replace(match, player_id=player_id), answer_of(moves)
                    else:
                        yield block, answer_of(block.data["answer"], block.data["rationale"])


def moves_in(match: Event) -> int:
    """Return how many moves each side made in a match."""
    return max(map(len, match.data["moves"].values()))


def answered_moves(match: Event, player_id: str, begin: int, size: int) -> str:
    """Return the moves that a player chose from `begin` on; moves that nobody saw count as D."""
    flips = match.data["flips"][player_id]
    chosen = ""
    for number, move in enumerate(match.data["moves"][player_id][begin : begin + size], begin):
        chosen += OTHER[move] if number in flips else move
    return chosen.ljust(size, "D")


def answer_of(moves: str, rationale: str = "") -> dict[str, str]:
    """Return the answer with these moves."""
    return {"rationale": rationale, **dict(zip(FIELDS, moves, strict=False))}
