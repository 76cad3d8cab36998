"""Check a finished log: the same rules and answers must produce the same log.

The game is replayed from its settings, its seed and the answers in the log. Models and people
repeat their recorded attempts; each computed seat repeats the answers that its game reads from the
events. So no script, policy or search runs, and no file named in the log is opened.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from engine.config import known_settings
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import Event, History, check_version
from engine.record.journal import JournalError
from engine.runs.difference import bare, event_difference, event_name, first_difference
from engine.runs.replay import Replay
from player import Attempt, Player, PlayerConfig, Reply, Tape, Turn
from protocol.judge import legal_answer
from protocol.suggest import explain, one_of

A = TypeVar("A", bound=BaseModel)
Answer = tuple[Event, Mapping[str, Any]]
# The exceptions that reading an edited log may raise.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


def check_log(log: History, most_steps: int | None = None) -> str:
    """Return the first difference between a log and its replay, or "" if there is none.

    Raises ValueError if the log cannot be checked: its game is unknown or has another version, it
    is unfinished, or it has more than `most_steps` events and answers.
    """
    game = GAMES[one_of(log.game, GAMES, "game")]
    check_version(log.game, log.game_version, game.version)
    if log.status != "finished":
        raise ValueError(f"expected a finished game: {log.game_id} is {log.status}")
    seats = log.config.get("player_configs")
    # With more seats than this, a single round may take too many steps.
    if most_steps is not None and isinstance(seats, list) and len(seats) ** 2 > most_steps:
        raise ValueError(f"expected fewer seats to check here: the log has {len(seats)}")
    try:
        check = CheckedReplay(log, most_steps)
    except UNREADABLE as error:
        raise ValueError(f"expected a log that can be replayed: {why(error)}") from None
    try:
        # For other seats, the log contains the raw attempts.
        for event, fields in game.answers_in(log):
            if event.prompt is None:
                check.answers[event.player_id].append((event, fields))
    except UNREADABLE as error:
        return f"the answers in the log cannot be read: {why(error)}"
    try:
        check.run()
    except JournalError:
        return f"{check.here}: the rules ask another player for the recorded answer"
    except UNREADABLE as error:
        return f"{check.here}: the log cannot be replayed further: {why(error)}"
    if check.refusal:
        raise ValueError(check.refusal)
    return check.difference or first_breach(log)


def first_breach(log: History) -> str:
    """Return the first breach that the game finds in a log, the reason it is unreadable, or ""."""
    try:
        return next(iter(GAMES[log.game].breaches(log)), "")
    except UNREADABLE as error:
        return f"the log cannot be read: {why(error)}"


def why(error: Exception) -> str:
    """Return a sentence about the error that an edited log caused."""
    if isinstance(error, ValidationError):
        return explain(error, known_settings())
    return bare(str(error) if type(error) is ValueError else repr(error), 200)


class CheckedReplay(Replay):
    """Replays a log's answers up to the first difference; `refusal` says why it gave up early."""

    def __init__(self, log: History, most_steps: int | None = None) -> None:
        """Seat the log's players; raise ValueError if they cannot play."""
        self.difference = ""
        self.refusal = ""
        self.steps = 0
        self.most_steps = most_steps
        self.due = iter(log.events)
        self.answers: dict[str | None, deque[Answer]] = defaultdict(deque)
        super().__init__(log)
        self.subscribe(self._compare)

    async def play(self) -> History:
        """Replay the log up to the first difference."""
        history = await GameEngine.play(self)
        if self.difference or self.refusal:
            return history
        if history.status == "running":
            self.difference = f"{self.here}: the log lacks a recorded answer before it"
        else:
            self.difference = first_difference(self.log, history)
        return history

    @property
    def here(self) -> str:
        """The name of the log's event that the replay has reached."""
        index = self.history.next_index
        events = self.log.events
        return event_name(events[index]) if index < len(events) else f"event {index}"

    def answer(self, turn: Turn[A]) -> Reply[A]:
        """Return the next answer of a computed seat; stop if it is missing or illegal."""
        self._count_step()
        if not self.answers[turn.player_id]:
            self._stop_at(f"{self.here}: the log lacks an answer from {turn.player_id} before it")
            return Reply(turn.fallback)
        event, fields = self.answers[turn.player_id].popleft()
        if event.fell_back:
            attempts = tuple(Attempt("", fault=attempt.fault) for attempt in event.attempts)
            return Reply(turn.fallback, attempts, fell_back=True)
        try:
            return Reply(legal_answer(turn.answer.model_validate(fields), turn))
        except (TypeError, ValueError) as error:
            self._stop_at(f"{event_name(event)}: the rules do not accept the answer: {why(error)}")
        return Reply(turn.fallback)

    def _seat(self, config: PlayerConfig) -> Player:
        return Recited(config, self) if config.computed else super()._seat(config)

    def _compare(self, event: Event) -> None:
        """Compare an event with the logged one; stop if they differ."""
        self._count_step()
        logged = next(self.due, None)
        if logged is None:
            self._stop_at(f"{event_name(event)}: the log has no such event")
        elif difference := event_difference(logged, event):
            self._stop_at(difference)

    def _stop_at(self, difference: str) -> None:
        """Stop the game at this difference; later differences are ignored."""
        self.difference = self.difference or difference
        self.interrupt()

    def _count_step(self) -> None:
        """Count an event or an answer; stop if there are too many."""
        self.steps += 1
        if self.most_steps is not None and self.steps > self.most_steps:
            self.refusal = (
                f"expected a log of at most {self.most_steps} events and answers to check here: "
                f"check {self.log.game_id} with logs.py"
            )
            self.interrupt()


class Recited(Player):
    """A computed seat that repeats its answers from the log that is being checked."""

    recorded = False

    def __init__(self, config: PlayerConfig, check: CheckedReplay) -> None:
        super().__init__(config)
        self.check = check

    async def decide(self, turn: Turn[A], tape: Tape) -> Reply[A]:
        """Return the next answer in the log."""
        del tape
        return self.check.answer(turn)
