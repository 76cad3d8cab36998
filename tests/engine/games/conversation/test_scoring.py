"""The score against hand-computed tables, and what each turn changes in it.

The oracle of conversations is a second scorer, written from the rules alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.conversation.record import Conversation, Item
from engine.games.conversation.scoring import Parts, Score, Tail, bonuses_of, score

# A conversation in a line: "ab2" is an item of subjects a and b, another one than "ab"; "-" is a
# pause.
RANKING = (2, 0, 3, 1, 4)  # of S = 5: a has rank 2, b rank 4, c rank 1, d rank 3, e rank 5


def conversation(
    line: str, importances: Mapping[str, float] | None = None, length: int | None = None
) -> Conversation:
    words = line.split()
    items = {
        word: Item(word, "ann", tuple("abcde".index(letter) for letter in word.rstrip("234")), 0.0)
        for word in words
        if word != "-"
    }
    for word, importance in (importances or {}).items():
        items[word] = items[word]._replace(importance=importance)
    turns = [None if word == "-" else word for word in words]
    return Conversation(
        len(words) if length is None else length, 5, {"ann": RANKING, "ben": RANKING}, items, turns
    )


def part(line: str, name: str) -> list[float]:
    return [getattr(parts, name) for parts in score(conversation(line)).per_turn]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a", [-1]),  # isolated
        ("a a2", [0, 0]),  # each meets its subject once
        ("a a2 a3", [1, 1, 1]),  # twice
        ("ab", [-1]),  # two subjects missing: once -1, not -2
        ("ab a", [-1, 0]),  # b is missing
        ("ab ab2 a", [0, 0, 1]),  # a twice but b once: not all subjects twice
        ("ab ab2 ab3", [1, 1, 1]),
        ("ab a2 a3", [-1, 1, 1]),  # a twice does not make up for b
        ("a b c a2", [0, -1, -1, 0]),  # three on and three back are in the window
        ("a b c d a2", [-1, -1, -1, -1, -1]),  # four are not
        ("a b a2 c a3", [0, -1, 1, -1, 0]),  # both sides count together
        ("a b a2 b2 a3 b3", [0, 0, 1, 1, 0, 0]),  # the weave: +1 inside
        ("a - a2", [-1, 0, -1]),  # a pause cuts
        ("a a2 - a3 a4", [0, 0, 0, 0, 0]),  # and nothing is fetched from beyond: else +1
        ("- a a2 - -", [0, 0, 0, 0, 0]),
        ("a a", [0, 0]),  # the repeat is a window item of its first instance, itself 0
        ("a a2 a", [1, 1, 0]),
        ("a b a", [0, -1, 0]),  # b is alone; a repeat never loses coherence either
        ("a - a", [-1, 0, 0]),
        ("b b2 a b a2", [1, 1, 0, 0, 0]),  # b: b2, b; b2: b, b; the first a: a2
    ],
)
def test_coherence(line: str, expected: list[float]) -> None:
    assert part(line, "coherence") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- a", [0, 1]),  # nothing before the pause: all is novel
        ("- ab", [0, 2]),
        ("- a b", [0, 1, 0]),  # only immediately after the pause
        ("a - a2", [0, 0, 0]),
        ("a - b", [0, 0, 1]),
        ("a - ab", [0, 0, 1]),  # b alone is novel
        ("a b c d b2 - a2", [0, 0, 0, 0, 0, 0, 0]),  # turns 0 to 4 of turn 6: a is there
        ("a b c d b2 c2 - a2", [0, 0, 0, 0, 0, 0, 0, 1]),  # turns 1 to 5 of turn 7: a is not
        # the last pause is meant: turns 1 to 5, one of them a pause
        ("a b c d b2 - - a2", [0, 0, 0, 0, 0, 0, 0, 1]),
        ("a b c d - - a2", [0, 0, 0, 0, 0, 0, 0]),  # turns 0 to 4
        # pauses use up turns: 1 to 5 hold b and c only
        ("a - b - c - - a2", [0, 0, 1, 0, 1, 0, 0, 1]),
        ("a b c d b2 c2 - a", [0] * 8),  # novel again, but repeated
        ("a b c d b2 a - a2", [0] * 8),  # the repeat at turn 5 counts as present
        ("- a - a", [0, 1, 0, 0]),
    ],
)
def test_freshness(line: str, expected: list[float]) -> None:
    assert part(line, "freshness") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a a2 a3", [0, 0, 0]),  # fewer than three before
        ("a a2 a3 a4", [0, 0, 0, -1]),
        ("ac ad ae ab", [0, 0, 0, -1]),  # a, in each
        ("ab ab2 ab3 ab4", [0, 0, 0, -1]),  # both, in each: once
        ("a b a2 ab", [0, 0, 0, 0]),  # a or b in each, but not one and the same
        ("a a2 a3 - a4", [0, 0, 0, 0, 0]),  # a pause among the three turns
        ("a a2 - a3 a4", [0, 0, 0, 0, 0]),
        ("a - a", [0, 0, -1]),  # a repeat, wherever it stands
        ("a a2 a3 a", [0, 0, 0, -1]),  # monotonous and repeated: -1, not -2
        ("a a a a2", [0, -1, -1, -1]),  # repeats are items of the three
    ],
)
def test_nonmonotonousness(line: str, expected: list[float]) -> None:
    assert part(line, "nonmonotonousness") == expected


def test_a_conversation_scored_by_hand() -> None:
    items = {
        "x": Item("x", "ann", (0,), 0.5),
        "y": Item("y", "ben", (0, 1), 0.25),
        "z": Item("z", "ann", (1,), 1.0),
        "w": Item("w", "ben", (2, 3), 0.75),
    }
    rankings = {"ann": [0, 1, 2, 3], "ben": [3, 2, 1, 0]}
    scored = score(Conversation(10, 4, rankings, items, ["x", "y", "z", "x", None, "w", "y"]))
    assert scored.per_turn == (
        Parts(0.5, 1, 0, 0, 0.75),  # 0 in y and in its own repeat; ann ranks 0 first: 1 - 1/4
        Parts(0.25, 0, 0, 0, 0.125),  # 0 twice, 1 once (z); ben: ((1 - 4/4) + (1 - 3/4)) / 2
        Parts(1.0, 0, 0, 0, 0.5),  # 1 once (y); ann: 1 - 2/4
        Parts(0, 0, 0, -1, 0.75),  # repeated
        Parts(0, 0, 0, 0, 0),
        Parts(0.75, -1, 2, 0, 0.625),  # 2 and 3 are met nowhere, and novel; ben: (0.5 + 0.75) / 2
        Parts(0, 0, 0, -1, 0.125),
    )
    assert (scored.importance, scored.coherence) == (2.5, 0)
    assert (scored.freshness, scored.nonmonotonousness) == (2, -2)
    assert scored.shared == 2.5
    assert scored.private == {"ann": 2.0, "ben": 0.875}
    assert scored.total == {"ann": 0.45, "ben": 0.3375}  # (2.5 + 2) / 10 and (2.5 + 0.875) / 10


def test_an_empty_game_scores_nothing() -> None:
    zero = Score(0, 0, 0, 0, 0, {"ann": 0, "ben": 0}, {"ann": 0, "ben": 0}, ())
    assert score(conversation("", length=0)) == zero
    assert score(conversation("", length=20)) == zero


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"length": -1}, "expected length to be at least 0: -1"),
        (
            {"subjects": -1, "rankings": {}, "items": {}, "turns": ()},
            "expected subjects to be at least 0: -1",
        ),
        ({"rankings": {"ann": (0, 0)}}, "permutation"),
        ({"rankings": {"ann": (0,)}}, "permutation"),
        ({"rankings": {"ben": (0, 1)}}, "expected the player of item 'x' to have a ranking: 'ann'"),
        ({"items": {"x": Item("x", "ann", (), 0.5)}}, "one subject or two distinct ones"),
        ({"items": {"x": Item("x", "ann", (1, 1), 0.5)}}, "one subject or two distinct ones"),
        ({"items": {"x": Item("x", "ann", (2,), 0.5)}}, "below 2"),
        ({"items": {"x": Item("x", "ann", (-1,), 0.5)}}, "at least 0"),
        ({"items": {"x": Item("x", "ann", (0,), float("nan"))}}, "nan"),
        ({"items": {"x": Item("y", "ann", (0,), 0.5)}}, "under its own id"),
        ({"turns": ("z",)}, "'z'"),
        ({"turns": ("x", None, "x")}, "at most length turns, 2: 3"),
    ],
)
def test_what_cannot_be_scored_is_refused(change: dict[str, Any], sentence: str) -> None:
    items = {"x": Item("x", "ann", (0,), 0.5)}
    plain: dict[str, Any] = {"length": 2, "subjects": 2, "rankings": {"ann": (0, 1)}}
    plain |= {"items": items, "turns": ("x",)}
    Conversation(**plain)
    with pytest.raises(ValueError, match=sentence):
        Conversation(**plain | change)


def test_lists_do_as_well_as_tuples_and_later_changes_do_not_reach_in() -> None:
    ranking, turns = [0, 1], ["x", None]
    items: dict[str, Any] = {"x": ["x", "ann", [0, 1], 1]}
    listed = Conversation(2, 2, {"ann": ranking}, items, turns)
    ranking.reverse()
    turns.clear()
    items.clear()
    assert listed == Conversation(
        2, 2, {"ann": (0, 1)}, {"x": Item("x", "ann", (0, 1), 1.0)}, ("x", None)
    )


# What each turn changes


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Few items, so that repeats are many, and as many pauses as items if it falls so."""
    subjects = draw(st.integers(2, 5))
    players = ["ann", "ben", "cai"][: draw(st.integers(1, 3))]
    own = st.lists(st.integers(0, subjects - 1), min_size=1, max_size=2, unique=True).map(tuple)
    made = draw(
        st.lists(st.tuples(st.sampled_from(players), own, st.floats(0, 1)), min_size=1, max_size=9)
    )
    items = {str(number): Item(str(number), *fields) for number, fields in enumerate(made)}
    count = draw(st.integers(0, 30))
    turn = st.one_of(st.sampled_from([*items]), st.sampled_from([*items, None]))
    turns = draw(st.lists(turn, min_size=count, max_size=count))
    rankings = {player: draw(st.permutations(range(subjects))) for player in players}
    return Conversation(len(turns) + draw(st.integers(0, 3)), subjects, rankings, items, turns)


