"""A talk at a glance while it goes on: who speaks and why, how deep it is, and how it may end."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, TypeVar

from engine.games.talks.archetypes import DEPTHS, Move
from engine.games.talks.constants import HAIR, Constants, constants_with
from engine.games.talks.log.events import move_line
from engine.games.talks.log.payloads import CheckData, Selection
from engine.games.talks.termination import exceeds
from engine.games.talks.theory.turn_taking import Wish
from engine.history import Event, History, payload_of
from engine.report.tables import Dial, Glance

P = TypeVar("P")
CAUSES = ("addressed", "dominant", "ping_pong")


@dataclass
class Course:
    """How far a talk is: its newest events, and how often each has spoken.

    `behind` is the choice behind the last `words`, `coming` one whose words are not there yet;
    `last` spoke last, and `before` spoke before that. A reader without data has words and turns.
    """

    turns: Counter[str] = field(default_factory=Counter)
    words: Event | None = None
    host: Event | None = None
    behind: Selection | None = None
    coming: Selection | None = None
    check: CheckData | None = None
    last: str | None = None
    before: str | None = None

    def count_turn(self, speaker: str) -> None:
        """Add a turn of `speaker`, now the last who spoke."""
        self.turns[speaker] += 1
        self.before, self.last = self.last, speaker


def glance_of_talk(history: History) -> Glance:
    """Return a talk at this moment, or what is known of it where the data of events is not."""
    settings: dict[str, Any] = history.config["game"]
    course = course_of(history)
    speakers = _speakers(course, settings)
    ends = _ends(course, settings)
    wishes = _wishes(history, course)
    measures = _measures(course, settings)
    return Glance(
        heading=_heading_of_talk(course, settings),
        news=(*speakers, *ends),
        players=tuple(wishes),
        measures=tuple(measures),
    )


def _heading_of_talk(course: Course, settings: Mapping[str, Any]) -> str:
    depth = DEPTHS[settings["depth"]]
    most = settings["max_iterations"] or depth.most
    turn = f"Turn {course.turns.total()} of at most {most}"
    level = f"depth {settings['depth']} ({depth.name})"
    return f"{turn} · {level} · {settings['topic']}"


def course_of(history: History) -> Course:
    """Return how far a talk is."""
    course = Course()
    newest: dict[str, Event] = {}
    behind: Event | None = None
    for event in history.events:
        newest[event.kind] = event
        if event.kind == "utterance":
            behind = newest.pop("selection", None)
            course.count_turn(str(event.player_id))
    course.behind = _payload(behind, Selection)
    _note_newest(course, newest)
    return course


def _note_newest(course: Course, newest: Mapping[str, Event]) -> None:
    course.words = newest.get("utterance")
    course.host = newest.get("host")
    course.coming = _payload(newest.get("selection"), Selection)
    course.check = _payload(newest.get("check"), CheckData)


def _payload(event: Event | None, form: type[P]) -> P | None:
    """Return the data of an event, None where it or its data is not known."""
    if event is None or not event.data:
        return None
    return payload_of(event, form)


def _speakers(course: Course, settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield who spoke last and who speaks now, with which move and why."""
    in_turn = settings["turns"] == "round_robin"
    said = course.words
    behind = course.behind
    coming = course.coming
    if behind is not None:
        yield "last", choice_line(behind, course.before, in_turn=in_turn)
    elif said is not None:
        yield "last", f"{said.player_id}: {said.heading}"
    yield from _host_part(course)
    if coming is not None:
        yield "now", choice_line(coming, course.last, in_turn=in_turn)


def _host_part(course: Course) -> Iterator[tuple[str, str]]:
    """Yield which part the host has said since the last words."""
    host = course.host
    said = course.words
    if host is None:
        return
    if said is None or host.index > said.index:
        part = host.heading.removeprefix("Host: ")
        yield "host", f"{host.player_id}: {part}"


