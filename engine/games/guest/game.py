"""GuestEnv as a game of the arena: everybody moderates a session of their own, all from the same start."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

from pydantic import Field, model_validator

from engine.game import Game
from engine.games.guest.checker import CHECKS
from engine.games.guest.record import CHOICES, effective, facts_of, sentence_of, told
from engine.games.guest.report import pictures
from engine.games.guest.rules import skewed, start_state
from engine.games.guest.scoring import outcome_of
from engine.games.guest.session import Frame, Moment, Session, after, begin, frame_of, moments
from engine.games.guest.strategies import STRATEGIES, Action, script_of
from engine.games.guest.strategies.trained import load
from engine.history import History, Outcome
from engine.report.charts import Chart
from engine.round import RoundContext, RoundPlan
from player import Reply, Script, Turn

Sessions: TypeAlias = Mapping[str, Session]
Params: TypeAlias = dict[int, dict[str, int | float]]


class GuestGame(Game[Sessions]):
    """Everybody moderates the same conversation of three agents, each in a room of their own."""

    name: ClassVar[str] = "guest"
    version: ClassVar[int] = 1
    strategies: ClassVar[Mapping[str, Script]] = STRATEGIES
    checks: ClassVar[Any] = CHECKS
    reads_json: ClassVar[bool] = True

    max_steps: int = Field(default=60, ge=1, description="steps of a session")
    every: int = Field(
        default=3, ge=1, description="steps that one decision is for: the action, then waiting"
    )
    imbalance_factor: float = Field(
        default=0.0, ge=0, le=1, description="how much agent 2 is favoured, from 0 to 1"
    )
    energy_imbalance: float = Field(
        default=0.0, ge=0, le=1, description="skew of the energies at the start; 0: drawn"
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
        """How every session of the game is played."""
        return frame_of(self.model_dump())

    def start(self, player_ids: Sequence[str], rng: random.Random) -> Sessions:
        """Open a room for everybody; its agents have the same energies in all."""
        drawn = tuple(rng.uniform(0.4, 0.6) for _ in range(3))
        energy = skewed(self.energy_imbalance) if self.energy_imbalance else drawn
        return dict.fromkeys(player_ids, begin(start_state(energy), self.frame))

    def plan(self, state: Sessions) -> RoundPlan[Sessions] | None:
        """Play one decision a round until the steps are over."""
        session = next(iter(state.values()))
        if session.left <= 0:
            return None
        phases = (self.phase_decision,) if session.taken else (phase_opening, self.phase_decision)
        return RoundPlan(phases, (*state,), final_round=session.left <= self.every)

    async def phase_decision(self, context: RoundContext[Sessions]) -> None:
        """Everybody decides at once, each for their own room, where it is done and then waited."""
        sessions = context.state
        replies = await context.ask_all([self.turn_of(context, name) for name in sessions])
        decided = dict(context.state)
        for (name, session), reply in zip(sessions.items(), replies, strict=True):
            played = moments(session, CHOICES.index(reply.answer.action))
            record_action(context, name, reply)
            record_steps(context, name, played)
            decided[name] = after(session, played)
        context.state = decided

    def turn_of(self, context: RoundContext[Sessions], name: str) -> Turn[Action]:
        """Return the question that is put to one player."""
        session = context.state[name]
        waits = min(self.every, session.left) - 1
        return Turn(
            name,
            "action",
            session,
            lambda: context.prompt(name, "guest/act.j2", state=told(session), waits=waits),
            Action,
            {"action": effective(session.state)},
            WAIT,
        )

    @classmethod
    def trained(cls, path: str) -> Script:
        """Return the player that a policy trained in the environment is."""
        return script_of(load(path))

    def outcome(self, state: Sessions) -> Outcome:
        """Rank the players by their rewards; a score says how far each came from waiting to the best course known."""
        return Outcome(**outcome_of(state))

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return reward and equality by step."""
        return pictures(history)


WAIT = Action(action=CHOICES[0])


async def phase_opening(context: RoundContext[Sessions]) -> None:
    """Tell everybody how the conversation begins."""
    energy = next(iter(context.state.values())).start.energy
    words = ", ".join(f"agent {agent} {one:.2f}" for agent, one in enumerate(energy))
    context.narrate(
        f"The session begins; nobody speaks. Energies: {words}.", data={"energy": [*energy]}
    )


def record_action(context: RoundContext[Sessions], name: str, reply: Reply[Action]) -> None:
    """Write what a player decided; the steps say it again to whoever may see them."""
    action, why = reply.answer.action, reply.answer.rationale
    content, data = f"{action}{': ' if why else ''}{why}", {"action": action, "rationale": why}
    context.record(
        "action", "Action", content, player_id=name, visibility=(), data=data, reply=reply
    )


def record_steps(context: RoundContext[Sessions], name: str, played: Sequence[Moment]) -> None:
    """Tell a player what came of the decision; the log has it in full."""
    first, last = played[0].state.step_counter, played[-1].state.step_counter
    heading = f"Step {first}" if first == last else f"Steps {first} to {last}"
    data = {"player_id": name, "steps": facts_of(played)}
    context.narrate(
        sentence_of(played), kind="step", heading=heading, visibility=(name,), data=data
    )
