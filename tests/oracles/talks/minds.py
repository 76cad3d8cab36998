"""The participants of a talk, modelled only from what was said: what each move changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from engine.games.talks.archetypes import ARCHETYPES, CAST, Move, PersonalityArchetype
from engine.games.talks.constants import Constants
from engine.history import History
from tests.oracles.talks.reading import (
    LoggedExchange,
    TalkTerms,
    logged_exchanges,
    seated_as,
    settings_of_talk,
    talkers_of,
    terms_of,
)


@dataclass(slots=True)
class Mind:
    """One participant as the checks keep it: its levels, its feelings by player, its counts."""

    personality: PersonalityArchetype
    confidence: float
    curiosity: float
    engagement: float
    affinity: dict[str, float]
    respect: dict[str, float]
    turns: int = 0
    words: int = 0
    questions: int = 0
    agreements: int = 0
    challenges: int = 0
    depth: int = 1
    last_turn: int = 0
    addressed: bool = False


class TalkStep(NamedTuple):
    """The speaker, move and target, how new the words were, and whether there were any."""

    speaker: str
    move: Move
    target: str | None
    novelty: float
    spoke: bool


@dataclass(slots=True)
class Circle:
    """The whole group as the checks keep it; participants go by the names of their players."""

    minds: dict[str, Mind]
    steps: tuple[TalkStep, ...] = ()
    aspects: frozenset[str] = frozenset()
    depth: int = 1
    novelty: float = 1.0

    @property
    def turns(self) -> dict[str, int]:
        """How often each participant has spoken."""
        return {name: mind.turns for name, mind in self.minds.items()}


class TalkMoment(NamedTuple):
    """One exchange, with the group as it was before it and as it was after it."""

    exchange: LoggedExchange
    before: Circle
    after: Circle
    terms: TalkTerms


def moments_of(history: History) -> Iterator[TalkMoment]:
    """Yield each exchange, with the group that follows from all that was said until then."""
    terms = terms_of(history)
    circle = circle_at_start(history, terms.numbers)
    for exchange in logged_exchanges(history):
        before = circle
        circle = copied_circle(before)
        take_up(circle, exchange, terms)
        yield TalkMoment(exchange, before, circle, terms)


def copied_circle(circle: Circle) -> Circle:
    """Return an independent copy of a group."""
    minds = {}
    for name, mind in circle.minds.items():
        minds[name] = replace(mind, affinity=dict(mind.affinity), respect=dict(mind.respect))
    return replace(circle, minds=minds)


def circle_at_start(history: History, numbers: Constants) -> Circle:
    """Return the group before the first exchange, in which all are strangers."""
    names = talkers_of(history)
    personalities = personalities_of(history)
    minds = {}
    for name in names:
        archetype = ARCHETYPES[personalities[name]]
        others = [other for other in names if other != name]
        minds[name] = Mind(
            personality=personalities[name],
            confidence=archetype.confidence,
            curiosity=archetype.curiosity,
            engagement=numbers.engagement,
            affinity=dict.fromkeys(others, numbers.affinity),
            respect=dict.fromkeys(others, numbers.respect),
        )
    return Circle(minds)


def personalities_of(history: History) -> Mapping[str, PersonalityArchetype]:
    """Return each player's personality: as the settings describe it, else of the cast in turn."""
    described = settings_of_talk(history)["participants"]
    if described:
        return {
            seated_as(one["name"]): PersonalityArchetype(one["personality"]) for one in described
        }
    names = talkers_of(history)
    return {name: CAST[seat % len(CAST)].personality for seat, name in enumerate(names)}


def take_up(circle: Circle, exchange: LoggedExchange, terms: TalkTerms) -> None:
    """Apply an exchange to all participants and the group."""
    said = exchange.utterance
    numbers = terms.numbers
    for name, mind in circle.minds.items():
        if name == said.speaker:
            speak_up(mind, exchange, numbers)
        else:
            hear_out(mind, said.speaker, said.move, numbers, is_target=name == said.target)

    if said.move is Move.SYNTHESIZE:
        bring_together(circle, said.speaker, numbers)
    step = TalkStep(said.speaker, said.move, said.target, said.novelty, bool(exchange.words))
    circle.steps = (*circle.steps, step)
    circle.aspects |= {*said.aspects}
    circle.depth = max(circle.depth, said.depth)
    circle.novelty = said.novelty


def bring_together(circle: Circle, speaker: str, numbers: Constants) -> None:
    """Warm who makes a SYNTHESIZE and the last two others who spoke, both ways."""
    others: list[str] = []
    for step in reversed(circle.steps):
        if step.speaker != speaker and step.speaker not in others:
            others.append(step.speaker)
    for other in others[: numbers.synthesis_reach]:
        for one, towards in ((speaker, other), (other, speaker)):
            affinity = circle.minds[one].affinity
            affinity[towards] = within(affinity[towards] + numbers.synthesis_affinity, -1.0)


def speak_up(mind: Mind, exchange: LoggedExchange, numbers: Constants) -> None:
    """Update the speaker: its counts, its levels, and its feelings for its target."""
    said = exchange.utterance
    mind.turns += 1
    mind.words += len(exchange.words.split())
    mind.depth = said.depth
    mind.last_turn = exchange.turn
    mind.addressed = False
    mind.engagement = within(mind.engagement + numbers.speaking_engagement, 0.0)
    asks = said.move is Move.QUESTION
    mind.questions += asks
    change = numbers.question_curiosity if asks else numbers.curiosity_decay
    mind.curiosity = within(mind.curiosity + change, 0.0)
    if said.move is Move.CHALLENGE:
        mind.confidence = within(mind.confidence + numbers.challenger_confidence, 0.0)

    # An invalid target breaks another rule, and must not hide other breaches.
    if said.target in mind.affinity:
        mind.agreements += said.move is Move.SUPPORT
        mind.challenges += said.move is Move.CHALLENGE
        feel(mind, said.target, said.move, 1.0, numbers)


def hear_out(mind: Mind, speaker: str, move: Move, numbers: Constants, *, is_target: bool) -> None:
    """Change who listened: the one addressed also feels its share of what the speaker feels."""
    mind.engagement = within(mind.engagement + numbers.listening_engagement, 0.0)
    mind.addressed = is_target
    if not is_target:
        return
    if move is Move.CHALLENGE:
        mind.confidence = within(mind.confidence + numbers.challenged_confidence, 0.0)
    feel(mind, speaker, move, numbers.reciprocity, numbers)


def feel(mind: Mind, other: str, move: Move, share: float, numbers: Constants) -> None:
    """Change affinity and respect for `other` by a share of what the move does."""
    affinity, respect = {
        Move.SUPPORT: (numbers.support_affinity, numbers.support_respect),
        Move.CHALLENGE: (numbers.challenge_affinity, numbers.challenge_respect),
        Move.QUESTION: (0.0, numbers.question_respect),
    }.get(move, (0.0, 0.0))
    mind.affinity[other] = within(mind.affinity[other] + share * affinity, -1.0)
    mind.respect[other] = within(mind.respect[other] + share * respect, 0.0)


def within(value: float, least: float) -> float:
    """Return a value limited to at least `least` and at most 1."""
    return min(1.0, max(least, value))
