"""TextArena's games at our table: TextArena alone rules them, and they leave no trace."""

import random
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.textarena.library import find_text_game
from engine.games.textarena.library.environment import RawEnvironment, merge, shared_roles
from engine.games.textarena.strategies import TextAnswer
from engine.history import History, history_from_json
from engine.runs.check import check_log, first_breach
from player import ScriptedPlayer
from protocol.answer import read_answer
from protocol.turn import Prompt, Turn
from providers import Completion
from tests.support.histories import of_kind
from tests.support.narrowing import not_none
from tests.support.reading import ReadingEngine
from tests.support.tables import config_for

ta = pytest.importorskip("textarena", reason="needs the extra textarena")

# One to six players, boards, cards, bids and talk.
EIGHT = (
    "TicTacToe-v0", "ConnectFour-v0", "KuhnPoker-v0", "LiarsDice-v0-small", "Mastermind-v0",
    "ThreePlayerIPD-v0", "SecretMafia-v0", "SettlersOfCatan-v0",
)  # fmt: skip


def config_of(game: str, logs_dir: Path | None = None, seat: str = "", **more: Any) -> Any:
    seats = ",".join([seat or "scripted:brackets"] * find_text_game(game).counts[0])
    settings = {"game": game, "most_moves": more.pop("most_moves", 400)}
    return config_for("textarena", seats, logs_dir, settings=settings, **more)


def play(game: str, **more: Any) -> History:
    return GameEngine(config_of(game, **more)).run()


def run_alone(game: str, seed: int, actions: list[str]) -> tuple[Any, list[str]]:
    """Play by TextArena's own calls alone: the rewards, and what it shows to who is to move."""
    random.seed(seed)
    environment = ta.make(f"{game}-raw")
    environment.reset(num_players=find_text_game(game).counts[0], seed=seed)
    shown = []
    for action in actions:
        _, texts = environment.get_observation()
        shown += [text.strip() for _, text, _ in texts]
        environment.step(action)
    return environment.close(), shown


@pytest.mark.parametrize("game", EIGHT)
def test_a_game_ends_as_textarena_alone_ends_it(game: str) -> None:
    before = random.getstate()
    history = play(game, seed=3)
    assert random.getstate() == before
    assert history.status == "finished"
    assert check_log(history) == ""
    assert play(game, seed=3).to_json() == history.to_json()
    (result,) = of_kind(history, "result")
    actions = [move.content for move in of_kind(history, "move")]
    (rewards, _), shown = run_alone(game, history.events[0].data["seed"], actions)
    random.setstate(before)
    due = (
        [0] * len(history.players)
        if rewards is None
        else [rewards[player] for player in sorted(rewards)]
    )
    assert result.data["rewards"] == due
    assert [*not_none(history.outcome).scores.values()] == due
    assert set(shown) <= {event.content for event in history.events}


def test_who_moves_sees_what_textarena_shows_it_and_no_more() -> None:
    """In Kuhn poker each player sees its own card."""
    history = play("KuhnPoker-v0")
    hidden = [event for event in of_kind(history, "shown") if len(event.visibility) == 1]
    cards = [event for event in hidden if "Your card is" in event.content]
    assert {event.visibility for event in cards} == {("Ada",), ("Ben",)}
    both = [event for event in of_kind(history, "shown") if len(event.visibility) == 2]
    assert both
    assert not any("Your card is" in event.content for event in both)


def test_equal_observations_mean_an_equal_prompt() -> None:
    """Ben's first try is refused, which TextArena shows to Ben alone: Ada cannot know of it."""
    talk = ["{hello}"] * 6
    read = {}
    for tries in (["[5]"], ["nothing", "[5]"]):
        moves = [*talk, "[5]", *tries, "{hello again}"]
        engine = ReadingEngine(config_of("PublicGoodsGame-v0", most_moves=len(moves)))
        words = iter(moves)
        for player in engine.players:
            assert isinstance(player, ScriptedPlayer)
            player.script = lambda *_, words=words: TextAnswer(action=next(words))
        assert len(of_kind(engine.run(), "move")) == len(moves)
        read[len(moves)] = engine.asked[-1]
    short, long = read.values()
    assert short[0] == "Ada"
    assert short == long


def test_two_games_interleaved_are_the_same_as_alone() -> None:
    def steps(environment: RawEnvironment) -> Any:
        yield environment.drain()
        for number in range(24):
            if environment.done:
                break
            environment.step(f"[{('call', 'check', 'bet 10', 'fold')[number % 4]}]")
            yield environment.drain()
        yield environment.close()

    poker = find_text_game("Poker-v0-small")
    alone = [[*steps(RawEnvironment(poker, 3, seed))] for seed in (1, 2)]
    pair = [steps(RawEnvironment(poker, 3, seed)) for seed in (1, 2)]
    together: list[list[Any]] = [[], []]
    going = True
    while going:
        going = False
        for place, game in enumerate(pair):
            for found in game:
                together[place].append(found)
                going = True
                break
    assert together == alone
    assert alone[0] != alone[1]


