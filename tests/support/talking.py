"""Small talks for tests: people, exchanges, and a discussion that contains them."""

from typing import Any

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.talks.archetypes import Gender, Move, PersonalityArchetype
from engine.games.talks.game import TalksGame
from engine.games.talks.state import Exchange, GroupDiscussionState, ParticipantState, new_talk
from engine.games.talks.theory.effects import depth_after, talk_after
from engine.history import History
from engine.runs.seating import default_players

KINDS = ("analytical", "skeptical", "collaborative", "assertive", "cautious", "creative")


def scripted_talk(
    people: Any = 2, *, seed: int = 0, script: str = "in_character", **settings: Any
) -> History:
    """Return a finished talk between scripts."""
    game = TalksGame.model_validate({"participants": people, **settings})
    seats = default_players([script], {}, offline=True, called=game.seats())
    config = GameEngineConfig(player_configs=seats, logs_dir=None, game=game, seed=seed)
    return GameEngine(config).run()


def person(name: str, personality: str = "analytical") -> ParticipantState:
    """Return a person before the talk."""
    return ParticipantState(
        participant_id=name,
        name=name.capitalize(),
        gender=Gender.FEMALE,
        personality=PersonalityArchetype(personality),
        expertise_area="logic",
    )


def group(
    names: str = "abc", depth: int = 3, kinds: tuple[str, ...] = KINDS
) -> GroupDiscussionState:
    """Return a talk before its first exchange; each letter of `names` is a person."""
    people = tuple(person(name, kinds[place % len(kinds)]) for place, name in enumerate(names))
    return new_talk("What is love?", depth, people)


def had(
    talk: GroupDiscussionState, *steps: tuple[str, str, str | None], novelty: float = 1.0
) -> GroupDiscussionState:
    """Return the talk after exchanges, given as speaker, move and target."""
    for who, move, target in steps:
        turn = talk.turn_number + 1
        exchange = Exchange(
            turn,
            who,
            Move(move),
            target,
            content="four words of it",
            position=f"position {turn}",
            aspects=(f"aspect {turn}",),
            depth=depth_after(Move(move), talk),
            novelty=novelty,
        )
        talk = talk_after(talk, exchange, {})
    return talk
