"""Talks as an arena game: settings, the four phases of an exchange, and the outcome."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from engine.game import Game
from engine.games.talks.archetypes import DEPTHS, Move
from engine.games.talks.constants import Constants, constants_with, min_aspects, min_exchanges
from engine.games.talks.host.speaking import Leading
from engine.games.talks.log.events import (
    Context,
    end_sentence,
    facts_of_talk,
    persona_of,
    persona_of_host,
    record_check,
    record_selection,
    record_utterance,
    result_of_talk,
    talk_answers,
)
from engine.games.talks.log.explanation import explanation
from engine.games.talks.log.glance import glance_of_talk
from engine.games.talks.log.payloads import PAYLOADS
from engine.games.talks.log.pictures import talk_charts, turns_of_talk
from engine.games.talks.log.record import record_of
from engine.games.talks.metrics import group_figures, participant_figures
from engine.games.talks.opening import newcomer, phase_introductions, phase_theses
from engine.games.talks.scripts.strategies import STRATEGIES
from engine.games.talks.seating import HostSetting, attendance_of, seat_names
from engine.games.talks.settings import (
    DepthLevel,
    Overrides,
    Participants,
    Termination,
    Topic,
    distinct,
    safe_id,
)
from engine.games.talks.speech.answer import Utterance, silent_answer, utterance_of
from engine.games.talks.speech.asking import Seen, open_question, question_values, talker_fields
from engine.games.talks.speech.hearing import hear_answer, remember, similar_positions
from engine.games.talks.speech.repeats import doubt_repeat
from engine.games.talks.speech.utterance import WORDS
from engine.games.talks.state import GroupDiscussionState, new_talk
from engine.games.talks.talk_state import Recollection, TalkState
from engine.games.talks.termination import ConversationTerminator, EndTerms, near_consensus
from engine.games.talks.theory.choosing import (
    MultiAgentGameTheory,
    count_stale,
    is_circling,
    is_last_warning,
)
from engine.games.talks.theory.effects import depth_after, talk_after
from engine.games.talks.theory.turn_taking import Wish, pick_speaker
from engine.history import History, Lines, Outcome
from engine.prompting import render
from engine.report.charts import Chart
from engine.report.tables import Part
from engine.round import Phase, RoundPlan
from engine.views.naming import game_settings
from player import Prompt, Script, Turn

if TYPE_CHECKING:
    from engine.games.talks.memory.corpus import Corpus


@lru_cache(maxsize=64)
def terms_of(depth: int, max_iterations: int | None, termination: Termination) -> EndTerms:
    """Return the conditions under which a talk ends; cached, because each turn needs them."""
    return EndTerms(depth, max_iterations, **dict(termination))


class TalksGame(Game[TalkState]):
    """Participants discuss a topic; game theory decides who speaks, how, and when it is over."""

    name: ClassVar[str] = "talks"
    version: ClassVar[int] = 8
    basic: ClassVar[tuple[str, ...]] = ("topic", "depth", "turns", "max_iterations")
    lines: ClassVar[Lines] = "speech"
    strategies: ClassVar[Mapping[str, Script]] = STRATEGIES
    payloads: ClassVar[Mapping[str, type]] = PAYLOADS
    # All players share one quality score, so no player wins.
    targets: ClassVar[tuple[str, ...]] = ()
    result: ClassVar = staticmethod(result_of_talk)
    turning_points: ClassVar = staticmethod(turns_of_talk)
    answers_in: ClassVar = staticmethod(talk_answers)
    explain: ClassVar = staticmethod(explanation)
    glance: ClassVar = staticmethod(glance_of_talk)
    facts_of: ClassVar = staticmethod(facts_of_talk)

    topic: Topic = Field(
        default="What is the meaning of life?", description="the topic of the talk"
    )
    depth: DepthLevel = Field(
        default=3, description="1 surface, 2 principles, 3 applications, 4 challenges, 5 philosophy"
    )
    participants: Participants = Field(
        default=(), description="number of players from the default cast, or a list in a config"
    )
    turns: Literal["theory", "round_robin"] = Field(
        default="theory",
        description="who speaks next: by game theory, or one after the other",
    )
    theses: Literal["none", "ask"] = Field(
        default="none",
        description="whether each first writes a position that only it can read",
    )
    host: HostSetting = Field(
        default=None,
        description="a host who leads the talk: true (the last seat), or a name",
    )
    tell_score: bool = Field(
        default=False, description="whether participants read the formula of the score"
    )
    max_iterations: int | None = Field(
        title="Maximum exchanges",
        default=None,
        ge=1,
        le=10_000,
        description="maximum number of exchanges; by default the depth sets it",
    )
    termination: Termination = Termination()
    words: int = Field(default=WORDS, ge=20, le=500, description="maximum words in an utterance")
    plans: bool = Field(
        default=True, description="a private plan before each utterance, recorded only in the log"
    )
    constants: Overrides = Field(default={})
    corpus: Literal["memory", "chroma"] = Field(
        default="memory",
        description="where utterances are compared; chroma is an extra",
    )

    def seats(self) -> tuple[str, ...]:
        """Return the required players, including any host, or () if the cast provides the roles."""
        return seat_names(self.participants, self.host)

    @property
    def terms(self) -> EndTerms:
        """The conditions under which this talk ends."""
        return terms_of(self.depth, self.max_iterations, self.termination)

    @property
    def numbers(self) -> Constants:
        """The constants of this talk."""
        return constants_with(self.constants)

    def rules(self, *, reader: str = "", players: int = 0, wording: int = 1) -> str:
        """Return the rules as participants read them."""
        talkers = players - 1 if players and self.host is not None else players
        return render(
            "talks/rules.j2",
            reader=reader,
            wording=wording,
            game=self,
            players=talkers,
            levels=DEPTHS,
            moves=[*Move],
            constants=self.numbers,
            aspects=min_aspects(self.depth, self.terms.depth_threshold),
            exchanges=min_exchanges(self.depth),
        )

    def persona(self, state: TalkState, player_id: str) -> str:
        """Return the description of the participant that a player represents, or of the host."""
        host = state.host
        if host is not None and host.player_id == player_id:
            return persona_of_host(player_id, host.who)
        people = state.talk.participants
        person = next(
            people[participant] for participant, name in state.names.items() if name == player_id
        )
        return persona_of(person)

    def start(self, player_ids: Sequence[str], rng: random.Random) -> TalkState:
        """Seat the participants; nothing is drawn at random."""
        del rng
        people, host = attendance_of(self.participants, self.host, player_ids)
        ids = distinct([safe_id(name) for name in people])
        newcomers = tuple(map(newcomer, ids, people.values()))
        talk = new_talk(self.topic, self.depth, newcomers, self.numbers)
        state = self.state_of(talk, dict(zip(ids, people, strict=True)))
        return state.changed(host=host)

    def state_of(self, talk: GroupDiscussionState, names: Mapping[str, str]) -> TalkState:
        """Return the state of a talk so far; `names` maps participants to their players."""
        state = TalkState(
            theory=MultiAgentGameTheory(self.numbers, self.termination.depth_threshold),
            talk=talk,
            names=names,
            said=Recollection(self.new_corpus, self.new_corpus()),
            labels=Recollection(self.new_corpus, self.new_corpus()),
        )
        for exchange in talk.exchanges:
            state = remember(state, exchange)
        return state.with_talk(talk)

    def new_corpus(self) -> "Corpus":
        """Return an empty corpus."""
        from engine.games.talks.memory.embeddings import default_embedder

        if self.corpus == "chroma":
            from engine.games.talks.memory.chroma import ChromaCorpus

            return ChromaCorpus(default_embedder())
        from engine.games.talks.memory.corpus import MemoryCorpus

        return MemoryCorpus(default_embedder())

    def plan(self, state: TalkState) -> RoundPlan[TalkState] | None:
        """Plan one exchange per round until a criterion ends the talk."""
        if state.check is not None and state.check.reason is not None:
            return None
        is_last = state.talk.turn_number + 1 == self.terms.cap
        return RoundPlan(tuple(self.next_phases(state)), state.seats, final_round=is_last)

    def next_phases(self, state: TalkState) -> list[Phase[TalkState]]:
        """Return the phases of one exchange; the first exchange begins with the introductions."""
        turns = state.talk.turn_number
        phases: list[Phase[TalkState]] = [] if turns else [phase_introductions]
        if not turns and self.theses == "ask":
            phases.append(phase_theses)
        host = Leading(self.words, self.warns_below)
        if state.host is not None:
            phases.append(host.phase_interjection if turns else host.phase_introduction)
        phases += [self.phase_select, self.phase_speak, self.phase_update, self.phase_check]
        if state.host is not None:
            phases.append(host.phase_closing)
        return phases

    def next_speaker(self, talk: GroupDiscussionState, wishes: Mapping[str, Wish]) -> str:
        """Return the next speaker, by seat order (round robin) or by the wish to speak."""
        if self.turns == "round_robin":
            return talk.order[talk.turn_number % len(wishes)]
        scores = {name: wish.score for name, wish in wishes.items()}
        return pick_speaker(scores, talk.last_speaker)

    async def phase_select(self, context: Context) -> None:
        """Choose the speaker and its move, and log the reasons as a hidden event."""
        state = context.state
        talk, theory = state.talk, state.theory
        wishes = theory.wishes(talk, context.rng("selection"))

        speaker = self.next_speaker(talk, wishes)
        may_conclude = self.may_conclude(state)
        choice = theory.choice(speaker, talk, context.rng("move"), may_conclude=may_conclude)

        context.state = state.changed(wishes=wishes, speaker=speaker, choice=choice)
        if context.keeps_hidden:
            stale = is_last_warning(talk.exchanges, self.warns_below, theory.constants)
            record_selection(context, stale=stale)

    def may_conclude(self, state: TalkState) -> bool:
        """Return whether CONCLUDE is legal in the next exchange."""
        talk, theory = state.talk, state.theory
        # The last check has computed the payoffs, and nothing has changed since.
        payoffs = state.check.conclude_payoffs if state.check else theory.conclude_payoffs(talk)
        is_near = near_consensus(payoffs, constants=theory.constants)
        count = talk.turn_number + 1
        return self.terms.may_conclude(talk.aspects_explored, count, is_near=is_near)

    async def phase_speak(self, context: Context) -> None:
        """Let the chosen speaker speak, and remember its words with their novelty."""
        small = context.is_small(context.state.names[context.state.speaker])
        turn = self.turn_of(context.state, context.prompt, small=small)
        reply = await context.ask(turn)
        context.state = hear_answer(context.state, reply.answer, spares_target=self.warns)
        record_utterance(context, reply)

    async def phase_update(self, context: Context) -> None:
        """Apply the exchange to all participants and to the group."""
        state = context.state
        assert state.exchange is not None
        talk = talk_after(state.talk, state.exchange, state.wishes, state.theory.constants)
        context.state = state.with_talk(talk)

    async def phase_check(self, context: Context) -> None:
        """Check every criterion; if the talk is over, announce why."""
        talk, theory = context.state.talk, context.state.theory
        check = ConversationTerminator(self.terms, theory.constants).check(
            aspects=talk.aspects_explored,
            exchange_count=talk.turn_number,
            novelty_score=talk.novelty_score,
            convergence_level=talk.convergence_level,
            conclude_payoffs=theory.conclude_payoffs(talk),
            stale=count_stale(talk.exchanges, self.warns_below, theory.constants),
        )
        context.state = context.state.changed(check=check)
        record_check(context)

    def turn_of(
        self,
        state: TalkState,
        prompt: Callable[..., Prompt],
        *,
        small: bool = False,
    ) -> Turn[Utterance]:
        """Return the question to the chosen speaker; a `small` model gets a shorter answer form."""
        seen = self.observation_of(state)
        form = utterance_of(seen.name, self.words, small=small, plans=self.plans)

        def question() -> Prompt:
            values = question_values(state, seen, self.terms.cap)
            return prompt(seen.name, "talks/utterance.j2", **values)

        doubt = partial(doubt_repeat, exchanges=seen.exchanges)
        silence = silent_answer(form)
        return Turn(
            seen.name, "utterance", seen, question, form, choices={}, fallback=silence, doubt=doubt
        )

    def observation_of(self, state: TalkState) -> Seen:
        """Return the chosen speaker's observation, in the form that scripts use."""
        assert state.choice is not None
        talk, move = state.talk, state.choice.move
        return Seen(
            **talker_fields(state, state.speaker),
            level=depth_after(move.type, talk),
            turn=talk.turn_number + 1,
            move=move.changed(target=state.player_of(move.target)),
            exchanges=state.heard,
            aspects=talk.aspects_explored,
            similar=similar_positions(state),
            circling=is_circling(talk.exchanges, state.theory.constants),
            stale=is_last_warning(talk.exchanges, self.warns_below, state.theory.constants),
            thesis=state.theses.get(state.speaker, ""),
            asked=open_question(state.heard, state.names[state.speaker]),
        )

    @property
    def warns(self) -> bool:
        """Whether a first stale turn is only a warning, and a second soon after ends the talk."""
        return self.termination.circles == "twice"

    @property
    def warns_below(self) -> float | None:
        """The novelty below which a turn earns a warning; None if one such turn ends the talk."""
        return self.termination.min_novelty if self.warns else None

    def outcome(self, state: TalkState) -> Outcome:
        """Return the outcome: all participants share first place and the talk's quality score."""
        assert state.check is not None
        own_figures = participant_figures(state.talk)
        figures = {state.names[participant]: values for participant, values in own_figures.items()}
        shared = group_figures(state.talk)
        return Outcome(
            placements=dict.fromkeys(state.seats, 1),
            scores=dict.fromkeys(state.seats, shared["quality"]),
            figures=figures,
            shared=shared,
            summary=end_sentence(state.check),
        )

    @classmethod
    def title(cls, history: History) -> str:
        """Return the topic, or the participants if the log has no topic."""
        return str(game_settings(history).get("topic") or super().title(history))

    @classmethod
    def report(cls, history: History) -> Iterator[Part]:
        """Yield the evaluation of the talk."""
        from engine.games.talks.log.report import report

        return report(history)

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return the charts of relationships, affinity, convergence and moves."""
        record = record_of(history)
        return {} if record is None else talk_charts(record)
