"""The kinds of items that other seats may have, and each kind's value in the coming turn.

Subjects outside every window differ only in freshness, so there are few kinds even if there are
many subjects. The code uses plain lists so that training can compile it.
"""

from typing import NamedTuple

from engine.games.conversation.strategies.foresight.value import Scene, Valuation, worth_of


class Kinds(NamedTuple):
    """Groups of subjects that are equivalent in the coming turn, and the values of their items.

    `sizes` has the number of subjects in each group; `of` has the group of each subject. Values
    exclude importance. `singles` has the values of one-subject items by group. `pairs` has the
    values of two-subject items, indexed by first group * number of groups + second group. `fellows`
    has the mean of `pairs` over all second subjects, by first group.
    """

    sizes: list[int]
    of: list[int]
    singles: list[float]
    pairs: list[float]
    fellows: list[float]


def kinds_of(valuation: Valuation, subjects: int) -> Kinds:
    """Return the kinds of items for the coming turn."""
    sizes, ones, others, of = groups_of(valuation.scene, subjects)
    many = len(sizes)
    cold = [0.0] * subjects
    singles = [worth_of(valuation, bit, True, 0.0, cold) for bit in ones]
    pairs = [0.0] * (many * many)
    for kind in range(many):
        for partner in range(kind, many):
            fellow = others[kind] if partner == kind else ones[partner]
            value = worth_of(valuation, ones[kind] | fellow, True, 0.0, cold)
            pairs[kind * many + partner] = value
            pairs[partner * many + kind] = value

    fellows = [0.0] * many
    for kind in range(many):
        for partner in range(many):
            size = sizes[partner] - 1 if partner == kind else sizes[partner]
            fellows[kind] += size * pairs[kind * many + partner] / max(1, subjects - 1)
    return Kinds(sizes, of, singles, pairs, fellows)


def groups_of(scene: Scene, subjects: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return the groups' sizes, their first and last subjects, and the group of each subject.

    First and last subjects are bits; the last is 0 in a group of one. Each subject that matters to
    the window forms its own group, and the others are grouped by freshness.
    """
    alone = 0
    remembered = scene.known
    if scene.known == -1:
        alone = scene.once | scene.wanting1 | scene.wanting2 | scene.wanting3
        remembered = 0

    # Empty lists with a type that the compiler can infer.
    sizes = [0] * 0
    ones = [0] * 0
    others = [0] * 0
    of = [0] * subjects
    shared = [-1, -1]
    for subject in range(subjects):
        bit = 1 << subject
        known = 1 if remembered & bit else 0
        group = -1 if alone & bit else shared[known]
        if group >= 0:
            others[group] = bit
        else:
            group = len(ones)
            ones.append(bit)
            others.append(0)
            sizes.append(0)
            if not alone & bit:
                shared[known] = group
        of[subject] = group
        sizes[group] += 1
    return sizes, ones, others, of


def worthy_kinds(kinds: Kinds, least: float) -> list[int]:
    """Return the codes of the kinds whose items, without importance, are worth more than `least`.

    The code of a one-subject kind is its group. With G groups, the code of a two-subject kind is
    G * (1 + first group) + second group.
    """
    many = len(kinds.sizes)
    worthy = [kind for kind in range(many) if kinds.singles[kind] > least]
    for kind in range(many):
        for partner in range(kind, many):
            code = kind * many + partner
            if kinds.pairs[code] > least:
                worthy.append(many + code)
    return worthy
