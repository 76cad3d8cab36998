"""A person's seat over the network: its open question, the deadline, and the answer."""

import json
import threading
from asyncio import Future, Lock, TimerHandle, get_running_loop
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future as Kept
from dataclasses import dataclass, field
from typing import Any

from protocol.answer import Plain
from protocol.person import blanks_of, fill_in, resolve
from protocol.turn import Prompt, Released, SeatTimeout, Turn
from providers import Completion

# After this many missed deadlines in a row, a seat is not asked until the person rejoins.
MOST_MISSED = 3
ANSWER_WITHIN = 600.0


class Conflict(ValueError):  # noqa: N818 - not a fault: the request is too early or too late
    """The request is not possible right now, but may be possible at another time (409)."""


@dataclass
class OpenQuestion:
    """A question waiting for its answer, until `timer` fires."""

    number: int
    turn: Turn[Any]
    data: Mapping[str, Any]
    done: Future[Completion]
    timer: TimerHandle = field(init=False)


class WebAnswerer:
    """Asks a person or a program over the API; only `ask` must run in the game's loop."""

    def __init__(self, player_id: str, tell: Callable[[str], object]) -> None:
        """Create the seat; `tell(player_id)` is called, in any thread, when `question` changes.

        `answer_within` is in seconds. `asked` counts the questions so far.
        """
        self.player_id = player_id
        self.tell = tell
        self.answer_within = ANSWER_WITHIN
        self._turn = Lock()
        self._releases = 0
        self._lock = threading.Lock()
        self._open: OpenQuestion | None = None
        self.asked = 0
        self._missed = 0
        self._left = False
        self._unkept: deque[Kept[None]] = deque()

    @property
    def question(self) -> Plain | None:
        """The open question as JSON, or None if there is none.

        `number` counts the seat's questions, including those of earlier runs. Each of the `fields`
        contains choices (None: free text), words (the maximum length of free text in characters;
        None: unlimited, or a choice) and notes (the text next to each choice). `silence` is the
        choice that needs no words, `grid` the rows of the board to answer on, and `left` the
        seconds until the deadline.
        """
        asked = self._open
        if asked is None:
            return None
        left = asked.timer.when() - asked.done.get_loop().time()
        return {**asked.data, "left": round(max(0.0, left), 1)}

    @property
    def state(self) -> str:
        """Whether the seat is "here", "away" (it missed three deadlines in a row) or "left"."""
        if self._left:
            return "left"
        return "away" if self._missed >= MOST_MISSED else "here"

    def answer(self, number: int, values: Mapping[str, str]) -> Kept[None]:
        """Answer the open question.

        A choice may be given as text or by its number; any other value is free text.

        The returned future is done once the answer is in the game's journal; it raises Conflict if
        the game ends first. Raises ValueError, listing the legal answers, if this answer is illegal
        (the question stays open), and Conflict if question `number` is no longer open.
        """
        asked = self._open
        if asked is None or asked.number != number:
            raise self._too_late(number)
        text = json.dumps(fill_in(asked.turn, values))
        if not self._close(asked):
            raise self._too_late(number)
        self._missed = 0
        return self._take(asked, text)

    def leave(self) -> Kept[None]:
        """Leave the seat for good; it then plays fallbacks. Raises Conflict on a second call.

        Returns a future like that of `answer`, already done if no question was open.
        """
        with self._lock:
            if self._left:
                raise Conflict(
                    f"{self.player_id} has already left: the seat plays on with fallbacks"
                )
            self._left = True
        asked = self._open
        if asked is not None and self._close(asked):
            return self._take(asked, "")
        kept: Kept[None] = Kept()
        kept.set_result(None)
        return kept

    def _take(self, asked: OpenQuestion, text: str) -> Kept[None]:
        kept: Kept[None] = Kept()
        # A caller that disconnects must not cancel the future.
        kept.set_running_or_notify_cancel()
        self._unkept.append(kept)
        resolve(asked.done, Completion(text))
        return kept

    def keep(self) -> None:
        """Settle the oldest unsaved answer, which is now in the journal."""
        if self._unkept:
            self._unkept.popleft().set_result(None)

    def lose(self) -> None:
        """Fail all unsaved answers, because the game has ended."""
        while self._unkept:
            self._unkept.popleft().set_exception(
                Conflict(
                    "the game ended before your answer was saved: answer again when it continues"
                )
            )

    def rejoin(self) -> None:
        """Start asking an "away" person again."""
        self._missed = 0

    def release(self) -> None:
        """End every pending `ask` with Released."""
        self._releases += 1
        asked = self._open
        if asked is not None and self._close(asked):
            resolve(asked.done, Released())

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Return the JSON answer ("" if the person leaves); raise SeatTimeout if late or away."""
        before = self._releases
        async with self._turn:
            if self._releases != before:
                raise Released
            if self.state == "away":
                raise SeatTimeout(
                    f"{self.player_id} is away: {MOST_MISSED} deadlines in a row were missed"
                )
            return await self._ask(turn, prompt)

    async def _ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        loop = get_running_loop()
        with self._lock:
            if self._left:
                return Completion("")
            self.asked += 1
            data = data_of_question(self.asked, turn, prompt)
            asked = OpenQuestion(self.asked, turn, data, loop.create_future())
            asked.timer = loop.call_later(self.answer_within, self._miss, asked)
            self._open = asked
        self.tell(self.player_id)
        try:
            return await asked.done
        finally:
            asked.timer.cancel()
            # A cancelled call must not leave an open question behind.
            self._close(asked)

    def _miss(self, asked: OpenQuestion) -> None:
        if self._close(asked):
            self._missed += 1
            late = f"{self.player_id} did not answer within {self.answer_within:g} s"
            resolve(asked.done, SeatTimeout(late))

    def _close(self, asked: OpenQuestion) -> bool:
        """Close a question, and return whether this call closed it."""
        with self._lock:
            if self._open is not asked:
                return False
            self._open = None
        self.tell(self.player_id)
        return True

    def _too_late(self, number: int) -> Conflict:
        asked = self._open
        step = "wait for the next one" if asked is None else f"answer question {asked.number}"
        return Conflict(f"question {number} is no longer open: {step}")


def data_of_question(number: int, turn: Turn[Any], prompt: Prompt) -> Plain:
    """Return a question as JSON, without the seconds left."""
    notes = dict(turn.notes())
    fields = [
        {
            "name": blank.name,
            "label": blank.label,
            "about": blank.about,
            "choices": blank.choices,
            "words": blank.words,
            "notes": {} if blank.choices is None else notes,
        }
        for blank in blanks_of(turn)
    ]
    return {
        "number": number,
        "kind": turn.kind,
        "question": prompt.question.strip(),
        "fields": fields,
        "silence": turn.silence,
        "grid": turn.grid(),
    }