def test_roles_that_a_game_renames_are_not_those_of_the_next() -> None:
    first = RawEnvironment(find_text_game("TicTacToe-v0"), 2, 1)
    first.environment.state.role_mapping[0] = "Somebody"
    second = RawEnvironment(find_text_game("TicTacToe-v0"), 2, 1)
    assert second.environment.state.role_mapping[0] == "Player 0"
    assert first.environment.state.role_mapping[0] == "Somebody"
    assert shared_roles()
    assert all(shared == begun for shared, begun in shared_roles())


def test_a_text_for_all_is_told_once_in_the_order_of_each() -> None:
    kind = ta.ObservationType.GAME_MESSAGE
    one, both, two = (-1, "one", kind), (-1, "both", kind), (-1, "two", kind)
    told = merge({0: [one, both], 1: [two, both, two]})
    assert [(shown.text, shown.readers) for shown in told] == [
        ("one", (0,)), ("two", (1,)), ("both", (0, 1)), ("two", (1,)),
    ]  # fmt: skip


def test_an_invalid_move_is_charged_by_textarena_and_nobody_asks_again() -> None:
    history = play("TicTacToe-v0", seat="scripted:numbers", seed=1)
    assert [event for event in of_kind(history, "shown") if "invalid move" in event.content]
    assert not of_kind(history, "fault")
    words = "I take [4],\nthe middle \x1b[31m"
    answer = read_answer(TextAnswer(action=words).model_dump_json(), TextAnswer, {})
    assert answer.action == "I take [4],\nthe middle [31m"


def test_a_reward_and_a_text_are_told_apart_where_textarena_swaps_them() -> None:
    history = play("Countdown-v0")
    assert first_breach(history) == ""
    (result,) = of_kind(history, "result")
    assert 0 <= result.data["rewards"][0] <= 1
    assert result.data["reason"]


def test_a_game_without_end_ends_at_its_limit() -> None:
    history = play("MarketEntryGame-v0", most_moves=12)
    assert len(of_kind(history, "move")) == 12
    assert history.status == "finished"
    assert first_breach(history) == ""


def test_what_textarena_prints_is_not_on_our_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    play("SettlersOfCatan-v0", most_moves=40)
    assert capsys.readouterr().out == ""


def test_a_fault_of_textarena_ends_the_game_in_its_words() -> None:
    environment = RawEnvironment(find_text_game("TicTacToe-v0"), 2, 1)
    environment.environment.state.game_state = None
    environment.step("[4]")
    assert environment.done
    assert environment.close().rewards == (0.0, 0.0)
    assert "TypeError" in environment.close().reason


def test_the_check_finds_what_was_changed() -> None:
    history = play("TicTacToe-v0", seed=3)
    forged = history_from_json(history.to_json())
    of_kind(forged, "move")[0].data["action"] = "[nothing]"
    assert first_breach(forged) != ""
    assert check_log(forged) != ""
    forged = history_from_json(history.to_json())
    of_kind(forged, "shown")[0].visibility = ("Ada", "Ben")
    assert first_breach(forged) != ""
    assert check_log(forged) != ""
    forged = history_from_json(history.to_json())
    of_kind(forged, "result")[0].data["rewards"] = [9.0, 9.0]
    assert first_breach(forged) != ""
    assert check_log(forged) != ""


class Scripted:
    """A person who takes the cells in their order."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        assert "Available Moves" in prompt.transcript
        self.asked += 1
        cell = turn.observation.texts[-1].split("'[")[1].split("]")[0]
        return Completion(TextAnswer(action=f"[{cell}]").model_dump_json())

    def release(self) -> None:
        """Wait for nobody."""


def test_a_game_that_is_cut_goes_on_as_it_would_have_ended(tmp_path: Path) -> None:
    config = config_of("TicTacToe-v0", tmp_path / "whole", "human", seed=3)
    engine = GameEngine(config, answerers={player: Scripted() for player in config.player_ids})
    journals: list[bytes] = []
    journal = tmp_path / "whole" / "game.jsonl"
    engine.subscribe(lambda _: journals.append(journal.read_bytes()))
    engine.run()
    whole = journal.with_suffix(".json").read_text(encoding="utf-8")
    cuts = sorted({len(journal.splitlines()) for journal in journals})
    assert len(cuts) > 5
    for cut in cuts:
        path = tmp_path / str(cut) / "game.jsonl"
        path.parent.mkdir()
        path.write_bytes(b"".join(journals[-1].splitlines(keepends=True)[:cut]))
        again = {player: Scripted() for player in config.player_ids}
        moved = config.model_copy(update={"logs_dir": path.parent})
        GameEngine.resume(path, moved, answerers=again).run()
        assert path.with_suffix(".json").read_text(encoding="utf-8") == whole
        assert sum(person.asked for person in again.values()) < len(cuts) + 2
