"""Strategies as guests of other simulators: they play as at home, whatever the ids and items."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest

import engine
from engine.games.conversation.record import COMPOSITIONS, Composition, Item
from engine.games.conversation.rules import is_over
from engine.games.conversation.state import (
    ConversationState,
    after_turn,
    choose_item,
    start_conversation,
)
from engine.games.conversation.strategies import STRATEGIES
from engine.games.conversation.strategies.foresight import strategy as foresight_module
from engine.games.conversation.visitor import Visitor
from tests.support.observations import observe


@dataclass(frozen=True)
class CourseItem:
    """An item as the course's simulator has it."""

    id: Hashable
    player_id: Hashable
    importance: float
    subjects: tuple[int, ...]


class OtherItem(NamedTuple):
    """An item of a simulator that calls its speaker `player`, and counts subjects from 1."""

    subjects: list[int]
    importance: float
    player: int
    id: int


def course_item(item: Item, named: Callable[[str], Hashable]) -> CourseItem:
    return CourseItem(named(item.id), named(item.player_id), item.importance, item.subjects)


def uuid_of(name: str) -> UUID:
    return UUID(int=Random(name).getrandbits(128))


NAMES: dict[str, Callable[[str], Hashable]] = {
    "uuid": uuid_of,
    "int": lambda name: int.from_bytes(name.encode()),
    "str": lambda name: name.upper(),
    "tuple": lambda name: ("id", name),
}


class Table:
    """A game of ours that visitors play, each from the items of another simulator."""

    def __init__(
        self,
        strategy: str,
        named: Callable[[str], Hashable],
        seed: int = 3,
        composition: Composition = "half",
    ) -> None:
        self.strategy, self.seed = strategy, seed
        self.state: ConversationState = start_conversation(
            [f"p{seat}" for seat in range(4)],
            bank_size=6,
            subjects=7,
            length=20,
            rng=Random(seed),
            composition=composition,
        )
        self.foreign = {item.id: course_item(item, named) for item in self.state.items.values()}
        self.own = {item: item_id for item_id, item in self.foreign.items()}
        self.history: list[CourseItem | None] = []
        self.visitors = {
            player_id: Visitor(
                named(player_id),
                [self.foreign[item.id] for item in bank],
                self.state.rankings[player_id],
                players=4,
                length=20,
                strategy=strategy,
                seed=seed + seat,
                composition=composition,
            )
            for seat, (player_id, bank) in enumerate(self.state.banks.items())
        }
        self.streams = [Random(seed + seat) for seat in range(4)]

    def over(self) -> bool:
        return is_over(self.state.turns, 20)

    def turn(self) -> tuple[dict[str, str | None], dict[str, str | None]]:
        """Play a turn; return what the visitors propose, and what the strategies at home would."""
        abroad: dict[str, str | None] = {}
        home: dict[str, str | None] = {}
        for player_id, stream in zip(self.visitors, self.streams, strict=True):
            found = self.visitors[player_id].propose(self.history)
            abroad[player_id] = None if found is None else self.own[found]
            home[player_id] = STRATEGIES[self.strategy](observe(self.state, player_id), stream)
        lot = Random(f"{self.seed} {len(self.history)}")
        spoken = choose_item(self.state, abroad, lambda: lot)
        self.state = after_turn(self.state, spoken)
        self.history.append(None if spoken is None else self.foreign[spoken.id])
        return abroad, home


@pytest.mark.parametrize(
    ("name", "dealt"), [*((name, "half") for name in STRATEGIES), ("foresight", "coin")]
)
def test_every_strategy_proposes_abroad_what_it_would_at_home(
    name: str, dealt: Composition
) -> None:
    table = Table(name, uuid_of, composition=dealt)
    while not table.over():
        abroad, home = table.turn()
        assert abroad == home


def test_a_visitor_is_told_how_banks_are_dealt() -> None:
    # After rivers & bread and rivers, bread is no match for the pairs that others would hold.
    bread = CourseItem(1, 7, 0.54, (2,))
    spoken = [None, CourseItem(2, 3, 0.49, (0, 2)), CourseItem(3, 5, 0.26, (0,))]
    found = {}
    for dealt in COMPOSITIONS:
        visitor = Visitor(7, [bread], [0, 1, 2], players=4, length=12, composition=dealt)
        found[dealt] = visitor.propose(spoken)
    assert found == {"half": None, "coin": bread}


@pytest.mark.parametrize("kind", NAMES)
def test_ids_may_be_anything(kind: str) -> None:
    table, known = Table("foresight", NAMES[kind]), Table("foresight", uuid_of)
    while not table.over():
        assert table.turn() == known.turn()


