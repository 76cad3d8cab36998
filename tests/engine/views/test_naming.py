"""A game's title, who line and result: from its content, within their lengths, and masked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History, Outcome, Seat
from engine.runs.index import Index
from engine.runs.query import Query
from engine.views.naming import (
    LONGEST,
    LONGEST_TITLE,
    result_in,
    short,
    sides_in_words,
    who_line,
)
from engine.views.page import page_html
from engine.views.perspective import Shown, history_in
from protocol.text import list_names
from tests.support.hostile import STRINGS
from tests.support.tables import config_for

TWO = "scripted:greedy,scripted:silent"
SEARCH = "scripted:mcts,scripted:random"
PERSON = "Ada=human,Ben=scripted:mcts"


def begun(game: str, players: str, settings: dict[str, Any]) -> History:
    """Return a game before its first round."""
    return GameEngine(config_for(game, players, settings=settings)).history


def title_of(history: History) -> str:
    return Shown(game=GAMES.get(history.game)).title_of(history)


@pytest.mark.parametrize(
    ("game", "players", "settings", "title"),
    [
        ("talks", "", {"topic": "Bees & owls?"}, "Bees & owls?"),
        ("deliberations", "scripted:loyal," * 3, {}, "Ada, Ben and Cleo deliberate"),
        ("conversation", TWO, {}, "greedy against silent in conversation"),
        ("dilemma", "scripted:grudger," * 8, {}, "Eight strategies, iterated prisoner's dilemma"),
        ("guest", "scripted:wait", {}, "Ada moderates three agents"),
    ],
)
def test_a_title_is_made_from_what_the_game_is_about(
    game: str, players: str, settings: dict[str, Any], title: str
) -> None:
    assert title_of(begun(game, players.rstrip(","), settings)) == title


@pytest.mark.parametrize(
    ("players", "title"),
    [
        (SEARCH, "connect_four: mcts against random"),
        (PERSON, "connect_four: Ada against Ben"),
    ],
)
def test_a_board_game_is_named_with_its_sides(players: str, title: str) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    assert title_of(begun("openspiel", players, {"game": "connect_four"})) == title


def test_who_does_not_know_the_models_does_not_read_them_in_the_names() -> None:
    pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    history = begun("openspiel", SEARCH, {"game": "tic_tac_toe"})
    seen = history_in(history, "Ada")
    assert who_line(seen.players) == "Ada (scripted:mcts); Ben"
    assert title_of(seen) == "tic_tac_toe: Ada against Ben"
    assert (
        "random" not in page_html(history, Shown("", game=GAMES["openspiel"])).split("<style>")[0]
    )


def test_who_sits_beside_a_person_is_not_called_by_its_model() -> None:
    seats = [Seat("Ada", "human", "me"), Seat("Ben", "scripted", "mcts")]
    assert sides_in_words(seats) == "Ada against Ben"


def test_a_model_of_several_seats_is_named_once() -> None:
    seats = [Seat("Ada", "openai", "m"), Seat("Ben", "human", ""), Seat("Cleo", "openai", "m")]
    assert who_line(seats) == "Ada and Cleo (openai:m); Ben (human)"


def test_many_names_are_counted() -> None:
    assert list_names("ABCDEF", 5) == "A, B, C, D, E and F"
    assert list_names("ABCDEFG", 5) == "A, B, C, D, E and 2 others"
    assert list_names("") == ""


@pytest.mark.parametrize("text", ["x" * 10_000, "a\n\u202eb\x1b[31m\x00", "<script>&\"'"])
def test_names_of_games_are_one_line_and_inert(text: str) -> None:
    history = begun("talks", "", {"topic": "Bees"})
    history.config["game"]["topic"] = text
    title = title_of(history)
    assert len(title) <= LONGEST_TITLE
    assert title == short(text, LONGEST_TITLE)
    head = page_html(history, Shown(game=GAMES["talks"])).split("<style>")[0]
    assert "<script>" not in head
    assert not {"\x1b", "\u202e", "\x00"} & {*head}


def test_a_foreign_config_names_the_players() -> None:
    history = History("talks", 1, "game", 0, {"game": ["?"]}, [Seat("Ada", "x", "y")])
    for game in GAMES:
        assert "Ada" in title_of(replace(history, game=game))


@pytest.mark.parametrize(
    ("places", "scores", "words"),
    [
        ((1, 2, 3), (2.5, 1.25, 0), "Ada wins, 2.5 to 1.25"),
        ((1, 1, 3), (2, 2, -1), "Ada and Ben win, 2 to -1"),
        ((1, 1, 1), (0, 0, 0), "a draw, 0 each"),
        ((1,), (0.8341,), "Ada scores 0.834"),
        ((), (), ""),
    ],
)
def test_a_result_says_who_won_by_how_much(
    places: tuple[int, ...], scores: tuple[float, ...], words: str
) -> None:
    names = ("Ada", "Ben", "Cleo")
    outcome = Outcome(
        dict(zip(names, places, strict=False)), dict(zip(names, scores, strict=False))
    )
    history = History("parley", 1, "game", 0, {}, status="finished", outcome=outcome)
    assert result_in(history) == words


def test_a_game_that_is_not_over_or_void_has_no_winner() -> None:
    history = History("parley", 1, "game", 0, {}, status="stopped", reason="a secret")
    assert result_in(history) == "stopped in round 0"
    assert result_in(replace(history, status="running")) == ""


@pytest.mark.parametrize(
    ("game", "begins"),
    [
        ("conversation", "wins, "),
        ("deliberations", " wins with "),
        ("dilemma", " points"),
        ("guest", " to "),
        ("talks", " after "),
    ],
)
def test_the_list_and_its_search_have_all_three(game: str, begins: str, tmp_path: Path) -> None:
    log = GameEngine(config_for(game, logs_dir=tmp_path, seed=1)).run()
    assert log.outcome is not None
    index = Index(tmp_path)
    index.refresh()
    ((row,), _) = index.page(Query())
    shown = Shown(game=GAMES[game])
    assert (row.title, row.who) == (shown.title_of(log), who_line(log.players))
    assert row.result == shown.result_of(log)
    assert begins in row.result
    for words in (row.title, row.result):
        assert [one.file for one in index.page(Query(q=words[:60]))[0]] == [row.file]
    index.close()


def test_harsh_names_stay_within_their_length() -> None:
    seats = [Seat(name, "openai", name) for name in STRINGS]
    assert len(who_line(seats)) <= LONGEST
    assert short(who_line(seats)) == who_line(seats)
