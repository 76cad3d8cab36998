"""What every agent plays, as tables of moves: one move at a time, and three."""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.dilemma.agents import NATIVES, STEPS
from engine.games.dilemma.agents.forms import SOURCE_NAMES, Drawing, Machine, name_of
from engine.games.dilemma.agents.stochastic import (
    coin,
    generous_tit_for_tat,
    random,
    stoc,
    zd_extort_2,
)
from engine.games.dilemma.monitor import AGENTS, as_block, play_match
from engine.games.dilemma.referee.automata import automaton_of
from engine.games.dilemma.referee.match import own_stream
from engine.games.dilemma.referee.responders import responder_of
from engine.games.dilemma.rules import score_of
from tests.support.chances import within

# Against an opponent that plays C D D, C C D, D D C: in steps, then in blocks of three.
MIXED = "CDDCCDDDC"
TABLE = {
    "cooperator": ("CCCCCCCCC", "CCCCCCCCC"),
    "defector": ("DDDDDDDDD", "DDDDDDDDD"),
    "tit_for_tat": ("CCDDCCDDD", "CCCDDDDDD"),
    "suspicious_tit_for_tat": ("DCDDCCDDD", "DCCDDDDDD"),
    "tit_for_two_tats": ("CCCDCCCDD", "CCCDDDCDD"),
    "two_tits_for_tat": ("CCDDDCDDD", "CCCDDDDDD"),
    "hard_tit_for_tat": ("CCDDDDDDD", "CCCDDDDDD"),
    "hard_tit_for_two_tats": ("CCCDDCCDD", "CCCDDDCDD"),
    "contrite_tit_for_tat": ("CCDDCCDDD", "CCCDDDCCD"),
    "anti_tit_for_tat": ("CDCCDDCCC", "CDDCCCCCC"),
    "grudger": ("CCDDDDDDD", "CCCDDDDDD"),
    "alternator": ("CDCDCDCDC", "CDCDCDCDC"),
    "cycler_ccd": ("CCDCCDCCD", "CCDCCDCCD"),
    "cycler_ddc": ("DDCDDCDDC", "DDCDDCDDC"),
    "bully": ("DDCCDDCCC", "DDDCCCCCC"),
    "win_stay_lose_shift": ("CCDCCCDCD", "CCCDCDCDC"),
    "soft_majority": ("CCCDCCCDD", "CCCDDDCDD"),
    "hard_majority": ("DCDDDCDDD", "DCCDDDDDD"),
    "handshake": ("CDCCCCCCC", "CDDCCCCCC"),
    "prober": ("DCCDCCDDD", "DCCDDDDDD"),
    "detective": ("CDCCCCDDD", "CDCCDDDDD"),
    "tester": ("DCCDCCDDD", "DCCDDDDDD"),
    "gradual": ("CCDCCCDDD", "CCCCCDDDD"),
    "mirror": ("CCCCDDCCD", "CCCCDDCCD"),
    "block_majority": ("CCCDDCCDD", "CCCDDDCCC"),
    "block_for_two_blocks": ("CCCCCDDDD", "CCCCCCDDD"),
    "accountant": ("CCDDCCDDD", "CCCDDDCCC"),
    "ambusher": ("CCCCDDCCD", "CCDCCDCCD"),
}
DRAWING = {"random", "coin", "stoc", "generous_tit_for_tat", "zd_extort_2"}
MOVES = st.lists(st.tuples(st.sampled_from("CD"), st.sampled_from("CD")), max_size=25)
STEP = pytest.mark.parametrize("strategy", STEPS, ids=name_of)


def script(moves: str) -> Any:
    def strategy(own: Sequence[Any], _opponent: Sequence[Any]) -> Any:
        return moves[len(own)] if len(own) < len(moves) else "C"

    return as_block(strategy)


def test_every_agent_has_its_table() -> None:
    assert {*TABLE} | DRAWING == {*AGENTS}
    assert all(agent.__doc__ for agent in AGENTS.values())


@pytest.mark.parametrize("name", sorted(TABLE))
def test_what_it_plays(name: str) -> None:
    steps, blocks = TABLE[name]
    assert play_match(AGENTS[name], script(MIXED), 9, block=1).first == steps
    assert play_match(AGENTS[name], script(MIXED), 9, block=3).first == blocks
    assert play_match(script(MIXED), AGENTS[name], 9, block=3).second == blocks


