"""The scripts of OpenSpiel's games: what they know, how well they play, and what they refuse."""

import gc
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.openspiel.bargains import own_value, read_bargain
from engine.games.openspiel.game import OpenSpielGame
from engine.games.openspiel.library import example_of
from engine.games.openspiel.position import (
    SpielPosition,
    after_actions,
    moves_by_words,
    open_position,
)
from engine.games.openspiel.strategies import STRATEGIES
from engine.games.openspiel.strategies.bargainers import FAIR, FIRM, demand_at
from engine.games.openspiel.strategies.equilibrium import (
    INDEX,
    best_actions,
    read_policy,
    stored_policy,
)
from engine.games.openspiel.strategies.question import ChosenMove, MoveQuestion, question_of
from engine.games.openspiel.strategies.solve import nash_conv, packed_policy, solve
from engine.history import History
from engine.prompting import read_data
from engine.round import RoundContext
from player import Prompt, ScriptedPlayer, Turn
from protocol.seats import check_strategy, script_of
from tests.support.narrowing import not_none
from tests.support.tables import config_for

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

PLAYERS = ("Ada", "Ben")
# In each of these games some script knows more than what is legal.
HIDDEN = ("kuhn_poker", "leduc_poker", "liars_dice", "bargaining")


def play(game: str, *strategies: str, seed: int = 7, **settings: Any) -> History:
    players = ",".join(f"scripted:{name}" for name in strategies)
    config = config_for("openspiel", players, seed=seed, settings={"game": game, **settings})
    return GameEngine(config).run()


def scores(game: str, strategy: str, opponent: str, games: int) -> float:
    """Return the mean score of a strategy, each deal from both seats."""
    total = 0.0
    for seed in range(games // 2):
        for place, seats in enumerate(((strategy, opponent), (opponent, strategy))):
            total += [*not_none(play(game, *seats, seed=seed).outcome).scores.values()][place]
    return total / games


def turn_for(question: MoveQuestion) -> Turn[ChosenMove]:
    words = tuple(question.moves)
    return Turn(
        player_id=PLAYERS[question.player],
        kind="move",
        observation=question,
        prompt=lambda: Prompt("", "", ""),
        answer=ChosenMove,
        choices={"move": words},
        fallback=ChosenMove(move=words[0]),
    )


def positions(game: str, seed: int) -> Iterator[SpielPosition]:
    """Yield the positions of a random game in which somebody decides."""
    rng = random.Random(seed)
    position = open_position(example_of(game), PLAYERS)
    while not position.is_over:
        state = position.state.clone()
        if position.is_chance:
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, weights)[0])
            position = replace(position, state=state)
        else:
            yield position
            action = rng.choice(state.legal_actions())
            position = after_actions(position, {state.current_player(): action})


def reachable(question: MoveQuestion) -> set[type]:
    """Return the types of all objects of the project that lead on from a question."""
    found: dict[int, Any] = {}
    waiting: list[Any] = [question]
    while waiting:
        one = waiting.pop()
        if id(one) in found or isinstance(one, type):
            continue
        found[id(one)] = one
        waiting += [] if callable(one) else gc.get_referents(one)
    return {type(one) for one in found.values()}


def seen_state(question: MoveQuestion) -> str:
    return "" if question.state is None else question.state.history_str()


@pytest.mark.parametrize("game", HIDDEN)
def test_equal_information_means_an_equal_question_and_answer(game: str) -> None:
    """Nothing that is hidden from a seat reaches its script, the dealt hand of another least."""
    rules = OpenSpielGame(game=game)
    scripts = [name for name in STRATEGIES if not rules.refuses(name)]
    questions = defaultdict(set)
    answers = defaultdict(set)
    hands = defaultdict(set)
    for seed in range(60):
        for position in positions(game, seed):
            player = position.state.current_player()
            known = position.state.information_state_string(player)
            moves = moves_by_words(position, player)
            for name in scripts:
                guesses = random.Random(1) if name == "ismcts" else None
                asked = question_of(position, player, moves, 20, guesses)
                told = (asked.game, asked.sight, *asked.moves.items(), seen_state(asked))
                questions[player, known, name].add(told)
                answer = STRATEGIES[name](turn_for(asked), random.Random(2))
                answers[player, known, name].add(answer.model_dump_json())
                assert not reachable(asked) & {SpielPosition, RoundContext, OpenSpielGame}
            hands[player, known].add(position.state.information_state_string(1 - player))
    assert any(len(others) > 1 for others in hands.values()), "some information came again"
    assert [both for both in questions.values() if len(both) > 1] == []
    assert [both for both in answers.values() if len(both) > 1] == []


