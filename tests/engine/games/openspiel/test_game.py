"""OpenSpiel's games at our table: the same returns as OpenSpiel alone, and nobody sees too much."""

import asyncio
import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.openspiel.game import OpenSpielGame, has_template
from engine.games.openspiel.position import (
    after_actions,
    grid_seen,
    movers,
    moves_by_words,
    open_position,
)
from engine.games.openspiel.strategies.question import ChosenMove
from engine.history import History
from engine.report.grids import SHAPES, grid_lines, read_grid
from engine.runs.check import check_log, first_breach
from protocol.answer import IllegalAnswer, read_answer
from tests.support.fake_api import FakeApi, schema_in
from tests.support.histories import of_kind
from tests.support.narrowing import not_none
from tests.support.tables import config_for, play_game, play_with_models

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

# Turns and at once, open and hidden, one to six players, with chance of each kind.
TWENTY = (
    "tic_tac_toe", "connect_four", "breakthrough", "go(board_size=5)", "kuhn_poker", "leduc_poker",
    "liars_dice", "goofspiel", "hex(board_size=5)", "hanabi", "bargaining", "negotiation", "2048",
    "backgammon", "matrix_pd", "coordinated_mp", "cribbage", "morpion_solitaire", "twixt",
    "social_deduction",
)  # fmt: skip
MOVES = ("move", "forced")


def play(game: str, *strategies: str, seed: int = 7, **settings: Any) -> History:
    names = strategies or ("random",) * OpenSpielGame(game=game).example().players
    players = ",".join(f"scripted:{name}" for name in names)
    config = config_for("openspiel", players, seed=seed, settings={"game": game, **settings})
    return GameEngine(config).run()


def replay(history: History) -> Any:
    """Return OpenSpiel's own last state for the logged actions, by OpenSpiel alone."""
    state = pyspiel.load_game(history.events[0].data["word"]).new_initial_state()
    pending: dict[int, int] = {}
    for event in of_kind(history, "chance", *MOVES):
        if event.kind == "chance":
            for action in event.data["actions"]:
                state.apply_action(action)
        elif not state.is_simultaneous_node():
            assert event.data["player"] == state.current_player()
            state.apply_action(event.data["action"])
        else:
            pending[event.data["player"]] = event.data["action"]
            if len(pending) == state.num_players():
                state.apply_actions([pending[player] for player in sorted(pending)])
                pending = {}
    return state


@pytest.mark.parametrize("game", TWENTY)
def test_returns_are_those_of_openspiel_for_the_logged_actions(game: str) -> None:
    history = play(game)
    state = replay(history)
    assert state.is_terminal()
    assert [*not_none(history.outcome).scores.values()] == state.returns()
    assert check_log(history) == ""
    assert play(game).to_json() == history.to_json()
    assert "\x1b" not in history.to_json()


def test_a_seed_decides_what_a_game_draws_by_itself() -> None:
    """OpenSpiel draws the deal of a negotiation inside the game's object."""

    def deal(seed: int) -> str:
        setup, *_ = of_kind(play("negotiation", seed=seed), "setup")
        return setup.content

    assert deal(3) == deal(3)
    assert len({deal(seed) for seed in range(4)}) > 1


def test_a_private_card_is_seen_by_its_owner_alone() -> None:
    history = play("kuhn_poker", "random", "random", "random")
    setups = of_kind(history, "setup")
    (dealt,) = of_kind(history, "chance")
    assert dealt.visibility == ()
    assert [event.content for event in setups] == [str(card) for card in dealt.data["actions"]]
    assert [event.visibility for event in setups] == [("Ada",), ("Ben",), ("Cleo",)]
    assert all(event.visibility == (event.player_id,) for event in of_kind(history, *MOVES))


def test_everybody_sees_the_dice_and_moves_of_an_open_game() -> None:
    history = play("backgammon")
    assert {event.visibility for event in of_kind(history, "chance", *MOVES)} == {("Ada", "Ben")}
    assert not of_kind(history, "setup")


