"""Players: the config of a seat, and the players for models, scripts and people."""

import asyncio
import random
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ValidationError

from protocol.answer import answer_room, schema_of
from protocol.console import Console
from protocol.forms import SeatForm
from protocol.judge import ask_again, bug_in_words, describe_error, judge, legal_answer
from protocol.player_config import PlayerConfig
from protocol.seats import Supplies, script_of
from protocol.turn import (
    RETRIES,
    SEARCHES,
    Answerer,
    Attempt,
    Prompt,
    Released,
    Reply,
    Script,
    Scripts,
    SeatTimeout,
    Tape,
    Turn,
    Untaped,
    fingerprint,
    searchers,
)
from providers import PROVIDERS, Client, CompletionRequest, FatalError, Message, ProviderError
from providers.thoughts import has_thought

__all__ = [
    "Answerer",
    "Attempt",
    "Console",
    "HumanPlayer",
    "LLMPlayer",
    "Player",
    "PlayerConfig",
    "Prompt",
    "Released",
    "Reply",
    "Script",
    "ScriptedPlayer",
    "Scripts",
    "SeatTimeout",
    "Tape",
    "TrainedPlayer",
    "Turn",
    "Untaped",
]

A = TypeVar("A", bound=BaseModel)
ASKS = 3


class Player:
    """A player that answers turns; subclasses define `decide`, and `sit` if a game seats them.

    `Player(config)` creates a player for a model or a person, depending on the provider. Scripts
    and trained policies belong to a game, so their configs raise ValueError. Attempts of a
    `recorded` player are written to the game's tape, and all such players are asked at once. Other
    players answer in turn, without a tape. A player that `reads_json` is asked for JSON.
    """

    recorded: bool = True
    reads_json: ClassVar[bool] = True

    def __new__(cls, config: PlayerConfig | None = None, *_more: Any, **_named: Any) -> Self:
        """Return a player of the class that `config` selects, or of the subclass called."""
        if cls is not Player or config is None:
            return super().__new__(cls)
        if config.computed:
            raise ValueError(
                f"expected a model or a person: got {config.provider}:{config.model}, which only a "
                "game can seat: GameEngineConfig(game=..., player_configs=[...])"
            )
        player_class: type[Self] = config.kind.player_class()
        return super().__new__(player_class)

    def __init__(self, config: PlayerConfig) -> None:
        self.config = config

    @classmethod
    def sit(cls, config: PlayerConfig, supplies: Supplies) -> "Player":
        """Return the player of a seat in a game; raise ValueError if the seat cannot be taken."""
        del supplies
        return cls(config)

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Answer `turn`; raise only FatalError, and only if later questions cannot be answered."""
        raise NotImplementedError


class LLMPlayer(Player):
    """A model, asked up to `asks` times for a usable answer; if none comes, the fallback counts.

    Without a `client`, the player creates one from its config. Once an answer has ignored its
    schema, later prompts describe the `form` of answers in words. `thinks` is whether any answer
    involved thoughts, or None before the first answer. Both are learned from recorded answers too,
    so a resumed game asks exactly as if it had never been stopped.
    """

    def __init__(
        self,
        config: PlayerConfig,
        client: Client | None = None,
        asks: int = ASKS,
    ) -> None:
        super().__init__(config)
        self.client = client_of(config) if client is None else client
        self.asks = asks
        row = PROVIDERS.get(config.provider)
        settings = {**({} if row is None else row.settings), **config.client_kwargs}
        # The model that an answer should name, or "" if the provider's answers name none.
        self.asked = config.model if row is None or row.tells_model else ""
        self.form = SeatForm("schema" if settings.get("structured", True) is True else "words")
        self.thinks: bool | None = None

    @classmethod
    def sit(cls, config: PlayerConfig, supplies: Supplies) -> "LLMPlayer":
        """Return the model's player, whose client is metered by the game."""
        return cls(config, supplies.client(), supplies.asks)

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Return the first usable answer of at most `asks` attempts, else the fallback.

        If the turn doubts an answer, the model is asked once more; the doubted answer counts if no
        usable answer follows. If legal answers are not listed, each repeat shows the board again.
        """
        prompt = turn.prompt()
        # Concurrent questions all start from the state before any of them was answered, even if
        # some of the answers are already recorded.
        request = self._request(turn, prompt)
        await asyncio.sleep(0)
        attempts: list[Attempt] = []
        doubted: A | None = None
        while len(attempts) < self.asks:
            answer, attempt = await self._attempt(turn, request, tape)
            doubt = turn.doubt(answer) if answer is not None and doubted is None else ""
            if doubt:
                doubted, attempt = answer, replace(attempt, fault=doubt)
            attempts.append(attempt)
            if answer is not None and not doubt:
                return Reply(answer, tuple(attempts), prompt=prompt)
            if attempt.finish == "none":
                break
            request = _repeated(request, attempt, turn)
        if doubted is not None:
            return Reply(doubted, tuple(attempts), prompt=prompt)
        return fall_back(turn, prompt, *attempts)

    async def _attempt(
        self, turn: Turn[A], request: CompletionRequest, tape: Tape
    ) -> tuple[A | None, Attempt]:
        """Return one call's answer (None if it is unusable) and the record of the call."""
        ask = partial(self.form.ask, request, self.client)
        try:
            completion, seconds = await tape.take(fingerprint(request), ask)
        except FatalError:
            raise
        except ProviderError as error:
            return None, lost_attempt(error)
        self.form.learn(completion)
        self.thinks = self.thinks or has_thought(completion)
        answer, attempt = judge(turn, completion, seconds, self.asked)
        illegal = "" if answer is None else await turn.refusal(answer)
        return (None, replace(attempt, fault=illegal)) if illegal else (answer, attempt)

    def _request(self, turn: Turn[A], prompt: Prompt) -> CompletionRequest:
        schema = schema_of(turn.answer, turn.listed)
        return CompletionRequest(
            system=prompt.system,
            messages=(Message("user", prompt.parts),),
            schema=schema,
            schema_name=turn.answer.__name__,
            max_tokens=answer_room(schema),
            session=self.config.player_id,
            thinks=self.thinks,
            form=self.form.now,
        )


