"""The opening of a talk: the participants, their characters, and any opinions."""

from dataclasses import replace
from functools import partial

from pydantic import BaseModel, Field

from engine.games.talks.archetypes import Move
from engine.games.talks.log.events import (
    Context,
    record_introduction,
    record_opening,
    record_thesis,
)
from engine.games.talks.settings import Participant, Position
from engine.games.talks.speech.asking import Seen, talker_fields
from engine.games.talks.state import DialogueMove, ParticipantState
from player import Turn


class Thesis(BaseModel):
    """A participant's opinion before the first utterance; "" if it gave none."""

    position: Position = Field(min_length=1, description="what you believe, in one sentence")


def newcomer(participant_id: str, person: Participant) -> ParticipantState:
    """Return a participant's state before the talk."""
    return ParticipantState(
        participant_id=participant_id,
        name=person.name,
        gender=person.gender,
        personality=person.personality,
        expertise_area=person.expertise,
        core_beliefs=person.core_beliefs,
    )


async def phase_introductions(context: Context) -> None:
    """Announce the participants to all, and log each one's character as a hidden event."""
    from engine.games.talks.memory.embeddings import default_embedder

    state = context.state
    record_opening(context, default_embedder().name)
    for participant in state.talk.order if context.keeps_hidden else ():
        record_introduction(context, state.names[participant], state.talk.participants[participant])


async def phase_theses(context: Context) -> None:
    """Ask each participant privately for its opinion, which no other participant ever reads."""
    order = context.state.talk.order
    turns = [thesis_turn(context, participant) for participant in order]
    theses = {}
    for participant, reply in zip(order, await context.ask_all(turns), strict=True):
        theses[participant] = reply.answer.position
        record_thesis(context, context.state.names[participant], reply)
    context.state = replace(context.state, theses=theses)


def thesis_turn(context: Context, participant_id: str) -> Turn[Thesis]:
    """Return the question that asks a participant for its opinion on the topic."""
    fields = talker_fields(context.state, participant_id)
    seen = Seen(**fields, move=DialogueMove(Move.DEEPEN))
    name, topic = seen.name, seen.topic
    question = partial(context.prompt, name, "talks/thesis.j2", name=name, topic=topic)
    nothing = Thesis.model_construct(position="")
    return Turn(name, "thesis", seen, question, Thesis, choices={}, fallback=nothing)
