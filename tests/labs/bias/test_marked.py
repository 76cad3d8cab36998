"""Marked votes: what counts as a hit, which chance it has, and what tells nothing; by hand."""

import pytest

from labs.bias.estimators import MarkedVotes, first_named


def test_hits_are_held_against_the_share_of_marked_options() -> None:
    votes = MarkedVotes()
    votes.add_vote("a", ["x", "y", "z"], "x", ["x"])
    votes.add_vote("a", ["x", "y", "z"], "y", ["x"])
    votes.add_vote("b", ["x", "y"], "y", ["y", "absent"])
    effect = votes.effect()
    # Hits 1, 0, 1 against chances 1/3, 1/3, 1/2.
    assert effect.share == pytest.approx(2 / 3)
    assert effect.estimate == pytest.approx((2 - 7 / 6) / 3)
    assert (effect.votes, effect.games, effect.left_out) == (3, 2, 0)


@pytest.mark.parametrize(
    ("chosen", "marked"), [(None, ["x"]), ("other", ["x"]), ("x", []), ("x", ["x", "y"])]
)
def test_what_can_tell_nothing_is_counted(chosen: str | None, marked: list[str]) -> None:
    votes = MarkedVotes()
    votes.add_vote("a", ["x", "y"], chosen, marked)
    assert (votes.hits, votes.left_out, votes.tells) == ([], 1, False)


def test_one_game_alone_tells_no_error() -> None:
    votes = MarkedVotes()
    votes.add_vote("a", ["x", "y"], "x", ["x"])
    with pytest.raises(ValueError, match="at least two games"):
        votes.effect()


def test_the_first_of_the_list_is_one_such_mark() -> None:
    told = [
        {"game": game, "options": ["x", "y", "z"][:size], "chosen": chosen}
        for game, size, chosen in (("a", 3, "x"), ("a", 2, "y"), ("b", 3, "z"), ("c", 2, "x"))
    ]
    votes = MarkedVotes()
    for vote in told:
        options = [*map(str, vote["options"])]
        votes.add_vote(str(vote["game"]), options, str(vote["chosen"]), options[:1])
    one = votes.effect()
    other = first_named(told)
    assert one.estimate == pytest.approx(other.estimate)
    assert one.error == pytest.approx(other.error)


def test_parts_add_up_to_the_whole() -> None:
    one, other = MarkedVotes(left_out=1), MarkedVotes(left_out=2)
    one.add_case("a", True, 0.5)
    other.add_case("b", False, 0.25)
    whole = MarkedVotes.of_all([one, other])
    assert (whole.hits, whole.chances, whole.games) == ([True, False], [0.5, 0.25], ["a", "b"])
    assert whole.left_out == 3


def test_what_never_happens_is_no_certainty() -> None:
    """None of ten games hit at a chance of 1/5, which is .8^10 = .107 likely: no effect."""
    votes = MarkedVotes()
    for game in range(10):
        votes.add_case(str(game), False, 0.2)
    effect = votes.effect()
    low, high = effect.interval
    assert effect.estimate == pytest.approx(-0.2)
    assert low == pytest.approx(-0.2)
    # Wilson's interval of 0 of 10 with Student's t of 9, 2.262: up to 5.117 / 15.117.
    assert high == pytest.approx(5.117 / 15.117 - 0.2, abs=1e-3)
    assert effect.error > 0.05
