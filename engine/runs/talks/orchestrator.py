"""The API that the talks' design specifies: a discussion's orchestrator and participant agent."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import Any

from pydantic import ValidationError

from engine.config import GameEngineConfig, known_settings
from engine.engine import GameEngine
from engine.games.talks.game import TalksGame
from engine.games.talks.log.events import persona_of, present
from engine.games.talks.settings import seat_name
from engine.games.talks.speech.hearing import hear_answer
from engine.games.talks.state import DialogueMove, GroupDiscussionState, ParticipantState
from engine.games.talks.talk_state import TalkState
from engine.games.talks.theory.choosing import Choice
from engine.games.talks.theory.effects import speaker_after
from engine.history import Event, History, transcript_line
from engine.prompting import render
from engine.round import Listener
from engine.runs.seating import players_for
from engine.runs.talks.keeper import SessionKeeper, store_for
from engine.runs.talks.store import StoreError
from player import Player, PlayerConfig, Prompt, Untaped
from protocol.suggest import explain

PAIR = 2
SEEDS = 10_000


class MultiAgentDiscussionOrchestrator:
    """Runs one discussion; game theory decides who speaks, with which move, and when it ends.

    `participants_config` describes each participant by name, gender, personality, expertise and
    core_beliefs; a number selects that many of the default cast. `players`, written as
    in `--players` or given as configs, answer for the participants. The default players are the
    models whose keys are set, else the embedded model, or scripts if `offline` is true. `settings`
    are the game's other settings, such as max_iterations or termination. `logs_dir` is the folder
    for the log, a ChromaDB corpus (in `corpora`), and the state after every exchange; the state is
    stored in Redis instead if REDIS_URL is set. Raises ValueError if an argument is invalid.

    >>> import asyncio
    >>> talk = MultiAgentDiscussionOrchestrator("What is love?", 1, offline=True, seed=1)
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
        people = participants_config
        if not isinstance(people, int):
            people = [*people] or 0
        options = {
            "topic": topic,
            "depth": target_depth,
            "participants": people,
            "turns": self.turns,
        }
        try:
            self.game = TalksGame.model_validate(options | settings)
        except ValidationError as error:
            raise ValueError(explain(error, known_settings())) from None
        if players is None or isinstance(players, str):
            players = players_for(
                players,
                [*TalksGame.strategies],
                os.environ,
                offline=offline,
                called=self.game.seats(),
            )
        config = GameEngineConfig(
            player_configs=[*players],
            logs_dir=logs_dir,
            game=self.game,
            seed=SystemRandom().randrange(SEEDS) if seed is None else seed,
        )
        self.engine = GameEngine(config)
        if watch is not None:
            self.engine.subscribe(watch)
        self.store = store_for(logs_dir)

    @property
    def group_state(self) -> GroupDiscussionState:
        """The state of the discussion."""
        state: TalkState = self.engine.state
        return state.talk

    @property
    def history(self) -> History:
        """The log of the discussion."""
        return self.engine.history

    async def run_discussion(self) -> list[dict[str, Any]]:
        """Run the discussion and return its exchanges; raise RuntimeError if it ended early.

        Each exchange has a speaker, content, move, target and figures.
        """
        history = await self._play()
        if history.status != "finished":
            reason = history.reason or "it was interrupted"
            raise RuntimeError(f"the discussion ended early: {reason}")
        utterances = [event for event in history.events if event.kind == "utterance"]
        return [{**event.data, "content": event.content} for event in utterances]

    async def _play(self) -> History:
        if self.store is None:
            return await self.engine.play()
        keeper = SessionKeeper([self.engine], self.store, self.engine.config.logs_dir)
        await asyncio.to_thread(keeper.start)
        try:
            history = await self.engine.play()
        except BaseException:
            # The error that ended the talk matters more than a store error.
            with suppress(StoreError):
                await asyncio.to_thread(keeper.close)
            raise
        await asyncio.to_thread(keeper.close)
        return history


class SimpleOrchestrator(MultiAgentDiscussionOrchestrator):
    """Runs a discussion in which the participants take turns (round robin)."""

    turns = "round_robin"


class ParticipantAgent:
    """A participant without an orchestrator; it updates its own state when it speaks."""

    def __init__(
        self, state: ParticipantState, player: Player, game: TalksGame | None = None
    ) -> None:
        self.state = state
        self.player = player
        self.game = game or TalksGame()

    async def generate_response(
        self, topic: str, group_state: GroupDiscussionState, recommended_move: DialogueMove
    ) -> str:
        """Return the participant's utterance ("" if the answer is unusable); update its state."""
        own_id = self.state.participant_id
        for participant_id in (own_id, recommended_move.target or own_id):
            group_state.get_participant(participant_id)
        everybody = {**group_state.participants, own_id: self.state}
        talk = replace(group_state, topic=topic, participants=everybody)
        names = {participant: seat_name(person.name) for participant, person in everybody.items()}
        state = replace(
            self.game.state_of(talk, names),
            speaker=own_id,
            choice=Choice(recommended_move, {}, {}),
        )
        turn = self.game.turn_of(state, self._prompt(state))
        reply = await self.player.decide(turn, Untaped())
        exchange = hear_answer(state, reply.answer, spares_target=self.game.warns).exchange
        assert exchange is not None
        self.state = speaker_after(self.state, exchange, state.theory.constants)
        return exchange.content

    def _prompt(self, state: TalkState) -> Callable[..., Prompt]:
        """Return a function that builds this participant's prompt from a template and values."""
        settings = {"topic": state.talk.topic, "depth": state.talk.target_depth, "host": None}
        rules = self.game.model_copy(update=settings).rules(players=len(state.names))
        name = state.names[self.state.participant_id]
        system = render(
            "shared/system.j2",
            rules=rules,
            player=self.player.config.model_copy(update={"player_id": name}),
            persona=persona_of(self.state),
            lines=self.game.lines,
        )
        heard = transcript_of(state)

        def prompt(player_id: str, template: str, **values: Any) -> Prompt:
            del player_id
            reader = self.player.config.reader
            return Prompt(system, heard, render(template, reader=reader, **values))

        return prompt


def transcript_of(state: TalkState) -> str:
    """Return a talk as participants remember it: the participants, then the utterances."""
    people = Event(0, "narration", "", "narrator", None, present(state), (), {}, "")
    lines = [transcript_line(people, TalksGame.lines)]
    for exchange in state.talk.exchanges:
        utterance = state.with_players(exchange)
        who, words = utterance.speaker, utterance.content
        event = Event(utterance.turn, "utterance", "", f"player {who}", who, words, (), {}, "")
        lines.append(transcript_line(event, TalksGame.lines))
    return "".join(lines)
