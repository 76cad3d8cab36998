"""When to speak and when to leave the turn to others: thresholds by backward induction.

"The simulator selects uniformly at random among the proposers who have contributed the fewest items
so far". So the seats that spoke most get the turn only if all others are silent. These seats
choose between their best item and a pause. Seats that spoke less choose between their best item and
the expected value of leaving the turn to the seats that spoke more, and so on down to the seats
that spoke least. The code uses plain lists so that training can compile it.
"""

from collections.abc import Sequence
from math import exp

from engine.games.conversation.strategies.foresight.beliefs import Ahead, Beliefs, expected_items
from engine.games.conversation.strategies.foresight.chances import (
    EDGES,
    STEP,
    UNLIKELY,
    Stakes,
    chances_above,
)
from engine.games.conversation.strategies.foresight.groups import kinds_of, worthy_kinds
from engine.games.conversation.strategies.foresight.value import (
    TRUST,
    Valuation,
    When,
    horizon,
    importance_share,
    pause_value,
    scene_of,
)

FLOOR = -3.0


def look_ahead(
    weights: Sequence[float],
    beliefs: Beliefs,
    when: When,
    last_speaker: int,
) -> Ahead:
    """Set the thresholds for the coming turn, and return the shared expectation for it."""
    subjects = len(beliefs.single_caps) // len(beliefs.spoke)
    scene = scene_of(beliefs.recent, beliefs.missing, beliefs.wanting)
    share = importance_share(weights, when)
    valuation = Valuation(weights, scene, share, horizon(weights, when.left))
    kinds = kinds_of(valuation, subjects)
    pause = pause_value(weights, beliefs.recent, when, subjects)
    floor = max(FLOOR, pause)
    stakes = Stakes(kinds, worthy_kinds(kinds, floor - share), floor, share)
    value = expect(beliefs, stakes, pause, 1.0 + weights[TRUST])
    if last_speaker >= 0:
        # Speaking again may displace a better item, so the turn's expected value counts too.
        threshold = beliefs.thresholds[last_speaker]
        beliefs.thresholds[last_speaker] = (threshold + value) / 2
    return Ahead(valuation, kinds, expected_items(beliefs, subjects), last_speaker)


def expect(
    beliefs: Beliefs,
    stakes: Stakes,
    pause: float,
    trust: float,
) -> float:
    """Set the thresholds, and return the turn's expected value.

    `pause` is the value of a pause. `trust` scales each group's expected gain over leaving the turn
    to the seats that spoke more often.
    """
    value = pause
    for spoke in range(max(beliefs.spoke), -1, -1):
        group = [seat for seat in range(len(beliefs.spoke)) if beliefs.spoke[seat] == spoke]
        if len(group) > 0:
            expected = expect_of_group(beliefs, stakes, group, value)
            value += trust * (expected - value)
    return value


def expect_of_group(
    beliefs: Beliefs,
    stakes: Stakes,
    group: list[int],
    value: float,
) -> float:
    """Set the threshold of a group of seats, and return the turn's expected value.

    The group's seats spoke equally often. `value` is the expected value if all of them are silent.
    """
    sober, value = value_with_babble(beliefs, stakes, group, value)
    tail = chances_above(beliefs, stakes, group)
    rest = areas_above(tail)
    members = len(group)
    threshold = shared_threshold(tail, rest, members, value, stakes.floor)
    for seat in group:
        beliefs.thresholds[seat] = threshold

    chance, mean = value_of_group(tail, rest, threshold, stakes.floor)
    if chance < UNLIKELY:
        return value
    silent = (1 - chance) ** members
    displaced = (1.0 - sober) * (mean - value) / 2
    return silent * value + (1 - silent) * (mean - displaced)


