"""GuestEnv as a game: every player moderates its own session, and all sessions start alike."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

from pydantic import Field, model_validator

from engine.game import Game
from engine.games.guest.record import (
    CHOICES,
    Act,
    Opening,
    Steps,
    choices_under,
    describe,
    fact_of,
    facts_of_session,
    late_in_words,
    sentence_of,
)
from engine.games.guest.report import draw_charts, turns_of_guest
from engine.games.guest.rules import LATE, action_mask, skew_energies, start_state
from engine.games.guest.scoring import outcome_of
from engine.games.guest.session import (
    Frame,
    Moment,
    Session,
    advance_session,
    begin,
    frame_of,
    moments,
)
from engine.games.guest.strategies import STRATEGIES, Action, load_policy, moderator
from engine.history import Event, History, Lines
from engine.round import RoundContext, RoundPlan
from engine.views.naming import sides_in_words
from player import Reply, Script, Turn

Sessions: TypeAlias = Mapping[str, Session]
Params: TypeAlias = dict[int, dict[str, int | float]]


class GuestGame(Game[Sessions]):
    """Every player moderates its own copy of the same conversation between three agents."""

    name: ClassVar[str] = "guest"
    version: ClassVar[int] = 4
    basic: ClassVar[tuple[str, ...]] = ("max_steps", "every")
    lines: ClassVar[Lines] = "turn"
    strategies: ClassVar[Mapping[str, Script]] = STRATEGIES
    payloads: ClassVar[Mapping[str, Any]] = {
        "narration": Opening,
        "action": Act,
        "step": Steps,
    }
    # Every player has its own session, and all sessions start alike.
    rotates: ClassVar[bool] = False
    facts_of: ClassVar = staticmethod(facts_of_session)
    charts: ClassVar = staticmethod(draw_charts)
    turning_points: ClassVar = staticmethod(turns_of_guest)
    outcome: ClassVar = staticmethod(outcome_of)

    max_steps: int = Field(
        title="Steps",
        default=60,
        ge=1,
        le=100_000,
        description="steps of a session",
    )
    every: int = Field(
        title="Steps of a decision",
        default=3,
        ge=1,
        le=100_000,
        description="steps per decision: the action, then waiting",
    )
    imbalance_factor: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="how much agent 2 is favoured, from 0 to 1",
    )
    energy_imbalance: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="skew of the energies at the start; 0: drawn at random",
    )
    agent_params: Params | None = Field(
        default=None, description="other parameters of the agents, by index"
    )

    @model_validator(mode="after")
    def _check_terms(self) -> Self:
        frame_of(self.model_dump())
        return self

    @property
    def frame(self) -> Frame:
        """The terms, steps and steps per decision of every session in the game."""
        return frame_of(self.model_dump())

    @property
    def late_percent(self) -> int:
        """The percentage of an agent's longest turn after which the turn is late."""
        return round(100 * LATE)

    @property
    def late_in_words(self) -> str:
        """The step from which each agent's turn is late, in words."""
        return late_in_words(self.frame.terms)

    def start(self, player_ids: Sequence[str], rng: random.Random) -> Sessions:
        """Start a session for every player, with the same energies in all sessions."""
        energy = (rng.uniform(0.4, 0.6), rng.uniform(0.4, 0.6), rng.uniform(0.4, 0.6))
        if self.energy_imbalance:
            energy = skew_energies(self.energy_imbalance)
        session = begin(start_state(energy), self.frame)
        return dict.fromkeys(player_ids, session)

    def plan(self, state: Sessions) -> RoundPlan[Sessions] | None:
        """Plan one decision per round, or return None once all steps are played."""
        session = next(iter(state.values()))
        if session.left <= 0:
            return None
        phases = (self.phase_decision,) if session.taken else (phase_opening, self.phase_decision)
        return RoundPlan(phases, tuple(state), final_round=session.left <= self.every)

    async def phase_decision(self, context: RoundContext[Sessions]) -> None:
        """Ask all players concurrently; each session plays its player's action and then waits."""
        sessions = dict(context.state)
        turns = [self.ask_action(context, name) for name in sessions]
        for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
            name = turn.player_id
            played = moments(sessions[name], CHOICES.index(reply.answer.action))
            record_action(context, name, reply)
            record_steps(context, name, played)
            sessions[name] = advance_session(sessions[name], played)
        context.state = sessions

    def ask_action(self, context: RoundContext[Sessions], name: str) -> Turn[Action]:
        """Return the question for one player."""
        session = context.state[name]
        waits = min(self.every, session.left) - 1
        actions = choices_under(action_mask(session.state))
        return Turn(
            player_id=name,
            kind="action",
            observation=session,
            prompt=lambda: context.prompt(
                name,
                "guest/act.j2",
                state=describe(session),
                waits=waits,
                actions=actions,
            ),
            answer=Action,
            choices={"action": actions},
            fallback=WAIT,
        )

    @classmethod
    def title(cls, history: History) -> str:
        """Return a title that names the moderators."""
        verb = "moderates" if len(history.players) == 1 else "moderate"
        return f"{sides_in_words(history.players)} {verb} three agents"

    @classmethod
    def answers_in(cls, history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
        """Yield the event of every action, with its answer."""
        for event in history.events:
            if event.kind == "action":
                yield event, event.data

    @classmethod
    def trained(cls, path: str) -> Script:
        """Return the policy in the file `path` as a player."""
        return moderator(load_policy(path))


WAIT = Action(action=CHOICES[0])


async def phase_opening(context: RoundContext[Sessions]) -> None:
    """Announce the agents' energies at the start."""
    session = next(iter(context.state.values()))
    energy = session.start.energy
    words = ", ".join(f"agent {agent} {share:.2f}" for agent, share in enumerate(energy))
    content = f"The session begins; nobody speaks. Energies: {words}."
    context.narrate(content, data=Opening(energy))


def record_action(
    context: RoundContext[Sessions],
    name: str,
    reply: Reply[Action],
) -> None:
    """Log a player's decision as a hidden event; `record_steps` shows its effect to the player."""
    action, why = reply.answer.action, reply.answer.rationale
    context.record(
        "action",
        "Action",
        f"{action}: {why}" if why else action,
        player_id=name,
        visibility=(),
        data={"action": action, "rationale": why},
        reply=reply,
    )


def record_steps(
    context: RoundContext[Sessions],
    name: str,
    played: Sequence[Moment],
) -> None:
    """Show a player the effect of its decision; the event's data has every step in full."""
    first = played[0].state.step_counter
    last = played[-1].state.step_counter
    context.narrate(
        sentence_of(played),
        kind="step",
        heading=f"Step {first}" if first == last else f"Steps {first} to {last}",
        visibility=(name,),
        data={"player_id": name, "steps": [*map(fact_of, played)]},
    )
