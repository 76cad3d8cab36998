"""What stands before the first round and behind the last: who plays what, how it ended, what it took."""

import json
from collections.abc import Iterator, Sequence

from engine.history import History, Outcome
from engine.report.tables import Cell, Sentence, Table, Title
from engine.spending.costs import costs, dollars, total

# With more figures than this a row would not fit into 80 columns beside who the player is; that
# stands above too.
ROOMY = 5


def opening_blocks(history: History) -> Iterator[Title | Table]:
    """Yield what stands before the first round: the game's facts and who sits at the table."""
    yield Title(history.game.capitalize(), _facts(history))
    if history.players:
        rows = [
            (seat.player_id, _who(history, seat.player_id), seat.character_prompt)
            for seat in history.players
        ]
        yield _trimmed("Players", ("player", "who", "character"), rows)


def closing_blocks(history: History) -> Iterator[Table | Sentence]:
    """Yield what stands behind the last round: places and scores, what the seats took, and how it ended."""
    outcome = history.outcome
    if outcome is not None and history.players:
        yield _result(history, outcome)
    if outcome is not None and outcome.shared:
        yield Table("Shared", tuple(outcome.shared), (tuple(outcome.shared.values()),))
    if any(took.attempts for took in history.usage.values()):
        yield _usage(history)
    yield Sentence(_how_it_ended(history))


def _facts(history: History) -> tuple[tuple[str, str], ...]:
    settings = history.config.get("game")
    told = (
        [(name, value) for name, value in settings.items() if name != "name"]
        if isinstance(settings, dict)
        else []
    )
    began = next((event.timestamp for event in history.events), "")
    status = "" if history.status == "running" else history.status
    facts = {
        "log": history.game_id,
        "rules": f"version {history.game_version}",
        "settings": ", ".join(
            f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in told
        ),
        "seed": str(history.seed),
        "began": began[:16].replace("T", " "),
        "status": f"{status}: {history.reason}" if history.reason else status,
    }
    return tuple((label, value) for label, value in facts.items() if value)


def _who(history: History, player_id: str) -> str:
    seat = history.seat(player_id)
    return f"{seat.provider}:{seat.model}" if seat.model else seat.provider


def _result(history: History, outcome: Outcome) -> Table:
    last = len(history.players) + 1
    names = dict.fromkeys(
        name
        for one, figures in outcome.figures.items()
        for name in figures
        if figures[name] != outcome.scores.get(one)
    )
    ids = sorted(
        (seat.player_id for seat in history.players),
        key=lambda one: outcome.placements.get(one, last),
    )
    rows = []
    for one in ids:
        figures = outcome.figures.get(one, {})
        own = [figures.get(name) for name in names]
        who = _who(history, one) if len(names) < ROOMY else None
        rows.append((outcome.placements.get(one), one, who, *own, outcome.scores.get(one)))
    return _trimmed("Result", ("place", "player", "who", *names, "score"), rows)


def _usage(history: History) -> Table:
    columns = (
        "player",
        "asks",
        "attempts",
        "fallbacks",
        "prompt",
        "cached",
        "completion",
        "seconds",
        "served by",
        "cost",
    )
    spent = costs(history)
    rows = []
    for player_id, took in history.usage.items():
        tokens = (
            took.tokens.prompt_tokens,
            took.tokens.cached_tokens,
            took.tokens.completion_tokens,
        )
        numbers = (took.asks, took.attempts, took.fallbacks, *tokens, round(took.seconds, 1))
        cost = None if spent[player_id] == 0 else dollars(spent[player_id])
        served = ", ".join(served_by(history, player_id)) or None
        rows.append((player_id, *(number or None for number in numbers), served, cost))
    if sum(row[-1] is not None for row in rows) > 1:
        rows.append(("all", *(None for _ in columns[1:-1]), dollars(total(spent))))
    return _trimmed("Questions, tokens and seconds", columns, rows)


def served_by(history: History, player_id: str) -> list[str]:
    """Return the models that answered for a player, as far as they told other names than that of its model."""
    own = (event for event in history.events if event.player_id == player_id)
    return sorted({attempt.served for event in own for attempt in event.attempts if attempt.served})


def _trimmed(heading: str, columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Return the table without the columns in which nothing stands."""
    kept = [
        place for place in range(len(columns)) if any(row[place] not in (None, "") for row in rows)
    ]
    return Table(
        heading,
        tuple(columns[place] for place in kept),
        tuple(tuple(row[p] for p in kept) for row in rows),
    )


def _how_it_ended(history: History) -> str:
    if history.status == "finished":
        return history.outcome.summary if history.outcome is not None else "The game is over."
    rounds = len(history.rounds)
    reached = f"in round {rounds}" if rounds else "before its first round"
    why = f": {history.reason.removesuffix('.')}" if history.reason else ""
    if history.status == "running":
        return f"The game has not come to its end: it stands {reached}{why}."
    return f"The game {history.status} {reached}{why}."
