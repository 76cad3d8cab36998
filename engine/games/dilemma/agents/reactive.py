"""Agents that react to the opponent's moves: variants of Tit for Tat, grudges and majorities."""

from engine.games.dilemma.agents.forms import State, recalls, starting
from engine.games.dilemma.rules import OTHER, Move, Moves


@recalls(opponent=1)
def tit_for_tat(own: Moves, opponent: Moves) -> Move:
    """Play C, then the opponent's last move.

    By Anatol Rapoport, winner of both of Axelrod's tournaments, 1980.
    """
    return opponent[-1] if opponent else "C"


@recalls(opponent=1)
def suspicious_tit_for_tat(own: Moves, opponent: Moves) -> Move:
    """Play D, then the opponent's last move (Boyd and Lorberbaum 1987)."""
    return opponent[-1] if opponent else "D"


@recalls(opponent=2)
def tit_for_two_tats(own: Moves, opponent: Moves) -> Move:
    """Play D exactly when the opponent's last two moves were both D.

    By John Maynard Smith, in Axelrod's second tournament, 1980.
    """
    if len(opponent) < 2:
        return "C"
    return "D" if opponent[-1] == opponent[-2] == "D" else "C"


@recalls(opponent=2)
def two_tits_for_tat(own: Moves, opponent: Moves) -> Move:
    """Play D when a D is among the opponent's last two moves (Axelrod 1984)."""
    return "D" if "D" in opponent[-2:] else "C"


@recalls(opponent=3)
def hard_tit_for_tat(own: Moves, opponent: Moves) -> Move:
    """Play D when a D is among the opponent's last three moves.

    From the PRISON library of Beaufils, Delahaye and Mathieu, 1998.
    """
    return "D" if "D" in opponent[-3:] else "C"


@recalls(opponent=3)
def hard_tit_for_two_tats(own: Moves, opponent: Moves) -> Move:
    """Play D when the opponent's last three moves include D D (Stewart and Plotkin 2012)."""
    if len(opponent) < 2 or opponent[-2] == "C":
        return "C"
    beside = (opponent[-1], *opponent[-3:-2])
    return "D" if "D" in beside else "C"


@recalls(opponent=1)
def anti_tit_for_tat(own: Moves, opponent: Moves) -> Move:
    """Play C, then the opposite of the opponent's last move (Hilbe, Nowak and Sigmund 2013)."""
    return OTHER[opponent[-1]] if opponent else "C"


@recalls(opponent=1)
def bully(own: Moves, opponent: Moves) -> Move:
    """Play D, then the opposite of the opponent's last move (Nachbar 1992)."""
    return OTHER[opponent[-1]] if opponent else "D"


@recalls(own=1, opponent=1)
def win_stay_lose_shift(own: Moves, opponent: Moves) -> Move:
    """Play C, then C exactly when both players made the same move last time.

    By Kraines and Kraines 1989; Nowak and Sigmund 1993.
    """
    if not own:
        return "C"
    return "C" if own[-1] == opponent[-1] else "D"


@starting("C", True, True)
def contrite_tit_for_tat(state: State, own: Move, opponent: Move) -> State:
    """Play D exactly when the agent is in good standing and the opponent is in bad standing.

    By Sugden 1986; Boyd 1989. A player is in good standing at first, after a C, and after a D that
    it played in good standing against an opponent in bad standing. So this Tit for Tat does not
    retaliate against a D that its own flipped move provoked. The state's other items say whether
    the agent and its opponent are in good standing.
    """
    _, good, opponent_good = state
    own_standing = own == "C" or (good and not opponent_good)
    opponent_standing = opponent == "C" or (opponent_good and not good)
    move = "D" if own_standing and not opponent_standing else "C"
    return move, own_standing, opponent_standing


@starting("C")
def grudger(state: State, own: Move, opponent: Move) -> State:
    """Play C until the opponent's first D, then D for ever.

    By James Friedman 1971, in Axelrod's first tournament, 1980.
    """
    return ("D",) if opponent == "D" else state


@starting("C", 0)
def soft_majority(state: State, own: Move, opponent: Move) -> State:
    """Play D when the opponent has played more D than C, else C.

    By Axelrod 1984; Mittal and Deb 2009. The state's other item counts the opponent's C minus D.
    """
    lead = state[1] + 1 if opponent == "C" else state[1] - 1
    move = "D" if lead < 0 else "C"
    return move, lead


@starting("D", 0)
def hard_majority(state: State, own: Move, opponent: Move) -> State:
    """Play D at first and when the opponent has played at least as many D as C, else C.

    By Axelrod 1984. The state's other item counts the opponent's C minus D.
    """
    lead = state[1] + 1 if opponent == "C" else state[1] - 1
    move = "C" if lead > 0 else "D"
    return move, lead


@starting("C", 0, 0)
def gradual(state: State, own: Move, opponent: Move) -> State:
    """Play C; punish a D with one D for each of the opponent's D so far, then play two C.

    During a punishment, the agent counts each D but does not react to it. The agent does punish a D
    played against the second of the two C (Beaufils, Delahaye and Mathieu 1996, as in the Axelrod
    library). The state's other items are the opponent's number of D and the number of punishment
    moves left, including the two C and the move of this state.
    """
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
