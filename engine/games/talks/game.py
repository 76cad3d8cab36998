"""Talks as a game of the arena: settings, the four phases of an exchange, the outcome."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from engine.game import Game
from engine.games.talks.archetypes import ARCHETYPES, DEPTHS, INSTRUCTIONS, Move, wording
from engine.games.talks.cast import dealt
from engine.games.talks.constants import Constants, overridden
from engine.games.talks.log.events import ended, record_check, record_selection, record_utterance
from engine.games.talks.metrics import figures_of, shared_figures
from engine.games.talks.names import distinct, safe_id
from engine.games.talks.scripts.observation import Seen
from engine.games.talks.scripts.strategies import STRATEGIES
from engine.games.talks.settings import (
    DepthLevel,
    Overrides,
    Participant,
    Participants,
    Termination,
    Topic,
)
from engine.games.talks.speech.answer import Utterance, utterance_of
from engine.games.talks.speech.utterance import WORDS
from engine.games.talks.state import GroupDiscussionState, newcomer, opening
from engine.games.talks.table import Table, heard, remember, similar_positions
from engine.games.talks.termination import ConversationTerminator, Terms
from engine.games.talks.theory.choosing import MultiAgentGameTheory
from engine.games.talks.theory.circling import orbit
from engine.games.talks.theory.effects import after, depth_after
from engine.games.talks.theory.turn_taking import chosen
from engine.history import Event, History, Outcome
from engine.prompting import render
from engine.report.charts import Chart
from engine.report.tables import Part
from engine.round import RoundContext, RoundPlan
from player import Prompt, Script, Turn

if TYPE_CHECKING:
    from engine.memory.corpus import Corpus


class TalksGame(Game[Table]):
    """Participants discuss a topic; who speaks, with which move, and when it is over, is decided by game theory."""

    name: ClassVar[str] = "talks"
    version: ClassVar[int] = 1
    strategies: ClassVar[Mapping[str, Script]] = STRATEGIES

    topic: Topic = Field(default="What is the meaning of life?", description="what is discussed")
    depth: DepthLevel = Field(
        default=3, description="1 surface, 2 principles, 3 applications, 4 challenges, 5 philosophy"
    )
    participants: Participants = Field(
        default=(), description="how many of the default cast; or a list, in a config"
    )
    turns: Literal["theory", "round_robin"] = Field(
        default="theory", description="who is next: theory or round_robin"
    )
    max_iterations: int | None = Field(
        default=None, ge=1, description="exchanges at most, else by depth"
    )
    termination: Termination = Termination()
    words: int = Field(default=WORDS, ge=20, le=500, description="words of an utterance at most")
    constants: Overrides = Field(default={})
    corpus: Literal["memory", "chroma"] = Field(
        default="memory", description="where utterances are compared"
    )

    def seats(self) -> tuple[str, ...]:
        """Return the participants' names, nobody's where whoever sits down is to be dealt a role."""
        return tuple(one.seat for one in self.participants)

    @property
    def terms(self) -> Terms:
        """When this talk ends."""
        told = self.termination
        return Terms(
            self.depth,
            self.max_iterations,
            told.min_novelty,
            told.min_convergence,
            told.depth_threshold,
            told.mode,
        )

    def rules(self) -> str:
        """Return the rules as participants read them."""
        return render("talks/rules.j2", game=self, levels=DEPTHS, moves=[*Move])

    def start(self, player_ids: Sequence[str], rng: random.Random) -> Table:
        """Seat the participants; nothing is drawn."""
        del rng
        if len(player_ids) < 2:
            raise ValueError(f"expected at least two participants: got {len(player_ids)}")
        people = {one.seat: one for one in self.participants or self.dealt(player_ids)}
        if {*people} != {*player_ids}:
            raise ValueError(
                f"expected players called as the participants are, {', '.join(people)}: got {', '.join(player_ids)}"
            )
        ids = distinct([safe_id(name) for name in player_ids])
        newcomers = tuple(
            newcomer(
                participant_id=one,
                name=people[name].name,
                gender=people[name].gender,
                personality=people[name].personality,
                expertise_area=people[name].expertise,
                core_beliefs=people[name].core_beliefs,
                constants=self.numbers,
            )
            for one, name in zip(ids, player_ids, strict=True)
        )
        talk = opening(self.topic, self.depth, newcomers, self.numbers)
        return self.table(talk, dict(zip(ids, player_ids, strict=True)))

    @property
    def numbers(self) -> Constants:
        """The constants of this talk."""
        return overridden(self.constants)

    def table(self, talk: GroupDiscussionState, names: Mapping[str, str]) -> Table:
        """Return a talk, whose participants have `names` at the table, with all that was said in it remembered."""
        theory = MultiAgentGameTheory(self.numbers, self.termination.depth_threshold)
        table = Table(theory, talk, names, self.new_corpus(), self.new_corpus())
        for exchange in talk.exchanges:
            remember(table, exchange)
        return table

    def dealt(self, player_ids: Sequence[str]) -> list[Participant]:
        """Return roles of the default cast for players whom no setting describes."""
        return [Participant(**role._asdict()) for role in dealt(tuple(player_ids))]

    def new_corpus(self) -> "Corpus":
        """Return an empty corpus."""
        from engine.memory.embeddings import default_embedder

        if self.corpus == "chroma":
            from engine.memory.chroma import ChromaCorpus

            return ChromaCorpus(default_embedder())
        from engine.memory.corpus import MemoryCorpus

        return MemoryCorpus(default_embedder())

    def plan(self, state: Table) -> RoundPlan[Table] | None:
        """Have one exchange a round until a criterion says that it is enough."""
        if state.check is not None and state.check.reason is not None:
            return None
        phases = (self.phase_select, self.phase_speak, self.phase_update, self.phase_check)
        first = () if state.talk.turn_number else (phase_setup,)
        last = state.talk.turn_number + 1 == self.terms.cap
        return RoundPlan((*first, *phases), tuple(state.names.values()), final_round=last)

    async def phase_select(self, context: RoundContext[Table]) -> None:
        """Choose who speaks, and with which move; all that led to it is in the log and in nobody's view."""
        table = context.state
        wishes = table.theory.wishes(table.talk, context.rng("selection"))
        scores = {one: wish.score for one, wish in wishes.items()}
        in_turn = table.talk.order[table.talk.turn_number % len(scores)]
        speaker = (
            in_turn if self.turns == "round_robin" else chosen(scores, table.talk.last_speaker)
        )
        choice = table.theory.choice(speaker, table.talk)
        record_selection(context, wishes, speaker, choice)
        context.state = replace(table, wishes=wishes, speaker=speaker, choice=choice)

    async def phase_speak(self, context: RoundContext[Table]) -> None:
        """Let the chosen one speak; what it says is compared with all that was said, and then remembered."""
        reply = await context.ask(self.turn_of(context.state, context.prompt))
        context.state = replace(context.state, exchange=heard(context.state, reply.answer))
        record_utterance(context, reply)

    async def phase_update(self, context: RoundContext[Table]) -> None:
        """Change how everybody stands."""
        table = context.state
        assert table.exchange is not None
        talk = after(table.talk, table.exchange, table.wishes, table.theory.constants)
        context.state = replace(table, talk=talk, levels=(*table.levels, talk.convergence_level))

    async def phase_check(self, context: RoundContext[Table]) -> None:
        """Look at every criterion; if one is met, tell everybody why the talk is over."""
        talk, theory = context.state.talk, context.state.theory
        payoffs = {
            one: theory.calculate_move_payoffs(one, talk)[Move.CONCLUDE] for one in talk.order
        }
        check = ConversationTerminator(self.terms, theory.constants).check(
            aspects=talk.aspects_explored,
            exchange_count=talk.turn_number,
            novelty_score=talk.novelty_score,
            convergence_level=talk.convergence_level,
            conclude_payoffs=[*payoffs.values()],
        )
        context.state = replace(context.state, check=check)
        record_check(context, check)

    def turn_of(self, table: Table, prompt: Callable[..., Prompt]) -> Turn[Utterance]:
        """Return the question that is put to the chosen speaker; `prompt` makes what it reads."""
        seen = self.seen(table)
        form = utterance_of(seen.name, self.words)
        return Turn(
            seen.name,
            "utterance",
            seen,
            lambda: prompt(seen.name, "talks/utterance.j2", **self.told(table, seen)),
            form,
            {},
            form.model_construct(text=""),
        )

    def seen(self, table: Table) -> Seen:
        """Return what the chosen speaker, if it is a script, sees."""
        assert table.choice is not None
        talk, move, own = table.talk, table.choice.move, table.talk.participants[table.speaker]
        return Seen(
            name=table.names[table.speaker],
            personality=own.personality,
            expertise=own.expertise_area,
            beliefs=own.core_beliefs,
            topic=talk.topic,
            target_depth=talk.target_depth,
            level=depth_after(move.type, talk),
            turn=talk.turn_number + 1,
            move=replace(move, target=table.called(move.target)),
            exchanges=tuple(table.named(exchange) for exchange in talk.exchanges),
            aspects=talk.aspects_explored,
            similar=similar_positions(table),
            circling=orbit(talk.exchanges, table.theory.constants),
        )

    def told(self, table: Table, seen: Seen) -> dict[str, object]:
        """Return what the question tells beside the transcript: what is new at this turn."""
        own, move, numbers = (
            table.talk.participants[table.speaker],
            seen.move,
            table.theory.constants,
        )
        relationships = {
            table.names[other]: {
                "affinity": round(own.relationships.get(other, numbers.affinity), 2),
                "respect": round(own.respect_levels.get(other, numbers.respect), 2),
            }
            for other in (
                one.participant_id for one in table.talk.get_other_participants(table.speaker)
            )
        }
        return {
            "name": seen.name,
            "turn": seen.turn,
            "depth": f"Level {seen.level}/{self.depth}",
            "relationships": relationships,
            "similar": [{"by": who, "position": what} for who, what in seen.similar],
            "circling": seen.circling,
            "move": move.type,
            "instruction": INSTRUCTIONS[move.type].format(target=move.target or "the group"),
            "manner": wording(move.intensity),
            "level": DEPTHS[seen.level],
        }

    def outcome(self, state: Table) -> Outcome:
        """Return the figures of the talk, which all win or lose together."""
        assert state.check is not None
        figures = {state.names[one]: own for one, own in figures_of(state.talk).items()}
        shared = shared_figures(state.talk)
        scores = dict.fromkeys(figures, shared["quality"])
        return Outcome(dict.fromkeys(figures, 1), scores, figures, shared, ended(state.check))

    @classmethod
    def report(cls, history: History) -> Iterator[Part]:
        """Yield the evaluation of the talk."""
        from engine.games.talks.log.report import report

        return report(history)

    @classmethod
    def explain(cls, event: Event) -> Iterator[Part]:
        """Yield every urgency, payoff and criterion behind an event."""
        from engine.games.talks.log.explanation import explanation

        return explanation(event)

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return relationships, affinity, convergence and moves as pictures."""
        from engine.games.talks.log.pictures import pictures
        from engine.games.talks.log.record import record_of

        record = record_of(history.events)
        return {} if record is None else pictures(record)


def present(table: Table) -> str:
    """Return who is there, and what kind of person each is."""
    people = [(table.names[one], table.talk.participants[one]) for one in table.talk.order]
    facts = [
        (name, [own.gender.pronouns, own.personality, own.expertise_area]) for name, own in people
    ]
    who = "; ".join(f"{name} ({', '.join(filter(None, told))})" for name, told in facts)
    return f"The participants: {who}."


async def phase_setup(context: RoundContext[Table]) -> None:
    """Tell everybody who is there, and each privately who it is."""
    from engine.memory.embeddings import default_embedder

    table = context.state
    people = [(table.names[one], table.talk.participants[one]) for one in table.talk.order]
    settled = {
        "topic": table.talk.topic,
        "depth": table.talk.target_depth,
        "embedder": default_embedder().name,
    }
    context.narrate(present(table), data=settled)
    for name, own in people:
        context.record(
            "setup",
            f"Who {name} is",
            render("talks/setup.j2", who=own, style=ARCHETYPES[own.personality].style),
            player_id=name,
            visibility=(name,),
            data={"participant": own.plain()},
        )