def test_visitors_of_a_game_think_each_turn_over_once() -> None:
    table = Table("foresight", uuid_of, seed=91)
    memo = foresight_module._after
    memo.cache_clear()
    while not table.over():
        for player_id, visitor in table.visitors.items():
            found = visitor.propose(table.history)
            assert found is None or found.player_id == uuid_of(player_id)
        before = memo.cache_info().misses
        assert before <= len(table.history) * 2 + 1, "once for the visitors, once at home"
        table.turn()


def test_games_share_nothing() -> None:
    alone = [Table("random", uuid_of, seed).visitors["p0"] for seed in (1, 2)]
    expected = [[visitor.propose([]) for _ in range(5)] for visitor in alone]
    first, second = (Table("random", uuid_of, seed).visitors["p0"] for seed in (1, 2))
    found: list[list[Any]] = [[], []]
    for _ in range(5):
        found[0].append(first.propose([]))
        found[1].append(second.propose([]))
    assert found == expected


def test_another_history_begins_anew() -> None:
    table = Table("foresight", uuid_of)
    while not table.over():
        table.turn()
    visitor = table.visitors["p2"]
    before = visitor.propose(table.history[:4])
    assert before == Table("foresight", uuid_of).visitors["p2"].propose(table.history[:4])
    other = [*table.history[:3], None]
    assert visitor.propose(other) == Table("foresight", uuid_of).visitors["p2"].propose(other)
    assert visitor.propose(table.history[:4]) == before


BANK = [OtherItem([1], 0.9, 7, 71), OtherItem([3], 0.4, 7, 72), OtherItem([1, 2], 0.7, 7, 73)]
SPOKEN = [OtherItem([1, 2], 0.5, 2, 21), OtherItem([2], 0.8, 3, 31)]


def other_visitor(players: int = 4, strategy: str = "foresight") -> Visitor[OtherItem]:
    return Visitor(7, BANK, [3, 1, 4, 2], players=players, length=12, strategy=strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_items_of_other_shapes(strategy: str) -> None:
    visitor = other_visitor(strategy=strategy)
    strange = OtherItem([9], 0.1, 2, 22)
    for history in ([], SPOKEN, [*SPOKEN, BANK[2], None], [*SPOKEN, BANK[2], None, strange]):
        assert visitor.propose(history) in [None, *BANK]


def test_the_item_that_fits_is_proposed() -> None:
    assert other_visitor().propose(SPOKEN) is BANK[2]


def test_too_few_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 3 players or more, who all spoke"):
        other_visitor(players=2).propose(SPOKEN)
    with pytest.raises(ValueError, match="expected 2 players or more, who all spoke: got 1"):
        other_visitor(players=1).propose(SPOKEN)
    with pytest.raises(ValueError, match="expected players to be at least 1: 0"):
        other_visitor(players=0)
    with pytest.raises(ValueError, match="expected composition to be half or coin: 'coins'"):
        Visitor(7, BANK, [3, 1, 2], players=2, length=9, composition="coins")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean 'foresight'"):
        other_visitor(strategy="foresigth")


BARE_GAME = """
import sys
from collections import namedtuple
from random import Random
sys.path.insert(0, sys.argv[1])
from engine.games.conversation.visitor import Visitor

News = namedtuple("News", "id player_id importance subjects")
draw = Random(3)
seats, history, last, spoke = {}, [], None, [0] * 3
for me in range(3):
    bank = []
    for number in range(6):
        subjects = tuple(draw.sample(range(5), draw.choice((1, 2))))
        bank.append(News((me, number), me, draw.random(), subjects))
    seats[me] = Visitor(me, bank, draw.sample(range(5), 5), players=3, length=12)
while len(history) < 12 and history[-3:] != [None] * 3:
    offers = {me: item for me, seat in seats.items() if (item := seat.propose(history))}
    if last not in offers or draw.random() < 0.5:
        last = min(offers, key=lambda me: (spoke[me], draw.random()), default=last)
    history.append(offers.get(last))
    spoke[last or 0] += last in offers
foreign = set(name.partition(".")[0] for name in sys.modules) - sys.stdlib_module_names
print(len(history), len({item for item in history if item}), sorted(foreign - {"__main__"}))
"""


def test_a_visitor_plays_where_only_its_folder_is_copied(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(engine.__path__[0]), tmp_path / "engine", ignore=ignored)
    command = [sys.executable, "-I", "-S", "-c", BARE_GAME, str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (ended.stderr, ended.returncode) == ("", 0)
    turns, spoken, foreign = ended.stdout.split(maxsplit=2)
    assert 3 <= int(turns) <= 12
    assert int(spoken) >= 3
    assert foreign == "['engine']\n"
