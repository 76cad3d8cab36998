"""Check that a finished log's moves follow the rules, by replaying them in TextArena."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.game import breach_at, opening_breaches, outcome_breaches
from engine.games.textarena.library import find_text_game
from engine.games.textarena.library.environment import ShownText, TextEnding
from engine.games.textarena.library.session import TextSession
from engine.games.textarena.record import (
    TextMove,
    TextOpening,
    TextVerdict,
    ending_line,
    ids_by_number,
    line_of_opening,
    outcome_by_rewards,
    sender_id,
    split_echo,
)
from engine.history import Event, History, data_of, payload_of


@dataclass(frozen=True, slots=True)
class DueEvent:
    """An event that a log must contain: its kind, words, player, readers and data."""

    kind: str
    content: str
    player_id: str | None
    readers: tuple[str, ...]
    data: dict[str, Any]


def check_replay(history: History, opening: TextOpening) -> Iterator[str]:
    """Yield a breach for each event of a log that differs from a replay of its seed and moves."""
    due = due_events(history, opening)
    for event in history.events:
        if event.kind in ("fault", "narration"):
            continue
        expected = next(due, None)
        if expected is None:
            raise ValueError(breach_at(event, "nothing: TextArena shows no more"))
        readers = tuple(event.visibility)
        logged = DueEvent(event.kind, event.content, event.player_id, readers, event.data)
        if logged != expected:
            yield breach_at(event, f"{expected!s:.300}: got {logged!s:.300}")
    if next(due, None) is not None:
        yield "expected the log to contain all that TextArena shows: it ends before"


def due_events(history: History, opening: TextOpening) -> Iterator[DueEvent]:
    """Yield a log's expected events, by replaying its seed and moves in TextArena.

    Raises ValueError if a move is by the wrong player or the game has not ended.
    """
    player_ids = opening.player_ids
    environment = TextSession(find_text_game(opening.game_id), len(player_ids), opening.seed)
    for shown in environment.drain():
        yield due_text(shown, player_ids)
    moves = [event for event in history.events if event.kind == "move"]
    verdicts = {event.index: event for event in history.events if event.kind == "verdict"}
    for event in moves:
        verdict = verdicts.pop(event.index - 1, None)
        yield from due_of_move(environment, event, player_ids, verdict)
    for verdict in verdicts.values():
        yield due_verdict(environment, verdict)
    if not (environment.done or len(moves) == history.config["game"]["most_moves"]):
        raise ValueError(f"expected the moves to end the game: TextArena waits after {len(moves)}")
    ending = environment.close()
    yield DueEvent("result", ending_line(ending, player_ids), None, player_ids, data_of(ending))


def due_verdict(environment: TextSession, verdict: Event) -> DueEvent:
    """Apply the log's verdict, since a replay has no time limit; return the expected event."""
    environment.verdict = payload_of(verdict, TextVerdict).reason
    return DueEvent("verdict", environment.verdict, None, (), verdict.data)


def due_of_move(
    environment: TextSession,
    event: Event,
    player_ids: tuple[str, ...],
    verdict: Event | None,
) -> Iterator[DueEvent]:
    """Yield the expected events of a move: any verdict, the move, and other messages."""
    move = payload_of(event, TextMove)
    if environment.done or move.player != environment.current:
        raise ValueError(breach_at(event, "a move of the player whose turn it is"))
    if verdict is None:
        environment.step(move.action)
    else:
        yield due_verdict(environment, verdict)
    numbers, beside = split_echo(environment.drain(), move)
    readers = ids_by_number(player_ids, numbers)
    yield DueEvent("move", move.action, player_ids[move.player], readers, event.data)
    for shown in beside:
        yield due_text(shown, player_ids)


def due_text(shown: ShownText, player_ids: tuple[str, ...]) -> DueEvent:
    """Return the expected event for a message from TextArena."""
    readers = ids_by_number(player_ids, shown.readers)
    data = {"sender": shown.sender, "type": shown.kind}
    return DueEvent("shown", shown.text, sender_id(shown, player_ids), readers, data)


def text_breaches(history: History) -> Iterator[str]:
    """Yield the rule breaches found by replaying a log in TextArena."""
    first = history.rounds[0].events[0]
    opening = payload_of(first, TextOpening)
    asked = history.config["game"]["game"]
    if opening.game_id != asked:
        yield breach_at(first, f"the game {asked}: got {opening.game_id}")
    yield from opening_breaches(
        history, opening.player_ids, line_of_opening(opening.game_id, opening.player_ids)
    )
    yield from check_replay(history, opening)
    for event in history.events:
        if event.kind == "result":
            ending = payload_of(event, TextEnding)
            yield from outcome_breaches(history, outcome_by_rewards(ending, opening.player_ids))
