"""The log of a game: History > RoundLog > Event, and the one place that decides visibility.

The file `logs/<game_id>.json` is a History; `uv run logs.py --schema` prints its JSON Schema.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from engine.prompting import compact_json
from protocol.answer import Plain
from protocol.turn import Attempt, Prompt
from providers import Usage

VERSION: Literal[2] = 2
END = b'"\n}'
UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
NARRATOR = "narrator"
FILES = (".gguf", ".zip")
# Kinds of events whose speaker is shown with its role.
OFFICES = frozenset({"host"})

Status = Literal["running", "finished", "stopped", "failed"]
Lines = Literal["round", "turn", "kind", "speech"]
Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptRef:
    """A prompt, without a copy of the log that it contains.

    The prompt contains the events before index `upto` in the player's memory, then `question`.
    `sha256` is the fingerprint of the whole text, which `History.prompt_of` returns. `number` is
    the question's number in its round, from 1, for replays (0: unknown).
    """

    upto: int
    question: str
    sha256: str
    number: int = 0


@dataclass(slots=True)
class Event:
    """One thing that happened in a game."""

    index: Annotated[int, Field(description="place in the game, from 0")]
    kind: Annotated[str, Field(description="narration, setup, fault, or a kind of the game's own")]
    heading: Annotated[str, Field(description="a title for readers")]
    role: Annotated[str, Field(description='"narrator" or "player <id>"')]
    player_id: Annotated[str | None, Field(description="the player of the event")]
    content: Annotated[
        str,
        Field(description="the rendered transcript line, all of an event that players ever see"),
    ]
    visibility: Annotated[Ids, Field(description="ids of the players who see it")]
    data: Annotated[Plain, Field(description="the event's facts as plain data")]
    timestamp: Annotated[str, Field(description="ISO 8601, UTC")]
    prompt: Annotated[
        PromptRef | None, Field(description="what the player was asked, if it read a prompt")
    ] = None
    reasoning: Annotated[str, Field(description="what the model showed of its reasoning")] = ""
    usage: Annotated[Usage | None, Field(description="tokens of all attempts")] = None
    attempts: Annotated[tuple[Attempt, ...], Field(description="every raw answer")] = ()
    fell_back: Annotated[bool, Field(description="whether the fallback replaced an answer")] = False


@dataclass(slots=True)
class RoundLog:
    """One round: its players at the beginning, and its events."""

    round_index: Annotated[int, Field(description="from 1")]
    final_round: bool
    active_player_ids: Ids
    eliminated_player_ids: Ids
    events: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Seat:
    """One player: its config without the API key, and its system text."""

    player_id: str
    provider: str
    model: str
    character_prompt: str = ""
    client_kwargs: Plain = field(default_factory=dict)
    system: str = ""
    small: bool = False

    @property
    def who(self) -> str:
        """The seated player, as PROVIDER:MODEL; for a model file, MODEL is only the file's name."""
        if not self.model:
            return self.provider
        is_path = self.model.startswith(("/", "./", "../", "~")) or self.model.endswith(FILES)
        model = self.model.rstrip("/").rpartition("/")[2] if is_path else self.model
        return f"{self.provider}:{model}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: places, scores, and one sentence.

    Place 1 is the best, and tied players share a place. `figures` are further numbers, by player
    and name; `shared` are further numbers of the whole game, by name.
    """

    placements: dict[str, int]
    scores: dict[str, float]
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    shared: dict[str, float] = field(default_factory=dict)
    summary: str = ""


@dataclass(slots=True)
class PlayerUsage:
    """The usage of one seat: questions, attempts, fallbacks, tokens, and seconds of waiting."""

    asks: int = 0
    attempts: int = 0
    fallbacks: int = 0
    tokens: Usage = field(default_factory=Usage)
    seconds: float = 0.0


@dataclass(slots=True, repr=False)
class History:
    """The log of a whole game."""

    game: str
    game_version: int
    game_id: str
    seed: int
    config: Annotated[Plain, Field(description="what the game was made from; never a key")]
    players: list[Seat] = field(default_factory=list)
    rounds: list[RoundLog] = field(default_factory=list)
    outcome: Outcome | None = None
    usage: dict[str, PlayerUsage] = field(default_factory=dict)
    status: Status = "running"
    reason: Annotated[str, Field(description="why a game stopped or failed")] = ""
    void: Annotated[
        str,
        Field(
            description="which seats answered too few of their questions for the scores to count, "
            'such as "Ada answered 3 of 20": it follows from usage; empty: the game is valid'
        ),
    ] = ""
    lines: Annotated[Lines, Field(description="the form of an event in a transcript")] = "round"
    version: Annotated[Literal[2], Field(description="of this format")] = VERSION
    arena: Annotated[str, Field(description="the version of the program that began the game")] = (
        field(default="", compare=False)
    )
    checksum: Annotated[str, Field(description="of the file up to here; empty: edited by hand")] = (
        field(default="", compare=False)
    )

    def __repr__(self) -> str:
        # asyncio.run builds the repr of its result: for a whole game that would take longer than
        # playing it.
        return f"<History {self.game_id}: {self.game}, {len(self.rounds)} rounds, {self.status}>"

    @property
    def events(self) -> list[Event]:
        """All events in order."""
        return [event for log in self.rounds for event in log.events]

    @property
    def player_ids(self) -> list[str]:
        """The ids of all players, in the order of their seats."""
        return [seat.player_id for seat in self.players]

    @property
    def wording(self) -> int:
        """The version number of the rules' wording; 1 unless the config sets another."""
        wording = self.config.get("wording")
        return wording if isinstance(wording, int) else 1

    @property
    def next_index(self) -> int:
        """The index of the next event."""
        for log in reversed(self.rounds):
            if log.events:
                return log.events[-1].index + 1
        return 0

    def seat(self, player_id: str) -> Seat:
        """Return the seat of `player_id`, or an empty seat if the log has none."""
        for seat in self.players:
            if seat.player_id == player_id:
                return seat
        return Seat(player_id, "", "")

    def seen_by(self, player_id: str) -> list[Event]:
        """Return the events that `player_id` may see; nothing else ever reaches the player."""
        return [event for event in self.events if player_id in event.visibility]

    def remembered_by(self, player_id: str, upto: int | None = None) -> list[Event]:
        """Return the events before `upto` in the memory of `player_id`: seen and not replaced."""
        kept: dict[int, Event] = {}
        for event in self.seen_by(player_id):
            if upto is None or event.index < upto:
                take_in(kept, event)
        return [*kept.values()]

    def line_of(self, event: Event) -> str:
        """Return the line of an event in the transcripts of the players that see it."""
        for log in reversed(self.rounds):
            if log.events and log.events[0].index <= event.index:
                return transcript_line(event, self.lines, log.round_index)
        return transcript_line(event, self.lines)

    def prompt_of(self, event: Event) -> Prompt | None:
        """Return the exact prompt that the event's player read, or None if it read none."""
        asked, player_id = event.prompt, event.player_id
        if asked is None or player_id is None:
            return None
        remembered = self.remembered_by(player_id, asked.upto)
        transcript = "".join(map(self.line_of, remembered))
        return Prompt(self.seat(player_id).system, transcript, asked.question, asked.upto)

    def to_json(self) -> str:
        """Return the log file's text, which ends in the checksum of everything before it."""
        dumped = adapter().dump_json(replace(self, checksum=""), indent=1)
        body = inert(dumped).encode().removesuffix(END)
        return (body + checksum_of(body) + END).decode()


