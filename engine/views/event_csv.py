"""A game as one CSV sheet, with a row for each event and the cost of its answer."""

import json
from collections.abc import Iterator

from engine.history import Event, History
from engine.report.csv import csv_text
from engine.spending.costs import cost_of
from engine.spending.validity import void_words
from engine.views.perspective import WHOLE, Shown
from protocol.text import clean
from providers import Usage

COLUMNS = (
    "index", "round", "kind", "player", "heading", "content", "seen_by", "data", "attempts",
    "fell_back", "prompt_tokens", "cached_tokens", "cache_write_tokens", "completion_tokens",
    "reasoning_tokens", "seconds", "cost", "timestamp", "void",
)  # fmt: skip


def events_csv(history: History, shown: Shown = WHOLE) -> str:
    """Return the game as CSV; in a void game, every row states why the game is void.

    Tokens, seconds and dollars include all attempts at an answer; an unknown cost is empty.
    """
    seen = shown.part_of(history)
    void = void_words(history)
    rows = []
    for log in seen.rounds:
        for event in log.events:
            row = (*_cells(seen, log.round_index, event), void, *_texts(event, shown))
            rows.append([*map(clean, row)])
    columns = [*COLUMNS]
    if shown.prompts:
        columns.append("question")
    if shown.reasoning:
        columns.append("reasoning")
    return csv_text(columns, rows)


def _cells(history: History, round_index: int, event: Event) -> list[object]:
    """Return the columns from index to timestamp."""
    return [
        event.index,
        round_index,
        event.kind,
        event.player_id,
        event.heading,
        event.content,
        ", ".join(event.visibility),
        json.dumps(event.data, ensure_ascii=False) if event.data else None,
        *_cost(history, event),
        event.timestamp,
    ]


def _texts(event: Event, shown: Shown) -> Iterator[str | None]:
    """Yield the event's question and reasoning, each only if `shown` includes it."""
    if shown.prompts:
        yield event.prompt.question if event.prompt else None
    if shown.reasoning:
        yield event.reasoning


def _cost(history: History, event: Event) -> list[object]:
    """Return the columns from attempts to cost, with empty cells if there was no attempt."""
    if not event.attempts:
        return [None] * 9
    usage = event.usage or Usage()
    return [
        len(event.attempts),
        int(event.fell_back),
        usage.prompt_tokens,
        usage.cached_tokens,
        usage.cache_write_tokens,
        usage.completion_tokens,
        usage.reasoning_tokens,
        sum(attempt.seconds for attempt in event.attempts),
        cost_of(history, event),
    ]
