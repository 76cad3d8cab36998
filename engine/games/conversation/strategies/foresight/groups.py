"""The items that others may hold, by kind: what one of each would be worth in the coming turn.

Subjects that no window holds are all alike, so there are few kinds, however many subjects. Plain
lists, so that training can compile it.
"""

from typing import NamedTuple

from engine.games.conversation.strategies.foresight.value import Scene, Valuation, worth_of


class Groups(NamedTuple):
    """The subjects in groups that are alike for the coming turn.

    By group: `sizes` is its number of subjects, `one` and `other` are bit sets of one subject each
    (`other` is 0 in a group of one). By subject: `of` is its group.
    """

    sizes: list[int]
    one: list[int]
    other: list[int]
    of: list[int]


class Kinds(NamedTuple):
    """The groups of subjects, and what items of them would be worth, importance aside.

    `sizes` and `of` are those of `Groups`. `singles` are the values of one-subject items by group,
    `pairs` those of two-subject items by two groups (first * groups + second); `fellows` are the
    means of the pairs over the partners.
    """

    sizes: list[int]
    of: list[int]
    singles: list[float]
    pairs: list[float]
    fellows: list[float]


def kinds_of(valuation: Valuation, subjects: int) -> Kinds:
    """Return the kinds of items for the coming turn."""
    groups = groups_of(valuation.scene, subjects)
    cold = [0.0] * subjects
    singles = [worth_of(valuation, one, True, 0.0, cold) for one in groups.one]
    pairs = pair_values(valuation, groups, cold)
    fellows = fellow_values(groups.sizes, pairs, subjects)
    return Kinds(groups.sizes, groups.of, singles, pairs, fellows)


def pair_values(
    valuation: Valuation,
    groups: Groups,
    cold: list[float],
) -> list[float]:
    """Return the values of two-subject items, by two groups (first * groups + second)."""
    many = len(groups.sizes)
    pairs = [0.0] * (many * many)
    for kind in range(many):
        for partner in range(kind, many):
            fellow = groups.one[partner]
            if partner == kind:
                fellow = groups.other[kind]
            both = groups.one[kind] | fellow
            value = worth_of(valuation, both, True, 0.0, cold)

            place = kind * many + partner
            pairs[place] = value
            mirrored = partner * many + kind
            pairs[mirrored] = value
    return pairs


def groups_of(scene: Scene, subjects: int) -> Groups:
    """Return the groups: each subject that matters to the window alone, all others by freshness.

    Right before a fresh start, after a pause, only being known or not makes a difference.
    """
    alone = 0
    remembered = scene.known
    if scene.known == -1:
        alone = scene.once | scene.wanting1 | scene.wanting2 | scene.wanting3
        remembered = 0

    # Empty lists whose type the compiler knows.
    sizes = [0] * 0
    ones = [0] * 0
    others = [0] * 0
    of = [0] * subjects
    shared = [-1, -1]
    for subject in range(subjects):
        one = 1 << subject
        known = 1 if remembered & one else 0
        group = -1
        if not alone & one:
            group = shared[known]
        if group >= 0:
            of[subject] = group
            others[group] = one
            sizes[group] += 1
            continue

        if not alone & one:
            shared[known] = len(ones)
        of[subject] = len(ones)
        ones.append(one)
        others.append(0)
        sizes.append(1)
    return Groups(sizes, ones, others, of)


def fellow_values(
    sizes: list[int],
    pairs: list[float],
    subjects: int,
) -> list[float]:
    """Return the mean value, by group, of a two-subject item with one subject in the group."""
    many = len(sizes)
    fellows = [0.0] * many
    for kind in range(many):
        for partner in range(many):
            size = sizes[partner]
            if partner == kind:
                size -= 1
            value = pairs[kind * many + partner]
            fellows[kind] += size * value / max(1, subjects - 1)
    return fellows


def worthy_kinds(kinds: Kinds, least: float) -> list[int]:
    """Return the codes of the kinds of items worth more than `least`, importance aside.

    The code of a single is its group, that of a pair groups * (1 + first group) + second group.
    """
    many = len(kinds.sizes)
    # An empty list whose type the compiler knows.
    worthy = [0] * 0
    for kind in range(many):
        if kinds.singles[kind] > least:
            worthy.append(kind)
    for kind in range(many):
        for partner in range(kind, many):
            code = kind * many + partner
            if kinds.pairs[code] > least:
                worthy.append(many + code)
    return worthy
