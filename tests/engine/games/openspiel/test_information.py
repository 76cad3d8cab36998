"""Equal information means an equal prompt: nothing in it tells what a seat could not observe."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from engine.games.openspiel.game import OpenSpielGame
from engine.history import History
from tests.support.histories import of_kind
from tests.support.reading import ReadingEngine
from tests.support.tables import config_for

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

# Each with as many games as make the same information come again.
HIDDEN = (
    ("phantom_ttt", 100),
    ("phantom_go(board_size=2)", 60),
    ("dark_hex(num_rows=2,num_cols=2)", 40),
    ("kriegspiel(board_size=4)", 30),
    ("dark_chess(board_size=4)", 30),
    ("gin_rummy(num_ranks=4,num_suits=3,hand_size=1)", 40),
    ("hanabi(colors=1,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1)", 40),
    ("leduc_poker", 60),
    ("kuhn_poker", 30),
)
Information = tuple[Any, ...]


def read(game: str, seed: int) -> ReadingEngine:
    """Return a game of random players that read what they are asked."""
    seats = ",".join(["scripted:random"] * OpenSpielGame(game=game).example().players)
    return ReadingEngine(config_for("openspiel", seats, seed=seed, settings={"game": game}))


def decisions_in(history: History) -> Iterator[tuple[str, Information, int]]:
    """Yield who decided, what it had observed and done by then, and which event that was.

    OpenSpiel alone plays the log again. An observation that does not change counts once: a seat
    does not notice that time goes by.
    """
    game = pyspiel.load_game(history.events[0].data["word"])
    kind = game.get_type()
    state = game.new_initial_state()
    observed: list[list[Any]] = [[] for _ in range(game.num_players())]

    def apply(action: int) -> None:
        state.apply_action(action)
        if state.is_chance_node() or state.is_terminal():
            return
        for player, seen in enumerate(observed):
            now = (
                kind.provides_observation_string and state.observation_string(player),
                kind.provides_information_state_string and state.information_state_string(player),
            )
            if not seen or seen[-1] != now:
                seen.append(now)

    for event in of_kind(history, "chance", "move", "forced"):
        if event.kind == "chance":
            for action in event.data["actions"]:
                apply(action)
            continue
        own = observed[event.data["player"]]
        if event.kind == "move":
            yield str(event.player_id), tuple(own), event.index
        own.append(event.data["action"])
        apply(event.data["action"])


@pytest.mark.parametrize(("game", "games"), HIDDEN)
def test_equal_information_means_an_equal_prompt(game: str, games: int) -> None:
    prompts = defaultdict(set)
    decisions = 0
    for seed in range(games):
        engine = read(game, seed)
        decided = [*decisions_in(engine.run())]
        assert [who for who, _, _ in decided] == [who for who, _ in engine.asked]
        decisions += len(decided)
        for (who, information, _), (_, text) in zip(decided, engine.asked, strict=True):
            prompts[who, information].add(text)
    assert decisions > len(prompts), "some information came again"
    assert [texts for texts in prompts.values() if len(texts) > 1] == []


def test_players_do_not_read_the_seed_of_chance() -> None:
    """Whoever has it can deal the negotiation's hidden values again."""
    engine = read("negotiation", 7)
    assert "rng_seed=" in engine.run().events[0].data["word"]
    assert all("rng_seed" not in text for _, text in engine.asked)
