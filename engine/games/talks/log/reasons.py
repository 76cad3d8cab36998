"""Why somebody speaks, and with which move, in one line each."""

from collections.abc import Mapping

from engine.games.talks.archetypes import Move
from engine.games.talks.log.events import move_line
from engine.games.talks.log.payloads import Selection


def choice_line(choice: Selection, last: str | None, *, in_turn: bool = False) -> str:
    """Return who speaks and why; `last` spoke before, and `in_turn` is round robin."""
    move = move_line(choice.move, choice.target)
    why = why_speaker(choice, last)
    if in_turn:
        why = f"urgency {choice.wishes[choice.speaker].urgency:.2f}, the next in turn"
    return f"{choice.speaker}: {move}: {why}; {why_move(choice)}"


def why_speaker(choice: Selection, last: str | None) -> str:
    """Return the speaker's wish to speak beside that of the next one who may."""
    own = choice.wishes[choice.speaker]
    scores = {name: wish.score for name, wish in choice.wishes.items()}
    rivals = {name: scores[name] for name in scores if name not in (choice.speaker, last)}
    line = f"urgency {own.urgency:.2f}"
    if not rivals:
        return f"{line}, and nobody speaks twice running"
    near = _best(rivals)
    rank = f"highest of {len(rivals) + 1}, next {near} {rivals[near]:.2f}"
    return f"{line}, score {own.score:.2f} ({rank})"


def why_move(choice: Selection) -> str:
    """Return what the move pays beside the best other one that was legal."""
    own = choice.adjusted[choice.move]
    line = f"payoff {own:.2f}"
    if choice.chances is not None:
        chance = choice.chances[choice.move]
        line += f", chance {chance:.0%}"
    others = {}
    for name, value in choice.adjusted.items():
        # Without chances only legal moves were compared, and the best of them was made.
        is_legal = value <= own if choice.chances is None else name in choice.chances
        if is_legal and name != choice.move:
            others[name] = value
    if not others:
        return f"{line} (no other move is legal)"

    best = _best(others)
    value = others[best]
    relation = "next" if value <= own else "drawn, the best is"
    return f"{line} ({relation} {Move(best)} {value:.2f})"


def _best(values: Mapping[str, float]) -> str:
    return max(values, key=values.__getitem__)
