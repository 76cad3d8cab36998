"""What can be played of OpenSpiel, and which sentence refuses the rest before it is loaded."""

import pytest
from pydantic import ValidationError

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES, Games, read_game
from engine.games.openspiel.game import OpenSpielGame
from engine.runs.seating import read_players

pytest.importorskip("pyspiel", reason="needs the extra openspiel")


def table(game: str, *strategies: str) -> GameEngine:
    seats = read_players(",".join(f"scripted:{name}" for name in strategies))
    settings = {"name": "openspiel", "game": game}
    return GameEngine(GameEngineConfig(player_configs=seats, game=settings, logs_dir=None))


def test_109_games_can_be_played_by_their_name() -> None:
    listed = [row[0] for row in OpenSpielGame.variants().rows]
    assert len(listed) == len(set(listed)) == 109
    assert {"chess", "hanabi", "2048", "coop_to_1p", "negotiation"} <= {*listed}
    assert not {"crossword", "mfg_garnet", "misere", "efg_game"} & {*listed}
    rows = {row[0]: row[1:] for row in OpenSpielGame.variants().rows}
    assert rows["kuhn_poker"] == (
        "2 to 10", "turns, hidden information, chance, zero-sum", "own words"
    )  # fmt: skip
    assert rows["2048"][0] == "1"
    assert rows["backgammon"][2] == "OpenSpiel's"


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        ("ches", "unknown OpenSpiel game 'ches': did you mean 'chess'"),
        ("go(size=9)", "unknown parameter of go 'size'"),
        ("go(board_size=9", "optionally with parameters, such as go"),
        ("go(board_size=99)", "supports board size up to 19"),
        ("hanabi(colors=99)", "OpenSpiel ends the process"),
        ("universal_poker(numPlayers=3)", "OpenSpiel ends the process"),
        ("connect_four(rows=100000,columns=100000)", "MemoryError"),
        ("crossword", "it does not list its legal actions"),
        ("mfg_garnet", "it is a mean-field game"),
        ("repeated_game", "expected parameters for repeated_game, of num_repetitions"),
        ("misere(game=efg_game(filename=/etc/passwd))", "without file names"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(game: str, sentence: str) -> None:
    with pytest.raises(ValidationError, match="game") as refused:
        OpenSpielGame(game=game)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("game", "players", "sentence"),
    [
        # More than five end the process where this is not checked first.
        ("hanabi", 6, "expected 2 to 5 players for hanabi: got 6"),
        ("chess", 1, "expected 2 players for chess: got 1"),
        ("blackjack", 2, "expected 1 player for blackjack: got 2"),
        ("kuhn_poker(players=3)", 2, "expected 3 players for kuhn_poker"),
        ("misere(game=negotiation())", 2, "draws its own"),
    ],
)
def test_players_are_counted_before_anything_is_loaded(
    game: str, players: int, sentence: str
) -> None:
    with pytest.raises(ValueError, match="expected") as refused:
        table(game, *["random"] * players)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel", "2048", "stones_and_gems", "hanabi"])
def test_a_search_is_refused_where_it_would_see_too_much_or_cannot_play(game: str) -> None:
    players = OpenSpielGame(game=game).example().players
    with pytest.raises(ValidationError, match="which reads the whole state"):
        table(game, *["mcts"] * players)


def test_a_game_that_needs_parameters_is_played_with_them() -> None:
    history = table(
        "repeated_game(stage_game=matrix_pd(),num_repetitions=3)", *["random"] * 2
    ).run()
    assert history.status == "finished"
    assert sum(event.kind == "move" for event in history.events) == 6


def test_a_word_names_a_game_of_the_library() -> None:
    assert read_game("openspiel:go(board_size=9)") == {
        "name": "openspiel",
        "game": "go(board_size=9)",
    }
    # A package that nobody has stands in for one that is not installed.
    games = Games({"there": "guest.game:GuestGame"}, {"there": ("no_such_package", "there")})
    assert [*games] == []
    assert games.missing_extra("there") == "there"
    assert games.missing == {"there": "there"}
    assert GAMES.missing_extra("openspiel") == ""


@pytest.mark.parametrize(
    ("game", "seats"),
    [("kuhn_poker", 0), ("chess", 2), ("2048", 1), ("hanabi", 0), ("cribbage", 4), ("bridge", 4)],
)
def test_a_table_of_five_that_cannot_play_gets_the_seats_it_can(game: str, seats: int) -> None:
    assert len(OpenSpielGame(game=game).seats()) == seats