def areas_above(tail: list[float]) -> list[float]:
    """Return the area under the curve of chances above each edge, by the trapezoidal rule."""
    rest = [0.0] * EDGES
    for edge in range(EDGES - 2, -1, -1):
        rest[edge] = rest[edge + 1] + STEP * (tail[edge] + tail[edge + 1]) / 2
    return rest


def value_of_group(
    tail: list[float],
    rest: list[float],
    threshold: float,
    floor: float,
) -> tuple[float, float]:
    """Return the chance that a member's best item beats the threshold, and its mean value then."""
    place = max(0.0, (threshold - floor) / STEP)
    edge = int(place)
    if edge >= EDGES - 1:
        return 0.0, 0.0
    within = place - edge

    following = tail[edge + 1]
    chance = tail[edge] * (1 - within) + following * within
    if chance < UNLIKELY:
        return 0.0, 0.0

    beyond = rest[edge + 1] + (1 - within) * STEP * (chance + following) / 2
    mean = max(threshold, floor) + beyond / chance
    return chance, mean


def value_with_babble(
    beliefs: Beliefs,
    stakes: Stakes,
    group: list[int],
    value: float,
) -> tuple[float, float]:
    """Return the chance that no seat plays at random, and the value if only random seats speak."""
    sober = 1.0
    babblers = 0.0
    babble = 0.0
    for seat in group:
        chance = randomness(beliefs.doubts[seat])
        if chance > 0.0:
            sober *= 1.0 - chance
            babblers += chance
            babble += chance * babble_value(beliefs, stakes, seat)

    if babblers > 0.0:
        value = sober * value + (1.0 - sober) * babble / babblers
    return sober, value


def shared_threshold(
    tail: list[float],
    rest: list[float],
    many: int,
    value: float,
    floor: float,
) -> float:
    """Return the value that an item must exceed if `many` seats are equally likely to be chosen.

    For one seat, the threshold is `value`, the expected value of silence. With more, speaking may
    displace a better item, so the threshold is a mean of `value` and the values of the other seats'
    proposals, each weighted by its probability.
    """
    if many == 1:
        return value

    threshold = value
    ahead = 0.0
    for edge in range(EDGES):
        chance = tail[edge]
        if chance < UNLIKELY:
            break

        here = floor + edge * STEP
        mean = here + rest[edge] / chance
        target = fair_threshold(chance, mean, many, value)
        if target <= here:
            if edge > 0:
                threshold = here - STEP * (here - target) / (ahead + here - target)
            break

        ahead = target - here
        threshold = here
    return max(value, threshold)


def fair_threshold(
    chance: float,
    mean: float,
    many: int,
    value: float,
) -> float:
    """Return the threshold if each of `many` seats proposes with the given chance.

    `mean` is the mean value of proposed items; `value` is the value if no other seat proposes.
    """
    alone = (1 - chance) ** (many - 1)
    drawn = (1 - (1 - chance) ** many) / (many * chance) - alone
    return (alone * value + drawn * mean) / (alone + drawn)


def randomness(doubt: float) -> float:
    """Return max(0, 2 p - 1), where p is the probability that a seat plays at random."""
    likelihood = 2.0 / (1.0 + exp(-doubt))
    return max(0.0, likelihood - 1.0)


def babble_value(
    beliefs: Beliefs,
    stakes: Stakes,
    seat: int,
) -> float:
    """Return the mean value of a random item in a seat's bank; repeats are worth less."""
    kinds = stakes.kinds
    subjects = max(1, len(kinds.of))
    singles = 0.0
    pairs = 0.0
    for kind in range(len(kinds.sizes)):
        singles += kinds.sizes[kind] * kinds.singles[kind] / subjects
        pairs += kinds.sizes[kind] * kinds.fellows[kind] / subjects
    unspoken = beliefs.singles[seat] + beliefs.pairs[seat]
    repeats = 1.0 - unspoken / max(1.0, unspoken + beliefs.spoke[seat])
    return (singles + pairs + stakes.share) / 2 - 1.5 * repeats
