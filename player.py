"""Who sits at the table: the form of a question, and the model, the script and the person who answer it."""

import json
import random
import threading
from abc import ABC, abstractmethod
from asyncio import Future, get_running_loop
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import takewhile
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from answer import AnswerError, answer_room, clean, match_choice, read_answer, schema_of, split_thoughts
from providers import PROVIDERS, Client, Completion, CompletionRequest, FatalError, Message, ProviderError
from turn import Attempt, Prompt, Reply, Tape, Turn, Untaped

__all__ = [
    "Attempt",
    "Console",
    "HumanPlayer",
    "LLMPlayer",
    "Player",
    "PlayerConfig",
    "Prompt",
    "Reply",
    "ScriptedPlayer",
    "Tape",
    "Turn",
    "Untaped",
]

A = TypeVar("A", bound=BaseModel)
ASKS = 3
PART = 4
SAID_AGAIN = 2000
LONGEST_NAME = 40
UNNAMEABLE = {*":[](){}<>\"'`\n\t"}
Script = Callable[[Turn[Any], random.Random], BaseModel]
Scripts = Mapping[str, Script]


class PlayerConfig(BaseModel):
    """A seat: who sits there, in which character, and who answers.

    `provider` is a name in `providers.PROVIDERS`, or "scripted" (then `model` names a strategy of the game) or "human".
    `api_key` falls back to the provider's environment variable; it is left out of every dump. `client_kwargs` go to
    the model's client.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    player_id: str
    character_prompt: str = ""
    provider: str = "local"
    model: str = ""
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    client_kwargs: dict[str, Any] = Field(default_factory=dict, repr=False)

    @field_validator("player_id")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if name != clean(name) or not 1 <= len(name) <= LONGEST_NAME or set(name) & UNNAMEABLE:
            raise ValueError(
                f"expected player_id to be a name of 1 to {LONGEST_NAME} characters, without colons, brackets, "
                f"quotes and line ends, and no space at either end: got {name!r:.80}"
            )
        return name

    @model_validator(mode="before")
    @classmethod
    def _name_the_model(cls, config: object) -> object:
        """Write down which model a provider's default is today: tomorrow it may be another."""
        if isinstance(config, dict) and not config.get("model") and config.get("provider", "local") in PROVIDERS:
            return config | {"model": PROVIDERS[config.get("provider", "local")].default_model}
        return config


class Player(ABC):
    """Someone who answers turns."""

    def __init__(self, config: PlayerConfig) -> None:
        self.config = config

    @abstractmethod
    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Answer `turn`; only a FatalError (no later question can be answered either) may be raised."""


class LLMPlayer(Player):
    """A model: asked, told why when its answer is wrong, and after `asks` tries taken at the fallback."""

    def __init__(self, config: PlayerConfig, client: Client, asks: int = ASKS) -> None:
        super().__init__(config)
        self.client = client
        self.asks = asks

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Answer with the first usable of at most `asks` attempts, else with the turn's fallback."""
        prompt = turn.prompt()
        request = self._request(turn, prompt)
        attempts: list[Attempt] = []
        while len(attempts) < self.asks:
            try:
                completion, seconds = await tape.take(fingerprint(request), partial(self.client.complete, request))
            except FatalError:
                raise
            except ProviderError as error:
                attempts.append(Attempt("", fault=str(error), finish="none"))
                break
            answer, attempt = judge(turn, completion, seconds)
            attempts.append(attempt)
            if answer is not None:
                return Reply(answer, tuple(attempts), prompt=prompt)
            request = replace(request, messages=(*request.messages, *ask_again(attempt)))
        return Reply(turn.fallback, tuple(attempts), fell_back=True, prompt=prompt)

    def _request(self, turn: Turn[A], prompt: Prompt) -> CompletionRequest:
        schema = schema_of(turn.answer, turn.choices)
        return CompletionRequest(
            system=prompt.system,
            messages=(Message("user", (*stable_parts(prompt.transcript), prompt.question)),),
            schema=schema,
            schema_name=turn.answer.__name__,
            max_tokens=answer_room(schema),
            session=self.config.player_id,
        )


def stable_parts(transcript: str) -> tuple[str, ...]:
    """Return a transcript in parts that stay the same while it grows, all but the last.

    An API that caches whole parts (Anthropic's) finds none of a transcript that is one ever longer part.
    """
    lines = transcript.splitlines(keepends=True)
    return tuple("".join(lines[begin : begin + PART]) for begin in range(0, len(lines), PART))


def judge(turn: Turn[A], completion: Completion, seconds: float) -> tuple[A | None, Attempt]:
    """Return the answer that a completion holds (None: none that can be used) and the attempt to be kept of it."""
    text = completion.text.encode("utf-8", "replace").decode()
    said, thoughts = split_thoughts(text)
    reasoning = joined(str(clean(completion.reasoning)), str(clean(thoughts)))
    attempt = Attempt(text, reasoning, completion.usage, seconds, finish=completion.finish)
    try:
        if completion.finish == "refusal":
            raise AnswerError("expected an answer: got a refusal")
        return read_answer(said, turn.answer, turn.choices), attempt
    except AnswerError as error:
        cut = " (the answer was cut at its length limit: be shorter)" if completion.finish == "length" else ""
        return None, replace(attempt, fault=str(clean(f"{error}{cut}")))


def joined(shown: str, thoughts: str) -> str:
    """Return both kinds of reasoning as one; what is already joined, as a log holds it, stays as it is."""
    return shown if shown.endswith(thoughts) else f"{shown}\n{thoughts}".strip()


