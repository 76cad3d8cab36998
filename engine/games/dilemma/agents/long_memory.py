"""Agents that remember more than the last few moves: grudges, majorities, debts."""

from engine.games.dilemma.agents.forms import State, starting
from engine.games.dilemma.rules import Move


@starting("C")
def grudger(state: State, own: Move, opponent: Move) -> State:
    """Play C until the opponent's first D, then D for ever.

    By James Friedman 1971, in Axelrod's first tournament, 1980.
    """
    del own
    return ("D",) if opponent == "D" else state


@starting("C", 0)
def soft_majority(state: State, own: Move, opponent: Move) -> State:
    """Play D when the opponent has played more D than C, else C.

    By Axelrod 1984; Mittal and Deb 2009. The state's second item is how many more C than D the
    opponent has played.
    """
    del own
    lead = state[1] + 1 if opponent == "C" else state[1] - 1
    move = "D" if lead < 0 else "C"
    return move, lead


@starting("D", 0)
def hard_majority(state: State, own: Move, opponent: Move) -> State:
    """Play D when the opponent has played at least as many D as C, so at first too, else C.

    By Axelrod 1984. The state's second item is how many more C than D the opponent has played.
    """
    del own
    lead = state[1] + 1 if opponent == "C" else state[1] - 1
    move = "C" if lead > 0 else "D"
    return move, lead


@starting("C", 0, 0)
def gradual(state: State, own: Move, opponent: Move) -> State:
    """Play C; punish a D by as many D as the opponent has defections so far, then play two C.

    It ignores what the opponent does during a punishment, but counts it; a D beside the second of
    the two C is punished anew (Beaufils, Delahaye and Mathieu 1996, as in the Axelrod library). The
    state's other items are the opponent's defections, and how many moves of the punishment, the two
    C and the state's own move included, are still to be played.
    """
    del own
    _, defections, left = state
    calm = left <= 1
    if opponent == "D":
        defections += 1
        if calm:
            return "D", defections, defections + 2
    if calm:
        return "C", defections, 0
    move = "D" if left > 3 else "C"
    return move, defections, left - 1
