"""Tournaments: hand-scored rounds, who is dropped, how it ends, lengths, seeds, faults and bad
input."""

from typing import Any

import pytest

from engine.games.dilemma.monitor import (
    AGENTS,
    DilemmaTournament,
    as_block,
    enter,
    monitor,
    play_match,
)
from engine.games.dilemma.tournament import pairings

QUIET = (0, 0)
SOURCE = [
    "random",
    "tit_for_tat",
    "gradual",
    "handshake",
    "stoc",
    "coin",
    "detective",
    "bully",
    "prober",
    "cooperator",
]


def test_a_tournament_scored_by_hand() -> None:
    """Three agents, blocks of three, 2 turns: 6 moves a game.

    Round 1: defector 5 * 6 = 30 from cooperator and 5 * 3 + 3 = 18 from tit for tat (C C C, then D
    D D): 48. Cooperator 0 + 3 * 6 = 18. Tit for tat 18 + 0 + 3 = 21. Cooperator is dropped. Round
    2: defector 18, tit for tat 3, which is dropped: one would remain.
    """
    result = monitor(QUIET, (2, 2), ["defector", "cooperator", "tit_for_tat"])
    assert [one.table for one in result.rounds] == [
        [("defector", 48), ("tit_for_tat", 21), ("cooperator", 18)],
        [("defector", 18), ("tit_for_tat", 3)],
    ]
    assert [one.dropped for one in result.rounds] == [("cooperator",), ("tit_for_tat",)]
    assert result.rounds[0].why == "cooperator dropped with the lowest score, 18"
    assert result.table == [("defector", 18), ("tit_for_tat", 3)]
    assert result.winners == ("defector",)
    assert result.over


def test_all_who_tie_for_the_lowest_leave_at_once() -> None:
    """A turn: each cooperator has 3 * 3 from the other and 0, the defectors 15 + 15 + 3 each; then
    these tie at 3."""
    result = monitor(QUIET, (1, 1), ["cooperator", "defector", "cooperator", "defector"])
    assert result.rounds[0].scores == {
        "cooperator": 9,
        "defector": 33,
        "cooperator_2": 9,
        "defector_2": 33,
    }
    assert result.rounds[0].dropped == ("cooperator", "cooperator_2")
    assert result.rounds[1].scores == {"defector": 3, "defector_2": 3}
    assert result.rounds[1].dropped == ()
    assert result.winners == ("defector", "defector_2")
    assert result.rounds[1].why == "no player dropped out: all have 3, a joint win"


def test_all_tied_is_a_joint_win_at_once() -> None:
    result = monitor(QUIET, (4, 4), ["tit_for_tat", "cooperator", "grudger"])
    # 12 moves * 3 * 2 opponents
    assert result.table == [("tit_for_tat", 72), ("cooperator", 72), ("grudger", 72)]
    assert len(result.rounds) == 1
    assert result.winners == ("tit_for_tat", "cooperator", "grudger")


def test_it_ends_after_max_rounds() -> None:
    result = monitor((0.25, 0.1), (10, 50), SOURCE, max_rounds=3)
    assert [len(one.scores) for one in result.rounds] == [10, 9, 8]
    assert result.table == result.rounds[2].table
    assert result.winners == (result.table[0][0],)


def test_a_round_robin_has_every_pair_once_and_nobody_with_itself() -> None:
    assert pairings("abc") == [("a", "b"), ("a", "c"), ("b", "c")]


def test_the_sources_example_call() -> None:
    result = monitor((0.25, 0.1), (10, 50), SOURCE, seed=7)
    assert len(result.rounds[0].games) == 45
    assert all(30 <= one.moves <= 150 and one.moves % 3 == 0 for one in result.rounds)
    assert all(len(game.match.moves) == one.moves for one in result.rounds for game in one.games)
    flips = [
        move
        for one in result.rounds
        for game in one.games
        for side in game.match.flips
        for move in side
    ]
    assert set(flips) == {0, 1, 2}
    assert result.faults == dict.fromkeys(SOURCE, 0)


def test_lengths_are_uniform_and_of_all_games_of_a_round() -> None:
    """In 300 rounds of length 1 to 3 each length comes; the turns of one round are all equal."""
    lengths = [
        monitor(QUIET, (1, 3), ["cooperator", "defector"], seed=seed).rounds[0].moves
        for seed in range(300)
    ]
    counts = [lengths.count(moves) for moves in (3, 6, 9)]
    assert sum(counts) == 300
    assert min(counts) > 60  # a hundred each are expected; below 61 lies one case in a million
    in_moves = monitor(QUIET, (7, 7), ["cooperator", "defector"], unit="moves").rounds[0]
    assert in_moves.moves == 7
    assert in_moves.scores == {"cooperator": 0, "defector": 35}
    in_steps = monitor(QUIET, (7, 7), ["tit_for_tat", "defector"], block=1).rounds[0]
    assert in_steps.scores == {"tit_for_tat": 6, "defector": 11}


def test_the_same_seed_gives_the_same_tournament() -> None:
    assert monitor((0.1, 0), (2, 9), SOURCE, seed=3) == monitor((0.1, 0), (2, 9), SOURCE, seed=3)
    assert monitor((0.1, 0), (2, 9), SOURCE, seed=3) != monitor((0.1, 0), (2, 9), SOURCE, seed=4)


def test_another_player_moves_no_draw_of_the_others() -> None:
    """A game's flips and draws hang on the seed, the round and who plays, not on who else is
    there."""
    some = monitor((0.2, 0), (5, 5), ["coin", "stoc", "tit_for_tat"], max_rounds=1)
    more = monitor((0.2, 0), (5, 5), ["coin", "bully", "stoc", "tit_for_tat"], max_rounds=1)
    assert set(some.rounds[0].games) <= set(more.rounds[0].games)


