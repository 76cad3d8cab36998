"""Agents that play by plan: without looking, or after a few opening moves that test the opponent."""

from collections.abc import Sequence

from engine.games.dilemma.agents.forms import State, recalls, starting
from engine.games.dilemma.rules import OTHER, Move


@recalls()
def cooperator(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """Play C always (Axelrod 1984; the source's `cooperate`)."""
    del own, opponent
    return "C"


@recalls()
def defector(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """Play D always: the one equilibrium of the single game (Axelrod 1984)."""
    del own, opponent
    return "D"


@starting("C")
def alternator(state: State, own: Move, opponent: Move) -> State:
    """C D C D and so on (Axelrod 1984; Mittal and Deb 2009)."""
    del own, opponent
    return (OTHER[state[0]],)


@starting("C", "C", "D")
def cycler_ccd(state: State, own: Move, opponent: Move) -> State:
    """C C D for ever (periodic player of Mittal and Deb 2009; Beaufils, Delahaye and Mathieu's per_ccd, 1996)."""
    del own, opponent
    return *state[1:], state[0]


@starting("D", "D", "C")
def cycler_ddc(state: State, own: Move, opponent: Move) -> State:
    """D D C for ever (periodic player of Mittal and Deb 2009; Beaufils, Delahaye and Mathieu's per_ddc, 1996)."""
    del own, opponent
    return *state[1:], state[0]


@starting("C", "")
def handshake(state: State, own: Move, opponent: Move) -> State:
    """C D, then C for ever if the opponent's first two were C D, else D for ever (Robson 1990).

    The state's second item is the opponent's first two moves so far.
    """
    del own
    seen = state[1] if len(state[1]) == 2 else state[1] + opponent
    return "C" if seen == "CD" else "D", seen


@starting("D", "")
def prober(state: State, own: Move, opponent: Move) -> State:
    """D C C, then D for ever if the opponent played C C in moves 2 and 3, else tit for tat.

    By the PRISON library of Beaufils, Delahaye and Mathieu, 1998; Li, Hingston and Kendall 2011.
    The state's second item is the opponent's first three moves so far.
    """
    del own
    seen = state[1] if len(state[1]) == 3 else state[1] + opponent
    if len(seen) < 3:
        return "C", seen
    return "D" if seen.endswith("CC") else opponent, seen


@starting("C", "")
def detective(state: State, own: Move, opponent: Move) -> State:
    """C D C C, then tit for tat if the opponent played any D in its first four moves, else D for ever.

    By Nicky Case, The Evolution of Trust, 2017. The state's second item is the opponent's first
    four moves so far.
    """
    del own
    seen = state[1] if len(state[1]) == 4 else state[1] + opponent
    if len(seen) < 4:
        return "CDCC"[len(seen)], seen
    return opponent if "D" in seen else "D", seen


@starting("D", 0)
def tester(state: State, own: Move, opponent: Move) -> State:
    """D; while the opponent has never played D, C C and then D C D C ...; on its first D one C, then tit for tat.

    By David Gladstein, in Axelrod's second tournament, 1980. The state's second item counts moves
    until the opponent's first D, 3 after 3 and 2 again, and is -1 from then on.
    """
    del own
    _, moves = state
    if moves < 0:
        return opponent, -1
    if opponent == "D":
        return "C", -1
    return "D" if moves == 2 else "C", 2 if moves == 3 else moves + 1
