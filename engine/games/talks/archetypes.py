"""The elements of a talk as data: moves, depth levels, genders and the six personalities."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Move(StrEnum):
    """A move that a participant can make."""

    DEEPEN = "DEEPEN"
    CHALLENGE = "CHALLENGE"
    SUPPORT = "SUPPORT"
    QUESTION = "QUESTION"
    SYNTHESIZE = "SYNTHESIZE"
    CONCLUDE = "CONCLUDE"


def move_of(move: Move | str) -> Move:
    """Return a move, given as a Move or by name; raise ValueError for an unknown name."""
    try:
        return Move(move)
    except ValueError:
        known = ", ".join(Move)
        raise ValueError(f"expected a move, one of {known}: got {move!r}") from None


TARGETED = (Move.CHALLENGE, Move.SUPPORT, Move.QUESTION)
INSTRUCTIONS = MappingProxyType(
    {
        Move.DEEPEN: (
            "Push the topic one level deeper: say why it is so, what lies beneath what was said, "
            "and begin to show it."
        ),
        Move.CHALLENGE: (
            "Question a claim of {target}: after one fair clause of what {target} holds, "
            "say what is wrong with it, and why."
        ),
        Move.SUPPORT: (
            "Build on the point of {target}: say what it gets right, "
            "and add a new reason for it that has not been given."
        ),
        Move.QUESTION: (
            "Ask {target} one question: name the word or step that is unclear to you, "
            "why it matters, and end with the question mark."
        ),
        Move.SYNTHESIZE: (
            "Bring two views together: name them by their owners, say what both miss, "
            "and what each would have to give up."
        ),
        Move.CONCLUDE: (
            "Say that the topic has been explored, and sum up in your own words what was found."
        ),
    }
)


class PersonalityArchetype(StrEnum):
    """The six personalities."""

    ANALYTICAL = "analytical"
    COLLABORATIVE = "collaborative"
    ASSERTIVE = "assertive"
    CAUTIOUS = "cautious"
    CREATIVE = "creative"
    SKEPTICAL = "skeptical"


PRONOUNS = MappingProxyType({"male": "he/him", "female": "she/her", "non_binary": "they/them"})


class Gender(StrEnum):
    """A participant's gender, which sets its pronouns."""

    MALE = "male"
    FEMALE = "female"
    NON_BINARY = "non_binary"

    @property
    def pronouns(self) -> str:
        """The pronouns shown in prompts."""
        return PRONOUNS[self]

    @property
    def object_pronoun(self) -> str:
        """The pronoun after a verb, such as "her"."""
        return self.pronouns.partition("/")[2]


@dataclass(frozen=True, slots=True)
class Archetype:
    """A personality: its numbers for the formulas, and how it talks.

    All numbers are from 0 to 1. `baseline` is the wish to speak; `intensity` is the force of moves.
    The report compares utterances with the text in `profile`.
    """

    agreeableness: float
    baseline: float
    intensity: float
    curiosity: float
    confidence: float
    style: str
    profile: str


