"""The phases in which a host speaks: at the start, when the thread is lost, and at the end."""

from dataclasses import dataclass, replace
from functools import cache, partial

from pydantic import create_model

from engine.games.talks.host.parts import Hosting, HostTurn, Loss, Part
from engine.games.talks.host.thread import (
    goes_in_circles,
    leaves_topic,
    may_interject,
    question_left_open,
)
from engine.games.talks.log.events import Context, record_host
from engine.games.talks.speech.answer import Spoken, field_of_words
from engine.games.talks.speech.asking import TalkView, plain_name
from engine.games.talks.speech.utterance import cut_to_say
from engine.games.talks.state import Exchange
from engine.games.talks.talk_state import TalkState
from engine.games.talks.termination import SENTENCES
from player import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class HostView(TalkView):
    """A host's observation.

    `people` maps names to expertise, `allies` lists the coalitions, and `convergence` is 0 to 1.
    """

    part: Part
    people: dict[str, str]
    loss: Loss | None
    ending: str
    allies: tuple[tuple[str, ...], ...]
    convergence: float

    @property
    def held(self) -> dict[str, str]:
        """The latest position of each participant that has taken one."""
        return {turn.speaker: turn.position for turn in self.exchanges if turn.position}

    @property
    def lost_at(self) -> Exchange | None:
        """The exchange in which the thread was lost, or None if it is not lost."""
        return None if self.loss is None else self.exchanges[self.loss.about - 1]


def host_view(state: TalkState, host: Hosting, part: Part, loss: Loss | None) -> HostView:
    """Return a host's observation when it is asked for one part."""
    talk = state.talk
    reason = None if state.check is None else state.check.reason
    people = {
        name: plain_name(talk.participants[participant].expertise_area)
        for participant, name in state.names.items()
    }
    return HostView(
        name=host.player_id,
        part=part,
        topic=talk.topic,
        turn=talk.turn_number,
        people=people,
        exchanges=state.heard,
        loss=loss,
        ending="" if reason is None else SENTENCES[reason],
        allies=state.allies,
        convergence=talk.convergence_level,
    )


def _question_to_host(context: Context, view: HostView, words: int) -> Turn[Spoken]:
    form = host_words_of(view.name, words)
    question = partial(
        context.prompt,
        view.name,
        "talks/host.j2",
        name=view.name,
        part=view.part,
        topic=view.topic,
        people=[*view.people],
        why=view.loss.why if view.loss else "",
        lost_at=view.lost_at,
        held=view.held,
        ending=view.ending,
        words=words,
    )
    silence = form.model_construct(reply="")
    return Turn(view.name, "host", view, question, form, choices={}, fallback=silence)


@dataclass(frozen=True, slots=True)
class Leading:
    """The phases in which a host speaks; the host's words affect only later utterances.

    A part has at most `words` words, or twice as many in the synthesis. A turn with a novelty below
    `min_novelty` counts as a warning; None means no warnings.
    """

    words: int
    min_novelty: float | None

    async def phase_introduction(self, context: Context) -> None:
        """Let the host introduce the talk."""
        await self._speak(context, "introduction")

    async def phase_interjection(self, context: Context) -> None:
        """Let the host speak if the thread is lost."""
        loss = self.loss_in(context.state)
        if loss is not None:
            await self._speak(context, "interjection", loss)

    async def phase_closing(self, context: Context) -> None:
        """Once the talk is over, let the host sum it up and then close it, in two calls."""
        check = context.state.check
        if check is not None and check.reason is not None:
            await self._speak(context, "synthesis")
            await self._speak(context, "coda")

    def loss_in(self, state: TalkState) -> Loss | None:
        """Return why the thread is lost; None if it is not, or after a recent interjection.

        "An interjection when a thread is lost": circling is checked first, then a lost topic, then
        an open question.
        """
        from engine.games.talks.memory.embeddings import default_embedder

        talk, constants = state.talk, state.theory.constants
        assert state.host is not None
        interjections = state.host.interjections
        if not may_interject(talk.turn_number, interjections, constants):
            return None
        exchanges = talk.exchanges
        return (
            goes_in_circles(exchanges, self.min_novelty, constants)
            or leaves_topic(talk.topic, exchanges, constants, default_embedder())
            or question_left_open(exchanges, interjections, constants)
        )

    async def _speak(self, context: Context, part: Part, loss: Loss | None = None) -> None:
        """Ask the host for one part, and announce the host's words to all."""
        state, host = context.state, context.state.host
        assert host is not None
        words = self.words * (2 if part == "synthesis" else 1)
        view = host_view(state, host, part, loss)
        reply = await context.ask(_question_to_host(context, view, words))
        whole = reply.answer.reply
        text = cut_to_say(whole, words) if whole else ""
        host_turn = HostTurn(part, view.turn, text, loss)
        record_host(context, view.name, host_turn, reply, cut=text != whole)
        context.state = replace(state, host=replace(host, said=(*host.said, host_turn)))


@cache
def host_words_of(name: str, words: int) -> type[Spoken]:
    """Return the answer form for a host's text of at most `words` words."""
    about = f"your words to all, one paragraph of whole sentences, {words} words at most"
    text = field_of_words(name, words, about)
    return create_model("HostWords", __base__=Spoken, reply=(text, ...))
