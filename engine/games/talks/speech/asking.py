"""The question to the chosen speaker: the speaker's position, feelings and task, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.games.talks.archetypes import DEPTHS, INSTRUCTIONS, Move, PersonalityArchetype, wording
from engine.games.talks.constants import HAIR, Constants
from engine.games.talks.speech.utterance import subject_of
from engine.games.talks.state import DialogueMove, Exchange, ParticipantState, labels_in
from engine.games.talks.talk_state import TalkState


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkView:
    """A player's observation of a talk; participants are identified by their players' names."""

    name: str
    topic: str
    turn: int = 0
    exchanges: tuple[Exchange, ...] = ()

    @property
    def subject(self) -> str:
        """The topic, in words that fit inside a sentence."""
        return subject_of(self.topic)

    @property
    def labels(self) -> list[str]:
        """The aspects mentioned so far, in order of first mention."""
        return labels_in(self.exchanges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(TalkView):
    """A speaker's observation.

    `level` is the depth of the turn, 1 to 5. `similar` lists the earlier positions closest to the
    latest words, each with its speaker. If `stale`, one more stale turn would end the talk.
    `thesis` is the speaker's opinion before the talk, or "". `asked` is an unanswered question.
    """

    personality: PersonalityArchetype
    expertise: str
    beliefs: tuple[str, ...]
    target_depth: int
    move: DialogueMove
    level: int = 1
    aspects: frozenset[str] = frozenset()
    similar: tuple[tuple[str, str], ...] = ()
    circling: bool = False
    stale: bool = False
    thesis: str = ""
    asked: Exchange | None = None

    @property
    def own(self) -> tuple[Exchange, ...]:
        """The participant's own utterances."""
        return tuple(exchange for exchange in self.exchanges if exchange.speaker == self.name)

    @property
    def position(self) -> str:
        """The position in the participant's latest turn or, before its first turn, its thesis."""
        return self.own[-1].position if self.own else self.thesis


HELD = 3
# The depth level of real-world examples.
CASES = 3
ASKING = (Move.QUESTION, Move.CHALLENGE)
# Respect this far above neutral is high; two steps of affinity are a lot.
HIGHER = 0.1
MANY = 2
# Moves that summarize earlier words, so they need nothing new.
ROUNDING_OFF = (Move.SYNTHESIZE, Move.CONCLUDE)
ENDS = (".", "!", "?", "…")


def open_question(exchanges: Sequence[Exchange], name: str) -> Exchange | None:
    """Return the first unanswered QUESTION or CHALLENGE to `name`.

    Returns None if there is none, or if it is the last turn.
    """
    match = None
    for exchange in reversed(exchanges):
        if exchange.speaker == name:
            break
        if exchange.target == name and exchange.move in ASKING and exchange.content:
            match = exchange
    return None if match is not None and match.turn == len(exchanges) else match


def talker_fields(state: TalkState, one: str) -> dict[str, Any]:
    """Return the fields of `Seen` that describe a participant and its talk."""
    person = state.talk.participants[one]
    return {
        "name": state.names[one],
        "personality": person.personality,
        "expertise": person.expertise_area,
        "beliefs": person.core_beliefs,
        "topic": state.talk.topic,
        "target_depth": state.talk.target_depth,
    }


def question_values(state: TalkState, seen: Seen, cap: int) -> dict[str, Any]:
    """Return the template values for a turn's question; the talk has at most `cap` turns."""
    move = seen.move
    last = seen.exchanges[-1] if seen.exchanges else None
    others = [(who, what) for who, what in seen.similar if who != seen.name]
    target = move.target or "the group"
    return {
        "name": seen.name,
        "expertise": plain_name(seen.expertise),
        "topic": seen.topic,
        "turn": seen.turn,
        "cap": cap,
        "feelings": feelings_in_words(state),
        "held": positions_held(seen),
        "views": views_to_join(seen),
        "wants_case": seen.level == CASES,
        "similar": others,
        "circling": seen.circling,
        "stale": seen.stale,
        "last": last if last and last.content else None,
        "asks_you": last is not None and last.target == seen.name and last.move in ASKING,
        "asked": seen.asked,
        "host": state.host.player_id if state.host else "",
        "interjection": state.host.words_before(seen.turn) if state.host else "",
        "move": move.type,
        "rounds_off": move.type in ROUNDING_OFF,
        "target": target,
        "instruction": INSTRUCTIONS[move.type].format(target=target),
        "manner": wording(move.intensity),
        "level": DEPTHS[seen.level],
    }


def views_to_join(seen: Seen) -> list[Exchange]:
    """Return the latest utterances of up to two speakers.

    The chosen speaker's own utterance counts only if fewer than two others have spoken.
    """
    latest: dict[str, Exchange] = {}
    for exchange in reversed(seen.exchanges):
        if exchange.content:
            latest.setdefault(exchange.speaker, exchange)
    return sorted(latest.values(), key=lambda view: view.speaker == seen.name)[:2]


def positions_held(seen: Seen) -> list[str]:
    """Return the speaker's thesis, if any, and its latest positions, each once."""
    positions = dict.fromkeys(exchange.position for exchange in seen.own if exchange.position)
    positions.pop(seen.thesis, None)
    thesis = [seen.thesis] if seen.thesis else []
    return [*thesis, *[*positions][-HELD:]]


def feelings_in_words(state: TalkState) -> list[str]:
    """Return sentences such as "You respect Marcus." for feelings that are not neutral."""
    person, constants = state.talk.participants[state.speaker], state.theory.constants
    sentences = []
    for partner in state.talk.get_other_participants(state.speaker):
        called = (state.names[partner.participant_id], partner.gender.object_pronoun)
        verbs = _verbs_of_feeling(person, partner.participant_id, constants)
        felt = [f"{verb} {name}" for verb, name in zip(verbs, called, strict=False)]
        if felt:
            sentences.append(f"You {' and '.join(felt)}.")
    return sentences


def _verbs_of_feeling(
    person: ParticipantState, partner_id: str, constants: Constants
) -> Iterator[str]:
    respect = person.respect_levels.get(partner_id, constants.respect)
    affinity = person.relationships.get(partner_id, constants.affinity)
    return filter(None, (esteem(respect, constants.respect), accord(affinity, constants)))


def accord(affinity: float, constants: Constants) -> str:
    """Return the verb phrase for an affinity of -1 to 1, or "" if it is neutral."""
    shift = affinity - constants.affinity
    if abs(shift) < HAIR:
        return ""
    verb, step = "agree", constants.support_affinity
    if shift < 0:
        verb, step = "disagree", -constants.challenge_affinity
    often = "often" if abs(shift) >= MANY * step - HAIR else "sometimes"
    return f"{often} {verb} with"


def esteem(respect: float, neutral: float) -> str:
    """Return the verb for a level of respect, 0 to 1, or "" if it is `neutral`."""
    if abs(respect - neutral) < HAIR:
        return ""
    if respect < neutral:
        return "think little of"
    return "respect" if respect < neutral + HIGHER - HAIR else "highly respect"


def as_sentences(beliefs: Sequence[str]) -> list[str]:
    """Return the beliefs in a participant's config as sentences.

    >>> as_sentences(["bread is old", "innovation_over_safety"])
    ['Bread is old.', 'Innovation over safety.']
    """
    sentences = [plain_name(belief) for belief in beliefs]
    whole = [words if words.endswith(ENDS) else f"{words}." for words in sentences]
    return [words[:1].upper() + words[1:] for words in whole]


def plain_name(name: str) -> str:
    """Return a name from a config, such as computer_science, in plain words."""
    return " ".join(name.replace("_", " ").split())
