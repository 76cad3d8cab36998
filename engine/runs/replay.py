"""Play a finished log again, or on from one of its events with other players.

Both stand on a journal made from the log: a reply that the log holds is read from it, as after a
crash, scripts are recomputed, and the clock tells again what it told.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from engine.config import GameEngineConfig, Handover, lost_secrets
from engine.engine import GameEngine, new_game_id
from engine.history import VERSION, Event, History, history_from_json
from engine.record.files import log_name
from engine.record.journal import Address, Clock, Journal, JournalError, completion_data, utc_now
from player import Attempt, PlayerConfig
from protocol.suggest import one_of
from providers import Completion, RequestError, Usage

Replies = dict[Address, dict[str, Any]]


class Replay(GameEngine):
    """An engine that plays a finished log again: no key, no call, nothing written, and the same game byte for byte."""

    def __init__(self, log: History, **more: Any) -> None:
        """Seat the log's players; ValueError if it cannot be played again."""
        self.log = log
        told = {"logs_dir": None, "game_id": log.game_id, "clock": clock_of(log.events)}
        super().__init__(
            config_of(log).model_copy(update=told), journal=Journal({}, replies_in(log)), **more
        )

    async def play(self) -> History:
        """Play the log again; JournalError says where it comes out differently, if rules or prompts changed since."""
        history = await super().play()
        if history.to_json() != self.log.to_json():
            raise JournalError(
                f"{self.log.game_id} cannot be played again: {difference(self.log, history)}"
            )
        return history


def fork(
    log: History,
    after: int,
    players: Sequence[PlayerConfig],
    logs_dir: Path,
    *,
    budgets: Mapping[str, float] | None = None,
    **more: Any,
) -> GameEngine:
    """Return a new game that goes on from `log` with other players; it is journaled, and resumed, like any other.

    Questions that were asked before the event with index `after` was there are answered from the
    log; what is asked later is put to `players`, who take over the seats of their ids, or else all
    seats in their order. A seat keeps its name and character. ValueError says what cannot be.
    """
    if not 0 <= after < len(log.events):
        raise ValueError(
            f"expected an event from 0 to {len(log.events) - 1} to go on from: got {after}"
        )
    Replay(log).run()
    handovers = [Handover(after=after, player=heir) for heir in heirs_of(log, players)]
    told = {
        "handovers": [*log.config.get("handovers", []), *handovers],
        "limits": log.config.get("limits", {}) | dict(budgets or {}),
        "logs_dir": logs_dir,
        "game_id": new_game_id(utc_now),
    }
    config = GameEngineConfig.model_validate(log.config | told)
    engine = GameEngine(config, **more)
    if lost := lost_secrets(
        config.model_copy(update={"player_configs": [*engine.sitting.values()]})
    ):
        raise ValueError(
            f"expected other players for {', '.join(lost)}: their secrets are kept in no log"
        )
    engine.journal = journal_for(config, log, after)
    return engine


def journal_for(config: GameEngineConfig, log: History, after: int) -> Journal:
    """Begin the journal of a forked game with the replies that it takes over."""
    assert config.logs_dir is not None
    config.logs_dir.mkdir(parents=True, exist_ok=True)
    header = config.header() | {
        "version": VERSION,
        "forked_from": {"game_id": log.game_id, "after": after},
    }
    journal = Journal.create(config.logs_dir / f"{config.game_id}.jsonl", header, config.clock)
    journal.recorded = replies_in(log, after)
    for at, entry in journal.recorded.items():
        journal.write({"kind": "answer", "at": at, **entry})
    return journal


def finished_log(folder: Path, name: str) -> History:
    """Return the finished game called `name`; ValueError if there is none in `folder`, or if it is no log."""
    path = folder / f"{log_name(name)}.json"
    one_of(path.stem, [log.stem for log in folder.glob("*.json")], "finished game")
    return history_from_json(path.read_bytes())


def unfinished_journal(folder: Path, name: str) -> Path:
    """Return the journal of the unfinished game called `name`; ValueError if there is none in `folder`."""
    path = folder / f"{log_name(name)}.jsonl"
    if path.with_suffix(".json").exists():
        raise ValueError(
            f"{path.stem} is finished: see it with uv run logs.py --filename {path.stem} --terminal"
        )
    one_of(path.stem, [journal.stem for journal in folder.glob("*.jsonl")], "unfinished game")
    return path


def config_of(log: History) -> GameEngineConfig:
    """Return the config that a log's game was made from, without its secrets."""
    return GameEngineConfig.model_validate(log.config)


def replies_in(log: History, after: int | None = None) -> Replies:
    """Return the replies that a log holds, as a journal records them; those to questions asked by event `after`."""
    found: Replies = {}
    for one in log.rounds:
        for event in one.events:
            asked = event.prompt
            if asked is None or (after is not None and asked.upto > after):
                continue
            if not asked.number:
                raise ValueError(
                    f"{log.game_id} cannot be played again: it was written before logs were made for that"
                )
            for number, attempt in enumerate(event.attempts, 1):
                found[one.round_index, asked.number, number] = {
                    "player": event.player_id,
                    **entry_of(attempt),
                }
    return found


def entry_of(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt as a journal records it."""
    if attempt.finish == "none":
        return {
            "fault": RequestError.__name__,
            "message": attempt.fault,
            "seconds": attempt.seconds,
        }
    raw = {"model": attempt.served} if attempt.served else {}
    completion = Completion(
        attempt.text, attempt.reasoning, attempt.usage or Usage(), attempt.finish, raw
    )
    return {"completion": completion_data(completion), "seconds": attempt.seconds}


def clock_of(events: Sequence[Event]) -> Clock:
    """Return a clock that tells the times of `events` one after the other, then the last for ever."""
    times = [datetime.fromisoformat(event.timestamp) for event in events] or [utc_now()]
    return chain(times, repeat(times[-1])).__next__


def heirs_of(log: History, players: Sequence[PlayerConfig]) -> list[PlayerConfig]:
    """Return the players who are new in their seats: matched by id, or all in seat order."""
    seats = {seat.player_id: seat for seat in log.players}
    named = {player.player_id for player in players} <= seats.keys()
    if not named and len(players) != len(seats):
        raise ValueError(
            f"expected a player for each of the seats {', '.join(seats)}, or SEAT=PLAYER for some of them"
        )
    places = [player.player_id for player in players] if named else [*seats]
    found = []
    for place, player in zip(places, players, strict=True):
        seat = seats[place]
        if (player.provider, player.model, player.client_kwargs) != (
            seat.provider,
            seat.model,
            seat.client_kwargs,
        ):
            found.append(
                player.model_copy(
                    update={"player_id": place, "character_prompt": seat.character_prompt}
                )
            )
    return found


def difference(log: History, played: History) -> str:
    """Return the first place where a log and what was played again differ."""
    for old, new in zip(log.events, played.events, strict=False):
        if old != new:
            return f"event {old.index} was {old.content!r:.60}, now it is {new.content!r:.60}"
    if len(log.events) != len(played.events):
        return f"it had {len(log.events)} events, now it has {len(played.events)}"
    return "how it ended or what was counted comes out differently"
