"""Why somebody speaks, and with which move, in one line each."""

from collections.abc import Mapping

from engine.games.talks.archetypes import Move
from engine.games.talks.log.events import move_line
from engine.games.talks.log.payloads import Selection


def choice_line(
    choice: Selection,
    last: str | None,
    *,
    in_turn: bool = False,
) -> str:
    """Return who speaks, with which move, and why; `last` spoke before and may not go on.

    `in_turn`: all speak one after the other.
    """
    move = move_line(choice.move, choice.target)
    why = _why_in_turn(choice) if in_turn else why_speaker(choice, last)
    pays = why_move(choice)
    return f"{choice.speaker}: {move}: {why}; {pays}"


def _why_in_turn(choice: Selection) -> str:
    own = choice.wishes[choice.speaker]
    return f"urgency {own.urgency:.2f}, the next in turn"


def why_speaker(choice: Selection, last: str | None) -> str:
    """Return the speaker's wish to speak beside that of the next one who may."""
    own = choice.wishes[choice.speaker]
    rivals = {}
    for name, wish in choice.wishes.items():
        if name not in (choice.speaker, last):
            rivals[name] = wish.score

    line = f"urgency {own.urgency:.2f}"
    if not rivals:
        return f"{line}, and nobody speaks twice running"
    near = _best(rivals)
    count = len(rivals) + 1
    rank = f"highest of {count}, next {near} {rivals[near]:.2f}"
    return f"{line}, score {own.score:.2f} ({rank})"


def why_move(choice: Selection) -> str:
    """Return what the move pays beside the best other one that was legal."""
    own = choice.adjusted[choice.move]
    line = f"payoff {own:.2f}"
    if choice.chances is not None:
        chance = choice.chances[choice.move]
        line += f", chance {chance:.0%}"
    others = _others(choice)
    if not others:
        return f"{line} (no other move is legal)"

    best = _best(others)
    value = others[best]
    relation = "next" if value <= own else "drawn, the best is"
    return f"{line} ({relation} {Move(best)} {value:.2f})"


def _others(choice: Selection) -> dict[str, float]:
    """Return what the other legal moves pay."""
    own = choice.adjusted[choice.move]
    others = {}
    for name, value in choice.adjusted.items():
        # Without chances only legal moves were compared, and the best of them was made.
        is_legal = value <= own if choice.chances is None else name in choice.chances
        if is_legal and name != choice.move:
            others[name] = value
    return others


def _best(values: Mapping[str, float]) -> str:
    return max(values, key=values.__getitem__)
