"""A round, and the methods that its phases use to announce, ask, draw and record."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from engine.history import (
    NARRATOR,
    Event,
    History,
    PlayerUsage,
    PromptRef,
    RoundLog,
    Transcripts,
    data_of,
)
from engine.prompting import render
from engine.record.journal import Clock, Journal, utc_now
from engine.rng import stream
from player import Player, PlayerConfig, Prompt, Released, Reply, Tape, Turn, Untaped
from protocol.answer import Plain, give_room
from providers import Usage

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S")
A = TypeVar("A", bound=BaseModel)
Listener = Callable[[Event], None]
Ask = Callable[[], Coroutine[Any, Any, Reply[A]]]
REASONS = 300
SMALL_REASONS = 60
IGNORED = "answers, but ignores the schema"
IN_WORDS = "the form of its answers is described in words from now on"
REFUSED = "refuses the form of the answer; structured: false in its client_kwargs skips this trial"
INSTEAD = {
    "json": "from now on it is asked for a JSON object whose fields are described in words",
    "words": IN_WORDS,
}


@dataclass
class RoundContext(Generic[S]):
    """The players and events of a round, with methods for its phases to ask, draw and announce.

    The phases in `engine/round_phases/` need only the first nine fields; the engine sets the rest.
    A phase replaces `state` with a new one and never changes the old one. `heirs` lists
    (event index, player) pairs: after the event, the player takes over the seat with its own id.
    A reason may have up to `reasons` characters, or SMALL_REASONS for a small model. With `plans`,
    players write a plan of at most the same length before they speak. `listeners` are called with
    each event as it is written. Without `keeps_hidden`, a game may leave out events that no player
    sees. Before each question, `check_events` receives the number of events; it raises if the game
    may not continue.
    """

    round_index: int
    final_round: bool
    players: list[Player]
    active_player_ids: list[str]
    eliminated_player_ids: list[str]
    logger: logging.Logger
    history: History
    rules_prompt: str
    votes: Plain = field(default_factory=dict)
    state: S = None  # type: ignore[assignment]  # a bare context has no game behind it
    seed: int = 0
    journal: Journal | None = None
    untaped: Untaped = field(default_factory=Untaped)
    clock: Clock = utc_now
    listeners: list[Listener] = field(default_factory=list)
    transcripts: Transcripts = field(default_factory=Transcripts)
    heirs: Sequence[tuple[int, Player]] = ()
    questions: int = 0
    reasons: int = REASONS
    plans: bool = False
    keeps_hidden: bool = True
    check_events: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        self._players = {player.config.player_id: player for player in self.players}
        self.player_ids = tuple(self._players)
        self.log = RoundLog(
            self.round_index,
            self.final_round,
            tuple(self.active_player_ids),
            tuple(self.eliminated_player_ids),
        )
        self.history.rounds.append(self.log)
        for player_id in self.player_ids:
            if player_id not in self.history.usage:
                self.history.usage[player_id] = PlayerUsage()
        # The time of the last answers, once an event has needed it.
        self._answered_at = ""

    def seated(self, player_id: str) -> PlayerConfig:
        """Return the config of the player now in a seat."""
        return self._seated(player_id).config

    def is_small(self, player_id: str) -> bool:
        """Return whether a small model is now in a seat."""
        return self.seated(player_id).small is True

    def rng(self, *labels: str | int) -> random.Random:
        """Return this round's random stream for `labels`; the same labels give the same draws."""
        return stream(self.seed, "round", self.round_index, *labels)

    def permuted(self, player_ids: Sequence[str], *labels: str | int) -> list[str]:
        """Return `player_ids` in a uniformly random order, drawn from the stream of `labels`."""
        return self.rng("permuted", *labels).sample(list(player_ids), len(player_ids))

    def prompt(self, player_id: str, template: str, **values: Any) -> Prompt:
        """Return a player's current prompt: system text, transcript, and the filled `template`."""
        transcript = self.transcripts.of(player_id, self.history)
        reader = self.seated(player_id).reader
        question = render(template, reader=reader, **values)
        system = self.history.seat(player_id).system
        return Prompt(system, transcript, question, self.history.next_index)

    def verdict(self) -> str | None:
        """Return the verdict recorded at this point, such as a timeout, or None."""
        return None if self.journal is None else self.journal.verdicts.get(self.history.next_index)

    async def keep_verdict(self, words: str) -> None:
        """Record a verdict, such as a timeout, at this point, so that a replay reproduces it."""
        if self.journal is not None:
            entry = {"kind": "verdict", "at": self.history.next_index, "reason": words}
            await self.journal.save(entry)

    async def ask(self, turn: Turn[A]) -> Reply[A]:
        """Ask one player one question and return the reply."""
        return (await self.ask_all([turn]))[0]

    async def ask_all(self, turns: Sequence[Turn[A]]) -> list[Reply[A]]:
        """Ask all `turns` at once and return the replies in their order.

        Every reply is recorded before the first fatal fault is raised, so no paid reply is lost.
        Raises Released if the game is interrupted, even if only scripts play.
        """
        if self.untaped.closing:
            raise Released
        if self.check_events is not None:
            self.check_events(self.history.next_index)
        waiting: dict[int, Ask[A]] = {}
        replies: list[Any] = []
        for place, turn in enumerate(turns):
            player = self._seated(turn.player_id)
            if player.recorded:
                self.questions += 1
                waiting[place] = partial(self._answer, player, turn, self.questions)
                replies.append(None)
            else:
                replies.append(await player.decide(turn, self.untaped))
        if waiting:
            for place, reply in (await _all_of(waiting)).items():
                replies[place] = reply
        self._answered_at = ""

        notified: set[str] = set()
        usages = self.history.usage
        for turn, reply in zip(turns, replies, strict=True):
            usages[turn.player_id].asks += 1
            if reply.attempts:
                self._account(turn, reply)
                self._tell_form(turn, reply, notified)
        if waiting:
            self._count_seconds(turns, replies)
        return replies

    def narrate(
        self,
        content: str,
        *,
        kind: str = "narration",
        heading: str = "",
        **more: Any,
    ) -> Event:
        """Announce something in the narrator's voice, by default to all players."""
        return self.record(kind, heading or kind.capitalize(), content, **more)

    def record(
        self,
        kind: str,
        heading: str,
        content: str,
        *,
        player_id: str | None = None,
        visibility: tuple[str, ...] | None = None,
        data: "Plain | DataclassInstance | None" = None,
        reply: Reply[Any] | None = None,
    ) -> Event:
        """Write one event and return it; by default all players see it."""
        if data is not None and not isinstance(data, dict):
            data = data_of(data)
        events = self.log.events
        event = Event(
            events[-1].index + 1 if events else self.history.next_index,
            kind,
            heading,
            f"player {player_id}" if player_id else NARRATOR,
            player_id,
            content,
            self.player_ids if visibility is None else visibility,
            data or {},
            self._answered_at or self._hour(),
        )
        if reply is not None and (reply.attempts or reply.prompt):
            self._answered(event, reply)
        events.append(event)
        if self.listeners:
            self._publish(event)
        return event

    def _hour(self) -> str:
        """Return the time of the journal's last answer, or the current time if there is none."""
        if self.journal is not None:
            # A replay of a finished log has a recorded time for each event.
            return self.journal.hour or self.clock().isoformat()
        self._answered_at = self.clock().isoformat()
        return self._answered_at

    def _publish(self, event: Event) -> None:
        """Pass an event to every listener; drop a listener that raises."""
        for listener in tuple(self.listeners):
            try:
                listener(event)
            except BrokenPipeError:
                # The reader of the output has closed it (`| head`), which ends the program as
                # usual.
                raise
            except Exception as error:
                if listener in self.listeners:
                    self.listeners.remove(listener)
                # For a partial, name only the function: its arguments may include a whole game.
                function = getattr(listener, "func", listener)
                name = getattr(function, "__qualname__", type(function).__qualname__)
                fault = f"{type(error).__name__}: {error}"
                self.logger.warning("the listener %s is dropped: it raised %s", name, fault)

    def _answered(self, event: Event, reply: Reply[Any]) -> None:
        event.attempts = reply.attempts
        event.fell_back = reply.fell_back
        reasonings = [attempt.reasoning for attempt in reply.attempts if attempt.reasoning]
        event.reasoning = "\n".join(reasonings)
        used = [attempt.usage for attempt in reply.attempts if attempt.usage]
        event.usage = sum(used, Usage()) if used else None
        prompt = reply.prompt
        if prompt is not None:
            event.prompt = PromptRef(prompt.upto, prompt.question, prompt.sha256, reply.number)

    def _seated(self, player_id: str) -> Player:
        """Return a seat's current player: the latest in `heirs`, or else the original player."""
        for after, heir in reversed(self.heirs):
            if heir.config.player_id == player_id and after < self.history.next_index:
                return heir
        return self._players[player_id]

    async def _answer(self, player: Player, turn: Turn[A], number: int) -> Reply[A]:
        tape: Tape = self.untaped
        if self.journal is not None:
            tape = self.journal.tape(self.round_index, number, turn.player_id)
        reply = await player.decide(self._put(turn, player), tape)
        return reply._replace(number=number)

    def _put(self, turn: Turn[A], player: Player) -> Turn[A]:
        """Return a question with the reason length and the answer format that suit the player."""
        form = give_room(turn.answer, SMALL_REASONS if player.config.small else self.reasons)
        if not player.reads_json:
            return turn._replace(answer=form)

        def prompt() -> Prompt:
            asked = turn.prompt()
            fields = [(name, field.description) for name, field in form.model_fields.items()]
            form_text = render("shared/as_json.j2", fields=fields)
            return replace(asked, question=f"{asked.question} {form_text}")

        return turn._replace(answer=form, prompt=prompt)

    def _account(self, turn: Turn[Any], reply: Reply[Any]) -> None:
        """Count a reply's attempts, tokens and fallback, and record its faults."""
        usage = self.history.usage[turn.player_id]
        usage.attempts += len(reply.attempts)
        usage.fallbacks += reply.fell_back
        for number, attempt in enumerate(reply.attempts, 1):
            if attempt.usage is not None:
                usage.tokens += attempt.usage
            if attempt.fault:
                fell_back = reply.fell_back and number == len(reply.attempts)
                then = "fallback" if fell_back else "asked again"
                self._record_fault(turn, attempt.fault, number, then)

    def _count_seconds(self, turns: Sequence[Turn[Any]], replies: Sequence[Reply[Any]]) -> None:
        """Add each seat's waiting time; of questions asked at once, only the longest counts."""
        longest: dict[str, float] = {}
        for turn, reply in zip(turns, replies, strict=True):
            took = sum(attempt.seconds for attempt in reply.attempts)
            longest[turn.player_id] = max(took, longest.get(turn.player_id, 0.0))
        for player_id, seconds in longest.items():
            usage = self.history.usage[player_id]
            usage.seconds = round(usage.seconds + seconds, 3)

    def _tell_form(self, turn: Turn[Any], reply: Reply[Any], noted: set[str]) -> None:
        """Record once per seat that its endpoint rejects or ignores a schema; update `noted`."""
        for number, attempt in enumerate(reply.attempts, 1):
            ignored = attempt.finish == "ignored"
            if (ignored or attempt.form) and turn.player_id not in noted:
                noted.add(turn.player_id)
                fault, then = (IGNORED, IN_WORDS) if ignored else (REFUSED, INSTEAD[attempt.form])
                self._record_fault(turn, fault, number, then)

    def _record_fault(self, turn: Turn[Any], fault: str, number: int, then: str) -> None:
        self.record(
            "fault",
            "Fault",
            fault,
            player_id=turn.player_id,
            visibility=(),
            data={"question": turn.kind, "attempt": number, "then": then},
        )


async def _all_of(waiting: dict[int, Ask[A]]) -> dict[int, Reply[A]]:
    """Ask all at once and return the replies by key; raise the first fault once all have ended."""
    if len(waiting) == 1:
        # A separate task would add a tenth to the cost of the call.
        ((place, alone),) = waiting.items()
        return {place: await alone()}
    replies: dict[int, Reply[A]] = {}
    answers = await asyncio.gather(*(ask() for ask in waiting.values()), return_exceptions=True)
    for place, answer in zip(waiting, answers, strict=True):
        if isinstance(answer, BaseException):
            raise answer
        replies[place] = answer
    return replies


Phase = Callable[[RoundContext[S]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class RoundPlan(Generic[S]):
    """The next round: its phases, in order, and its players.

    With `goes_on`, the events are added to the previous round. A game that hides moves uses this if
    the number of rounds would reveal them.
    """

    phases: tuple[Phase[S], ...]
    active_player_ids: tuple[str, ...]
    eliminated_player_ids: tuple[str, ...] = ()
    final_round: bool = False
    goes_on: bool = False
