"""The phases in which a host speaks: at the beginning, when a thread is lost, at the end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel, create_model

from engine.games.talks.host.parts import ROOM, Hosting, HostTurn, Loss, Part
from engine.games.talks.host.thread import (
    goes_in_circles,
    leaves_topic,
    may_interject,
    question_left_open,
)
from engine.games.talks.host.view import HostView, host_values, host_view
from engine.games.talks.log.events import Context, record_host
from engine.games.talks.speech.answer import Spoken, field_of_words
from engine.games.talks.speech.utterance import cut_to_say
from engine.games.talks.talk_state import TalkState
from player import Prompt, Turn
from protocol.text import room_for


@dataclass(frozen=True, slots=True)
class Leading:
    """A host's phases; its words change nothing but what is said after them.

    An utterance has at most `words` words, and some part of a host more. Below `min_novelty` a turn
    warns of circles; None: none does.
    """

    words: int
    min_novelty: float | None

    async def phase_introduction(self, context: Context) -> None:
        """Introduce the talk."""
        await self._speak(context, "introduction")

    async def phase_interjection(self, context: Context) -> None:
        """Speak up if the thread is lost."""
        loss = self.loss_in(context.state)
        if loss is not None:
            await self._speak(context, "interjection", loss)

    async def phase_closing(self, context: Context) -> None:
        """Bring the talk together once it is over, and close it, each in one call."""
        check = context.state.check
        if check is not None and check.reason is not None:
            await self._speak(context, "synthesis")
            await self._speak(context, "coda")

    def loss_in(self, state: TalkState) -> Loss | None:
        """Return why the thread of a talk is lost now, None if it is not, or a host spoke lately.

        "An interjection when a thread is lost": the talk circles, it left its topic, or somebody
        does not answer; of several the first of these.
        """
        from engine.memory.embeddings import default_embedder

        talk, constants = state.talk, state.theory.constants
        said = _host_of(state).interjections
        if not may_interject(talk.turn_number, said, constants):
            return None
        exchanges = talk.exchanges
        return (
            goes_in_circles(exchanges, self.min_novelty, constants)
            or leaves_topic(talk.topic, exchanges, constants, default_embedder())
            or question_left_open(exchanges, said, constants)
        )

    async def _speak(self, context: Context, part: Part, loss: Loss | None = None) -> None:
        """Ask the host for one part, and tell it to all."""
        state = context.state
        words = self.words * ROOM[part]
        view = host_view(state, _host_of(state), part, loss)
        reply = await context.ask(host_turn(view, words, context.prompt))
        whole = reply.answer.reply
        text = cut_to_say(whole, words, room_for(words)) if whole else ""

        told = HostTurn(part, view.turn, text, loss)
        record_host(context, view.name, told, reply, cut=text != whole)
        host = _host_of(state).with_turn(told)
        context.state = replace(state, host=host)


def _host_of(state: TalkState) -> Hosting:
    assert state.host is not None
    return state.host


def host_turn(view: HostView, words: int, prompt: Callable[..., Prompt]) -> Turn[Any]:
    """Return the question for one part of a host's words; `prompt` makes what it reads."""
    form = host_words_of(view.name, words)

    def question() -> Prompt:
        return prompt(view.name, "talks/host.j2", **host_values(view, words))

    silence = form.model_construct(reply="")
    return Turn(view.name, "host", view, question, form, choices={}, fallback=silence)


@cache
def host_words_of(name: str, words: int) -> type[BaseModel]:
    """Return the form of a host's words, at most so many."""
    about = f"your words to all, one paragraph of whole sentences, {words} words at most"
    text = field_of_words(name, words, room_for(words), about)
    form: type[BaseModel] = create_model("HostWords", __base__=Spoken, reply=(text, ...))
    return form
