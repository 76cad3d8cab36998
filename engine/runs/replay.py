"""Replay a finished log, or continue it from one of its events with other players.

Both create a journal from the log and resume from it, as after a crash. Scripts are
recomputed, and the clock shows the same times again.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NoReturn

from engine.config import GameEngineConfig, Handover, lost_secrets
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import Event, History, Seat, check_version, history_from_json
from engine.record.entries import Address
from engine.record.files import log_name, new_game_id, read_regular, writing
from engine.record.journal import Journal, JournalError, completion_data, utc_now
from engine.runs.difference import first_difference
from player import Attempt, PlayerConfig
from protocol.answer import Plain
from protocol.suggest import one_of
from providers import Completion, RequestError, Usage


class Replay(GameEngine):
    """An engine that replays a finished log byte for byte, without API keys or calls."""

    def __init__(self, log: History, **more: Any) -> None:
        """Seat the log's players; raise ValueError if the log cannot be replayed."""
        self.log = log
        check_version(log.game, log.game_version, GAMES[log.game].version)
        times = [datetime.fromisoformat(event.timestamp) for event in log.events] or [utc_now()]
        config = GameEngineConfig.model_validate(log.config)
        again = {
            "logs_dir": None,
            "game_id": log.game_id,
            "clock": chain(times, repeat(times[-1])).__next__,
            "limits": config.limits.without_budgets(),
        }
        super().__init__(config.model_copy(update=again), journal=journal_of(log), **more)
        self.history.config = log.config

    async def play(self) -> History:
        """Replay the log; raise JournalError, naming the first difference, if there is one."""
        history = await super().play()
        difference = first_difference(self.log, history)
        if difference:
            raise JournalError(f"{self.log.game_id} cannot be replayed: {difference}")
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
    """Return the engine of a new game, with its own journal, that continues `log`.

    Questions asked before the event with index `after` are answered from the log. Later questions
    go to `players`: they take over the seats that have their ids or, if an id matches no seat, all
    seats in seat order. A seat keeps its name and character. Raises ValueError if the request is
    invalid.
    """
    if not 0 <= after < len(log.events):
        raise ValueError(
            f"expected an event from 0 to {len(log.events) - 1} to continue from: got {after}"
        )
    Replay(log).run()
    heirs = [heir.with_size() for heir in heirs_of(log, players)]
    handovers = [Handover(after=after, player=heir, game_id=log.game_id) for heir in heirs]
    config = _forked_config(log, handovers, logs_dir, budgets or {})
    engine = GameEngine(config, **more)
    sitting = {"player_configs": [*engine.sitting.values()]}
    lost = lost_secrets(engine.config.model_copy(update=sitting))
    if lost:
        raise ValueError(
            f"expected other players for {', '.join(lost)}: no log stores their secrets"
        )
    engine.journal = journal_for(config, log, after)
    return engine


def _forked_config(
    log: History, handovers: Sequence[Handover], logs_dir: Path, budgets: Mapping[str, float]
) -> GameEngineConfig:
    settings = {
        "handovers": [*log.config.get("handovers", []), *handovers],
        "limits": log.config.get("limits", {}) | dict(budgets),
        "logs_dir": logs_dir,
        "game_id": new_game_id(utc_now),
    }
    return GameEngineConfig.model_validate(log.config | settings)


def journal_for(config: GameEngineConfig, log: History, after: int) -> Journal:
    """Begin a forked game's journal with replies copied from `log`; raise DiskError on failure."""
    assert config.logs_dir is not None
    path = config.logs_dir / f"{config.game_id}.jsonl"
    with writing(path):
        config.logs_dir.mkdir(parents=True, exist_ok=True)
    journal = Journal.create(path, config.header(), config.clock)
    journal.recorded = replies_in(log, after)
    forms = forms_in(log)
    for at, entry in journal.recorded.items():
        journal.note_form({"at": at, **entry}, forms.get(at, ""))
        journal.write({"kind": "answer", "at": at, **entry})
    for index, reason in journal_of(log).verdicts.items():
        if index <= after:
            journal.verdicts[index] = reason
            journal.write({"kind": "verdict", "at": index, "reason": reason})
    return journal


