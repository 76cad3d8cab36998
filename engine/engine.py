"""The engine: it seats players, plays rounds, keeps the journal and writes the log of any game."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

from client_factory import ClientConfig, ClientFactory
from engine import version
from engine.config import (
    GameEngineConfig,
    recorded_config,
    redact,
    refuse_changes,
    refuse_lost_secrets,
)
from engine.history import History, PlayerUsage, Seat, Transcripts, check_version
from engine.prompting import render
from engine.record.disk import run_in_thread
from engine.record.files import DiskError, new_game_id, refuse_taken, write_whole, writing
from engine.record.journal import Journal, JournalError, Unrecorded
from engine.rng import stream
from engine.round import Listener, RoundContext, RoundPlan
from engine.spending.budget import BudgetReached, Meter, MeteredClient, check_prices, seat_of
from engine.spending.validity import void_words
from engine.spending.waiting import Waits, WatchedClient, where
from player import Answerer, Console, Player, PlayerConfig, Released, Untaped
from protocol.answer import Plain
from protocol.seats import Supplies
from protocol.suggest import one_of
from providers import Client, Completion, CompletionRequest, FatalError
from providers.retry_lines import GAME

__all__ = ["GameEngine", "GameEngineConfig"]


def seat_answerers(
    config: GameEngineConfig, answerers: Mapping[str, Answerer]
) -> dict[str, Answerer]:
    """Return the answerers by seat id; raise ValueError for an id without a matching seat."""
    return {
        one_of(player_id, config.player_ids, "seat"): answerer
        for player_id, answerer in answerers.items()
    }


class GameEngine:
    """Plays one game: `run()` from a script, `play()` inside an event loop."""

    def __init__(
        self,
        config: GameEngineConfig,
        *,
        factory: ClientFactory | None = None,
        answerers: Mapping[str, Answerer] | None = None,
        console: Console | None = None,
        journal: Journal | None = None,
        whole: Meter | None = None,
    ) -> None:
        """Prepare a game and its players.

        `answerers` maps a player id to the object that asks the person in that seat; `console` asks
        all other people. `journal` is a journal to resume; `whole` counts the spending of a batch.
        Raises ValueError, naming the setting or seat, if one is invalid.
        """
        if journal is None:
            refuse_taken(config.logs_dir, config.game_id)
            config = config.with_sizes()
        self.config = config
        self.factory = factory or ClientFactory()
        self.owns_factory = factory is None
        self.console = console or Console()
        self.answerers = seat_answerers(config, answerers or {})
        self.listeners: list[Listener] = []
        self.journal = journal
        self.untaped = Untaped()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.interrupted = False
        self.keeps_hidden = True
        self.context: RoundContext[Any] | None = None
        self.rules_prompt = config.rules_prompt or self._rules()
        self.state = config.game.start(config.player_ids, stream(config.seed, "start"))
        self.sitting = {player.player_id: player for player in config.all_players()}
        self.meter = self._new_meter(whole)
        self.waits = Waits()
        self.players = [self._seat(player) for player in config.player_configs]
        self.heirs = [(change.after, self._seat(change.player)) for change in config.handovers]
        self.transcripts = Transcripts()
        self.history = self._new_history()

    @classmethod
    def resume(
        cls,
        path: Path,
        config: GameEngineConfig | None = None,
        *,
        allow_changed: bool = False,
        **more: Any,
    ) -> "GameEngine":
        """Return an engine that resumes the game from the journal at `path`; play it only once.

        Without `config`, the game continues as recorded. Raises JournalError if the journal is
        damaged or, unless `allow_changed` is true, if the config, the templates or the game's
        version differ from the recorded ones.
        """
        header = Journal.load(path).header
        recorded = recorded_config(header)
        config = config.with_sizes() if config else GameEngineConfig.model_validate(recorded)
        config = config.model_copy(update={"logs_dir": path.parent, "game_id": path.stem})
        refuse_lost_secrets(config)
        if not allow_changed:
            refuse_changes(header["made_from"], config)
        journal = Journal.reopen(path, config.clock)
        try:
            return cls(config, journal=journal, **more)
        except ValueError:
            journal.close()
            raise

    @classmethod
    def replay(cls, path: Path) -> History:
        """Replay the journal at `path` without any model call, and return the game so far.

        If rules or prompts have changed since, the replay ends at the first question that differs.
        """
        journal = Journal.load(path)
        config = GameEngineConfig.model_validate(recorded_config(journal.header))
        check_version(
            config.game.name, journal.header["made_from"].get("game_version"), config.game.version
        )
        unbound = config.limits.without_budgets()
        alone = {"logs_dir": None, "game_id": path.stem, "limits": unbound}
        engine = cls(config.model_copy(update=alone), journal=journal)
        # Otherwise a game played only by scripts would continue past the point where it stopped.
        engine.meter.most_events = journal.bound
        history = engine.history
        try:
            engine.run()
        except JournalError as error:
            history.reason = str(error)
        if journal.reason:
            history.status, history.reason = journal.status, journal.reason
        return history

    def run(self) -> History:
        """Play the game to its end and return its history.

        If an event loop is already running, as in a notebook, the game runs in a thread and blocks
        that loop. To avoid this, `await play()`, or create and run the engine in a thread.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.play())
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self.play()).result()

    async def play(self) -> History:
        """Play the game until it ends or its budget is used up.

        After a fatal provider or disk error, the status is "failed" and the game can be resumed.
        """
        GAME.set(self.history.game_id)
        self.meter.start()
        self.loop = asyncio.get_running_loop()
        try:
            self.record()
            await self._play_rounds()
            await self._fold()
        except (Unrecorded, Released):
            self.history.status = "running"
        except BudgetReached as error:
            await self._stop("stopped", error)
        except (FatalError, DiskError) as error:
            await self._stop("failed", error)
        finally:
            if self.journal is not None:
                self.journal.close()
            if self.owns_factory:
                await self.factory.aclose()
        return self.history

    def record(self) -> None:
        """Begin a journal if there is none, settling the game's id; raise DiskError on failure."""
        self.journal = self.journal or self._new_journal()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each event until it raises or the returned function is called."""
        self.listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self.listeners:
                self.listeners.remove(listener)

        return unsubscribe

    def interrupt(self) -> None:
        """Ask no more questions; `play` returns once the pending calls are recorded.

        Questions to people end at once; a resumed game repeats them.
        """
        self.interrupted = True
        self.untaped.closing = True
        if self.journal is not None:
            self.journal.closing = True
        self._release_people()
        if self.loop is not None:
            # A person may be about to get a question that could not be released yet. If another
            # thread's loop is already closed, no question is pending.
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._release_people)

    def _release_people(self) -> None:
        for answerer in (*self.answerers.values(), self.console):
            answerer.release()

    async def _stop(self, status: Literal["stopped", "failed"], error: Exception) -> None:
        """End the game early and record the reason in the journal, unless the disk fails."""
        self.history.status, self.history.reason = status, str(error)
        if self.journal is not None and not isinstance(error, DiskError):
            with suppress(DiskError, Unrecorded):  # a replay records nothing
                entry: Plain = {"kind": status, "reason": str(error)}
                if isinstance(error, BudgetReached):
                    entry["bound"] = self.history.next_index
                await self.journal.save(entry)

    async def _play_rounds(self) -> None:
        game = self.config.game
        while (plan := game.plan(self.state)) is not None:
            if self.interrupted:
                raise Unrecorded
            self.meter.check_time()
            self.meter.check_events(self.history.next_index)
            self.state = await self._play_round(plan)
            # A game played only by scripts never waits, so yield to other games in this loop.
            await asyncio.sleep(0)
        self.history.outcome = game.outcome(self.state)
        self.history.status = "finished"
        self.history.void = void_words(self.history)

    async def _play_round(self, plan: RoundPlan[Any]) -> Any:
        """Play one round and return the resulting state."""
        if self.context is None or not plan.goes_on:
            self.context = self._context_of(plan)
        context = self.context
        for phase in plan.phases:
            await phase(context)
        return context.state

    def _context_of(self, plan: RoundPlan[Any]) -> RoundContext[Any]:
        return RoundContext(
            round_index=len(self.history.rounds) + 1,
            final_round=plan.final_round,
            players=self.players,
            active_player_ids=list(plan.active_player_ids),
            eliminated_player_ids=list(plan.eliminated_player_ids),
            logger=self.config.logger,
            history=self.history,
            rules_prompt=self.rules_prompt,
            state=self.state,
            seed=self.config.seed,
            journal=self.journal,
            untaped=self.untaped,
            clock=self.config.clock,
            listeners=self.listeners,
            transcripts=self.transcripts,
            heirs=self.heirs,
            reasons=self.config.game.reasons,
            # Pydantic is slow to report that a game has no such field.
            plans=vars(self.config.game).get("plans", False),
            keeps_hidden=self.keeps_hidden,
            check_events=self.meter.check_events,
        )

    def _seat(self, config: PlayerConfig) -> Player:
        player_id = config.player_id
        labels = ("seat", player_id, config.draws) if config.draws else ("seat", player_id)
        supplies = Supplies(
            offer=self.config.game,
            client=partial(self._client, config),
            answerer=lambda: self.answerers.get(player_id, self.console),
            draws=partial(stream, self.config.seed, *labels),
            asks=self.config.asks,
        )
        player: Player = config.kind.player_class().sit(config, supplies)
        return player

    def _client(self, config: PlayerConfig) -> Client:
        """Return a model's client or, if no calls are allowed, one that raises Unrecorded."""
        replayed = self.journal is not None and self.journal.file is None
        if replayed or self.sitting[config.player_id] is not config:
            return Unreachable()
        client = ClientConfig.for_player(
            config.provider, config.model, config.api_key, config.client_kwargs
        )
        metered = MeteredClient(self.factory.get(client), self.meter, seat_of(config))
        return WatchedClient(metered, self.waits, where(config.player_id, client))

    def _new_meter(self, whole: Meter | None) -> Meter:
        """Return this game's meter, which already includes the recorded calls."""
        models = [player for player in self.sitting.values() if player.kind.asks == "model"]
        seats = {player.player_id: seat_of(player) for player in models}
        check_prices(self.config.limits, seats)
        meter = Meter(self.config.limits, self.config.clock, whole)
        if self.journal is not None:
            meter.resume(self.journal.recorded, seats)
        return meter

    def _new_history(self) -> History:
        config = self.config
        return History(
            config.game.name,
            config.game.version,
            game_id=config.game_id or new_game_id(config.clock),
            seed=config.seed,
            config=config.public(),
            players=[self._public_seat(player) for player in config.player_configs],
            usage={player_id: PlayerUsage() for player_id in config.player_ids},
            lines=config.game.lines,
            arena=version(),
        )

    def _public_seat(self, player: PlayerConfig) -> Seat:
        """Return a seat for the log, with its last player and that player's system text."""
        last = self.sitting[player.player_id]
        system = "" if player.computed and last.computed else self._system_text(last)
        return Seat(**redact(last.model_dump(mode="json", exclude={"draws"})), system=system)

    def _rules(self, reader: str = "") -> str:
        players, wording = len(self.config.player_ids), self.config.wording
        return self.config.game.rules(reader=reader, players=players, wording=wording)

    def _system_text(self, player: PlayerConfig) -> str:
        """Return the rules and the persona as this player reads them."""
        rules = self.rules_prompt
        reader = player.reader
        if reader and not self.config.rules_prompt:
            rules = self._rules(reader)
        game = self.config.game
        return render(
            "shared/system.j2",
            reader=reader,
            rules=rules,
            player=player,
            persona=game.persona(self.state, player.player_id),
            lines=game.lines,
        )

    def _new_journal(self) -> Journal | None:
        if self.config.logs_dir is None:
            return None
        with writing(self.config.logs_dir):
            self.config.logs_dir.mkdir(parents=True, exist_ok=True)
        try:
            return Journal.create(self._path(".jsonl"), self.config.header(), self.config.clock)
        except FileExistsError:
            if self.config.game_id is not None:
                raise
        # Another game that started in the same second drew the same id.
        self.history.game_id = new_game_id(self.config.clock)
        return self._new_journal()

    async def _fold(self) -> None:
        """Write the final log, then remove the journal."""
        if self.config.logs_dir is None or self.journal is None:
            return
        path = self._path(".json")
        await run_in_thread(path, partial(write_whole, path, self.history.to_json()))
        self.journal.close()
        journal = self._path(".jsonl")
        with suppress(OSError):
            # The log exists, so a journal that cannot be removed is harmless.
            await run_in_thread(journal, journal.unlink)

    def _path(self, suffix: str) -> Path:
        assert self.config.logs_dir is not None
        return self.config.logs_dir / f"{self.history.game_id}{suffix}"


class Unreachable:
    """The client used in a replay; it raises Unrecorded, since no calls are allowed."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Raise Unrecorded, because the record has ended."""
        del request
        raise Unrecorded