@pytest.mark.parametrize(
    ("name", "opponent", "steps"),
    [
        ("handshake", "CCCC", "CDDD"),
        ("handshake", "DDCC", "CDDD"),
        ("handshake", "DCCC", "CDDD"),
        ("prober", "DCCCDC", "DCCDDD"),
        ("prober", "CCDDC", "DCCDD"),
        ("prober", "CDCDC", "DCCCD"),
        ("detective", "CCCCDDC", "CDCCDDD"),
        ("detective", "CCCDCDC", "CDCCDCD"),
        ("tester", "CCCCCCCC", "DCCDCDCD"),
        ("tester", "DDCDC", "DCDCD"),
        ("tester", "CCCCDDC", "DCCDCCD"),
        ("grudger", "CCCDCCC", "CCCCDDD"),
        ("soft_majority", "DCDC", "CDCD"),
        ("hard_majority", "CCDDC", "DCCCD"),
        ("hard_tit_for_two_tats", "DCDDCC", "CCCCDD"),
        # One D for the first defection; the next one after the two C's is the third: three D's;
        # what comes in between is not answered, but counted.
        # The sixth stands beside the second C: it is punished at once, by six.
        ("gradual", "DDCC" + "DCCDCC" + "D" + "CCCCCCCCC", "CDCC" + "CDDDCC" + "C" + "DDDDDCCCC"),
        ("gradual", "CCCDCCC", "CCCCDCC"),
        ("gradual", "DCCDCCCC", "CDCCDDCC"),  # a D beside the second C of the calm: punished anew
        ("gradual", "DCDCCC", "CDCCCC"),  # beside the first C: counted, and not answered
        ("gradual", "DDCCDCCCC", "CDCCCDDDC"),
        ("gradual", "DCCDCCCDCCCC", "CDCCDDCCDDDC"),  # beside the second C of the second calm
        ("gradual", "DCCCDCC", "CDCCCDD"),  # after the calm, by two
        ("gradual", "DDDDDDDDDDDD", "CDCCDDDDCCDD"),
    ],
)
def test_how_the_plans_branch(name: str, opponent: str, steps: str) -> None:
    assert play_match(AGENTS[name], script(opponent), len(steps), block=1).first == steps


class CountingGradual:
    """Gradual as the Axelrod library counts: moves of punishment and of calm that are left."""

    def __init__(self) -> None:
        self.punishments = self.calm = 0

    def __call__(self, own: Sequence[Any], opponent: Sequence[Any]) -> Any:
        del own
        if self.punishments:
            self.punishments -= 1
            return "D"
        if self.calm:
            self.calm -= 1
            return "C"
        if opponent[-1:] != ["D"]:
            return "C"
        self.punishments, self.calm = opponent.count("D") - 1, 2
        return "D"


@given(moves=st.text("CD", min_size=1, max_size=60))
def test_gradual_plays_as_the_axelrod_library_does(moves: str) -> None:
    strategy: Any = CountingGradual
    counting = play_match(as_block(strategy), script(moves), len(moves), block=1)
    assert play_match(AGENTS["gradual"], script(moves), len(moves), block=1) == counting


@pytest.mark.parametrize(("source", "own"), SOURCE_NAMES.items())
def test_the_source_s_names_find_our_agents(source: str, own: str) -> None:
    assert own in AGENTS
    assert source not in AGENTS
    assert AGENTS[source] is AGENTS[own]


def test_contrition_mends_what_a_flip_broke() -> None:
    """Two Tit for Tats echo one flipped move for ever; contrite ones take one D as deserved and are
    at peace."""
    tft, contrite = AGENTS["tit_for_tat"], AGENTS["contrite_tit_for_tat"]
    assert play_match(tft, tft, 8, block=1, flips=({1}, set())).second == "CCDCDCDC"
    mended = play_match(contrite, contrite, 8, block=1, flips=({1}, set()))
    assert (mended.first, mended.second) == ("CDCCCCCC", "CCDCCCCC")


class Dice(Random):
    """A stream whose draws are these numbers."""

    def __init__(self, *draws: float) -> None:
        super().__init__(0)
        self.draws = [*draws]

    def random(self) -> float:
        return self.draws.pop(0)


@pytest.mark.parametrize(
    ("strategy", "own", "opponent", "draw", "move"),
    [
        (coin, "", "", 0.49, "C"),
        (coin, "", "", 0.5, "D"),
        (random, "DD", "DD", 0.49, "C"),
        (random, "CC", "CC", 0.5, "D"),
        (stoc, "", "", 0.69, "C"),
        (stoc, "", "", 0.7, "D"),
        (generous_tit_for_tat, "", "", 0.99, "C"),
        (generous_tit_for_tat, "C", "C", 0.99, "C"),
        (generous_tit_for_tat, "C", "D", 0.33, "C"),
        (generous_tit_for_tat, "C", "D", 0.34, "D"),
        (zd_extort_2, "", "", 0.99, "C"),
        (zd_extort_2, "C", "C", 0.88, "C"),
        (zd_extort_2, "C", "C", 0.89, "D"),
        (zd_extort_2, "C", "D", 0.49, "C"),
        (zd_extort_2, "C", "D", 0.5, "D"),
        (zd_extort_2, "D", "C", 0.33, "C"),
        (zd_extort_2, "D", "C", 0.34, "D"),
        (zd_extort_2, "D", "D", 0.0, "D"),
    ],
)
def test_what_it_makes_of_a_draw(
    strategy: Drawing, own: Any, opponent: Any, draw: float, move: str
) -> None:
    assert strategy.deal(Dice(draw))(own, opponent) == move