def _repeated(request: CompletionRequest, attempt: Attempt, turn: Turn[Any]) -> CompletionRequest:
    """Return the request that asks again after an unusable answer."""
    form = "words" if attempt.finish == "ignored" else attempt.form or request.form
    board = "" if turn.unlisted is None else turn.unlisted.board()
    messages = (*request.messages, *ask_again(attempt, board))
    return replace(request, messages=messages, form=form)


def client_of(config: PlayerConfig) -> Client:
    """Return a client for a model outside a game; raise ValueError if its config is invalid."""
    # A game brings its own clients, and the client factory is slow to import.
    from client_factory import ClientConfig, ClientFactory

    return ClientFactory().get(
        ClientConfig.for_player(config.provider, config.model, config.api_key, config.client_kwargs)
    )


def fall_back(turn: Turn[A], prompt: Prompt | None, *attempts: Attempt) -> Reply[A]:
    """Return the turn's fallback as the reply, with the attempts that led to it."""
    return Reply(turn.fallback, attempts, fell_back=True, prompt=prompt)


def lost_attempt(error: ProviderError) -> Attempt:
    """Return the record of a call without an answer."""
    return Attempt("", fault=str(error), finish="none")


class ScriptedPlayer(Player):
    """A script: it reads the observation and draws from its own random stream."""

    recorded = False

    def __init__(self, config: PlayerConfig, script: Script, rng: random.Random) -> None:
        super().__init__(config)
        self.script = script
        self.rng = rng
        # A script that is bound to its number is a `functools.partial`.
        self.searches = getattr(script, "func", script) in SEARCHES

    @classmethod
    def sit(cls, config: PlayerConfig, supplies: Supplies) -> "ScriptedPlayer":
        """Return a player that follows the game's strategy named in the seat's config."""
        return cls(config, script_of(config.model, supplies.offer), supplies.draws())

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Return the script's answer, or the fallback if the answer is illegal.

        Raises FatalError if the script raises an exception.
        """
        del tape
        try:
            if self.searches:
                loop = asyncio.get_running_loop()
                answer = await loop.run_in_executor(searchers(), self._answer, turn)
            else:
                answer = self._answer(turn)
            reply = Reply(legal_answer(answer, turn))
        except (TypeError, ValueError) as error:
            return fall_back(turn, None, Attempt("", fault=describe_error(error)))
        illegal = "" if turn.unlisted is None else await turn.refusal(reply.answer)
        return fall_back(turn, None, Attempt("", fault=illegal)) if illegal else reply

    def _answer(self, turn: Turn[A]) -> BaseModel:
        try:
            return self.script(turn, self.rng)
        except ValidationError:
            # The answer's form rejects it, so it is illegal.
            raise
        except Exception as error:
            who = f"{self.config.player_id} ({self.config.provider}:{self.config.model})"
            raise FatalError(f"{who} {bug_in_words(error)}") from error


class TrainedPlayer(ScriptedPlayer):
    """A policy trained for the game, played as a script."""

    @classmethod
    def sit(cls, config: PlayerConfig, supplies: Supplies) -> "TrainedPlayer":
        """Return a player for the seat's policy file; raise ValueError if it cannot be loaded."""
        return cls(config, supplies.offer.trained(config.model), supplies.draws())


class HumanPlayer(Player):
    """A person, reached through an Answerer, by default the terminal.

    An empty answer sets `left`, in a replay too. A person who is only late or away is asked the
    next question as usual.
    """

    reads_json = False

    def __init__(self, config: PlayerConfig, answerer: Answerer | None = None) -> None:
        super().__init__(config)
        self.answerer = Console() if answerer is None else answerer
        self.left = False

    @classmethod
    def sit(cls, config: PlayerConfig, supplies: Supplies) -> "HumanPlayer":
        """Return the person's player, with the game's answerer for this seat."""
        return cls(config, supplies.answerer())

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Return the person's answer; ask again if it is illegal and choices are not listed."""
        prompt = shown = turn.prompt()
        refused: list[Attempt] = []
        while len(refused) <= RETRIES:
            reply = await self._hear(turn, shown, tape)
            illegal = "" if reply.fell_back else await turn.refusal(reply.answer)
            if not illegal:
                return reply._replace(attempts=(*refused, *reply.attempts), prompt=prompt)
            refused.append(replace(reply.attempts[-1], fault=illegal))
            shown = replace(prompt, question=f"{illegal}.\n\n{prompt.question}")
        return fall_back(turn, prompt, *refused)

    async def _hear(self, turn: Turn[A], prompt: Prompt, tape: Tape) -> Reply[A]:
        """Return one answer; once the person has left, return the fallback without asking."""
        if self.left:
            return fall_back(turn, prompt, Attempt("", fault="the seat was left"))
        ask = partial(self.answerer.ask, turn, prompt)
        try:
            completion, seconds = await tape.take(prompt.sha256, ask)
        except FatalError:
            raise
        except ProviderError as error:
            return fall_back(turn, prompt, lost_attempt(error))
        if not completion.text:
            self.left = True
            left = Attempt("", seconds=seconds, fault="the person left the seat")
            return fall_back(turn, prompt, left)
        answer, attempt = judge(turn, completion, seconds)
        if answer is None:
            return fall_back(turn, prompt, attempt)
        return Reply(answer, (attempt,), prompt=prompt)
