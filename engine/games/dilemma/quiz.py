"""Comprehension questions: what a player has understood of the rules, asked before it plays."""

from typing import NamedTuple

from engine.games.dilemma.rules import BLOCK, PAYOFFS, score_of

UNKNOWN = "I do not know"
LOWEST, LAST_MOVER, NOBODY = (
    "all with the lowest sum",
    "only the one who lost the last game",
    "nobody",
)
AFTER_EACH, AFTER_ALL, NEVER = "after each move", "after all three moves", "never"


class Question(NamedTuple):
    """A question, what may be answered, and what is right."""

    text: str
    options: tuple[str, ...]
    right: str


def questions(block: int, flips: bool) -> tuple[Question, ...]:
    """Return the questions on the points of a move, on a score, and on the terms: blocks, flips and who leaves."""
    points = (*map(str, sorted({own for own, _ in PAYOFFS.values()})), UNKNOWN)
    asked = [
        Question(
            f"In one move you play {own} and your opponent plays {theirs}. How many points do you get?",
            points,
            right,
        )
        for (own, theirs), (mine, _) in PAYOFFS.items()
        for right in [str(mine)]
    ]
    own, theirs = score_of((("C", "D"), ("D", "C"), ("D", "C")))
    asked.append(
        Question(
            "In three moves you played C, D, D and your opponent D, C, C. What is the score, yours first?",
            (f"{own} and {theirs}", f"{theirs} and {own}", f"{own} and {own}", UNKNOWN),
            f"{own} and {theirs}",
        )
    )
    if block == BLOCK:
        told = (AFTER_EACH, AFTER_ALL, NEVER, UNKNOWN)
        asked.append(
            Question(
                "You choose three moves. When do you see what your opponent chose?", told, AFTER_ALL
            )
        )
    if flips:
        asked.append(
            Question("You choose C and it is flipped. Which move counts?", ("C", "D", UNKNOWN), "D")
        )
    leaving = (LOWEST, LAST_MOVER, NOBODY, UNKNOWN)
    return (
        *asked,
        Question("Who leaves after a round, unless all have the same sum?", leaving, LOWEST),
    )
