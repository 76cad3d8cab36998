"""Which of TextArena's games are open_games, and why the others are not."""

import sys

import pytest

from engine.games import GAMES, read_game
from engine.games.textarena.game import TextArenaGame
from engine.games.textarena.library import (
    REFUSALS,
    check_party,
    families,
    find_text_game,
    load_textarena,
    open_games,
)
from engine.games.textarena.library.environment import RawEnvironment

pytest.importorskip("textarena", reason="needs the extra textarena")


def first_of_each_family() -> list[str]:
    found: dict[str, str] = {}
    for game_id in open_games():
        found.setdefault(find_text_game(game_id).family, game_id)
    return [*found.values()]


def test_every_family_that_is_offered_starts_here_and_the_list_is_computed() -> None:
    """Offline, and so that everybody who is to move is shown something."""
    games = first_of_each_family()
    for game_id in games:
        game = find_text_game(game_id)
        environment = RawEnvironment(game, game.counts[0], 1)
        assert any(environment.current in shown.readers for shown in environment.drain()), game_id
    assert len(games) == 72
    assert len(open_games()) == 182
    assert len({*families().values()}) == 95


def test_the_refused_are_never_imported() -> None:
    refused = {family for family in families().values() if family in REFUSALS}
    assert refused == {*REFUSALS}
    for game_id, family in families().items():
        if family in REFUSALS:
            with pytest.raises(ValueError, match="without a network") as caught:
                find_text_game(game_id)
            assert REFUSALS[family] in str(caught.value)
    modules = {name.split(".")[2] for name in sys.modules if name.startswith("textarena.envs.")}
    assert not modules & refused


@pytest.mark.parametrize("game_id", ["Taboo-v0-animals", "Snake-v0", "Briscola-v0", "Golf-v0"])
def test_the_numbers_of_players_are_those_that_textarena_takes(game_id: str) -> None:
    game = find_text_game(game_id)
    for players in game.counts:
        RawEnvironment(game, players, 1)
    with pytest.raises(ValueError, match="players for"):
        check_party(game, game.counts[-1] + 1)


def test_a_wrong_word_says_what_is_right() -> None:
    with pytest.raises(ValueError, match="TicTacToe-v0"):
        find_text_game("TicTacTo-v0")
    assert find_text_game("TicTacToe-v0-raw") == find_text_game(" TicTacToe-v0 ")
    assert TextArenaGame(game="TicTacToe-v0-raw").game == "TicTacToe-v0"


def test_the_game_is_in_the_table_with_its_variant() -> None:
    assert read_game("textarena:TicTacToe-v0") == {"name": "textarena", "game": "TicTacToe-v0"}
    assert GAMES["textarena"] is TextArenaGame
    assert TextArenaGame(game="TicTacToe-v0").seats() == ("Player 0", "Player 1")
    assert TextArenaGame().seats() == ()
    table = TextArenaGame.variants()
    assert ("LiarsDice-v0", "2 to 15", "LiarsDice") in table.rows
    assert len(table.rows) == len(open_games())
    assert load_textarena().__name__ == "textarena"
