"""A live talk at a glance: who speaks and why, the depth, and how the talk may end."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeVar

from engine.games.talks.archetypes import DEPTHS, Move
from engine.games.talks.constants import HAIR, Constants, constants_with
from engine.games.talks.log.events import move_line
from engine.games.talks.log.payloads import CheckData, Numbers, Selection
from engine.games.talks.termination import conclude_votes
from engine.games.talks.theory.turn_taking import Wish
from engine.history import Event, History, payload_of
from engine.report.tables import Dial, Glance

P = TypeVar("P")
CAUSES = ("owes_answer", "unheard", "dominant", "ping_pong")


@dataclass
class Course:
    """The progress of a talk: the speaker of each turn, and the newest events.

    `words` is the last utterance, `behind` is the selection that led to it, and `host` is any later
    part spoken by the host. `coming` is a selection with no utterance yet.
    """

    speakers: list[str]
    words: Event | None
    host: Event | None
    behind: Selection | None
    coming: Selection | None
    check: CheckData | None

    def turns_of(self, name: str) -> str:
        """Return a participant's number of turns as text, and whether it spoke last."""
        turns = self.speakers.count(name)
        words = "1 turn" if turns == 1 else f"{turns} turns"
        return f"{words}, spoke last" if name in self.speakers[-1:] else words


def glance_of_talk(history: History) -> Glance:
    """Return a talk's current state, or only its public part if the events contain no data."""
    settings: dict[str, Any] = history.config["game"]
    course = course_of(history)
    depth = DEPTHS[settings["depth"]]
    turn = f"Turn {len(course.speakers)} of at most {settings['max_iterations'] or depth.most}"
    return Glance(
        heading=f"{turn} · depth {settings['depth']} ({depth.name}) · {settings['topic']}",
        news=(*_speakers(course, settings), *_ends(course, settings)),
        players=tuple(_wishes(history, course)),
        measures=tuple(_measures(course, settings["depth"])),
    )


def course_of(history: History) -> Course:
    """Return the progress of a talk."""
    speakers = []
    newest: dict[str, Event] = {}
    behind: Event | None = None
    for event in history.events:
        newest[event.kind] = event
        if event.kind == "utterance":
            behind = newest.pop("selection", None)
            newest.pop("host", None)
            speakers.append(str(event.player_id))
    return Course(
        speakers=speakers,
        words=newest.get("utterance"),
        host=newest.get("host"),
        behind=_payload(behind, Selection),
        coming=_payload(newest.get("selection"), Selection),
        check=_payload(newest.get("check"), CheckData),
    )


def _payload(event: Event | None, form: type[P]) -> P | None:
    """Return the data of an event, or None if the event or its data is missing."""
    if event is None or not event.data:
        return None
    return payload_of(event, form)