def journal_of(log: History) -> Journal:
    """Return a finished game as a journal: its replies, answer formats and verdicts."""
    verdicts = {event.index: event.content for event in log.events if event.kind == "verdict"}
    return Journal({}, replies_in(log), forms_in(log), verdicts=verdicts)


def finished_log(folder: Path, name: str) -> History:
    """Return the finished game `name`; raise ValueError if it is missing, invalid or imported."""
    path = folder / f"{log_name(name)}.json"
    one_of(path.stem, [log.stem for log in folder.glob("*.json")], "finished game")
    history = history_from_json(read_regular(path))
    if history.game not in GAMES:
        raise ValueError(
            f"expected a game that can be played here: {path.stem} is a game of {history.game}, "
            "which logs.py can only show"
        )
    return history


def unfinished_journal(folder: Path, name: str) -> Path:
    """Return the path of an unfinished journal; raise ValueError if it is missing or has a log."""
    path = folder / f"{log_name(name)}.jsonl"
    log = path.with_suffix(".json")
    if log.exists():
        _refuse_finished(log)
    one_of(path.stem, [journal.stem for journal in folder.glob("*.jsonl")], "unfinished game")
    return path


def _refuse_finished(log: Path) -> NoReturn:
    try:
        history_from_json(read_regular(log))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ValueError(
            f"{log} is not the log of a game: {why}; name another game, or move that file"
        ) from None
    shown = shlex.join(["--filename", log.stem, "--terminal", f"--logs-dir={log.parent}"])
    raise ValueError(f"{log.stem} is finished: see it with uv run logs.py {shown}")


def replies_in(log: History, after: int | None = None) -> dict[Address, Plain]:
    """Return a log's replies as journal entries; `after` limits them to earlier questions."""
    return {
        at: {"player": event.player_id} | journal_entry(attempt)
        for at, event, attempt in attempts_in(log)
        if after is None or (event.prompt is not None and event.prompt.upto <= after)
    }


def forms_in(log: History) -> dict[Address, str]:
    """Return the answer format used by each attempt whose usual format the endpoint rejected."""
    return {at: attempt.form for at, _, attempt in attempts_in(log) if attempt.form}


def attempts_in(log: History) -> Iterator[tuple[Address, Event, Attempt]]:
    """Yield each attempt to answer a prompt, with its address and event."""
    for round_log in log.rounds:
        for event in round_log.events:
            if event.prompt is not None:
                for number, attempt in enumerate(event.attempts, 1):
                    yield (round_log.round_index, event.prompt.number, number), event, attempt


def journal_entry(attempt: Attempt) -> Plain:
    """Return an attempt as a journal records it."""
    if attempt.finish == "none":
        return {
            "fault": RequestError.__name__,
            "message": attempt.fault,
            "seconds": attempt.seconds,
        }
    completion = Completion(
        attempt.text,
        attempt.reasoning,
        attempt.usage or Usage(),
        attempt.finish,
        {"model": attempt.served} if attempt.served else {},
    )
    return {"completion": completion_data(completion), "seconds": attempt.seconds}


def heirs_of(log: History, players: Sequence[PlayerConfig]) -> list[PlayerConfig]:
    """Return the `players` that are new to their seats, matched by id or else in seat order."""
    seats = {seat.player_id: seat for seat in log.players}
    names = [player.player_id for player in players]
    is_named = seats.keys() >= {*names}
    if not is_named and len(players) != len(seats):
        raise ValueError(
            f"expected a player for each of the seats {', '.join(seats)}, "
            "or SEAT=PLAYER for some of them"
        )
    takers = []
    for place, player in zip(names if is_named else seats, players, strict=True):
        seat = seats[place]
        if answerer_of(player) != answerer_of(seat):
            name = {"player_id": place, "character_prompt": seat.character_prompt}
            takers.append(player.model_copy(update=name))
    return takers


def answerer_of(seat: PlayerConfig | Seat) -> tuple[object, ...]:
    """Return the settings that determine who answers for a seat."""
    return seat.provider, seat.model, seat.client_kwargs
