"""People in a game: each is reached through an Answerer, may be late, released, and asked again."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.history import History
from engine.record.journal import Journal, Unrecorded
from engine.runs.replay import Replay
from player import Console, HumanPlayer, PlayerConfig, Prompt, Turn, Untaped
from protocol.turn import Answerer, Released, SeatTimeout
from providers import Completion, FatalError, ProviderError, RequestError
from tests.support.tables import config_for
from tests.support.turns import turn as a_turn

SEATS = "human,scripted:random"
SETTINGS = {"length": 4}


class Person:
    """A person who gives `answers`, then picks first options or thinks `for_ever`."""

    def __init__(self, *answers: str | ProviderError, for_ever: bool = False) -> None:
        self.answers = list(answers)
        self.for_ever = for_ever
        self.asked: list[str] = []
        self.waits = asyncio.Event()
        self.pending: asyncio.Future[Completion] | None = None

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        self.asked.append(prompt.question)
        if self.answers:
            answer = self.answers.pop(0)
            if isinstance(answer, ProviderError):
                raise answer
            return Completion(answer)
        if not self.for_ever:
            return Completion(
                json.dumps({name: options[0] for name, options in turn.choices.items()})
            )
        self.pending = asyncio.get_running_loop().create_future()
        self.waits.set()
        return await self.pending

    def release(self) -> None:
        if self.pending is not None and not self.pending.done():
            self.pending.set_exception(Released())


def seat(person: Answerer, folder: Path | None, length: int = 4) -> GameEngine:
    config = config_for("conversation", SEATS, folder, settings={"length": length})
    return GameEngine(config, answerers={"Ada": person})


async def interrupted(person: Person, folder: Path | None) -> History:
    """Play until a person thinks for ever, and interrupt the game there."""
    engine = seat(person, folder)
    playing = asyncio.create_task(engine.play())
    await person.waits.wait()
    engine.interrupt()
    return await asyncio.wait_for(playing, 5)


async def test_a_game_that_waits_for_a_person_is_interrupted_resumed_and_finished(
    tmp_path: Path,
) -> None:
    whole = await seat(Person(), tmp_path / "whole").play()
    slow = Person(json.dumps({"item": "stay silent"}), for_ever=True)
    history = await interrupted(slow, tmp_path)
    assert (history.status, history.reason) == ("running", "")
    path = tmp_path / "game.jsonl"
    kinds = [json.loads(line)["kind"] for line in path.read_bytes().splitlines()]
    assert kinds == ["header", "begun", "answer", "begun"]
    assert len(Journal.load(path).recorded) == 1
    person = Person()
    finished = await GameEngine.resume(path, answerers={"Ada": person}).play()
    assert finished.status == "finished"
    assert person.asked[0] == slow.asked[1]
    assert len(slow.asked) - 1 + len(person.asked) == finished.usage["Ada"].asks
    assert finished.usage["Ada"].asks == whole.usage["Ada"].asks
    assert finished.usage["Ada"].fallbacks == 0


async def test_a_game_in_memory_is_interrupted_too() -> None:
    assert (await interrupted(Person(for_ever=True), None)).status == "running"


async def test_a_person_on_the_way_to_a_question_is_released_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come when the question is begun already, and the person not yet asked."""
    slow = Person(for_ever=True)
    engine = seat(slow, tmp_path)
    write = Journal.write

    def write_at_interrupt(journal: Journal, entry: dict[str, Any]) -> None:
        write(journal, entry)
        if entry["kind"] == "begun":
            engine.interrupt()

    monkeypatch.setattr(Journal, "write", write_at_interrupt)
    assert (await asyncio.wait_for(engine.play(), 5)).status == "running"
    assert len(slow.asked) == 1


async def test_who_is_asked_after_the_interrupt_is_not_waited_for() -> None:
    """Without a journal nobody else is asked either: an answerer not asked cannot be released."""
    tape = Untaped()
    tape.closing = True
    player = HumanPlayer(PlayerConfig(player_id="Ada", provider="human"), Person(for_ever=True))
    with pytest.raises(Released):
        await player.decide(a_turn(), tape)


async def test_a_missed_deadline_is_a_fault_and_stays_one(tmp_path: Path) -> None:
    person = Person(SeatTimeout("no answer within 60 s"))
    history = await seat(person, tmp_path).play()
    assert history.status == "finished"
    assert history.usage["Ada"].fallbacks == 1
    assert len(person.asked) == history.usage["Ada"].asks > 1
    (fault,) = [event for event in history.events if event.kind == "fault"]
    assert (fault.content, fault.data["then"]) == ("no answer within 60 s", "fallback")
    assert (await Replay(history).play()).to_json() == history.to_json()


async def test_a_recorded_deadline_comes_back_when_resumed(tmp_path: Path) -> None:
    await interrupted(Person(RequestError("too late"), for_ever=True), tmp_path)
    finished = await GameEngine.resume(tmp_path / "game.jsonl", answerers={"Ada": Person()}).play()
    assert [event.content for event in finished.events if event.kind == "fault"] == ["too late"]
    assert finished.status == "finished"


class Chair:
    """A seat in a browser: too `late` at some questions, and told so at once while nobody sits.

    Questions are known by how many events the game had, so that a chair of a resumed game answers
    as the one before it would have.
    """

    def __init__(self, late: range = range(0), away: range = range(0)) -> None:
        self.late = late
        self.away = away
        self.asked: list[int] = []

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        self.asked.append(prompt.upto)
        if prompt.upto in self.away:
            raise SeatTimeout("nobody sits there")
        await asyncio.sleep(0)
        if prompt.upto in self.late:
            raise SeatTimeout("no answer within 60 s")
        return Completion(json.dumps({name: legal[-1] for name, legal in turn.choices.items()}))

    def release(self) -> None:
        """End nothing: no question stays open."""


