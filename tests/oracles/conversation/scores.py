"""The scores of a conversation, checked on a log: each turn's points, the sums and places."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from math import isclose

from engine.games.conversation.payloads import SpeechData
from engine.history import History, payload_of
from tests.oracles.conversation.reading import deal_again, logged_turns, spoken_line
from tests.oracles.conversation.worth import (
    bonus_of,
    coherence_at,
    freshness_at,
    importance_at,
    nonmonotonousness_at,
    points_by,
)
from tests.oracles.reading import breach_at, ids_of, outcome_of, setting_of

Figures = Mapping[str, float]
SUMMARY = (
    r"(?P<winners>.+ wins?) with (?P<total>-?\d+\.\d+): "
    r"all players share (?P<shared>-?\d+\.\d+) points, and (?P<private>-?\d+\.\d+) came from own "
    r"favourite subjects, over (?P<length>\d+) turns\."
)


def check_turn_points(history: History) -> Iterator[str]:
    """Check how much each turn changed each part of the shared score."""
    line = spoken_line(history)
    for place, turn in enumerate(logged_turns(history)):
        if turn.item_id is None:
            continue
        due = asdict(points_by(line, place))
        found = asdict(payload_of(turn.event, SpeechData).score)
        for part, points in due.items():
            if not agree(found[part], points):
                expected = f"{points:g} points of {part} in turn {turn.number}"
                yield breach_at(turn.event, f"{expected}: got {found[part]:g}")


def check_bonuses(history: History) -> Iterator[str]:
    """Check each turn's private bonus, from the rank in its speaker's ranking."""
    holdings = deal_again(history)
    for spoken, turn in zip(spoken_line(history), logged_turns(history), strict=True):
        if spoken is None:
            continue
        item = spoken.item
        due = bonus_of(item, holdings[item.player_id].ranking)
        found = payload_of(turn.event, SpeechData).private
        if not agree(found, due):
            expected = f"a private bonus of {due:g} in turn {turn.number}"
            yield breach_at(turn.event, f"{expected}: got {found:g}")


def check_contributions(history: History) -> Iterator[str]:
    """Check the recorded number of turns each player spoke, including repeats."""
    speakers = [spoken.item.player_id for spoken in spoken_line(history) if spoken is not None]
    outcome = outcome_of(history)
    for player_id in ids_of(history):
        due = speakers.count(player_id)
        found = outcome.figures[player_id]["spoke"]
        if found != due:
            yield f"outcome: expected {player_id} to have spoken {due} times: got {found:g}"


def check_shared(history: History) -> Iterator[str]:
    """Check the sums of each shared part and of all shared parts over the game."""
    due = shared_due(history)
    found = outcome_of(history).shared
    for part, points in due.items():
        if not agree(found[part], points):
            yield f"outcome: expected {points:g} points of {part} for all: got {found[part]:g}"


def shared_due(history: History) -> dict[str, float]:
    """Return the parts of the shared score and their sum."""
    line = spoken_line(history)
    parts = dict.fromkeys(("importance", "coherence", "freshness", "nonmonotonousness"), 0.0)
    for place in range(len(line)):
        parts["importance"] += importance_at(line, place)
        parts["coherence"] += coherence_at(line, place, len(line))
        parts["freshness"] += freshness_at(line, place)
        parts["nonmonotonousness"] += nonmonotonousness_at(line, place)
    return parts | {"shared": sum(parts.values())}


def check_totals(history: History) -> Iterator[str]:
    """Check each private sum, and each total: "shared + private" by L, also after an early end."""
    outcome = outcome_of(history)
    private = private_due(history)
    totals = totals_due(history)
    for player_id in ids_of(history):
        found = outcome.figures[player_id]
        scored = outcome.scores[player_id]
        yield from check_figure(player_id, "private sum", found["private"], private)
        yield from check_figure(player_id, "total", found["total"], totals)
        yield from check_figure(player_id, "score", scored, totals)


def check_figure(player_id: str, what: str, found: float, due: Figures) -> Iterator[str]:
    """Check one figure of one player in the outcome."""
    if not agree(found, due[player_id]):
        yield f"outcome: expected the {what} {due[player_id]:g} of {player_id}: got {found:g}"


def private_due(history: History) -> dict[str, float]:
    """Return each player's private score."""
    holdings = deal_again(history)
    private = dict.fromkeys(holdings, 0.0)
    for spoken in spoken_line(history):
        if spoken is not None:
            owner = spoken.item.player_id
            private[owner] += bonus_of(spoken.item, holdings[owner].ranking)
    return private


def totals_due(history: History) -> dict[str, float]:
    """Return each player's final score; 0 for all if no turn was possible."""
    length = setting_of(history, "length")
    shared = shared_due(history)["shared"]
    totals = {}
    for player_id, private in private_due(history).items():
        totals[player_id] = (shared + private) / length if length else 0.0
    return totals


def check_places(history: History) -> Iterator[str]:
    """Check that a place is one more than the number of players with a higher score."""
    outcome = outcome_of(history)
    for player_id, score in outcome.scores.items():
        due = 1 + len([other for other in outcome.scores.values() if other > score])
        found = outcome.placements[player_id]
        if found != due:
            yield f"outcome: expected place {due} of {player_id}, who has {score:g}: got {found}"

    seated = ids_of(history)
    ranked = [*outcome.placements]
    if sorted(ranked) != sorted(seated) or sorted(outcome.scores) != sorted(seated):
        yield f"outcome: expected a place and a score of each of {seated}: got {ranked}"


def check_winners_told(history: History) -> Iterator[str]:
    """Check the sentence that sums up the game: the winner, and the parts of its score."""
    outcome = outcome_of(history)
    totals = totals_due(history)
    first = [name for name in totals if outcome.placements[name] == 1]
    told = re.fullmatch(SUMMARY, outcome.summary, re.DOTALL)
    if told is None:
        yield f"outcome: expected the summary of a conversation: got {outcome.summary!r:.200}"
        return

    wins = "wins" if len(first) == 1 else "win"
    winners = f"{' and '.join(first)} {wins}"
    if told["winners"] != winners:
        yield f"outcome: expected {winners!r} to be told: got {told['winners']!r:.200}"
    length = str(setting_of(history, "length"))
    if told["length"] != length:
        yield f"outcome: expected {length} turns to be told: got {told['length']}"

    figures = {
        "total": (totals[first[0]], 3),
        "shared": (shared_due(history)["shared"], 2),
        "private": (private_due(history)[first[0]], 2),
    }
    for name, (due, digits) in figures.items():
        if not is_rounded(told[name], due, digits):
            yield f"outcome: expected the {name} {due:.{digits}f} to be told: got {told[name]}"


def is_rounded(text: str, due: float, digits: int) -> bool:
    """Return whether a text is a number with as many digits, up to how sums may be rounded."""
    _, _, decimals = text.partition(".")
    return len(decimals) == digits and isclose(float(text), due, abs_tol=0.5 * 10**-digits + 1e-9)


def agree(one: float, other: float) -> bool:
    """Return whether two numbers are equal, except for the order of summation."""
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
