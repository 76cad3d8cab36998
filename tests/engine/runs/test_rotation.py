"""Seats rotate: every game of a deal deals the same to the same seat, and the players move on."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History
from engine.runs.rotation import Spot, rotation_note, seat_games, spots_of
from tests.support.histories import of_kind
from tests.support.tables import config_for, own_games

TRIO = ("Ada", "Ben", "Cleo")


def dealt_by_conversation(history: History) -> list[Any]:
    """Return bank and ranking by seat, without the names of who holds them."""
    hands = []
    for event in of_kind(history, "setup"):
        bank = [(item["subjects"], item["importance"]) for item in event.data["bank"]]
        hands.append((bank, event.data["ranking"]))
    return hands


def dealt_by_talks(history: History) -> list[Any]:
    """Return personality and expertise by seat."""
    people = [event.data["participant"] for event in of_kind(history, "setup")]
    return [(person["personality"], person["expertise_area"]) for person in people]


def dealt_by_deliberations(history: History) -> list[Any]:
    """Return the speaking order of the first round, as places at the table."""
    ids = [seat.player_id for seat in history.players]
    first, *_ = [event.data["order"] for event in history.events if "order" in event.data]
    return [ids.index(one) for one in first]


def dealt_by_dilemma(history: History) -> list[Any]:
    """Return the drawn length of every round."""
    return [event.data["moves"] for event in of_kind(history, "standing")]


def dealt_by_guest(history: History) -> list[Any]:
    """Return the energies at the start."""
    return [event.data["energy"] for event in history.events if "energy" in event.data]


DEALS: dict[str, Callable[[History], list[Any]]] = {
    "conversation": dealt_by_conversation,
    "deliberations": dealt_by_deliberations,
    "dilemma": dealt_by_dilemma,
    "guest": dealt_by_guest,
    "talks": dealt_by_talks,
}


@pytest.mark.parametrize("game", own_games())
def test_each_rotation_of_a_deal_deals_the_same_to_every_seat(game: str) -> None:
    """Each player, with its own strategy, sits once in each seat; the next deal is another one."""
    strategy = [*GAMES[game].strategies][-1]
    config = config_for(game, ",".join([f"scripted:{strategy}"] * 3), seed=7)
    rotations = 3 if GAMES[game].rotates else 1
    histories = [GameEngine(one).run() for one in seat_games(config, 2 * rotations)]
    assert [history.seed for history in histories] == [7] * rotations + [8] * rotations
    hands = [DEALS[game](history) for history in histories]
    assert hands[0]
    assert all(hand == hands[0] for hand in hands[:rotations])
    if game in ("conversation", "guest"):
        assert hands[rotations] != hands[0]

    seats = [[seat.player_id for seat in history.players] for history in histories]
    assert seats[0] == [*TRIO]
    if rotations == 3:
        assert seats[1:3] == [["Cleo", "Ada", "Ben"], ["Ben", "Cleo", "Ada"]]
        assert seats[3:] == seats[:3]


def test_a_player_keeps_its_name_its_strategy_and_its_settings() -> None:
    config = config_for("conversation", "Zoe=scripted:weave,scripted:greedy,scripted:random")
    games = seat_games(config, 6)
    for one in games:
        assert {*map(repr, one.player_configs)} == {*map(repr, config.player_configs)}
    assert [one.seed for one in games] == [0, 0, 0, 1, 1, 1]
    assert games[0] == config


def test_without_rotation_everybody_keeps_their_seat() -> None:
    config = config_for("conversation", seed=3)
    games = seat_games(config, 3, rotate=False)
    assert [one.seed for one in games] == [3, 4, 5]
    assert [one.player_configs for one in games] == [config.player_configs] * 3


def test_rooms_that_are_all_alike_are_not_rotated() -> None:
    """The guest's players never meet: a second rotation would be the same game again."""
    config = config_for("guest")
    games = seat_games(config, 3)
    assert [one.seed for one in games] == [0, 1, 2]
    assert [one.player_configs for one in games] == [config.player_configs] * 3


def test_each_player_is_every_number_of_an_anonymous_game_once() -> None:
    config = config_for("deliberations", settings={"anonymous": True}, seed=5)
    games = seat_games(config, 8)
    for deal in (games[:4], games[4:]):
        for seat in range(4):
            assert len({one.player_configs[seat].model for one in deal}) == 4
    numbers = [player.model for player in games[0].player_configs]
    assert numbers != [player.model for player in games[4].player_configs]
    names = games[1].game.model_dump()["names"]
    was = {player.player_id: player.model for player in config.player_configs}
    assert {names[one.player_id]: one.model for one in games[1].player_configs} == was


def test_a_spot_says_which_deal_a_game_has_in_which_rotation() -> None:
    for players, games in ((5, 12), (1, 3), (2, 4)):
        seeds = [40 + game // players for game in range(games)]
        expected = [Spot(game, game // players, game % players) for game in range(games)]
        assert spots_of(seeds) == expected


@pytest.mark.parametrize(
    ("games", "seats", "note"),
    [
        (10, 5, ""),
        (3, 1, ""),
        (
            7,
            5,
            "7 games are not a multiple of the 5 seats: play 10 for 2 whole deals",
        ),
        (1, 2, "1 game is not a multiple of the 2 seats: play 2 for 1 whole deal"),
    ],
)
def test_games_that_leave_a_deal_unfinished_are_told(games: int, seats: int, note: str) -> None:
    assert rotation_note(games, seats) == note