@pytest.mark.parametrize("game", [*SHAPES])
def test_a_board_shows_each_reader_its_own_observation(game: str) -> None:
    """The board behind a move is that of each who sees it: in a hidden game the mover's own."""
    history = play(game, simulations=1)
    state = pyspiel.load_game(history.events[0].data["word"]).new_initial_state()
    boards = 0
    for event in of_kind(history, *MOVES):
        state.apply_action(event.data["action"])
        for reader in event.visibility:
            shown = state.observation_string(("Ada", "Ben").index(reader))
            expected = [*grid_lines(read_grid(game, shown, {}))]
            assert OpenSpielGame.facts_of(event)["grid"] == expected
            boards += 1
    assert boards >= 5
    assert check_log(history) == ""
    moved = of_kind(history, *MOVES)[-1]
    moved.data["grid"] = ["xxx", *moved.data["grid"][1:]]
    assert "grid" in check_log(history)


@pytest.mark.parametrize("game", [*SHAPES])
def test_every_legal_move_has_its_cells(game: str) -> None:
    """But a pass, which has no cell, along whole games; the question has them as its board."""
    position = open_position(OpenSpielGame(game=game).example(), ("Ada", "Ben"))
    draws = random.Random(7)
    while not position.is_over:
        (player,) = movers(position)
        moves = moves_by_words(position, player)
        cells = [cell for row in grid_seen(position, player, moves) for cell in row]
        found = {move for cell in cells for move in cell.get("moves", ())}
        assert {move for move in moves if "PASS" not in move} == found
        position = after_actions(position, {player: draws.choice([*moves.values()])})


def test_those_who_move_at_once_are_told_of_no_move_before_all_have_answered() -> None:
    for log in play("goofspiel").rounds[:-1]:
        kinds = [event.kind for event in log.events if event.kind != "narration"]
        moves = [place for place, kind in enumerate(kinds) if kind == "move"]
        assert len(moves) == 2
        assert moves[1] == moves[0] + 1


def test_capitals_tell_moves_apart() -> None:
    """In this position of chess a pawn and a bishop may both take on a6."""
    choices = {"move": ("Bxa6", "bxa6", "b6")}
    for move in choices["move"]:
        assert read_answer(json.dumps({"move": move}), ChosenMove, choices).move == move
    with pytest.raises(IllegalAnswer, match="expected move to be one of"):
        read_answer('{"move": "BXA6"}', ChosenMove, choices)


def last_move(body: dict[str, Any]) -> str:
    """Return the last legal move, so that a model does not play as the first-legal script does."""
    move = schema_in(body)["properties"]["move"]["enum"][-1]
    return json.dumps({"rationale": "it is the last", "move": move})


@pytest.mark.parametrize(
    ("game", "first"),
    [
        ("colored_trails", "You play Colored Trails"),
        ("hanabi", "All players build fireworks together"),
        ("chess(chess960=False)", "Player 1 has White"),
        ("goofspiel", "Each player holds bidding cards from 1 to 13"),
    ],
)
async def test_a_model_reads_rules_and_sight_and_plays(game: str, first: str) -> None:
    scripts = ["scripted:first_legal"] * (OpenSpielGame(game=game).example().players - 1)
    seats = ",".join(["compatible:m", *scripts])
    more: Any = {"settings": {"game": game}, "limits": {"max_calls": 40}, "seed": 7}
    history, _ = await play_with_models("openspiel", seats, last_move, **more)
    asked = [event for event in history.events if event.prompt is not None]
    assert asked
    assert not any(event.fell_back for event in asked)
    assert {event.data["rationale"] for event in asked} == {"it is the last"}
    assert first in history.seat("Ada").system
    assert "You are Ada, player 0." in history.seat("Ada").system
    if history.status == "finished":
        assert check_log(history) == ""
    else:
        assert history.status == "stopped"


