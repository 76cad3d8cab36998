"""Agents written for blocks: they read history and score as the source passes them, and answer three moves at once."""

from engine.games.dilemma.agents.forms import recalls
from engine.games.dilemma.rules import Move, Pair, Points


def peace() -> list[Move]:
    """Return C C C."""
    return ["C", "C", "C"]


def war() -> list[Move]:
    """Return D D D."""
    return ["D", "D", "D"]


@recalls(opponent=3)
def mirror(history: list[Pair], score: Points) -> list[Move]:
    """C C C, then the opponent's last three moves in order: Tit for Tat a block at a time (this project)."""
    del score
    return [*peace(), *[theirs for _, theirs in history[-3:]]][-3:]


@recalls(opponent=3)
def block_majority(history: list[Pair], score: Points) -> list[Move]:
    """C C C, then three times what the opponent played most in its last block (this project)."""
    del score
    return war() if [theirs for _, theirs in history[-3:]].count("D") > 1 else peace()


@recalls(opponent=6)
def block_for_two_blocks(history: list[Pair], score: Points) -> list[Move]:
    """D D D exactly when each of the opponent's last two blocks had a D (this project, after Tit for Two Tats)."""
    del score
    theirs = [move for _, move in history[-6:]]
    return war() if "D" in theirs[:-3] and "D" in theirs[-3:] else peace()


def accountant(history: list[Pair], score: Points) -> list[Move]:
    """C C C while its score is at least the opponent's, else D D D (this project: it alone reads the score)."""
    del history
    own, opponent = score
    return peace() if own >= opponent else war()


@recalls(opponent=3)
def ambusher(history: list[Pair], score: Points) -> list[Move]:
    """C C D while the opponent's last block began with C, else D D D: "nobody sees anything inside a block".

    By this project.
    """
    del score
    return ["C", "C", "D"] if not history or history[-3:][0][1] == "C" else war()