class Transcripts:
    """Caches each player's memory and transcript, so that only new events are read and rendered."""

    def __init__(self) -> None:
        self._lines: dict[int, str] = {}
        self._memories: dict[str, dict[int, Event]] = {}
        self._read: dict[str, tuple[int, int]] = {}

    def of(self, player_id: str, history: History) -> str:
        """Return everything in the memory of `player_id`, one line per event."""
        lines = []
        for event in self.remembered(player_id, history):
            if event.index not in self._lines:
                self._lines[event.index] = history.line_of(event)
            lines.append(self._lines[event.index])
        return "".join(lines)

    def remembered(self, player_id: str, history: History) -> Iterable[Event]:
        """Return the events in the memory of `player_id`, as `History.remembered_by` does."""
        memory = self._memories.setdefault(player_id, {})
        first_round, first_event = self._read.get(player_id, (0, 0))
        for log in history.rounds[first_round:]:
            for event in log.events[first_event:]:
                if player_id in event.visibility:
                    take_in(memory, event)
            first_event = 0

        if history.rounds:
            last = history.rounds[-1]
            self._read[player_id] = (len(history.rounds) - 1, len(last.events))
        return memory.values()


def take_in(kept: dict[int, Event], event: Event) -> None:
    """Store an event in a player's memory, by index, and drop the events that it replaces.

    An event whose data has `replaces: [first, last]`, such as a player's own summary of a round,
    replaces the events from index `first` to `last`.
    """
    replaced = event.data.get("replaces")
    if replaced is not None:
        first, last = replaced
        for index in list(kept):
            if first <= index <= last:
                del kept[index]
    kept[event.index] = event


