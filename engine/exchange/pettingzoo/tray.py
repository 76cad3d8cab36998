"""Open questions to policies, and the Spokesman that supplies words for the policies."""

import asyncio
import json
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from random import Random
from typing import Any

from pydantic import BaseModel

from engine.rng import stream
from player import (
    Attempt,
    HumanPlayer,
    PlayerConfig,
    Prompt,
    Released,
    Reply,
    Script,
    Tape,
    Turn,
    fall_back,
    lost_attempt,
)
from protocol.judge import judge, legal_answer
from protocol.turn import A
from providers import Completion, RequestError

Values = dict[str, str]


@dataclass(slots=True)
class ParkedQuestion:
    """A question that a policy has not answered yet, with the fields set so far."""

    turn: Turn[Any]
    answer: "asyncio.Future[Values]"
    values: Values = field(default_factory=dict)

    @property
    def player_id(self) -> str:
        """The player being asked."""
        return self.turn.player_id


@dataclass
class Spokesman:
    """Supplies the words that actions cannot express: a fixed text, or a script's words."""

    text: str
    script: Script | None
    seed: int
    draws: dict[str, Random] = field(default_factory=dict)

    def answer(self, turn: Turn[Any]) -> Values:
        """Return an answer's fields.

        Raises RequestError, which leads to the fallback, if the script has no answer, or if a
        question with choices is left to the fixed text.
        """
        if self.script is not None:
            return self.ask_script(self.script, turn)
        if turn.choices:
            raise RequestError(f"no policy answers a question of the kind {turn.kind}")
        return dict.fromkeys(fields_to_fill(turn), self.text)

    def add_words(self, turn: Turn[Any], values: Values) -> Values:
        """Return the chosen values plus the words that the answer's form requires."""
        lacking = fields_to_fill(turn) - values.keys()
        if not lacking:
            return values
        if self.script is None:
            return dict.fromkeys(lacking, self.text) | values
        whole = self.ask_script(self.script, turn)
        return {name: whole[name] for name in lacking} | values

    def ask_script(self, script: Script, turn: Turn[Any]) -> Values:
        """Return the fields of a script's answer; raise RequestError if the script has none."""
        player_id = turn.player_id
        if player_id not in self.draws:
            self.draws[player_id] = stream(self.seed, "seat", player_id)
        draws = self.draws[player_id]
        try:
            answer = legal_answer(script(turn, draws), turn)
        except Exception as error:
            # A user's script may contain errors; they are recorded as a fault of this question.
            raise RequestError(f"the script has no answer: {error!r:.200}") from error
        values: Values = answer.model_dump()
        return values


def fields_to_fill(turn: Turn[Any]) -> frozenset[str]:
    """Return the fields that an answer to the question requires."""
    return _required_in(turn.answer)  # type: ignore[arg-type]  # mypy doubts that a class has a hash


@lru_cache(maxsize=256)
def _required_in(form: type[BaseModel]) -> frozenset[str]:
    return frozenset(name for name, field in form.model_fields.items() if field.is_required())


@dataclass(eq=False, slots=True)
class Tray:
    """A game's open questions to policies, in the order in which the game asks them.

    Policies get only questions of these `kinds`, as text if `worded`. The Spokesman answers all
    other questions at once. See Encoder for `parallel`.
    """

    kinds: Collection[str]
    spokesman: Spokesman
    worded: bool
    parallel: bool
    questions: deque[ParkedQuestion] = field(default_factory=deque)

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Return the policy's or the Spokesman's answer."""
        return completion_of(await self.values_of(turn._replace(prompt=lambda: prompt)))

    async def values_of(self, turn: Turn[Any]) -> Values:
        """Return an answer's fields; the loop stops until outside code supplies them."""
        if turn.kind not in self.kinds:
            return self.spokesman.answer(turn)
        if self.worded:
            prompt = turn.prompt()
            turn = turn._replace(prompt=lambda: prompt)
        loop = asyncio.get_running_loop()
        question = ParkedQuestion(turn, loop.create_future())
        self.questions.append(question)
        loop.stop()
        return await question.answer

    def release(self) -> None:
        """End every open question by raising Released."""
        while self.questions:
            answer = self.questions.popleft().answer
            if not answer.done():
                answer.set_exception(Released())

    def reply(self) -> None:
        """Answer the first question with the values set so far."""
        question = self.questions.popleft()
        answer = question.answer
        if answer.done():
            return
        try:
            values = self.spokesman.add_words(question.turn, question.values)
        except RequestError as error:
            answer.set_exception(error)
            return
        answer.set_result(values)


class PolicyPlayer(HumanPlayer):
    """A policy's seat; unless `logged`, its prompts are not recorded."""

    def __init__(self, config: PlayerConfig, tray: Tray, *, logged: bool) -> None:
        super().__init__(config, tray)
        self.tray = tray
        self.logged = logged
        # Questions that are put one by one, without a tape, need no tasks.
        self.recorded = logged or tray.worded or tray.parallel

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Return the policy's or the Spokesman's answer, or the fallback if neither can answer."""
        if self.logged:
            return await super().decide(turn, tape)
        try:
            values = await self.tray.values_of(turn)
        except RequestError as error:
            return fall_back(turn, None, lost_attempt(error))
        answer, attempt = judge_values(turn, values)
        if answer is None:
            return fall_back(turn, None, attempt)
        return Reply(answer, (attempt,))


def judge_values(turn: Turn[A], values: Values) -> tuple[A | None, Attempt]:
    """Return the answer with these fields, or None if it is illegal, and the attempt to record."""
    for name, legal in turn.choices.items():
        if values.get(name) not in legal:
            return judge(turn, completion_of(values), 0.0)
    return judge_legal(turn.answer, tuple(values.items()))


@lru_cache(maxsize=4096)
def judge_legal(form: type[A], fields: tuple[tuple[str, str], ...]) -> tuple[A | None, Attempt]:
    """Judge an answer with legal choices; equal answers are judged only once."""
    turn = Turn("", "", None, partial(Prompt, "", "", ""), form, {}, form.model_construct())
    return judge(turn, completion_of(dict(fields)), 0.0)


def completion_of(values: Mapping[str, Any]) -> Completion:
    """Return an answer's fields as a completion, in the JSON form that is recorded."""
    return Completion(json.dumps(values, ensure_ascii=False))
