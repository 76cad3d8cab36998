"""The text before the first round and after the last: players, result and usage."""

import json
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Any

from engine.history import History, Outcome, PlayerUsage
from engine.report.tables import Part, Sentence, Table, TableRow, Title
from engine.spending.costs import costs, dollars, total_cost
from engine.spending.validity import validity_sentence, void_sentence
from engine.views.naming import game_settings
from engine.views.perspective import OVER

# With this many figures or more, 80 columns leave no room for the column `who`; the table above
# shows that column anyway.
ROOMY = 5
# Settings with these values are not shown; 0 and false are.
NOT_SET: tuple[Any, ...] = (None, "", [], {})
USAGE_COLUMNS = (
    "player", "asks", "attempts", "fallbacks", "prompt", "cached", "completion", "seconds",
    "served by", "cost",
)  # fmt: skip


def opening_blocks(history: History, title: str, *, hidden: str = "") -> Iterator[Title | Table]:
    """Yield the text before the first round: facts about the game and its players.

    `title` names the game and its players. `hidden` replaces the seed and seats that a player's
    view leaves out; it is "" if nothing is left out.
    """
    yield Title(title, _facts(history, hidden))
    if not history.players:
        return
    # A view that shows no seats omits the column.
    kept_back = hidden if any(seat.who for seat in history.players) else ""
    rows = []
    for seat in history.players:
        rows.append((seat.player_id, seat.who or kept_back, seat.character_prompt))
    yield _without_empty_columns("Players", ("player", "who", "character"), rows)


def closing_blocks(history: History, report: Iterable[Part] = ()) -> Iterator[Part]:
    """Yield the game's own report, places and scores, the seats' usage, and the ending.

    For a void game, the blocks give the reason and omit the report's sentences. For a valid game,
    they name the void seats.
    """
    outcome = history.outcome
    void = void_sentence(history)
    mark = " (void)" if void else ""
    verdict = validity_sentence(history)
    yield from (part for part in report if not (void and isinstance(part, Sentence)))
    if outcome is not None:
        if history.players:
            yield _result(history, outcome, f"Result{mark}")
        if outcome.shared:
            columns, values = tuple(outcome.shared), tuple(outcome.shared.values())
            yield Table(f"Shared{mark}", columns, (values,))
    if any(used.attempts for used in history.usage.values()):
        yield _usage(history)
    if verdict:
        yield Sentence(verdict, grave=True)
    yield Sentence(_how_it_ended(history, void))


def _facts(history: History, hidden: str) -> tuple[tuple[str, str], ...]:
    shows_seed = not hidden or history.status == OVER
    began = next((event.timestamp for event in history.events), "")
    label, _, words = validity_sentence(history).partition(": ")
    facts = (
        ("game", history.game),
        ("log", history.game_id),
        ("rules", f"version {history.game_version}"),
        ("settings", _settings_in_words(history)),
        ("seed", str(history.seed) if shows_seed else hidden),
        ("began", began[:16].replace("T", " ")),
        ("status", _status(history)),
        (label, words),
    )
    return tuple((label, value) for label, value in facts if value)


def _settings_in_words(history: History) -> str:
    settings = game_settings(history).items()
    shown = [(name, value) for name, value in settings if name != "name" and value not in NOT_SET]
    return ", ".join(f"{name} {_value_in_words(value)}" for name, value in shown)


def _status(history: History) -> str:
    status = "" if history.status == "running" else history.status
    return f"{status}: {history.reason}" if history.reason else status


def _value_in_words(value: Any) -> str:
    """Return a single word unchanged, a schedule by rounds as text, and anything else as JSON.

    >>> _value_in_words({"1": ["pitch", "vote"], "3": ["vote"]})
    'round 1: pitch, vote; round 3: vote'
    """
    if _is_word(value):
        return str(value)
    rounds = value if isinstance(value, dict) else {}
    phases = [
        f"round {number}: {', '.join(names)}"
        for number, names in rounds.items()
        if str(number).isdecimal() and isinstance(names, list | tuple) and all(map(_is_word, names))
    ]
    if phases and len(phases) == len(rounds):
        return "; ".join(phases)
    return json.dumps(value, ensure_ascii=False)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _result(history: History, outcome: Outcome, heading: str) -> Table:
    last = len(history.players) + 1
    names = _figure_names(outcome)
    ids = history.player_ids
    ids.sort(key=lambda player_id: outcome.placements.get(player_id, last))

    rows = []
    for player_id in ids:
        who = history.seat(player_id).who if len(names) < ROOMY else None
        figures = outcome.figures.get(player_id, {})
        values = [figures.get(name) for name in names]
        place = outcome.placements.get(player_id)
        score = outcome.scores.get(player_id)
        rows.append((place, player_id, who, score, *values))
    columns = ("place", "player", "who", "score", *names)
    return _without_empty_columns(heading, columns, rows)


def _figure_names(outcome: Outcome) -> list[str]:
    """Return the names of figures that do not just repeat the scores, per-round figures first."""
    names: dict[str, None] = {}
    for player_id, figures in outcome.figures.items():
        for name, figure in figures.items():
            if figure != outcome.scores.get(player_id):
                names[name] = None
    return sorted(names, key=_round_in)


def _round_in(name: str) -> float:
    """Return the number at the end of a figure's name, or infinity if it has none.

    >>> _round_in("votes 3"), _round_in("left in round")
    (3.0, inf)
    """
    _, _, end = name.rpartition(" ")
    return float(end) if end.isdecimal() else inf


def _usage(history: History) -> Table:
    spent = costs(history)
    rows: list[TableRow] = []
    for player_id, used in history.usage.items():
        cost = dollars(spent[player_id]) if spent[player_id] != 0 else None
        rows.append((player_id, *_numbers(used), _served_in_words(history, player_id), cost))

    if sum(value != 0 for value in spent.values()) > 1:
        blank = [None] * (len(USAGE_COLUMNS) - 2)
        rows.append(("all", *blank, dollars(total_cost(spent.values()))))
    return _without_empty_columns("Questions, tokens and seconds", USAGE_COLUMNS, rows)


def _served_in_words(history: History, player_id: str) -> str | None:
    """Return the models that answered in place of the seat's own model, or None if none did."""
    events = [event for event in history.events if event.player_id == player_id]
    served = {attempt.served for event in events for attempt in event.attempts if attempt.served}
    return ", ".join(sorted(served)) or None


def _numbers(used: PlayerUsage) -> list[float | None]:
    """Return a seat's figures in the table's columns from asks to seconds, with None for 0."""
    numbers = (
        used.asks,
        used.attempts,
        used.fallbacks,
        used.tokens.prompt_tokens,
        used.tokens.cached_tokens,
        used.tokens.completion_tokens,
        round(used.seconds, 1),
    )
    return [number or None for number in numbers]


def _without_empty_columns(
    heading: str, columns: tuple[str, ...], rows: Sequence[TableRow]
) -> Table:
    return Table(heading, columns, tuple(rows)).without_empty(*columns)


def _how_it_ended(history: History, void: str) -> str:
    outcome = history.outcome
    if history.status == "finished":
        return "The game is over." if outcome is None or void else outcome.summary
    rounds = len(history.rounds)
    reached = f"in round {rounds}" if rounds else "before its first round"
    why = f": {history.reason.removesuffix('.')}" if history.reason else ""
    if history.status == "running":
        return f"The game is not over: it is {reached}{why}."
    return f"The game {history.status} {reached}{why}."