def transcript_line(event: Event, lines: Lines = "round", number: int = 0) -> str:
    """Return an event as one line of a transcript; `number` is its round's number, from 1.

    - "round", "turn": a JSON object that includes the round or turn.
    - "kind": a shorter object: the round, the player, the recipient if only one other player sees
      it, and the words under the event's kind.
    - "speech": the speaker, with its role if it has one, a colon, and the words as a JSON string.

    Players' text stays inside a JSON string, so it cannot pose as an event.
    """
    by = event.player_id or NARRATOR
    if lines == "speech":
        office = f" ({event.kind})" if event.kind in OFFICES else ""
        return f"{by}{office}: {compact_json(event.content)}\n"
    if lines == "kind":
        hearers = [reader for reader in event.visibility if reader != event.player_id]
        to = {"to": hearers[0]} if event.player_id and len(hearers) == 1 else {}
        spoken = {"round": number, "by": by, **to, event.kind: event.content}
        return f"{compact_json(spoken, spaced=False)}\n"
    line = {lines: number, "event": event.kind, "by": by, "text": event.content}
    return f"{compact_json(line)}\n"


@cache
def adapter() -> TypeAdapter[History]:
    """Return the adapter that converts between histories and JSON."""
    return TypeAdapter(History)


def history_from_json(text: str | bytes) -> History:
    """Read a log file's text; raise ValueError if it is damaged or not a log of this version."""
    try:
        history = adapter().validate_json(text)
    except ValidationError as error:
        for fault in error.errors():
            if fault["loc"] == ("version",):
                check_version("the log format", fault["input"], VERSION)
        raise ValueError(f"expected a game log: {first_fault(error, 'the file')}") from None
    content = text if isinstance(text, bytes) else text.encode()
    if history.checksum and not _ends_in(history.checksum, content.rstrip()):
        raise ValueError(
            "expected the log to be unchanged: its checksum does not match; it was damaged, "
            'or edited (then set "checksum" to "")'
        )
    return history


def check_version(what: str, recorded: object, current: int) -> None:
    """Raise ValueError if a log or a journal was written by another version of `what`."""
    if recorded != current:
        raise ValueError(f"expected version {current} of {what}: got version {recorded!r:.60}")


def first_fault(error: ValidationError, whole: str) -> str:
    """Return the first fault, preceded by its location (`whole` if it has no path)."""
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"]) or whole
    return f"{where}: {fault['msg']}"


def _ends_in(checksum: str, content: bytes) -> bool:
    """Return whether a log file ends in this checksum, which covers all the text before it."""
    end = checksum.encode() + END
    body = content.removesuffix(end)
    return content.endswith(end) and checksum_of(body) == checksum.encode()


def inert(dumped: bytes) -> str:
    """Return JSON with control and invisible characters escaped."""
    if dumped.isascii() and b"\x7f" not in dumped:
        return dumped.decode()
    return UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], dumped.decode())


def checksum_of(body: bytes) -> bytes:
    """Return 16 hexadecimal digits that change with any byte of `body`."""
    return blake2b(body, digest_size=8).hexdigest().encode()
