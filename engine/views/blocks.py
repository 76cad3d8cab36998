"""A game's record as a sequence of blocks, which exporters format."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.history import Event, History, RoundLog
from engine.report.tables import Part, Title
from engine.spending.validity import void_words
from engine.views.framing import closing_blocks, opening_blocks
from engine.views.perspective import EVERYTHING, WHOLE, Shown, event_in
from player import Prompt
from protocol.answer import Plain

Figures = tuple[tuple[str, float], ...]
OWN = "private"
# Labels for a player's private reasons, by the field of the event data that contains them.
REASONS = {"plan": "plan", "rationale": "reason", "explanation": "reason"}
SAYS = {"speaks", "says", "narration"}
# The maximum number of players named in a heading.
NAMED = 12


@dataclass(frozen=True, slots=True)
class RoundHeading:
    """The beginning of a round; once a player is out, `note` lists who is in and who is out."""

    index: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class EventLine:
    """The text of one event that players saw; `player_id` is None for the narrator.

    `label` is the event's heading, if that says more than the player's name. `private_to` lists the
    players that saw it, and is empty if all did. `changes` are the points gained in the event, by
    part of the score: shared parts, which every reader can derive from the rules, and the part
    `private`, which only the player sees. `standing` is the sum of the shared points so far.
    """

    player_id: str | None
    kind: str
    label: str
    text: str
    private_to: tuple[str, ...] = ()
    changes: Figures = ()
    standing: float | None = None
    fell_back: bool = False


@dataclass(frozen=True, slots=True)
class Aside:
    """Events of one kind that no player saw; `parts` are pairs of a player and a text."""

    label: str
    parts: tuple[tuple[str | None, str], ...]


@dataclass(frozen=True, slots=True)
class FaultLine:
    """An unusable answer: why it is unusable (`text`) and what happened next (`then`)."""

    player_id: str | None
    text: str
    then: str


@dataclass(frozen=True, slots=True)
class FramedText:
    """A text shown before an event: a prompt, reasoning or a reason; `what` says which."""

    player_id: str | None
    what: str
    text: str


Block = Title | Part | RoundHeading | EventLine | Aside | FaultLine | FramedText


def blocks(history: History, shown: Shown = WHOLE) -> Iterator[Block]:
    """Yield the blocks of a game that `shown` includes; raise ValueError for an unknown player."""
    seen = shown.part_of(history)
    hidden = "" if shown.view == EVERYTHING else "hidden"
    yield from opening_blocks(seen, shown.title_of(seen), hidden=hidden)
    # The walk needs the scores of events, which a player's part of the history leaves out.
    history = history if shown.player_id else seen
    walk = Walk(history, shown)
    for log in history.rounds:
        for event in log.events:
            yield from walk.step(event, log)
    yield from walk.rest()
    yield from closing_blocks(seen, shown.report_of(history))


@dataclass
class Walk:
    """A walk through the events of `history`, which may still grow.

    Call `step` for each event, then `rest`. A player's first prompt is shown in full, but only the
    new part of each later prompt. So the output grows linearly with the game's length.
    """

    history: History
    shown: Shown = WHOLE
    _round: int = 0
    _standing: float = 0.0
    _waiting: list[Event] = field(default_factory=list)
    _read: dict[str, str] = field(default_factory=dict)

    def step(self, event: Event, log: RoundLog) -> Iterator[Block]:
        """Yield an event's blocks; unseen events of one kind are held back to form one block."""
        seen = event_in(event, self.shown.player_id or EVERYTHING)
        numbers = self.shown.numbers_of(event)
        behind = [*self._behind(event), *numbers]
        if seen is None and not behind:
            return

        begins = self._round != log.round_index
        waits = seen is not None and _unseen(seen)
        if (
            begins
            or behind
            or not waits
            or any(waiting.kind != event.kind for waiting in self._waiting)
        ):
            yield from self.rest()
        if begins:
            self._round = log.round_index
            yield RoundHeading(log.round_index, _note_of(log))
        yield from behind

        # The game's own numbers are more useful than an event that no player saw.
        if seen is not None and not (numbers and waits):
            yield from self._blocks_of(seen, event.data)

    def rest(self) -> Iterator[Block]:
        """Yield the events that are still held back."""
        if self._waiting:
            parts = tuple((event.player_id, event.content) for event in self._waiting)
            yield Aside(self._waiting[0].kind, parts)
            self._waiting.clear()

    def _behind(self, event: Event) -> Iterator[Block]:
        if self.shown.player_id not in (None, event.player_id):
            return
        prompt = self.history.prompt_of(event) if self.shown.prompts else None
        if prompt is not None:
            yield self._prompt(str(event.player_id), prompt)
        if self.shown.reasoning:
            yield from _reasons_of(event)

    def _prompt(self, player_id: str, prompt: Prompt) -> FramedText:
        before = self._read.get(player_id)
        self._read[player_id] = prompt.transcript
        if before is None or not prompt.transcript.startswith(before):
            return FramedText(player_id, "prompt", prompt.text)
        news = prompt.transcript.removeprefix(before)
        return FramedText(player_id, "prompt, continuing the last one", f"{news}{prompt.question}")

    def _blocks_of(self, event: Event, facts: Plain) -> Iterator[Block]:
        if _unseen(event):
            self._waiting.append(event)
        elif event.kind == "fault":
            yield FaultLine(event.player_id, event.content, str(event.data.get("then", "")))
        else:
            yield self._line(event, facts)

    def _line(self, event: Event, facts: Plain) -> EventLine:
        everybody = {*self.history.player_ids}
        private_to = () if everybody <= set(event.visibility) else event.visibility
        shared = _numbers(facts.get("score"))
        figures: Figures = ()
        if self.shown.player_id in (None, event.player_id):
            figures = _numbers({OWN: facts.get(OWN)})
        self._standing += sum(value for _, value in shared)
        return EventLine(
            _name_beside(event, private_to),
            event.kind,
            label="void" if self._sums_up_nothing(event) else _label(event),
            text=event.content,
            private_to=private_to,
            changes=tuple(figure for figure in (*shared, *figures) if figure[1]),
            standing=self._standing if shared else None,
            fell_back=event.fell_back,
        )

    def _sums_up_nothing(self, event: Event) -> bool:
        """Return whether an event announces the result of a void game."""
        outcome = self.history.outcome
        is_summary = outcome is not None and event.content == outcome.summary
        return is_summary and bool(void_words(self.history))