@pytest.mark.parametrize("game", HIDDEN)
def test_only_a_search_is_given_a_state_of_a_game_that_hides_something(game: str) -> None:
    for position in positions(game, 3):
        player = position.state.current_player()
        question = question_of(position, player, moves_by_words(position, player), 1, None)
        assert question.state is None


@pytest.mark.parametrize("name", ["mcts", "ismcts"])
def test_a_number_behind_the_dash_is_the_budget_of_its_seat(name: str) -> None:
    game = "tic_tac_toe" if name == "mcts" else "leduc_poker"
    numbered = play(game, f"{name}-40", "random", simulations=7)
    plain = play(game, name, "random", simulations=40)
    fewer = play(game, name, "random", simulations=1)
    assert numbered.players[0].model == f"{name}-40"
    assert numbered.rounds == plain.rounds != fewer.rounds
    assert numbered.rounds == play(game, f"{name}-40", "random", simulations=7).rounds


@pytest.mark.parametrize("name", ["mcts", "mcts-4", "ismcts", "ismcts-4"])
def test_a_search_runs_in_a_thread_with_and_without_its_number(name: str) -> None:
    game = OpenSpielGame(game="leduc_poker" if "is" in name else "tic_tac_toe")
    seat = config_for("openspiel", f"scripted:{name},scripted:random", settings=dict(game))
    assert ScriptedPlayer(seat.player_configs[0], script_of(name, game), random.Random(0)).searches


@pytest.mark.parametrize("number", ["0", "064", "-1", "1000001", "9" * 11, "9" * 40, "x", "1.5"])
def test_a_wrong_number_is_refused_in_a_sentence(number: str) -> None:
    game = OpenSpielGame(game="tic_tac_toe")
    with pytest.raises(ValueError, match=r"unknown strategy|expected mcts-N with N of at most 1,0"):
        check_strategy(f"mcts-{number}", game)
    assert check_strategy("mcts-1000000", game) == "mcts-1000000"


def test_scripts_without_a_number_take_none() -> None:
    with pytest.raises(ValueError, match="unknown strategy of openspiel 'random-4'"):
        check_strategy("random-4", OpenSpielGame(game="tic_tac_toe"))


@pytest.mark.parametrize(
    ("game", "refused"),
    [
        ("tic_tac_toe", {"ismcts", "equilibrium", "fair"}),
        ("leduc_poker", {"mcts", "fair", "firm"}),
        ("leduc_poker(players=3)", {"equilibrium", "best_to_random", "mcts"}),
        ("liars_dice", {"mcts", "ismcts", "fair"}),
        ("bargaining", {"mcts", "equilibrium"}),
        ("matrix_pd", {"mcts", "ismcts", "firm"}),
        ("negotiation", {"ismcts", "fair"}),
    ],
)
def test_a_script_that_cannot_play_says_why_in_one_sentence(game: str, refused: set[str]) -> None:
    rules = OpenSpielGame(game=game)
    for name in STRATEGIES:
        why = rules.refuses(name)
        assert not why or "the game bargaining" in why or re.match("expected a .*game ", why)
        assert "\n" not in why
        assert bool(why) or name not in refused
    assert not rules.refuses("random")


@pytest.mark.parametrize(("game", "states"), [("leduc_poker", 936), ("liars_dice", 24_576)])
def test_a_stored_equilibrium_is_as_good_as_its_index_says(game: str, states: int) -> None:
    policy = stored_policy(game)
    line = read_data(INDEX)[game]
    assert len(policy) == line["states"] == states
    assert nash_conv(game, policy) == line["nash_conv"] < 0.01
    for actions in policy.values():
        assert sum(part for _, part in actions) == pytest.approx(1)


def test_an_independent_implementation_finds_the_same_nash_conv() -> None:
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    game = pyspiel.load_game("leduc_poker")
    policy = pytest.importorskip("open_spiel.python.policy").tabular_policy_from_callable(
        game, lambda state: dict(stored_policy("leduc_poker")[state.information_state_string()])
    )
    due = read_data(INDEX)["leduc_poker"]["nash_conv"]
    assert exploitability.nash_conv(game, policy) == pytest.approx(due, abs=1e-6)