def _ends(course: Course, settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how near the talk is to each of its ends but the cap and convergence."""
    check = course.check
    if check is None:
        return
    constants = constants_with(settings["constants"])
    aspects = f"aspects {check.aspects}/{check.needed_aspects}"
    turns = f"turns {check.exchanges}/{check.needed_exchanges}"
    circles = _circles(check, constants)
    closing = _closing(check, constants)
    yield "ends", f"after {aspects} and {turns}: if {circles} or {closing}"


def _circles(check: CheckData, constants: Constants) -> str:
    if check.stale is None:
        return f"novelty {check.novelty:.2f} is below {check.min_novelty:g}"
    return f"{check.stale}/{constants.stale_turns} are stale"


def _closing(check: CheckData, constants: Constants) -> str:
    payoffs = check.conclude_payoffs.values()
    wanting = 0
    for payoff in payoffs:
        wanting += exceeds(payoff, constants.conclude_payoff)
    share = len(payoffs) * constants.conclude_share
    needed = ceil(share - HAIR)
    return f"{wanting}/{needed} want to conclude"


def _wishes(history: History, course: Course) -> Iterator[Dial]:
    """Yield how much each wants to speak; where that is not known, how often each has spoken."""
    choice = course.coming or course.behind
    if choice is None:
        yield from _shares(history, course)
        return
    most = max(1.0, *(wish.score for wish in choice.wishes.values()))
    for name, wish in choice.wishes.items():
        speaks = choice is course.coming and name == choice.speaker
        words = _wish_in_words(name, wish, course, speaks)
        yield Dial(name, wish.score / most, words, chosen=speaks)


def _wish_in_words(name: str, wish: Wish, course: Course, speaks: bool) -> str:
    marks = "speaks" if speaks else _marks(name, wish, course)
    words = f"{wish.score:.2f} {_count(course, name)}"
    return f"{words}, {marks}" if marks else words


def _marks(name: str, wish: Wish, course: Course) -> str:
    """Return what changes somebody's wish to speak, in words."""
    marks = ["spoke last"] if name == course.last else []
    for cause in CAUSES:
        if getattr(wish, cause):
            marks.append(cause.replace("_", " "))
    return ", ".join(marks)


def _shares(history: History, course: Course) -> Iterator[Dial]:
    most = max(course.turns.values(), default=1)
    host = None if course.host is None else course.host.player_id
    for seat in history.players:
        name = seat.player_id
        if name == host:
            continue
        words = _count(course, name)
        if name == course.last:
            words += ", spoke last"
        share = course.turns[name] / most
        yield Dial(name, share, words)


def _count(course: Course, name: str) -> str:
    turns = course.turns[name]
    return "1 turn" if turns == 1 else f"{turns} turns"


def _measures(course: Course, settings: dict[str, Any]) -> Iterator[Dial]:
    """Yield the bars of depth and convergence, once somebody has spoken."""
    check = course.check
    if check is None:
        return
    target = settings["depth"]
    share = min(1.0, check.depth / target)
    yield Dial("depth", share, f"{check.depth} of {target}")

    bound = check.min_convergence
    words = f"{check.convergence:.2f}, may end above {bound:g}"
    yield Dial(
        "convergence",
        check.convergence,
        words,
        mark=bound,
    )


def choice_line(
    choice: Selection,
    last: str | None,
    *,
    in_turn: bool = False,
) -> str:
    """Return who speaks and why; `last` spoke before, and `in_turn` is round robin."""
    move = move_line(choice.move, choice.target)
    why = why_speaker(choice, last)
    if in_turn:
        why = f"urgency {choice.wishes[choice.speaker].urgency:.2f}, the next in turn"
    return f"{choice.speaker}: {move}: {why}; {why_move(choice)}"


def why_speaker(choice: Selection, last: str | None) -> str:
    """Return the speaker's wish to speak beside that of the next one who may."""
    own = choice.wishes[choice.speaker]
    excluded = (choice.speaker, last)
    rivals = {name: wish.score for name, wish in choice.wishes.items() if name not in excluded}
    line = f"urgency {own.urgency:.2f}"
    if not rivals:
        return f"{line}, and nobody speaks twice running"
    near = _best(rivals)
    rank = f"highest of {len(rivals) + 1}, next {near} {rivals[near]:.2f}"
    return f"{line}, score {own.score:.2f} ({rank})"


def _other_moves(choice: Selection, own: float) -> dict[str, float]:
    others = {}
    for name, value in choice.adjusted.items():
        # Without chances only legal moves were compared, and the best of them was made.
        is_legal = value <= own if choice.chances is None else name in choice.chances
        if is_legal and name != choice.move:
            others[name] = value
    return others


def why_move(choice: Selection) -> str:
    """Return what the move pays beside the best other one that was legal."""
    own = choice.adjusted[choice.move]
    line = f"payoff {own:.2f}"
    if choice.chances is not None:
        chance = choice.chances[choice.move]
        line += f", chance {chance:.0%}"
    others = _other_moves(choice, own)
    if not others:
        return f"{line} (no other move is legal)"

    best = _best(others)
    value = others[best]
    relation = "next" if value <= own else "drawn, the best is"
    return f"{line} ({relation} {Move(best)} {value:.2f})"


def _best(values: Mapping[str, float]) -> str:
    return max(values, key=values.__getitem__)
