"""A game's title, its players and models, and its result, each as one line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.history import History, Outcome, Seat
from engine.spending.validity import void_sentence
from protocol.seats import seat_kind
from protocol.text import clean, list_names

LONGEST = 500
LONGEST_TITLE = 120
# The maximum number of names in a phrase; further names are counted.
NAMED = 5


def short(text: object, most: int = LONGEST) -> str:
    """Return a text as one line of at most `most` characters, without invisible characters."""
    cleaned = clean(str(text)[: 2 * most], most)
    return " ".join(str(cleaned).split())


def game_settings(history: History) -> Mapping[str, Any]:
    """Return the game's settings in a log's config, or {} if a foreign log has none."""
    settings = history.config.get("game")
    return settings if isinstance(settings, dict) else {}


def sides_in_words(seats: Sequence[Seat]) -> str:
    """Return the sides as a phrase: two different models' names, otherwise the players' names.

    At a table with a person, models are not named, because the person must not know them.
    """
    models = [seat.who.partition(":")[2] for seat in seats]
    person = any(seat_kind(seat.provider).asks == "person" for seat in seats)
    if len(seats) == 2 and all(models) and models[0] != models[1] and not person:
        return " against ".join(models)
    names = [seat.player_id for seat in seats]
    return " against ".join(names) if len(names) == 2 else list_names(names, NAMED)


def usual_title(history: History, kind: str = "") -> str:
    """Return the kind of game and its sides, such as "connect_four: mcts against qwen"."""
    sides = sides_in_words(history.players)
    return ": ".join(filter(None, (kind or history.game, sides)))


def who_line(seats: Sequence[Seat]) -> str:
    """Return all players with their models; a model that has several seats is named once."""
    by_model: dict[str, list[str]] = {}
    for seat in seats:
        by_model.setdefault(seat.who, []).append(seat.player_id)
    parts = []
    for model, names in by_model.items():
        of_model = f" ({model})" if model else ""
        parts.append(f"{list_names(names, NAMED)}{of_model}")
    return short("; ".join(parts))


def usual_result(outcome: Outcome) -> str:
    """Return the winners, their score, and the best score of the other players."""
    places, scores = outcome.placements, outcome.scores
    best = [name for name, place in places.items() if place == 1]
    if not best:
        return ""
    won = f"{scores.get(best[0], 0):.3g}"
    behind = [scores.get(name, 0) for name, place in places.items() if place > 1]
    if not behind:
        return f"a draw, {won} each" if len(best) > 1 else f"{best[0]} scores {won}"
    verb = "wins" if len(best) == 1 else "win"
    return f"{list_names(best, NAMED)} {verb}, {won} to {max(behind):.3g}"


def result_in(history: History, words: Callable[[Outcome], str] = usual_result) -> str:
    """Return how a game ended: a valid outcome as `words` puts it, or "" before the end."""
    if history.status in ("stopped", "failed"):
        return f"{history.status} in round {len(history.rounds)}"
    if history.outcome is None:
        return ""
    return short(void_sentence(history) or words(history.outcome))
