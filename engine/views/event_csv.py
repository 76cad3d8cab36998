"""A game as one sheet of CSV: a row for each event, with what its answer took."""

import json

from engine.history import Event, History
from engine.report.csv import csv_text
from engine.spending.costs import cost_of
from engine.views.perspective import seen_by
from protocol.text import clean
from providers import Usage

COLUMNS = (
    "index",
    "round",
    "kind",
    "player",
    "heading",
    "content",
    "seen_by",
    "data",
    "attempts",
    "fell_back",
    "prompt_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "seconds",
    "cost",
    "timestamp",
)


def sheet(
    history: History,
    *,
    include_prompts: bool = False,
    include_reasoning: bool = False,
    as_player: str | None = None,
) -> str:
    """Return the whole game, or what `as_player` saw of it; questions and reasoning are columns of their own.

    Tokens, seconds and dollars are those of all attempts at an answer; a cost that is not known is
    an empty cell.
    """
    shown = history if as_player is None else seen_by(history, as_player)
    columns = [*COLUMNS, *["question"] * include_prompts, *["reasoning"] * include_reasoning]
    rows = []
    for log in shown.rounds:
        for event in log.events:
            row = [*told(event, log.round_index), *took(shown, event), event.timestamp]
            if include_prompts:
                row.append(event.prompt.question if event.prompt else None)
            rows.append([*row, event.reasoning] if include_reasoning else row)
    return csv_text(columns, ([clean(cell) for cell in row] for row in rows))


def told(event: Event, round_index: int) -> list[object]:
    """Return what happened, to whom."""
    seen, data = (
        ", ".join(event.visibility),
        json.dumps(event.data, ensure_ascii=False) if event.data else None,
    )
    return [
        event.index,
        round_index,
        event.kind,
        event.player_id,
        event.heading,
        event.content,
        seen,
        data,
    ]


def took(history: History, event: Event) -> list[object]:
    """Return what the answer behind an event took, empty cells if there was none."""
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
