"""Who sits at the table: the form of a question, and the model, the script and the person who answer it."""

import json
import random
import threading
from abc import ABC, abstractmethod
from asyncio import Future, get_running_loop
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from protocol.answer import AnswerError, answer_room, match_choice, schema_of
from protocol.judge import ask_again, judge, legal_answer
from protocol.text import clean
from protocol.turn import Attempt, Prompt, Reply, Tape, Turn, Untaped, fingerprint
from providers import (
    DEFAULT_PROVIDER,
    PROVIDERS,
    Client,
    Completion,
    CompletionRequest,
    FatalError,
    Message,
    ProviderError,
)

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
LONGEST_NAME = 40
COMPUTED = ("scripted", "trained")
UNNAMEABLE = {*":[](){}<>\"'`\n\t"}
Script = Callable[[Turn[Any], random.Random], BaseModel]
Scripts = Mapping[str, Script]


class PlayerConfig(BaseModel):
    """A seat: who sits there, in which character, and who answers.

    `provider` is a name in `providers.PROVIDERS`, or "human", or "scripted" (then `model` names a
    strategy of the game) or "trained" (then `model` is the path of a policy that was trained for
    the game). `api_key` falls back to the provider's environment variable; it is left out of every
    dump. `client_kwargs` go to the model's client.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    player_id: str
    character_prompt: str = ""
    provider: str = DEFAULT_PROVIDER
    model: str = ""
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    client_kwargs: dict[str, Any] = Field(default_factory=dict, repr=False)

    @property
    def computed(self) -> bool:
        """Whether this seat's answers are computed here, again and again the same, so that none is ever recorded."""
        return self.provider in COMPUTED

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
        if (
            isinstance(config, dict)
            and not config.get("model")
            and config.get("provider", DEFAULT_PROVIDER) in PROVIDERS
        ):
            provider = config.get("provider", DEFAULT_PROVIDER)
            return config | {"model": PROVIDERS[provider].default_model}
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
                completion, seconds = await tape.take(
                    fingerprint(request), partial(self.client.complete, request)
                )
            except FatalError:
                raise
            except ProviderError as error:
                attempts.append(Attempt("", fault=str(error), finish="none"))
                break
            provider = PROVIDERS.get(self.config.provider)
            asked = self.config.model if provider is None or provider.tells_model else ""
            answer, attempt = judge(turn, completion, seconds, asked)
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

    An API that caches whole parts (Anthropic's) finds none of a transcript that is one ever longer
    part.
    """
    lines = transcript.splitlines(keepends=True)
    return tuple("".join(lines[begin : begin + PART]) for begin in range(0, len(lines), PART))


class ScriptedPlayer(Player):
    """A script, or a trained policy as one: it reads the observation, and what it answers is never recorded.

    It draws from one stream of its own.
    """

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
            # A script may be anyone's: whatever it raises is recorded as its fault, and the game
            # goes on.
            fault = str(clean(f"{type(error).__name__}: {error}", 300))
            return Reply(turn.fallback, (Attempt("", fault=fault),), fell_back=True)


@dataclass(frozen=True)
class Console:
    """A person's terminal: `read` asks for a line (EOFError: the person leaves), `write` shows text.

    `news` says whether the seat must itself show what happened since its last question; a live view
    may do so already.
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
            return Reply(
                turn.fallback,
                (Attempt("", fault="the seat was left"),),
                fell_back=True,
                prompt=prompt,
            )
        completion, seconds = await tape.take(prompt.sha256, partial(self._in_thread, turn, prompt))
        if not completion.text:
            self.left = True
            fault = "the person left the seat"
            return Reply(
                turn.fallback,
                (Attempt("", seconds=seconds, fault=fault),),
                fell_back=True,
                prompt=prompt,
            )
        answer, attempt = judge(turn, completion, seconds)
        fallen = answer is None
        return Reply(
            turn.fallback if answer is None else answer, (attempt,), fell_back=fallen, prompt=prompt
        )

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
                for name in (
                    name for name in fields if name in turn.choices or fields[name].is_required()
                ):
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
        known = sum(
            1
            for _ in takewhile(
                lambda pair: pair[0] == pair[1], zip(lines, self.shown or [], strict=False)
            )
        )
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
            line = self.console.read(
                f"{name} (a number from 1 to {len(legal)}, or the words; Ctrl-D leaves): "
            ).strip()
            if line.isdecimal() and 1 <= int(line) <= len(legal):
                return legal[int(line) - 1]
            try:
                return match_choice(line, legal, name)
            except AnswerError:
                self.console.write(
                    f"{line!r} is no choice here: type a number from 1 to {len(legal)}."
                )
