"""The items that others may hold, by kind: what one of each would be worth in the coming turn.

Subjects that no window holds are all alike, so there are few kinds, however many subjects. Plain
lists, so that training can compile it.
"""

from typing import NamedTuple

from engine.games.conversation.strategies.foresight.value import Terms, worth_of


class Kinds(NamedTuple):
    """The subjects in groups that are alike for the coming turn, and what items of them would be worth.

    `sizes` says how many subjects a group has, `of` by subject in which group it is. `singles` are
    the values by group, `pairs` by two groups (first * groups + second), without importance;
    `fellows` are the means over the partners.
    """

    sizes: list[int]
    of: list[int]
    singles: list[float]
    pairs: list[float]
    fellows: list[float]


def kinds_of(terms: Terms, subjects: int) -> Kinds:
    """Return the kinds of subjects for the coming turn."""
    scene = terms.scene
    special = scene.once | scene.wanting1 | scene.wanting2 | scene.wanting3
    ones, others, sizes = [0] * 0, [0] * 0, [0] * 0
    of = [0] * subjects
    groups = [-1, -1]
    for subject in range(subjects):
        one = 1 << subject
        known = 1 if scene.known != -1 and scene.known & one else 0
        alone = scene.known == -1 and special & one
        if alone or groups[known] < 0:
            if not alone:
                groups[known] = len(ones)
            of[subject] = len(ones)
            ones.append(one)
            others.append(0)
            sizes.append(1)
        else:
            of[subject] = groups[known]
            others[groups[known]] = one
            sizes[groups[known]] += 1
    many = len(ones)
    singles, pairs, fellows = [0.0] * many, [0.0] * (many * many), [0.0] * many
    cold = [0.0] * subjects
    for kind in range(many):
        singles[kind] = worth_of(terms, ones[kind], True, 0.0, cold)
        for partner in range(kind, many):
            both = ones[kind] | (others[kind] if partner == kind else ones[partner])
            value = worth_of(terms, both, True, 0.0, cold)
            pairs[kind * many + partner] = pairs[partner * many + kind] = value
    for kind in range(many):
        for partner in range(many):
            size = sizes[partner] - (1 if partner == kind else 0)
            fellows[kind] += size * pairs[kind * many + partner] / max(1, subjects - 1)
    return Kinds(sizes, of, singles, pairs, fellows)


def worthy_kinds(kinds: Kinds, least: float) -> list[int]:
    """Return which kinds of items are worth more than `least` without importance.

    Singles are told by group, pairs by groups * (1 + the first group) + the second.
    """
    many = len(kinds.sizes)
    worthy = [kind for kind in range(many) if kinds.singles[kind] > least]
    for code in range(many * many):
        if code // many <= code % many and kinds.pairs[code] > least:
            worthy.append(many + code)
    return worthy
