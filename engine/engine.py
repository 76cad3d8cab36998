"""The engine: seats players, plays rounds, keeps the journal, writes the log; it knows no game by name."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig, differences, redacted
from engine.history import Event, History, PlayerUsage, Seat, Transcripts, write_whole
from engine.journal import Clock, Journal, JournalError, Unrecorded
from engine.prompting import render
from engine.rng import stream
from engine.round import Round, RoundContext
from player import Console, HumanPlayer, LLMPlayer, Player, PlayerConfig, ScriptedPlayer
from providers import Completion, CompletionRequest, FatalError

__all__ = ["GameEngine", "GameEngineConfig"]

Watch = Callable[[Event], None]


class GameEngine:
    """Plays one game: `run()` from a script, `play()` inside an event loop."""

    def __init__(
        self,
        config: GameEngineConfig,
        *,
        factory: ClientFactory | None = None,
        console: Console | None = None,
        watch: Watch | None = None,
        journal: Journal | None = None,
    ) -> None:
        """Seat a game. `watch` is called with each event as it is written; `journal` is one to go on from."""
        self.config = config
        self.factory = ClientFactory() if factory is None else factory
        self.owns_factory = factory is None
        self.console = Console() if console is None else console
        self.watch = watch
        self.journal = journal
        self.rules_prompt = config.rules_prompt or config.game.rules()
        self.state = config.game.start(config.player_ids, stream(config.seed, "start"))
        self.players = [self._seat(player) for player in config.player_configs]
        self.history = self._new_history()

    @classmethod
    def resume(cls, path: Path, config: GameEngineConfig | None = None, **more: Any) -> "GameEngine":
        """Return an engine that goes on with the game whose journal is `path`; it may be played once.

        Without `config` the game goes on as recorded. JournalError if the journal is damaged, or if the config, the
        templates or the game's version differ from what was recorded (unless `allow_changed`).
        """
        allow_changed = more.pop("allow_changed", False)
        header = Journal.load(path).header
        config = config or GameEngineConfig.model_validate(header["made_from"]["config"])
        config = config.model_copy(update={"logs_dir": path.parent, "game_id": path.stem})
        if not allow_changed and (changes := differences(header["made_from"], config.made_from())):
            raise JournalError(
                f"{path.stem} was begun differently: {'; '.join(changes)}; go on as it was begun, or --allow-changed"
            )
        return cls(config, journal=Journal.reopen(path, config.clock), **more)

    @classmethod
    def replay(cls, path: Path) -> History:
        """Return what the journal at `path` tells of its game, as far as it goes, without any call."""
        journal = Journal.load(path)
        config = GameEngineConfig.model_validate(journal.header["made_from"]["config"])
        config = config.model_copy(update={"logs_dir": None, "game_id": path.stem})
        history = cls(config, journal=journal).run()
        if journal.reason:
            history.status, history.reason = "failed", journal.reason
        return history

    def run(self) -> History:
        """Play the game to its end and return its history."""
        return asyncio.run(self.play())

    async def play(self) -> History:
        """Play the game to its end; a fatal fault of a provider ends it as failed, resumable once that is mended."""
        journal = self.journal = self.journal or self._new_journal()
        try:
            await self._play_rounds()
        except Unrecorded:
            return self.history
        except FatalError as error:
            self.history.status, self.history.reason = "failed", str(error)
            if journal is not None:
                journal.write({"kind": "failed", "reason": str(error)})
            return self.history
        finally:
            if journal is not None:
                journal.close()
            if self.owns_factory:
                await self.factory.aclose()
        self._fold()
        return self.history

    async def _play_rounds(self) -> None:
        game, transcripts = self.config.game, Transcripts()
        while (plan := game.plan(self.state)) is not None:
            context = RoundContext(
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
                clock=self.config.clock,
                watch=self.watch,
                transcripts=transcripts,
            )
            self.state = await Round(plan, context).play()
        self.history.outcome = game.outcome(self.state)
        self.history.status = "finished"

    def _seat(self, config: PlayerConfig) -> Player:
        if config.provider == "scripted":
            script = self.config.game.strategies[config.model]
            return ScriptedPlayer(config, script, stream(self.config.seed, "seat", config.player_id))
        if config.provider == "human":
            return HumanPlayer(config, self.console)
        if self.journal is not None and self.journal.file is None:
            return LLMPlayer(config, Unreachable(), self.config.limits.asks)
        client = ClientConfig.for_player(config.provider, config.model, config.api_key, config.client_kwargs)
        return LLMPlayer(config, self.factory.get(client), self.config.limits.asks)

    def _new_history(self) -> History:
        config = self.config
        usage = {player_id: PlayerUsage() for player_id in config.player_ids}
        game_id = config.game_id or new_game_id(config.clock)
        seats = [self._public_seat(player) for player in self.players]
        return History(config.game.name, config.game.version, game_id, config.seed, config.public(), seats, usage=usage)

    def _public_seat(self, player: Player) -> Seat:
        scripted = isinstance(player, ScriptedPlayer)
        system = "" if scripted else render("shared/system.j2", rules=self.rules_prompt, player=player.config)
        return Seat(**redacted(player.config.model_dump(mode="json")), system=system)

    def _new_journal(self) -> Journal | None:
        if self.config.logs_dir is None:
            return None
        self.config.logs_dir.mkdir(parents=True, exist_ok=True)
        header = {"version": self.history.version, "made_from": self.config.made_from()}
        return Journal.create(self._path(".jsonl"), header, self.config.clock)

    def _fold(self) -> None:
        """Fold the journal into the final log: it is written whole before the journal goes."""
        if self.config.logs_dir is not None:
            write_whole(self._path(".json"), self.history.to_json())
            self._path(".jsonl").unlink()

    def _path(self, suffix: str) -> Path:
        assert self.config.logs_dir is not None
        return self.config.logs_dir / f"{self.history.game_id}{suffix}"


class Unreachable:
    """The client of a replay: it is never called, since a replay ends where the record does."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Say that the record has come to its end."""
        del request
        raise Unrecorded


def new_game_id(clock: Clock) -> str:
    """Return gameplay_YYYYMMDD_HHMMSS with a short suffix that keeps two games of one second apart."""
    return f"gameplay_{clock():%Y%m%d_%H%M%S}_{secrets.token_hex(2)}"
