"""Agents that follow a fixed plan, or choose one after opening moves that test the opponent."""

from engine.games.dilemma.agents.forms import State, recalls, starting
from engine.games.dilemma.rules import OTHER, Move, Moves


@recalls()
def cooperator(own: Moves, opponent: Moves) -> Move:
    """Play C every time (Axelrod 1984; the source's `cooperate`)."""
    return "C"


@recalls()
def defector(own: Moves, opponent: Moves) -> Move:
    """Play D every time: the only equilibrium of the one-shot game (Axelrod 1984)."""
    return "D"


@starting("C")
def alternator(state: State, own: Move, opponent: Move) -> State:
    """Play C D C D and so on (Axelrod 1984; Mittal and Deb 2009)."""
    return (OTHER[state[0]],)


@starting("C", "C", "D")
def cycler_ccd(state: State, own: Move, opponent: Move) -> State:
    """Play C C D for ever.

    The periodic player of Mittal and Deb 2009; per_ccd of Beaufils, Delahaye and Mathieu 1996.
    """
    return *state[1:], state[0]


@starting("D", "D", "C")
def cycler_ddc(state: State, own: Move, opponent: Move) -> State:
    """Play D D C for ever.

    The periodic player of Mittal and Deb 2009; per_ddc of Beaufils, Delahaye and Mathieu 1996.
    """
    return *state[1:], state[0]


@starting("C", "")
def handshake(state: State, own: Move, opponent: Move) -> State:
    """Play C D, then C for ever if the opponent's first two moves were C D, else D for ever.

    By Robson 1990. The state's second item has the opponent's moves so far, up to the first two.
    """
    seen = first_moves(state, opponent, 2)
    move = "C" if seen == "CD" else "D"
    return move, seen


@starting("D", "")
def prober(state: State, own: Move, opponent: Move) -> State:
    """Play D C C, then D for ever if the opponent played C C in moves 2 and 3, else tit for tat.

    From the PRISON library of Beaufils, Delahaye and Mathieu, 1998; Li, Hingston and Kendall 2011.
    The state's second item has the opponent's moves so far, up to the first three.
    """
    seen = first_moves(state, opponent, 3)
    if len(seen) < 3:
        return "C", seen
    move = "D" if seen.endswith("CC") else opponent
    return move, seen


@starting("C", "")
def detective(state: State, own: Move, opponent: Move) -> State:
    """Play C D C C, then tit for tat if the opponent's first four moves had a D, else D for ever.

    By Nicky Case, The Evolution of Trust, 2017. The state's second item has the opponent's moves so
    far, up to the first four.
    """
    seen = first_moves(state, opponent, 4)
    if len(seen) < 4:
        return "CDCC"[len(seen)], seen
    move = opponent if "D" in seen else "D"
    return move, seen


def first_moves(state: State, opponent: Move, most: int) -> str:
    """Return the opponent's first moves, up to `most`, after its newest move `opponent`."""
    seen: str = state[1]
    return seen if len(seen) == most else seen + opponent


@starting("D", 0)
def tester(state: State, own: Move, opponent: Move) -> State:
    """Play D C C D C D C ... until the opponent's first D, then C once, and then tit for tat.

    By David Gladstein, in Axelrod's second tournament, 1980. The state's second item counts the
    moves as 0 1 2 3 2 3 ... until the opponent's first D; from then on, it is -1.
    """
    _, moves = state
    if moves < 0:
        return opponent, -1
    if opponent == "D":
        return "C", -1
    move = "D" if moves == 2 else "C"
    counted = 2 if moves == 3 else moves + 1
    return move, counted
