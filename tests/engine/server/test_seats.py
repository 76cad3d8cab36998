"""People's seats on the wire: one answer a question, in time, legal, and at anybody's pace."""

import asyncio
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from engine.record.chain import Chain
from engine.record.files import DiskError
from engine.server.seats import MOST_MISSED, Conflict, WebAnswerer
from player import HumanPlayer, PlayerConfig, Prompt, Turn
from protocol.turn import Released, SeatTimeout, Untaped
from providers import Completion
from tests.support.web.real_server import SEATED, serving

PROMPT = Prompt("You are Ada.", "", "Which item?\n")


class Spoken(BaseModel):
    item: str
    text: str = Field(max_length=20, description="what you say")


def turn() -> Turn[Spoken]:
    return Turn(
        "Ada",
        "proposal",
        None,
        lambda: PROMPT,
        Spoken,
        {"item": ("moss", "jazz", "stay silent", "3")},
        Spoken(item="moss", text=""),
        silence="stay silent",
        notes=lambda: {"moss": "importance 0.9"},
    )


class Seat:
    """A seat, and how often it was told that its question is another one."""

    def __init__(self, answer_within: float = 600) -> None:
        self.told = 0
        self.answerer = WebAnswerer("Ada", self.tell)
        self.answerer.answer_within = answer_within

    def tell(self, player_id: str) -> None:
        assert player_id == "Ada"
        self.told += 1

    async def answered(self, text: str = "") -> str:
        """Put a question, answer it, and return what is heard."""
        pending, question = await self.asked()
        self.answerer.answer(question["number"], {"item": "moss", "text": text})
        return (await pending).text

    async def asked(self) -> tuple["asyncio.Task[Completion]", Mapping[str, Any]]:
        """Put a question; return who waits for the answer, and the question."""
        pending = asyncio.create_task(self.answerer.ask(turn(), PROMPT))
        await asyncio.sleep(0)
        question = self.answerer.question
        assert question is not None
        return pending, question


async def test_a_question_tells_all_that_an_answer_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = Seat(60)
    now = [100.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    pending, _ = await seat.asked()
    now[0] = 112.34
    question = seat.answerer.question
    assert question is not None
    item, text = question["fields"]
    assert (question["number"], question["kind"]) == (1, "proposal")
    assert (question["question"], question["silence"]) == ("Which item?", "stay silent")
    assert question["left"] == 47.7
    assert item == {
        "name": "item",
        "label": "Item",
        "about": "Item",
        "choices": ("moss", "jazz", "stay silent", "3"),
        "words": None,
        "notes": {"moss": "importance 0.9"},
    }
    assert text == {
        "name": "text",
        "label": "Text",
        "about": "what you say",
        "choices": None,
        "words": 20,
        "notes": {},
    }
    seat.answerer.answer(1, {"item": "jazz", "text": "hello"})
    assert seat.answerer.question is None
    assert json.loads((await pending).text) == {"item": "jazz", "text": "hello"}
    assert seat.told == 2


@pytest.mark.parametrize(
    ("values", "meant"),
    [
        ({"item": "moss", "text": "x"}, {"item": "moss", "text": "x"}),
        ({"item": "2", "text": "x"}, {"item": "jazz", "text": "x"}),
        ({"item": "3", "text": "x"}, {"item": "3", "text": "x"}),
        ({"item": " MOSS ", "text": "x"}, {"item": "moss", "text": "x"}),
        ({"item": "stay silent"}, {"item": "stay silent", "text": ""}),
        ({"item": "jazz", "text": "a" * 20}, {"item": "jazz", "text": "a" * 20}),
        (
            {"item": "jazz", "text": '{"item": "moss"}'},
            {"item": "jazz", "text": '{"item": "moss"}'},
        ),
    ],
)
async def test_an_answer_means_what_it_would_in_a_terminal(
    values: dict[str, str], meant: dict[str, str]
) -> None:
    seat = Seat()
    pending, _ = await seat.asked()
    seat.answerer.answer(1, values)
    assert json.loads((await pending).text) == meant
    player = HumanPlayer(PlayerConfig(player_id="Ada", provider="human"), Echo(meant))
    reply = await player.decide(turn(), Untaped())
    assert (reply.answer.model_dump(), reply.fell_back) == (meant, False)


class Echo:
    def __init__(self, answer: Mapping[str, str]) -> None:
        self.text = json.dumps(answer)

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        return Completion(self.text)

    def release(self) -> None: ...


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"item": "coal", "text": "x"}, "expected item to be one of .*moss.*: got 'coal'"),
        ({"item": "9", "text": "x"}, "expected item to be one of .*: got '9'"),
        ({"text": "x"}, "expected item to be one of .*: got None"),
        ({"item": "moss"}, "expected text: what you say"),
        ({"item": "moss", "text": "a" * 21}, "at most 20 characters: got 21"),
        ({"item": "moss", "text": "x", "vote": "y"}, "expected the fields item, text: got 'vote'"),
        ({}, "expected item"),
    ],
)
async def test_what_cannot_be_is_said_and_the_question_stays(
    values: dict[str, str], sentence: str
) -> None:
    seat = Seat()
    pending, question = await seat.asked()
    with pytest.raises(ValueError, match=sentence) as refused:
        seat.answerer.answer(1, values)
    assert not isinstance(refused.value, Conflict)
    assert seat.answerer.question == question
    seat.answerer.answer(1, {"item": "moss", "text": ""})
    assert json.loads((await pending).text)["item"] == "moss"