def with_sign(value: float) -> str:
    """Return a score change with its sign; fractions have 2 decimals: "-1", "+0.50"."""
    return f"{round(value, 2) + 0.0:+.2f}".removesuffix(".00")


def _name_beside(event: Event, private_to: Sequence[str]) -> str | None:
    """Return the player to show next to an event: its player, or else its only reader."""
    if event.player_id is None and len(private_to) == 1:
        return private_to[0]
    return event.player_id


def _numbers(facts: Any) -> Figures:
    """Return the numeric facts by name, without booleans."""
    if not isinstance(facts, dict):
        return ()
    numbers = ((name, value) for name, value in facts.items() if type(value) in (int, float))
    return tuple((str(name), float(value)) for name, value in numbers)


def _label(event: Event) -> str:
    heading = event.heading.removeprefix(f"{event.player_id} ")
    return "" if heading.casefold() in SAYS | {event.kind.casefold()} else heading


def _unseen(event: Event) -> bool:
    return not event.visibility and event.kind != "fault"


def _reasons_of(event: Event) -> Iterator[FramedText]:
    """Yield the model's reasoning, and the answer's reasons that are not in the event's text."""
    if event.reasoning:
        yield FramedText(event.player_id, "reasoning", event.reasoning)
    for name, label in REASONS.items():
        reason = event.data.get(name)
        # A vote's line already states its reason; a plan may be identical to the spoken text.
        is_public = name != "plan" and str(reason) in event.content
        if isinstance(reason, str) and reason and not is_public:
            yield FramedText(event.player_id, label, reason)


def _note_of(log: RoundLog) -> str:
    """Return a note on the players in and out, or "" if none is out or the narration names all."""
    active = log.active_player_ids
    eliminated = log.eliminated_player_ids
    names = [*active, *eliminated]
    for event in log.events[:1]:
        if event.kind == "narration" and all(name in event.content for name in names):
            return ""
    if not eliminated:
        return ""
    final = "the final round: " if log.final_round else ""
    if len(names) > NAMED:
        return f"{final}{len(active)} players; {len(eliminated)} are out"
    return f"{final}{', '.join(active)}; out: {', '.join(eliminated)}"