async def test_a_deal_that_the_game_draws_is_the_same_after_a_crash(tmp_path: Path) -> None:
    """A negotiation is cut in the middle of its journal, and goes on to the same bytes."""
    async with FakeApi(reply=last_move) as api:

        def config(folder: Path) -> Any:
            seats = "compatible:m,scripted:random"
            more: Any = {"settings": {"game": "negotiation"}, "seed": 5}
            return config_for("openspiel", seats, folder, at=api.url, **more)

        engine = GameEngine(config(tmp_path))
        journals: list[bytes] = []
        engine.subscribe(lambda _: journals.append((tmp_path / "game.jsonl").read_bytes()))
        await engine.play()
        expected = (tmp_path / "game.json").read_text(encoding="utf-8")
        for cut in sorted({len(journal.splitlines()) for journal in journals}):
            path = tmp_path / str(cut) / "game.jsonl"
            path.parent.mkdir()
            path.write_bytes(b"".join(journals[-1].splitlines(keepends=True)[:cut]))
            await GameEngine.resume(path, config(path.parent)).play()
            assert path.with_suffix(".json").read_text(encoding="utf-8") == expected


def test_a_search_with_a_budget_beats_chance() -> None:
    wins = 0
    for seed in range(6):
        history = play("tic_tac_toe", "random", "mcts", seed=seed, simulations=200)
        wins += not_none(history.outcome).scores["Ben"] >= 0
    assert wins == 6
    again = play("connect_four", "mcts", "mcts", simulations=20)
    assert again.rounds == play("connect_four", "mcts", "mcts", simulations=20).rounds


async def test_other_games_go_on_while_a_search_thinks() -> None:
    players = "scripted:mcts,scripted:first_legal"
    settings = {"game": "tic_tac_toe", "simulations": 20_000}
    searching = asyncio.create_task(
        GameEngine(config_for("openspiel", players, settings=settings)).play()
    )
    others = 0
    while not searching.done():
        assert (await play_game("dilemma")).status == "finished"
        others += 1
    assert others > 1
    assert (await searching).status == "finished"


def test_who_has_no_rules_of_ours_is_told_so() -> None:
    assert "players read OpenSpiel's" in play("breakthrough").events[0].content
    assert "players read OpenSpiel's" not in play("tic_tac_toe").events[0].content
    rules = OpenSpielGame(game="breakthrough").rules()
    assert "- Kind: turns, perfect information, no chance, zero-sum" in rules


TWELVE = "tic_tac_toe connect_four chess go kuhn_poker leduc_poker liars_dice "
TWELVE += "goofspiel hex hanabi bargaining negotiation"


@pytest.mark.parametrize("game", TWELVE.split())
def test_twelve_games_have_rules_in_our_words(game: str) -> None:
    shown = OpenSpielGame(game=game)
    assert has_template(shown.kind)
    assert "OpenSpiel describes it so" not in shown.rules()


def edited(kind: str, **changes: Any) -> Callable[[History], None]:
    """Return what changes the first event of a kind."""

    def edit(history: History) -> None:
        event = of_kind(history, kind)[0]
        for name, value in changes.items():
            if name in event.data:
                event.data[name] = value
            else:
                setattr(event, name, value)

    return edit


def swap_scores(history: History) -> None:
    not_none(history.outcome).scores["Ada"] += 1


@pytest.mark.parametrize(
    "edit",
    [
        edited("move", action=1, words="Bet", player=1),
        edited("move", content="Fold"),
        edited("chance", actions=[0, 0]),
        edited("move", visibility=("Ada", "Ben")),
        edited("setup", visibility=("Ada", "Ben")),
        edited("chance", visibility=("Ada", "Ben")),
        edited("setup", content="9"),
        swap_scores,
        edited("result", content="Returns: Ada 5, Ben -5."),
        edited("narration", word="leduc_poker()"),
        edited("narration", content="Chess"),
    ],
)
def test_a_log_that_was_changed_is_found_out(edit: Callable[[History], None]) -> None:
    """By OpenSpiel alone, and by playing the game again from its answers."""
    history = deepcopy(play("kuhn_poker", "random", "random"))
    assert first_breach(history) == ""
    edit(history)
    assert first_breach(history) != ""
    assert check_log(history) != ""