def test_an_agent_entered_twice_is_two_entries_with_names_of_their_own() -> None:
    assert list(enter(["coin", "coin", AGENTS["coin"]])) == ["coin", "coin_2", "coin_3"]
    assert list(enter(["coin", ("coin_2", AGENTS["stoc"]), "coin"])) == ["coin", "coin_2", "coin_3"]
    assert list(enter({"a": AGENTS["coin"], "b": AGENTS["coin"]})) == ["a", "b"]
    coin = as_block(AGENTS["coin"].strategy)  # type: ignore[attr-defined]
    assert list(enter([lambda *_: "CCC", coin])) == ["<lambda>", "coin"]
    game = monitor(QUIET, (20, 20), ["coin", "coin"], max_rounds=1).rounds[0].games[0].match
    assert game.first != game.second, "two entries draw from two streams"


def test_faults_are_counted_and_stop_nothing() -> None:
    def broken(history: Any, score: Any) -> Any:
        raise KeyError("no idea")

    def wrong(history: Any, score: Any) -> Any:
        return ["C", "C"]

    result = monitor(QUIET, (4, 4), [broken, wrong, "cooperator"])
    first = result.rounds[0]
    assert first.scores == {"broken": 12 + 60, "wrong": 12 + 60, "cooperator": 0}
    assert first.faults == {"broken": 8, "wrong": 8, "cooperator": 0}
    assert result.faults == {"broken": 12, "wrong": 12, "cooperator": 0}
    assert first.games[0].match.faults[0][0] == (0, "KeyError: 'no idea'")
    assert first.games[0].match.faults[1][1] == (
        3,
        "IllegalAnswer: expected three moves, each C or D: ('C', 'C')",
    )


def test_an_agent_of_ours_can_be_entered_by_another_name() -> None:
    # C C C, then D D D, against always D: 0 + 3, and 5 * 3 + 3
    expected = [("joes", 18), ("bobs", 3)]
    assert (
        monitor(QUIET, (2, 2), [("bobs", "tit_for_tat"), ("joes", AGENTS["defector"])]).table
        == expected
    )
    assert monitor(QUIET, (2, 2), {"bobs": "tit_for_tat", "joes": "defector"}).table == expected


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"flip_params": (1.5, 0)}, "expected flip_params to be a chance and its decay a move"),
        ({"flip_params": (0.5, -1)}, "expected flip_params to be a chance and its decay a move"),
        (
            {"game_length": (3, 2)},
            r"expected game_length to be two whole numbers, 1 <= low <= high: \(3, 2\)",
        ),
        ({"game_length": (0, 2)}, "expected game_length"),
        ({"game_length": (1.5, 2)}, "expected game_length"),
        ({"game_length": (1,)}, "expected game_length"),
        ({"game_length": 5}, "expected game_length"),
        ({"agents": ["coin"]}, "expected at least two agents: got 1"),
        ({"agents": []}, "expected at least two agents: got 0"),
        ({"agents": ["coin", 7]}, "an agent that can be called"),
        ({"agents": ["coin", "tat"]}, "expected an agent or one of cooperator, .*: 'tat'"),
        (
            {"agents": ["coin", ("bobs", "tat")]},
            "expected an agent or one of cooperator, .*: 'tat'",
        ),
        ({"agents": "coin"}, "expected a list of agents: got 'coin'"),
        ({"agents": None}, "expected a list of agents: got None"),
        ({"agents": ["coin", ("", AGENTS["coin"])]}, "expected a name that is not empty"),
        ({"agents": ["coin", ("a", AGENTS["coin"], 1)]}, "expected a name and an agent"),
        ({"max_rounds": 0}, "expected max_rounds"),
        ({"unit": "hours"}, "expected unit to be turns or moves: 'hours'"),
        ({"block": 2}, "expected block to be 1 or 3: 2"),
    ],
)
def test_bad_input_is_one_sentence_before_anything_is_played(
    changes: dict[str, Any], sentence: str
) -> None:
    usual: dict[str, Any] = {"flip_params": QUIET, "game_length": (1, 2), "agents": SOURCE}
    with pytest.raises(ValueError, match=sentence) as caught:
        monitor(**usual | changes)
    assert "\n" not in str(caught.value)


def test_a_game_of_the_tournament_can_be_played_again_alone() -> None:
    """Without lots a round's game is `play_match` with its flips."""
    for one in monitor((0.25, 0.05), (3, 6), ["gradual", "mirror", "tester"], seed=5).rounds:
        for first, second, match in one.games:
            assert play_match(AGENTS[first], AGENTS[second], one.moves, flips=match.flips) == match


def test_a_tournament_that_has_not_begun() -> None:
    fresh = DilemmaTournament(("a", "b"))
    assert (fresh.over, fresh.table, fresh.winners, fresh.active) == (False, [], (), ("a", "b"))


def test_an_agent_that_remembers_forgets_between_games() -> None:
    class Counting:
        def __init__(self) -> None:
            self.asked = 0

        def __call__(self, history: object, score: object) -> list[str]:
            self.asked += 1
            return ["C", "C", "C"] if self.asked <= 2 else ["D", "D", "D"]

    agent = Counting()
    first = play_match(agent, AGENTS["cooperator"], 9)
    assert first == play_match(agent, AGENTS["cooperator"], 9)
    assert first.first == "CCCCCCDDD"
    assert agent.asked == 0
