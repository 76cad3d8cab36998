"""Agents that play by plan: without looking, or after a few opening moves that test the opponent."""

from collections.abc import Sequence

from engine.games.dilemma.forms import State, starting
from engine.games.dilemma.rules import Move


def cooperator(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """Play C always (Axelrod 1984; the source's `cooperate`)."""
    del own, opponent
    return "C"


def defector(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """Play D always: the one equilibrium of the single game (Axelrod 1984)."""
    del own, opponent
    return "D"


def alternator(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """C D C D and so on (Axelrod 1984; Mittal and Deb 2009)."""
    del opponent
    return "D" if len(own) % 2 else "C"


def cycler_ccd(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """C C D for ever (periodic player of Mittal and Deb 2009; Beaufils, Delahaye and Mathieu's per_ccd, 1996)."""
    del opponent
    return "D" if len(own) % 3 == 2 else "C"


def cycler_ddc(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """D D C for ever (periodic player of Mittal and Deb 2009; Beaufils, Delahaye and Mathieu's per_ddc, 1996)."""
    del opponent
    return "C" if len(own) % 3 == 2 else "D"


def handshake(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """C D, then C for ever if the opponent's first two were C D, else D for ever (Robson 1990)."""
    if len(own) < 2:
        return "D" if own else "C"
    return "C" if opponent[0] == "C" and opponent[1] == "D" else "D"


def prober(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """D C C, then D for ever if the opponent played C C in moves 2 and 3, else tit for tat.

    By the PRISON library of Beaufils, Delahaye and Mathieu, 1998; Li, Hingston and Kendall 2011.
    """
    if len(own) < 3:
        return "C" if own else "D"
    return "D" if opponent[1] == opponent[2] == "C" else opponent[-1]


def detective(own: Sequence[Move], opponent: Sequence[Move]) -> Move:
    """C D C C, then tit for tat if the opponent played any D in its first four moves, else D for ever.

    By Nicky Case, The Evolution of Trust, 2017.
    """
    if len(own) < 4:
        return "D" if len(own) == 1 else "C"
    return opponent[-1] if "D" in opponent[:4] else "D"


@starting("D", 0)
def tester(state: State, own: Move, opponent: Move) -> State:
    """D; while the opponent has never played D, C C and then D C D C ...; on its first D one C, then tit for tat.

    By David Gladstein, in Axelrod's second tournament, 1980. The state's second item counts moves until the opponent's
    first D, and is -1 from then on.
    """
    del own
    _, moves = state
    if moves < 0:
        return opponent, -1
    if opponent == "D":
        return "C", -1
    return "D" if moves >= 2 and moves % 2 == 0 else "C", moves + 1
