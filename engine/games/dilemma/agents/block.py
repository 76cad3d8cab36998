"""Agents written for blocks: they read the history and score, and return three moves at once."""

from engine.games.dilemma.agents.forms import recalls
from engine.games.dilemma.rules import Move, Pair, Points


def peace() -> list[Move]:
    """Return C C C."""
    return ["C", "C", "C"]


def war() -> list[Move]:
    """Return D D D."""
    return ["D", "D", "D"]


def last_moves(history: list[Pair], most: int) -> list[Move]:
    """Return the opponent's last moves, up to `most`."""
    return [theirs for _, theirs in history[-most:]]


@recalls(opponent=3)
def mirror(history: list[Pair], score: Points) -> list[Move]:
    """Answer C C C, then the opponent's last three moves in order: Tit for Tat in blocks.

    Written for this project.
    """
    return (peace() + last_moves(history, 3))[-3:]


@recalls(opponent=3)
def block_majority(history: list[Pair], score: Points) -> list[Move]:
    """Answer C C C, then the most frequent move of the opponent's last block, three times.

    Written for this project.
    """
    seen = last_moves(history, 3)
    return war() if seen.count("D") > 1 else peace()


@recalls(opponent=6)
def block_for_two_blocks(history: list[Pair], score: Points) -> list[Move]:
    """Answer D D D exactly when each of the opponent's last two blocks had a D.

    Written for this project, modelled on Tit for Two Tats.
    """
    seen = last_moves(history, 6)
    return war() if "D" in seen[:-3] and "D" in seen[-3:] else peace()


def accountant(history: list[Pair], score: Points) -> list[Move]:
    """Answer C C C while the agent's score is at least the opponent's, else D D D.

    Written for this project. No other agent reads the score.
    """
    my_score, opponent = score
    return peace() if my_score >= opponent else war()


@recalls(opponent=3)
def ambusher(history: list[Pair], score: Points) -> list[Move]:
    """Answer C C D while the opponent's last block began with C, else D D D.

    Written for this project. It exploits the rule that "no side sees anything inside a block".
    """
    seen = last_moves(history, 3)
    return war() if seen[:1] == ["D"] else ["C", "C", "D"]
