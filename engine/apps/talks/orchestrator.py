"""The design's own faces for Python: an orchestrator that holds a discussion, and an agent that speaks in one."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import Any

from pydantic import ValidationError

from engine.apps.talks.keeper import SessionKeeper, store_for
from engine.config import GameEngineConfig, known_settings
from engine.engine import GameEngine
from engine.games.talks.archetypes import ARCHETYPES
from engine.games.talks.game import TalksGame
from engine.games.talks.log.events import present
from engine.games.talks.names import seat_name
from engine.games.talks.speech.hearing import hear_answer
from engine.games.talks.state import DialogueMove, Exchange, GroupDiscussionState, ParticipantState
from engine.games.talks.talk_state import TalkState
from engine.games.talks.theory.choosing import Choice
from engine.games.talks.theory.effects import speaker_after
from engine.history import Event, History, transcript_line
from engine.prompting import render
from engine.round import Listener
from engine.runs.seating import players_for
from player import Player, PlayerConfig, Prompt, Untaped
from protocol.suggest import explain

PAIR = 2


class MultiAgentDiscussionOrchestrator:
    """Holds one discussion: who speaks, with which move, and when it ends, is decided by game theory.

    `participants_config` describes each participant by name, gender, personality, expertise and
    core_beliefs; a number takes so many of the default cast. `players` says who answers for them,
    as `--players` does, or by their configs; by default models do: those whose keys are set, or
    else the embedded one, and with `offline` scripts. `settings` are the game's others, such as
    max_iterations or termination. With a `logs_dir` the discussion leaves its log there, and its
    state after every exchange in the sessions there; with REDIS_URL set those are kept in Redis.
    ValueError says what is wrong with any of it.

    >>> import asyncio
    >>> talk = MultiAgentDiscussionOrchestrator("What is love?", target_depth=1, offline=True, seed=1)
    >>> sorted({exchange["speaker"] for exchange in asyncio.run(talk.run_discussion())})
    ['Marcus', 'Sophia']
    """

    turns = "theory"

    def __init__(
        self,
        topic: str,
        target_depth: int = 3,
        participants_config: Sequence[Mapping[str, Any]] | int = PAIR,
        *,
        players: str | Sequence[PlayerConfig] | None = None,
        offline: bool = False,
        seed: int | None = None,
        logs_dir: Path | None = None,
        watch: Listener | None = None,
        **settings: Any,
    ) -> None:
        people = (
            participants_config
            if isinstance(participants_config, int)
            else [*participants_config] or 0
        )
        told = {
            "topic": topic,
            "depth": target_depth,
            "participants": people,
            "turns": self.turns,
            **settings,
        }
        try:
            self.game = TalksGame.model_validate(told)
        except ValidationError as error:
            raise ValueError(explain(error, known_settings())) from None
        if players is None or isinstance(players, str):
            habits, called = [*TalksGame.strategies], self.game.seats()
            seats = players_for(players, habits, os.environ, offline=offline, called=called)
        else:
            seats = [*players]
        drawn = SystemRandom().randrange(10_000) if seed is None else seed
        config = GameEngineConfig(
            player_configs=seats, logs_dir=logs_dir, game=self.game, seed=drawn
        )
        self.engine = GameEngine(config)
        if watch is not None:
            self.engine.subscribe(watch)
        self.store = store_for(logs_dir)

    @property
    def group_state(self) -> GroupDiscussionState:
        """Where the discussion stands."""
        table: TalkState = self.engine.state
        return table.talk

    @property
    def history(self) -> History:
        """The log of the discussion."""
        return self.engine.history

    async def run_discussion(self) -> list[dict[str, Any]]:
        """Hold the discussion and return its exchanges, each with its speaker, content, move, target and figures.

        RuntimeError if it could not be held to its end.
        """
        history = await self._play()
        if history.status != "finished":
            raise RuntimeError(
                f"the discussion ended early: {history.reason or 'it was interrupted'}"
            )
        return exchanges_of(history)

    async def _play(self) -> History:
        if self.store is None:
            return await self.engine.play()
        keeper = SessionKeeper([self.engine], self.store)
        await asyncio.to_thread(keeper.start)
        try:
            return await self.engine.play()
        finally:
            await asyncio.to_thread(keeper.close)


class SimpleOrchestrator(MultiAgentDiscussionOrchestrator):
    """Holds a discussion in which the participants speak in turn, as round robin has it."""

    turns = "round_robin"


class ParticipantAgent:
    """One participant that speaks for itself, outside an orchestrator: it knows its own state, and learns by speaking.

    `player` answers for it; `game` has the settings of the discussion.
    """

    def __init__(
        self, state: ParticipantState, player: Player, game: TalksGame | None = None
    ) -> None:
        self.state = state
        self.player = player
        self.game = game or TalksGame()

    async def generate_response(
        self, topic: str, group_state: GroupDiscussionState, recommended_move: DialogueMove
    ) -> str:
        """Return what the participant says, empty if nothing usable came, and take it into the participant's state."""
        own = self.state.participant_id
        for one in (own, recommended_move.target or own):
            group_state.get_participant(one)
        talk = replace(
            group_state, topic=topic, participants={**group_state.participants, own: self.state}
        )
        names = {one: seat_name(person.name) for one, person in talk.participants.items()}
        table = replace(
            self.game.state_of(talk, names), speaker=own, choice=Choice(recommended_move, {}, {})
        )
        reply = await self.player.decide(self.game.turn_of(table, self._prompt(table)), Untaped())
        exchange = hear_answer(table, reply.answer).exchange
        assert exchange is not None
        self.state = speaker_after(self.state, exchange, table.theory.constants)
        return exchange.content

    def _prompt(self, table: TalkState) -> Callable[..., Prompt]:
        """Return what makes the prompt of this participant from a template and its values."""
        told = self.game.model_copy(
            update={"topic": table.talk.topic, "depth": table.talk.target_depth}
        )
        who = render(
            "talks/setup.j2", who=self.state, style=ARCHETYPES[self.state.personality].style
        )
        config = self.player.config.model_copy(
            update={"player_id": table.names[self.state.participant_id]}
        )
        system = render("shared/system.j2", rules=told.rules(), player=config) + f"\n{who}"
        people = Event(0, "narration", "", "narrator", None, present(table), (), {}, "")
        spoken_so_far = (
            event_of(table.with_players(exchange)) for exchange in table.talk.exchanges
        )
        said = "".join(map(transcript_line, [people, *spoken_so_far]))

        def prompt(player_id: str, template: str, **values: Any) -> Prompt:
            del player_id
            return Prompt(system, said, render(template, **values))

        return prompt


def event_of(exchange: Exchange) -> Event:
    """Return an exchange as the event that players remember it by."""
    speaker = exchange.speaker
    return Event(
        exchange.turn, "utterance", "", f"player {speaker}", speaker, exchange.content, (), {}, ""
    )


def exchanges_of(history: History) -> list[dict[str, Any]]:
    """Return the exchanges of a talk from its log, in order."""
    return [
        {**event.data, "content": event.content}
        for event in history.events
        if event.kind == "utterance"
    ]