@pytest.mark.parametrize(("name", "chance"), [("coin", 0.5), ("random", 0.5), ("stoc", 0.7)])
def test_random_agents_cooperate_as_often_as_they_say(name: str, chance: float) -> None:
    """Of 3000 moves in exact binomial bounds of one in a billion, and in another order in another
    game."""
    games = [
        play_match(AGENTS[name], AGENTS["cooperator"], 3000, seed=seed).first for seed in (1, 2)
    ]
    assert games[0] != games[1]
    assert all(within(game.count("C"), 3000, chance) for game in games)


def test_zd_extort_2_earns_twice_the_surplus() -> None:
    """Over a long game (own - 1) = 2 (opponent - 1), whoever the opponent is; here within 5 %."""
    own, opponent = play_match(AGENTS["zd_extort_2"], AGENTS["stoc"], 200_000, block=1).score
    assert (own - 200_000) / (opponent - 200_000) == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize(
    ("history", "moves"),
    [
        ([], "CCC"),
        ([("C", "C")], "CCC"),
        ([("C", "D")], "DDD"),
        ([("C", "D"), ("D", "C"), ("D", "C")], "CCC"),
    ],
)
def test_the_adapter_assumes_that_the_opponent_repeats_itself(
    history: list[Any], moves: str
) -> None:
    assert "".join(AGENTS["tit_for_tat"](history, score_of(history))) == moves


def test_the_adapter_keeps_the_strategy_and_its_name() -> None:
    def mine(own: Sequence[Any], opponent: Sequence[Any]) -> Any:
        """Play C."""
        return "C"

    agent = as_block(mine)
    assert agent.strategy is mine
    assert agent.__name__ == "mine"
    assert agent([], (0, 0)) == ["C", "C", "C"]


@STEP
@pytest.mark.parametrize("block", [1, 3])
@given(pairs=MOVES)
def test_a_seat_plays_what_the_strategy_says(strategy: Any, block: int, pairs: list[Any]) -> None:
    """Fed turn by turn it answers as the plain function does of the whole past, at every length,
    own flips included."""
    ask = responder_of(
        as_block(strategy), automaton_of(as_block(strategy), block), block, lambda: Random(5)
    )
    plain = strategy.deal(Random(5)) if isinstance(strategy, Drawing) else strategy
    whole = as_block(plain)
    for known in range(0, len(pairs) + 1, block):
        own, opponent = [one for one, _ in pairs[:known]], [two for _, two in pairs[:known]]
        expected = plain(own, opponent) if block == 1 else whole(pairs[:known], (0, 0))
        assert [*ask(own, opponent)] == [*expected]
        assert len(own) == len(opponent) == known


@pytest.mark.parametrize("agent", NATIVES, ids=name_of)
@given(pairs=MOVES)
def test_a_block_agent_is_shown_the_pairs_and_their_score(agent: Any, pairs: list[Any]) -> None:
    ask = responder_of(agent, automaton_of(agent, 3), 3, lambda: Random(5))
    for known in range(0, len(pairs) + 1, 3):
        own, opponent = [one for one, _ in pairs[:known]], [two for _, two in pairs[:known]]
        assert [*ask(own, opponent)] == agent(pairs[:known], score_of(pairs[:known]))


def test_an_agent_with_a_memory_is_fresh_in_every_game() -> None:
    class Once:
        """Cooperate the first time it is asked."""

        def __init__(self) -> None:
            self.asked = 0

        def __call__(self, history: list[Any], score: Any) -> str:
            self.asked += 1
            return "CCC" if self.asked == 1 else "DDD"

    class OnceInSteps(Once):
        def __call__(self, own: Any, opponent: Any) -> str:
            return super().__call__(own, opponent)[0]

    once: Any = Once
    assert play_match(once, once, 6).moves == [("C", "C")] * 3 + [("D", "D")] * 3
    steps = as_block(OnceInSteps)  # type: ignore[arg-type]
    assert [play_match(steps, steps, 6).first for _ in range(2)] == ["CDDDDD"] * 2
    assert steps([], (0, 0)) == ["C", "D", "D"]


def test_a_long_game_costs_no_more_a_move_than_a_short_one() -> None:
    """A machine advances once a move in steps; in blocks by the three that took effect and the two
    it assumes."""
    calls: list[str] = []

    def advance(state: Any, own: str, opponent: str) -> Any:
        calls.append(own + opponent)
        return "C", state[1] + 1

    agent = as_block(Machine(("C", 0), advance))
    for block, moves in product((1, 3), (3, 30, 300)):
        calls.clear()
        play_match(agent, AGENTS["cooperator"], moves, block=block)
        # Before its first game it is explored, to see whether it could be a table.
        assert moves == 3 or len(calls) == (moves - 1 if block == 1 else 5 * moves // 3 - 3)


def test_called_by_hand_random_agents_draw_from_their_own_stream() -> None:
    drawn = [tuple(AGENTS["coin"]([], (0, 0))) for _ in range(50)]
    assert len(set(drawn)) > 4
    assert own_stream(1, "first").random() != own_stream(1, "second").random()
