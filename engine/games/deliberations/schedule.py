"""The number of rounds: each vote removes one player until the finalists are left.

`has_vote(n)` returns whether round n, counted from 1, has a vote in the settings.
"""

from collections.abc import Callable, Iterable

HasVote = Callable[[int], bool]
IN_WORDS = {2: "two", 3: "three"}
MORE_VOTES = "let the phases of more rounds end with votes"


def refuse_no_jury(players: int, finalists: int) -> None:
    """Raise ValueError if no player would be left to choose the winner."""
    if players <= finalists:
        raise ValueError(
            f"expected at least {finalists + 1} players, so that the last {IN_WORDS[finalists]} "
            f"have a jury: got {players}"
        )


def remedy_for(num_rounds: int | None, finalists: int | None) -> str:
    """Return advice on settings that would leave exactly the finalists."""
    remedies = []
    if num_rounds:
        remedies.append(f"set num_rounds: {num_rounds}")
    if finalists in IN_WORDS:
        remedies.append(f"finalists: {finalists}")
    return ", or ".join(remedies) or MORE_VOTES


def round_after(leaving: int, has_vote: HasVote, horizon: int) -> int | None:
    """Return the round after the first `leaving` votes, or None if `horizon` rounds have fewer."""
    number = 1
    while leaving and number <= horizon:
        leaving -= has_vote(number)
        number += 1
    return None if leaving else number


def final_as_it_comes(players: int, finalists: int, has_vote: HasVote, horizon: int) -> int:
    """Return the default round of the final: the first that has a vote on the finalists only.

    From round `horizon` on, all rounds are alike. Raises ValueError if there is no such vote.
    """
    leaving = players - finalists
    first = round_after(leaving, has_vote, horizon)
    if first is None:
        votes = sum(map(has_vote, range(1, horizon + 1)))
        raise ValueError(
            f"expected votes until {finalists} of {players} players are left: got {votes}, so that "
            f"{players - votes} stay in the game forever; {MORE_VOTES}"
        )
    for number in range(first, max(first, horizon) + 1):
        if has_vote(number):
            return number
    raise ValueError(
        f"expected a final: no round after round {first - 1}, which leaves {finalists} players, "
        f"has votes; set num_rounds: {first}"
    )


def refuse_wrong_count(
    players: int,
    finalists: int,
    num_rounds: int,
    has_vote: HasVote,
    horizon: int,
) -> None:
    """Raise ValueError unless the rounds before the last one leave exactly the finalists."""
    votes = sum(map(has_vote, range(1, num_rounds)))
    left = players - votes
    if left == finalists:
        return

    fitting = round_after(players - finalists, has_vote, horizon)
    remedy = remedy_for(fitting, left if left < players else None)
    rounds = rounds_in_words(num_rounds, num_rounds - 1 - votes)
    who = left if left > 0 else "nobody"
    raise ValueError(
        f"{players} players, {finalists} finalists and {rounds} leave {who} in the final: {remedy}"
    )


def rounds_in_words(num_rounds: int, lacking: int) -> str:
    """Return text with the numbers of all rounds and of rounds without a vote."""
    if not lacking:
        return f"{num_rounds} rounds"
    has = "has" if lacking == 1 else "have"
    return f"{num_rounds} rounds of which {lacking} {has} no vote"


def refuse_rounds_beyond(last: int, players: int, named: Iterable[int]) -> None:
    """Raise ValueError if settings name a round after the last."""
    for number in named:
        if number > last:
            raise ValueError(
                f"expected the settings of rounds 1 to {last}, since round {last} is the final of "
                f"{players} players: got rounds: {number}"
            )