def test_a_policy_that_was_changed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"leduc_poker": {"sha256": "0" * 64}}
    monkeypatch.setattr(
        "engine.games.openspiel.strategies.equilibrium.read_data", lambda _: changed
    )
    with pytest.raises(ValueError, match=r"leduc_poker to have the hash in equilibria\.json"):
        stored_policy.__wrapped__("leduc_poker")


def test_solving_again_gives_the_same_file() -> None:
    packed = packed_policy(solve("kuhn_poker", 200))
    assert packed == packed_policy(solve("kuhn_poker", 200))
    assert nash_conv("kuhn_poker", read_policy(packed)) < 0.01


def expected(game: str, *policies: dict[str, list[tuple[int, float]]]) -> list[float]:
    """Return what policies expect to get, over the whole tree."""
    root = pyspiel.load_game(game).new_initial_state()
    tables = [pyspiel.TabularPolicy(policy) for policy in policies]
    values: list[float] = pyspiel.expected_returns(root, tables, -1, False)
    return values


def test_best_responses_win_exactly_what_the_nash_conv_says() -> None:
    """In a zero-sum game it is the sum of what each seat's best response gets."""
    game = "leduc_poker"
    equilibrium = dict(stored_policy(game))
    gains = 0.0
    for player in range(2):
        actions = best_actions(game, player, "equilibrium")
        answers = {
            sight: [(action, float(action == actions.get(sight))) for action, _ in legal]
            for sight, legal in equilibrium.items()
        }
        seats = [equilibrium, equilibrium]
        seats[player] = answers
        gains += expected(game, *seats)[player]
    assert gains == pytest.approx(read_data(INDEX)[game]["nash_conv"], abs=1e-6)


def test_the_scripts_of_poker_and_dice_stand_in_their_order() -> None:
    by_random = scores("leduc_poker", "random", "random", 300)
    assert by_random < scores("leduc_poker", "equilibrium", "random", 300)
    assert scores("leduc_poker", "best_to_random", "random", 300) > 1
    assert scores("leduc_poker", "ismcts-50", "random", 100) > by_random
    assert scores("liars_dice", "random", "equilibrium", 100) < -0.3


def test_four_times_the_simulations_win() -> None:
    assert scores("connect_four", "mcts-64", "mcts-16", 20) > 0


@pytest.mark.parametrize(
    ("offers", "fair", "firm"), [(0, 1, 1), (2, 0.9, 0.99968), (5, 0.75, 0.96875), (10, 0.5, 0)]
)
def test_demands_fall_evenly_or_late(offers: int, fair: float, firm: float) -> None:
    assert demand_at(FAIR, offers, 11) == pytest.approx(fair)
    assert demand_at(FIRM, offers, 11) == pytest.approx(firm)


@pytest.mark.parametrize("name", ["fair", "firm"])
def test_bargainers_keep_to_what_they_demand(name: str) -> None:
    """An offer keeps at least the demand; agreeing brings it, or for the fair one half."""
    tactic = {"fair": FAIR, "firm": FIRM}[name]
    agreed = 0
    for seed in range(60):
        for position in positions("bargaining", seed):
            player = position.state.current_player()
            moves = moves_by_words(position, player)
            question = question_of(position, player, moves, 1, None)
            move = STRATEGIES[name](turn_for(question), random.Random(0)).model_dump()["move"]
            pool, values, *offers = read_bargain(question.sight)
            got = position.state.child(moves[move]).returns()[player]
            most = own_value(pool, values)
            demand = demand_at(tactic, len(offers), 10) * most
            if move == "Agree":
                agreed += 1
                assert got >= min(demand, tactic.accepts * most)
            else:
                assert own_value(read_bargain(move)[0], values) >= demand
                taken = (offers or [pool])[-1]
                rest = [whole - own for whole, own in zip(pool, taken, strict=True)]
                assert own_value(rest, values) < demand or not offers
    assert agreed


def test_the_firm_one_gets_more_than_chance_from_each() -> None:
    for opponent in ("fair", "firm"):
        chance = scores("bargaining", "random", opponent, 60)
        assert scores("bargaining", "firm", opponent, 60) > chance + 1
        assert scores("bargaining", "fair", opponent, 60) > chance + 1
