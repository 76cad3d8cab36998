"""Comprehension questions about the rules, which players answer before they play."""

from typing import NamedTuple

from engine.games.dilemma.rules import BLOCK, PAYOFFS, score_of

UNKNOWN = "I do not know"
LOWEST = "all with the lowest sum"
LAST_MOVER = "only the one who lost the last game"
NOBODY = "nobody"
AFTER_EACH, AFTER_ALL, NEVER = "after each move", "after all three moves", "never"


class Question(NamedTuple):
    """A question, its possible answers, and the right answer."""

    text: str
    options: tuple[str, ...]
    right: str


def questions(block: int, flips: bool) -> tuple[Question, ...]:
    """Return questions about points, the score and leaving, and about any blocks and flips."""
    asked = [*payoff_questions(), score_question()]
    if block == BLOCK:
        asked.append(
            Question(
                "You choose three moves. When do you see what your opponent chose?",
                (AFTER_EACH, AFTER_ALL, NEVER, UNKNOWN),
                AFTER_ALL,
            )
        )
    if flips:
        asked.append(
            Question("You choose C and it is flipped. Which move counts?", ("C", "D", UNKNOWN), "D")
        )
    leaving = (LOWEST, LAST_MOVER, NOBODY, UNKNOWN)
    asked.append(
        Question("Which players leave a round, unless all have the same sum?", leaving, LOWEST)
    )
    return tuple(asked)


def payoff_questions() -> list[Question]:
    """Return one question about the points for each pair of moves."""
    options = (*map(str, sorted({points for points, _ in PAYOFFS.values()})), UNKNOWN)
    asked = []
    for (mine, theirs), (points, _) in PAYOFFS.items():
        text = (
            f"In one move you play {mine} and your opponent plays {theirs}. "
            "How many points do you get?"
        )
        asked.append(Question(text, options, str(points)))
    return asked


def score_question() -> Question:
    """Return the question about the score after three moves."""
    my_points, theirs = score_of((("C", "D"), ("D", "C"), ("D", "C")))
    right = f"{my_points} and {theirs}"
    return Question(
        "In three moves you played C, D, D and your opponent D, C, C. "
        "What is the score, yours first?",
        (right, f"{theirs} and {my_points}", f"{my_points} and {my_points}", UNKNOWN),
        right,
    )
