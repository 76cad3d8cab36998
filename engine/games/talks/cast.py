"""The default cast: twelve participants, in the order in which they are called."""

from typing import NamedTuple

from engine.games.talks.archetypes import Gender, PersonalityArchetype


class Role(NamedTuple):
    """A participant as a config may describe it."""

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
    """Return the first `count` of the cast; ValueError unless it is 2 to 12."""
    if not 2 <= count <= len(CAST):
        raise ValueError(
            f"expected 2 to {len(CAST)} participants: got {count}; "
            "describe more, or others, in a config's participants"
        )
    return CAST[:count]


def roles_for(names: tuple[str, ...]) -> tuple[Role, ...]:
    """Return a role for each of `names`: personality and expertise of the cast, in turn.

    Nobody said what gender they are, so it is non-binary.
    """
    roles = []
    for seat, name in enumerate(names):
        role = CAST[seat % len(CAST)]
        roles.append(role._replace(name=name, gender=Gender.NON_BINARY))
    return tuple(roles)
