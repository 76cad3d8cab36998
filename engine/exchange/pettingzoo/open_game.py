"""A game that pauses at each question to a policy, with an event loop that the caller runs."""

import asyncio
from asyncio.events import _get_running_loop, _set_running_loop
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.exchange.pettingzoo.encoders.encoder import Encoder
from engine.exchange.pettingzoo.tray import PolicyPlayer, Spokesman, Tray
from engine.history import Event, History
from player import Player, PlayerConfig

Worded = dict[tuple[str, ...], str]


class PolicyEngine(GameEngine):
    """An engine that seats policies; `worded` caches rules and system texts."""

    def __init__(
        self,
        config: GameEngineConfig,
        trained: Collection[str],
        tray: Tray,
        worded: Worded,
    ) -> None:
        self.trained = trained
        self.tray = tray
        self.worded = worded
        super().__init__(config, answerers=dict.fromkeys(trained, tray))
        self.keeps_hidden = config.logs_dir is not None

    def _seat(self, config: PlayerConfig) -> Player:
        if config.player_id not in self.trained:
            return super()._seat(config)
        return PolicyPlayer(config, self.tray, logged=self.config.logs_dir is not None)

    def _rules(self, reader: str = "") -> str:
        if (reader,) not in self.worded:
            self.worded[reader,] = super()._rules(reader)
        return self.worded[reader,]

    def _system_text(self, player: PlayerConfig) -> str:
        persona = self.config.game.persona(self.state, player.player_id)
        seat = (player.player_id, player.reader, player.character_prompt, persona)
        if seat not in self.worded:
            self.worded[seat] = super()._system_text(player)
        return self.worded[seat]


class OpenGame:
    """A game with an event loop that runs only while no policy has an open question.

    `encoders` maps each policy's player id to its encoder; `heard` lists the events that each
    policy saw since its last `hand_over`. Raises ValueError if the game cannot begin.
    """

    def __init__(
        self,
        config: GameEngineConfig,
        encoders: Mapping[str, Encoder],
        spokesman: Spokesman,
        worded: Worded,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.encoders = encoders
        self.heard: dict[str, list[str]] = {player_id: [] for player_id in encoders}
        # All encoders are of one class and know the same players.
        self.reader = next(iter(encoders.values()))
        self.tray = Tray(
            self.reader.kinds,
            spokesman,
            worded=self.reader.reads_text,
            parallel=self.reader.parallel,
        )
        self.engine = PolicyEngine(config, encoders, self.tray, worded)
        self.engine.subscribe(self.hear)
        self.loop = loop
        self.task = loop.create_task(self.engine.play())
        # The loop stops when the game is over.
        self.task.add_done_callback(lambda _: loop.stop())

    @property
    def history(self) -> History:
        """The game so far."""
        return self.engine.history

    def hear(self, event: Event) -> None:
        """Pass an event to the policies that see it."""
        if not event.visibility:
            return
        line = told_in_line(event)
        facts = self.reader.facts_of(event)
        for player_id in event.visibility:
            encoder = self.encoders.get(player_id)
            if encoder is not None:
                encoder.hear(event, facts)
                self.heard[player_id].append(line)

    def hand_over(self, player_id: str) -> tuple[str, ...]:
        """Return the events that a player has seen since the last call."""
        heard = self.heard[player_id]
        lines = tuple(heard)
        heard.clear()
        return lines

    def run(self) -> bool:
        """Play until the next question; return False if the game is over instead.

        Raises RuntimeError if the game was closed or did not finish normally.
        """
        if self.task.done():
            raise RuntimeError("expected a game under way: it was closed, so call reset()")
        if not self.tray.questions:
            with alone_in_thread():
                while not self.tray.questions and not self.task.done():
                    self.loop.run_forever()
        if self.tray.questions:
            return True
        history = self.task.result()
        if history.status != "finished":
            raise RuntimeError(
                f"expected the game to be played to its end: it is {history.status}, "
                f"{history.reason or 'without a reason'}"
            )
        return False

    def close(self) -> None:
        """End the game now; a game with a journal can be resumed later."""
        with alone_in_thread():
            self.task.cancel()
            while not self.task.done():
                self.loop.run_forever()


def close_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Close an event loop and end its threads."""
    with alone_in_thread():
        loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def told_in_line(event: Event) -> str:
    """Return the speaker and the words of an event on one line."""
    return f"{event.player_id or 'narrator'}: {' '.join(event.content.split())}"


@contextmanager
def alone_in_thread() -> Iterator[None]:
    """Let a private event loop run while another loop, such as a notebook's, is blocked."""
    outer = _get_running_loop()
    _set_running_loop(None)
    try:
        yield
    finally:
        _set_running_loop(outer)