def _speakers(course: Course, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the last speaker, any part that the host has spoken since, and the current speaker."""
    in_turn = settings["turns"] == "round_robin"
    if course.behind is not None:
        yield "last", choice_line(course.behind, course.speakers[-2:-1], in_turn=in_turn)
    elif course.words is not None:
        yield "last", f"{course.words.player_id}: {course.words.heading}"
    if course.host is not None:
        yield "host", f"{course.host.player_id}: {course.host.heading.removeprefix('Host: ')}"
    if course.coming is not None:
        yield "now", choice_line(course.coming, course.speakers[-1:], in_turn=in_turn)


def _ends(course: Course, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how close the talk is to each possible end except the cap and convergence."""
    check = course.check
    if check is None:
        return
    constants = constants_with(settings["constants"])
    circles = _circling_in_words(check, constants)
    aspects = f"aspects {check.aspects}/{check.needed_aspects}"
    turns = f"turns {check.exchanges}/{check.needed_exchanges}"
    closing = _closing_votes([*check.conclude_payoffs.values()], constants)
    yield "ends", f"after {aspects} and {turns}: if {circles} or {closing}"


def _circling_in_words(check: CheckData, constants: Constants) -> str:
    if check.stale is not None:
        return f"{check.stale}/{constants.stale_turns} are stale"
    return f"novelty {check.novelty:.2f} is below {check.min_novelty:g}"


def _closing_votes(payoffs: Sequence[float], constants: Constants) -> str:
    wanting = conclude_votes(payoffs, constants.conclude_payoff)
    needed = ceil(len(payoffs) * constants.conclude_share - HAIR)
    return f"{wanting}/{needed} want to conclude"


def _wishes(history: History, course: Course) -> Iterator[Dial]:
    """Yield each participant's wish to speak or, if that is unknown, its number of turns."""
    choice = course.coming or course.behind
    if choice is None:
        yield from _shares(history, course)
        return
    most = max(1.0, *(wish.score for wish in choice.wishes.values()))
    for name, wish in choice.wishes.items():
        words = f"{wish.score:.2f} {course.turns_of(name)}"
        speaks = choice is course.coming and name == choice.speaker
        causes = ["speaks"] if speaks else _causes(wish)
        yield Dial(name, wish.score / most, ", ".join([words, *causes]), chosen=speaks)


def _causes(wish: Wish) -> list[str]:
    """Return the reasons that raised or lowered a wish to speak."""
    return [cause.replace("_", " ") for cause in CAUSES if getattr(wish, cause)]


def _shares(history: History, course: Course) -> Iterator[Dial]:
    turns = Counter(course.speakers)
    most = max(turns.values(), default=1)
    hosts = {event.player_id for event in history.events if event.kind == "host"}
    for seat in history.players:
        name = seat.player_id
        if name not in hosts:
            yield Dial(name, turns[name] / most, course.turns_of(name))


def _measures(course: Course, target: int) -> Iterator[Dial]:
    """Yield bars for depth and convergence; nothing before the first check."""
    check = course.check
    if check is None:
        return
    share = min(1.0, check.depth / target)
    yield Dial("depth", share, f"{check.depth} of {target}")

    bound = check.min_convergence
    words = f"{check.convergence:.2f}, may end above {bound:g}"
    yield Dial("convergence", check.convergence, words, mark=bound)


def choice_line(choice: Selection, last: Sequence[str], *, in_turn: bool) -> str:
    """Return a line with the speaker, its move, and the reasons for both.

    `last` contains the previous speaker, if any; `in_turn` means round robin.
    """
    move = move_line(choice.move, choice.target)
    why = why_speaker(choice, last)
    if in_turn:
        why = f"urgency {choice.wishes[choice.speaker].urgency:.2f}, the next in turn"
    return f"{choice.speaker}: {move}: {why}; {why_move(choice)}"


def why_speaker(choice: Selection, last: Sequence[str]) -> str:
    """Return a line with the speaker's wish to speak and the runner-up's."""
    speaker_wish = choice.wishes[choice.speaker]
    excluded = [choice.speaker, *last]
    rivals = {name: wish.score for name, wish in choice.wishes.items() if name not in excluded}
    line = f"urgency {speaker_wish.urgency:.2f}"
    if not rivals:
        return f"{line}, and no participant speaks twice in a row"
    near = max(rivals, key=rivals.__getitem__)
    return (
        f"{line}, score {speaker_wish.score:.2f} "
        f"(highest of {len(rivals) + 1}, next {near} {rivals[near]:.2f})"
    )


def why_move(choice: Selection) -> str:
    """Return a line with the payoffs of the move and of the best other legal move."""
    payoff = choice.adjusted[choice.move]
    line = f"payoff {payoff:.2f}"
    if choice.chances is not None:
        line += f", chance {choice.chances[choice.move]:.0%}"
    others = _other_payoffs(choice)
    if not others:
        return f"{line} (no other move is legal)"

    best = max(others, key=others.__getitem__)
    relation = "next" if others[best] <= payoff else "drawn, the best is"
    return f"{line} ({relation} {Move(best)} {others[best]:.2f})"


def _other_payoffs(choice: Selection) -> Numbers:
    """Return the payoffs of the legal moves that were not made."""
    legal = choice.chances
    if legal is None:
        # Without chances, the best legal move was made, so moves with higher payoffs were illegal.
        payoff = choice.adjusted[choice.move]
        legal = {name: value for name, value in choice.adjusted.items() if value <= payoff}
    return {name: choice.adjusted[name] for name in legal if name != choice.move}