def ask_again(attempt: Attempt) -> tuple[Message, Message]:
    """Return the two messages that follow an unusable attempt: what was said, cut if long, and why it is no answer."""
    why = f"That answer cannot be used: {attempt.fault}. Answer the same question again, with one JSON object."
    said = str(clean(attempt.text[:SAID_AGAIN])) or "(nothing)"
    return Message("assistant", (said,)), Message("user", (why,))


def fingerprint(request: CompletionRequest) -> str:
    """Return a hash of all that a request asks, so that a recorded answer is only taken for the same question."""
    asked = (request.system, [(m.role, m.text) for m in request.messages], request.schema)
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class ScriptedPlayer(Player):
    """A script: it reads the observation and draws from one stream of its own; what it answers is never recorded."""

    def __init__(self, config: PlayerConfig, script: Script, rng: random.Random) -> None:
        super().__init__(config)
        self.script = script
        self.rng = rng

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Answer as the script does; if it raises or answers illegally, with the turn's fallback, and say so."""
        del tape
        try:
            return Reply(legal_answer(self.script(turn, self.rng), turn))
        except Exception as error:
            # A script may be anyone's: whatever it raises is recorded as its fault, and the game goes on.
            fault = str(clean(f"{type(error).__name__}: {error}", 300))
            return Reply(turn.fallback, (Attempt("", fault=fault),), fell_back=True)


def legal_answer(answer: object, turn: Turn[A]) -> A:
    """Return `answer`; raise TypeError or ValueError unless it is of the turn's form and its choices are legal."""
    if not isinstance(answer, turn.answer):
        raise TypeError(f"expected a {turn.answer.__name__}: got {answer!r:.80}")
    for name, legal in turn.choices.items():
        if (value := getattr(answer, name)) not in legal:
            raise ValueError(f"expected {name} to be one of {', '.join(legal)}: got {value!r:.80}")
    return answer


@dataclass(frozen=True)
class Console:
    """A person's terminal: `read` asks for a line (EOFError: the person leaves), `write` shows text.

    `news` says whether the seat must itself show what happened since its last question; a live view may do so already.
    """

    read: Callable[[str], str] = input
    write: Callable[[str], None] = print
    news: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)


class HumanPlayer(Player):
    """A person at the terminal, who sees what a model in that seat would see and picks from numbered choices."""

    def __init__(self, config: PlayerConfig, console: Console | None = None) -> None:
        super().__init__(config)
        self.console = console or Console()
        self.shown: list[str] | None = None
        self.left = False

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Ask until the answer is legal; at the end of input (Ctrl-D) the seat is left to the fallback for good."""
        prompt = turn.prompt()
        if self.left:
            return Reply(turn.fallback, (Attempt("", fault="the seat was left"),), fell_back=True, prompt=prompt)
        completion, seconds = await tape.take(prompt.sha256, partial(self._in_thread, turn, prompt))
        if not completion.text:
            self.left = True
            fault = "the person left the seat"
            return Reply(turn.fallback, (Attempt("", seconds=seconds, fault=fault),), fell_back=True, prompt=prompt)
        answer, attempt = judge(turn, completion, seconds)
        fallen = answer is None
        return Reply(turn.fallback if answer is None else answer, (attempt,), fell_back=fallen, prompt=prompt)

    async def _in_thread(self, turn: Turn[A], prompt: Prompt) -> Completion:
        """Hold the dialogue in a daemon thread, so that others think meanwhile and Ctrl-C need not wait for a line."""
        loop = get_running_loop()
        done: Future[Completion] = loop.create_future()

        def finish(text: str) -> None:
            if not done.cancelled():
                done.set_result(Completion(text))

        def hold() -> None:
            loop.call_soon_threadsafe(finish, self._dialogue(turn, prompt))

        threading.Thread(target=hold, daemon=True).start()
        return await done

    def _dialogue(self, turn: Turn[A], prompt: Prompt) -> str:
        with self.console.lock:
            self._show(prompt)
            try:
                fields = turn.answer.model_fields
                said: dict[str, str] = {}
                for name in (name for name in fields if name in turn.choices or fields[name].is_required()):
                    wordless = turn.silence in said.values() and name not in turn.choices
                    said[name] = "" if wordless else self._field(name, turn)
                return json.dumps(said)
            except EOFError:
                self.console.write(f"{self.config.player_id} leaves; the seat's fallback plays on.")
                return ""

    def _show(self, prompt: Prompt) -> None:
        if self.shown is None:
            self.console.write(prompt.system)
        lines = prompt.transcript.splitlines()
        known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(lines, self.shown or [], strict=False)))
        if self.console.news:
            for line in lines[known:]:
                event = json.loads(line)
                self.console.write(f"{event['by']}: {event['text']}")
        self.shown = lines
        self.console.write(prompt.question)

    def _field(self, name: str, turn: Turn[A]) -> str:
        legal = turn.choices.get(name)
        if legal is None:
            return self.console.read(f"{turn.answer.model_fields[name].description or name}: ")
        for number, option in enumerate(legal, 1):
            self.console.write(f"{number:>3}  {option}")
        while True:
            line = self.console.read(f"{name} (a number from 1 to {len(legal)}, or the words; Ctrl-D leaves): ").strip()
            if line.isdecimal() and 1 <= int(line) <= len(legal):
                return legal[int(line) - 1]
            try:
                return match_choice(line, legal, name)
            except AnswerError:
                self.console.write(f"{line!r} is no choice here: type a number from 1 to {len(legal)}.")