async def test_who_was_away_comes_back_to_the_next_question() -> None:
    chair = Chair(late=range(4, 10), away=range(10, 20))
    history = await seat(chair, None, length=12).play()
    faults = [event.content for event in history.events if event.kind == "fault"]
    assert set(faults) == {"no answer within 60 s", "nobody sits there"}
    used = history.usage["Ada"]
    assert used.fallbacks == len(faults)
    assert len(chair.asked) == used.asks
    answered = [event for event in history.events if event.prompt is not None]
    assert [event.fell_back for event in answered[-2:]] == [False, False]


async def test_a_game_with_missed_deadlines_goes_on_from_any_line_of_its_journal(
    tmp_path: Path,
) -> None:
    """Killed anywhere, the resumed game has the same bytes, and asks nothing a second time."""
    folder = tmp_path / "whole"
    lines: list[bytes] = []
    chair = Chair(late=range(4, 10), away=range(10, 20))
    engine = seat(chair, folder, length=12)
    engine.subscribe(lambda event: lines.append((folder / "game.jsonl").read_bytes()))
    history = await engine.play()
    record = lines[-1].splitlines(keepends=True)
    assert len([event for event in history.events if event.kind == "fault"]) > 2
    for cut in range(1, len(record) + 1):
        path = tmp_path / f"{cut}" / "game.jsonl"
        path.parent.mkdir()
        path.write_bytes(b"".join(record[:cut]))
        again = Chair(late=chair.late, away=chair.away)
        resumed = await GameEngine.resume(path, engine.config, answerers={"Ada": again}).play()
        assert resumed.to_json() == history.to_json()
        assert len(again.asked) == len(chair.asked) - (cut - 1) // 2


async def test_a_fatal_fault_of_an_answerer_ends_the_game(tmp_path: Path) -> None:
    history = await seat(Person(FatalError("the wire is cut")), tmp_path).play()
    assert (history.status, history.reason) == ("failed", "the wire is cut")


async def test_people_are_asked_side_by_side(tmp_path: Path) -> None:
    """Each seat has its own answerer; a seat without one has the console."""
    ada, typed = Person(), list[str]()

    def read(asked: str) -> str:
        typed.append(asked)
        return "1"

    config = config_for("conversation", "human,human", settings=SETTINGS)
    engine = GameEngine(config, answerers={"Ada": ada}, console=Console(read, lambda text: None))
    history = await engine.play()
    assert len(ada.asked) == history.usage["Ada"].asks > 0
    assert len(typed) == history.usage["Ben"].asks > 0


def test_an_answerer_needs_a_seat() -> None:
    config = config_for("conversation", SEATS)
    with pytest.raises(ValueError, match="unknown seat 'Adda': did you mean 'Ada'"):
        GameEngine(config, answerers={"Adda": Person()})


async def test_a_released_console_answers_nothing_and_asks_nothing_more() -> None:
    """Of two questions at once only the first is shown; its line, typed too late, goes nowhere."""
    asked, typed, shown = asyncio.Event(), threading.Event(), list[str]()
    loop = asyncio.get_running_loop()

    def read(_question: str) -> str:
        loop.call_soon_threadsafe(asked.set)
        assert typed.wait(5)
        return "2"

    console = Console(read, shown.append)
    player = HumanPlayer(PlayerConfig(player_id="Ada", provider="human"), console)
    first, second = (asyncio.create_task(player.decide(a_turn(), Untaped())) for _ in range(2))
    await asked.wait()
    console.release()
    for deciding in (first, second):
        with pytest.raises(Released):
            await asyncio.wait_for(deciding, 5)
    assert not console.waiting
    typed.set()
    assert (await player.decide(a_turn(), Untaped())).answer.item == "jazz"
    assert shown.count("\nWhich item?") == 2


async def test_a_released_question_is_as_good_as_unasked(tmp_path: Path) -> None:
    """On the tape: only that it was begun, so that a resumed game asks it again."""

    async def ask() -> Completion:
        raise Released

    journal = Journal.create(tmp_path / "game.jsonl", {"version": 1, "made_from": {"config": {}}})
    with pytest.raises(Unrecorded):
        await journal.tape(1, 1, "Ada").take("asked", ask)
    journal.close()
    lines = (tmp_path / "game.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["header", "begun"]
    assert not Journal.load(tmp_path / "game.jsonl").recorded


@pytest.mark.parametrize(
    "end",
    [
        EOFError(),
        RuntimeError("input(): lost sys.stdin"),
        ValueError("I/O operation on closed file."),
        OSError(5, "Input/output error"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    ],
    ids=repr,
)
async def test_whoever_has_no_input_leaves_the_seat(end: Exception) -> None:
    shown = list[str]()

    def read(_question: str) -> str:
        raise end

    config = config_for("conversation", SEATS, settings=SETTINGS)
    engine = GameEngine(config, console=Console(read, shown.append))
    assert (await asyncio.wait_for(engine.play(), 5)).status == "finished"
    assert shown[-1] == "Ada leaves; the seat plays on with fallbacks."
    assert sum("leaves" in line for line in shown) == 1


async def test_who_cannot_be_shown_a_question_ends_the_program() -> None:
    """As anywhere, where nobody reads the output any more; the game is resumable."""

    def write(_text: str) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    config = config_for("conversation", SEATS, settings=SETTINGS)
    engine = GameEngine(config, console=Console(lambda question: "1", write))
    with pytest.raises(BrokenPipeError):
        await asyncio.wait_for(engine.play(), 5)
