"""Promises: what the rule of words sees and what it does not, as a table of sentences."""

import pytest

from engine.games.deliberations.promises import Promise, promises_in

NAMES = ("Ada", "Ben", "Will", "Player 1", "Player 10")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I will not vote for Ada.", [("spare", "Ada")]),
        ("I won't vote Ada out.", [("spare", "Ada")]),
        ("I'll never vote against Ben", [("spare", "Ben")]),
        ("I am not going to vote to eliminate Ben.", [("spare", "Ben")]),
        ("I stand with Ada. Ben should leave.", [("spare", "Ada")]),
        ("I'm still with Ada!", [("spare", "Ada")]),
        ("I\u2019ll protect Will, always.", [("spare", "Will")]),
        ("I have Ben's back.", [("spare", "Ben")]),
        ("Ada is safe with me", [("spare", "Ada")]),
        ("I vote for Ben.", [("name", "Ben")]),
        ("I will vote to eliminate Player 10.", [("name", "Player 10")]),
        ("i'm going to vote Player 1 out", [("name", "Player 1")]),
        ("Today I am voting against Will.", [("name", "Will")]),
        ("My vote goes to Ben, as I said.", [("name", "Ben")]),
        (
            "I stand with Ada, and I will vote for Ben.\nI stand with Ada.",
            [("spare", "Ada"), ("name", "Ben")],
        ),
        # What is no promise.
        ("Should I vote for Ben?", []),
        ("I do not stand with Ada.", []),
        ("I will not stand with Ada.", []),
        ("I voted for Ben.", []),
        ("Ben will vote for Ada.", []),
        ("You will vote for Ada, will you.", []),
        ("I will vote for the strongest.", []),
        ("I talk with Ben.", []),
        ("I vote for Benjamin.", []),
        ("will I stand with will", []),
        ("I stand with you.", []),
        # What the rule takes for a promise or does not see, as it says.
        ("If you spare me I stand with Ada.", [("spare", "Ada")]),
        ("We vote for Ben.", []),
        ("Ada and I are a team to the end.", []),
    ],
)
def test_promises_to_all(text: str, found: list[tuple[str, str]]) -> None:
    assert promises_in(text, NAMES) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I won't vote for you.", [("spare", "Ben")]),
        ("I've got your back, and You are safe with me.", [("spare", "Ben")]),
        ("I stand with you, and I vote for Ada", [("spare", "Ben"), ("name", "Ada")]),
        ("I will vote for you in the end", [("name", "Ben")]),
        ("Do you think I vote for you?", []),
    ],
)
def test_you_is_whom_a_player_talks_to(text: str, found: list[tuple[str, str]]) -> None:
    assert promises_in(text, NAMES, hearer="Ben") == found


def test_a_promise_is_kept_by_a_ballot_that_agrees() -> None:
    spare = Promise("Ada", "spare", "Ben", private=True)
    name = Promise("Ada", "name", "Ben", private=False)
    assert (spare.kept_by("Ben"), spare.kept_by("Will")) == (False, True)
    assert (name.kept_by("Ben"), name.kept_by("Will")) == (True, False)
    # Of four candidates, one is Ben.
    assert (spare.chance(4), name.chance(4)) == (0.75, 0.25)