async def test_of_many_answers_at_once_one_wins() -> None:
    seat = Seat()
    pending, _ = await seat.asked()
    outcomes: list[str] = []
    sentences: list[str] = []
    start = threading.Barrier(8)

    def answer(name: str) -> None:
        start.wait()
        try:
            seat.answerer.answer(1, {"item": "moss", "text": name})
        except Conflict as refused:
            sentences.append(str(refused))
        else:
            outcomes.append(name)

    threads = [threading.Thread(target=answer, args=(f"person {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [json.loads((await pending).text)["text"]] == outcomes
    assert sentences == 7 * ["question 1 is no longer open: wait for the next one"]


async def test_an_answer_to_another_question_is_too_late() -> None:
    seat = Seat()
    with pytest.raises(Conflict, match="question 1 is no longer open"):
        seat.answerer.answer(1, {"item": "moss", "text": ""})
    await seat.answered()
    pending, question = await seat.asked()
    assert question["number"] == 2
    with pytest.raises(Conflict, match="answer question 2"):
        seat.answerer.answer(1, {"item": "moss", "text": ""})
    assert not pending.done()
    pending.cancel()


async def test_three_missed_deadlines_are_one_too_many_until_somebody_is_back() -> None:
    seat = Seat(0.01)
    for missed in range(MOST_MISSED):
        assert (seat.answerer.state, seat.told) == ("here", 2 * missed)
        with pytest.raises(SeatTimeout, match=r"Ada did not answer within 0\.01 s"):
            await seat.answerer.ask(turn(), PROMPT)
    assert (seat.answerer.state, seat.answerer.question) == ("away", None)
    with pytest.raises(SeatTimeout, match="Ada is away: 3 deadlines in a row were missed"):
        await seat.answerer.ask(turn(), PROMPT)
    assert seat.told == 2 * MOST_MISSED
    seat.answerer.rejoin()
    seat.answerer.answer_within = 60
    assert "back" in await seat.answered("back")


async def test_deadlines_in_a_row_are_counted_anew_after_an_answer() -> None:
    seat = Seat()
    for _ in range(MOST_MISSED):
        for _ in range(MOST_MISSED - 1):
            seat.answerer.answer_within = 0.01
            with pytest.raises(SeatTimeout):
                await seat.answerer.ask(turn(), PROMPT)
        seat.answerer.answer_within = 60
        await seat.answered()
    assert seat.answerer.state == "here"


async def test_who_leaves_is_asked_nothing_any_more() -> None:
    seat = Seat()
    pending, _ = await seat.asked()
    seat.answerer.leave()
    assert (await pending).text == ""
    assert (await seat.answerer.ask(turn(), PROMPT)).text == ""
    seat.answerer.rejoin()
    assert (seat.answerer.state, seat.answerer.question) == ("left", None)
    with pytest.raises(Conflict, match="Ada has already left"):
        seat.answerer.leave()


async def test_who_is_released_may_be_asked_again() -> None:
    seat = Seat()
    pending, _ = await seat.asked()
    threading.Thread(target=seat.answerer.release).start()
    with pytest.raises(Released):
        await pending
    assert seat.answerer.question is None
    seat.answerer.release()
    await seat.answered()


async def test_a_question_that_is_given_up_is_open_no_more() -> None:
    seat = Seat(60)
    pending, _ = await seat.asked()
    pending.cancel()
    await asyncio.gather(pending, return_exceptions=True)
    assert seat.answerer.question is None


async def test_what_is_asked_at_once_is_answered_one_after_the_other() -> None:
    """In a dilemma a player has several matches at once."""
    seat = Seat()
    asked = [asyncio.create_task(seat.answerer.ask(turn(), PROMPT)) for _ in range(3)]
    for number in (1, 2, 3):
        await asyncio.sleep(0.01)
        question = seat.answerer.question
        assert question is not None
        assert question["number"] == number
        assert [one.done() for one in asked] == [place < number - 1 for place in range(3)]
        seat.answerer.answer(number, {"item": "moss", "text": f"answer {number}"})
    answers = [json.loads(one.text)["text"] for one in await asyncio.gather(*asked)]
    assert answers == ["answer 1", "answer 2", "answer 3"]


async def test_all_that_is_asked_at_once_is_released_or_left_together() -> None:
    seat = Seat()
    asked = [(await seat.asked())[0] for _ in range(3)]
    seat.answerer.release()
    ends = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(end) for end in ends] == [Released] * 3
    asked = [(await seat.asked())[0] for _ in range(3)]
    seat.answerer.leave()
    assert [end.text for end in await asyncio.gather(*asked)] == [""] * 3


@pytest.mark.parametrize("disk", ["slow", "full"])
def test_an_answer_is_acknowledged_once_the_disk_has_it(
    disk: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk delays what the caller is told; a full one ends the game, and refuses it."""
    order = []
    sync = Chain.sync

    async def late(chain: Chain) -> None:
        await asyncio.sleep(0.3)
        if disk == "full":
            raise DiskError(28, "No space left on device")
        await sync(chain)
        order.append("kept")

    with serving(tmp_path) as served:
        name = served.begin(SEATED)["name"]
        path = f"/api/games/{name}/seats/Ada"
        key = served.key_of(name, "Ada")
        question = served.question(path, key)
        values = {one["name"]: (one["choices"] or ["Well."])[0] for one in question["fields"]}
        monkeypatch.setattr(Chain, "sync", late)
        number = question["number"]
        answer = served.post(path, {"number": number, "values": values}, headers=key, bare=True)
        order.append("told")
    if disk == "slow":
        assert (answer.status, order) == (200, ["kept", "told"])
    else:
        assert (answer.status, order) == (409, ["told"])
        assert "ended before your answer was saved" in answer.detail