def changes_of(talk: Conversation) -> list[Parts]:
    """Return what each turn changes in the score, as the tail before it says."""
    bonuses = bonuses_of(talk.rankings)
    tail = Tail()
    changes = []
    for item_id in talk.turns:
        item = None if item_id is None else talk.items[item_id]
        changes.append(Parts() if item is None else tail.outlook(bonuses).delta(item))
        tail = tail.after(item)
    return changes


@given(conversations())
def test_a_tail_tells_what_each_turn_changes_in_the_score(talk: Conversation) -> None:
    before = score(replace(talk, turns=()))
    for turn, change in enumerate(changes_of(talk), start=1):
        after = score(replace(talk, turns=talk.turns[:turn]))
        assert change.coherence == after.coherence - before.coherence
        assert change.shared == pytest.approx(after.shared - before.shared)
        expected = pytest.approx(sum(after.private.values()) - sum(before.private.values()))
        assert change.private == expected
        before = after


@given(conversations())
def test_a_tail_stays_as_it_was(talk: Conversation) -> None:
    bonuses = bonuses_of(talk.rankings)
    spoken = [None if item_id is None else talk.items[item_id] for item_id in talk.turns]
    tails = [Tail()]
    for item in spoken:
        for other in talk.items.values():
            tails[-1].outlook(bonuses).delta(other)
        tails.append(tails[-1].after(item))

    again = Tail()
    for item, tail in zip(spoken, tails, strict=False):
        assert tail == again
        again = again.after(item)