ARCHETYPES = MappingProxyType(
    {
        PersonalityArchetype.ANALYTICAL: Archetype(
            agreeableness=0.5,
            baseline=0.4,
            intensity=0.6,
            curiosity=0.7,
            confidence=0.65,
            style=(
                "You ask probing questions and seek precision: define terms, separate cases, "
                "name the evidence."
            ),
            profile=(
                "Let me define the terms precisely. Which evidence would distinguish these two "
                "cases? The claim follows only if each step is measured and every assumption is"
                " stated."
            ),
        ),
        PersonalityArchetype.COLLABORATIVE: Archetype(
            agreeableness=0.9,
            baseline=0.5,
            intensity=0.5,
            curiosity=0.5,
            confidence=0.6,
            style=(
                "You seek consensus and build bridges: say what you share with others before "
                "you add to it."
            ),
            profile="I think we can find common ground here. What you both say fits together, "
            "and I would like to build on it so that we can all agree.",
        ),
        PersonalityArchetype.ASSERTIVE: Archetype(
            agreeableness=0.4,
            baseline=0.7,
            intensity=0.8,
            curiosity=0.4,
            confidence=0.85,
            style=(
                "You lead the discussion with confident claims: short, direct sentences, no "
                "hedging."
            ),
            profile=(
                "The answer is clear, and I will say it plainly. Make no mistake: this is what "
                "matters, and we should stop avoiding it and decide."
            ),
        ),
        PersonalityArchetype.CAUTIOUS: Archetype(
            agreeableness=0.6,
            baseline=0.3,
            intensity=0.4,
            curiosity=0.5,
            confidence=0.45,
            style=(
                "You make careful claims and hedge: say how sure you are, and what could still "
                "prove you wrong."
            ),
            profile=(
                "Perhaps, though I may be wrong. It seems to me that we should be careful here,"
                " because it might depend on things we do not know yet."
            ),
        ),
        PersonalityArchetype.CREATIVE: Archetype(
            agreeableness=0.6,
            baseline=0.6,
            intensity=0.7,
            curiosity=0.7,
            confidence=0.65,
            style=(
                "You bring novel perspectives and think in metaphors: one vivid image, and what"
                " it shows."
            ),
            profile=(
                "Imagine it as a river that makes its own bed. Picture a garden, a mirror, a "
                "song: seen in that light the whole question turns around."
            ),
        ),
        PersonalityArchetype.SKEPTICAL: Archetype(
            agreeableness=0.2,
            baseline=0.5,
            intensity=0.7,
            curiosity=0.5,
            confidence=0.75,
            style=(
                "You challenge assumptions and play devil's advocate: find the weakest premise,"
                " and press on it."
            ),
            profile=(
                "I am not convinced by that argument. The premise assumes what it should prove,"
                " and nobody has ruled out the opposite."
            ),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth level: its name, its maximum number of exchanges, and its instruction."""

    name: str
    most: int
    instruction: str


DEPTHS = MappingProxyType(
    {
        1: Depth(
            "Surface",
            4,
            "stay with high-level definitions and the common understanding of the topic",
        ),
        2: Depth("Principles", 8, "look at underlying mechanisms and foundational concepts"),
        3: Depth("Applications", 12, "bring real-world examples and practical implications"),
        4: Depth("Challenges", 16, "work through counterarguments and edge cases"),
        5: Depth("Philosophy", 25, "reach for broader frameworks and meta-level analysis"),
    }
)


def wording(intensity: float) -> str:
    """Return the adverb for the intensity of a move."""
    if intensity >= 0.75:
        return "firmly"
    if intensity >= 0.55:
        return "clearly"
    return "gently"


class Role(NamedTuple):
    """A participant's name, gender, personality and expertise."""

    name: str
    gender: Gender
    personality: PersonalityArchetype
    expertise: str


CAST = (
    Role("Sophia", Gender.FEMALE, PersonalityArchetype.COLLABORATIVE, "ethics"),
    Role("Marcus", Gender.MALE, PersonalityArchetype.SKEPTICAL, "logic"),
    Role("Aisha", Gender.FEMALE, PersonalityArchetype.ANALYTICAL, "science"),
    Role("James", Gender.MALE, PersonalityArchetype.CREATIVE, "law"),
    Role("Elena", Gender.FEMALE, PersonalityArchetype.ASSERTIVE, "politics"),
    Role("Kenji", Gender.MALE, PersonalityArchetype.CAUTIOUS, "medicine"),
    Role("Robin", Gender.NON_BINARY, PersonalityArchetype.CREATIVE, "the arts"),
    Role("Ingrid", Gender.FEMALE, PersonalityArchetype.SKEPTICAL, "history"),
    Role("Tomas", Gender.MALE, PersonalityArchetype.COLLABORATIVE, "education"),
    Role("Leila", Gender.FEMALE, PersonalityArchetype.ANALYTICAL, "mathematics"),
    Role("Noah", Gender.MALE, PersonalityArchetype.ASSERTIVE, "economics"),
    Role("Sam", Gender.NON_BINARY, PersonalityArchetype.CAUTIOUS, "psychology"),
)


def first_of_cast(count: int) -> tuple[Role, ...]:
    """Return the first `count` members of the cast; raise ValueError unless `count` is 2 to 12."""
    if not 2 <= count <= len(CAST):
        raise ValueError(
            f"expected 2 to {len(CAST)} participants: got {count}; "
            "describe more, or others, in a config's participants"
        )
    return CAST[:count]


def roles_for(names: Sequence[str]) -> list[Role]:
    """Return a role for each name, using the cast's personalities and expertise in turn.

    Names from the cast keep their gender; all others are non-binary.
    """
    genders = {role.name.casefold(): role.gender for role in CAST}
    roles = []
    for seat, name in enumerate(names):
        role = CAST[seat % len(CAST)]
        gender = genders.get(name.casefold(), Gender.NON_BINARY)
        roles.append(role._replace(name=name, gender=gender))
    return roles
