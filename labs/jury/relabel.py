"""Swap two players' names in a log, and find texts that would give the swap away."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from re import Pattern

from engine.history import History
from protocol.seats import seat_kind

# Makers and families of models, as models name them; none is a common word.
KNOWN = (
    "anthropic", "chatgpt", "claude", "deepmind", "deepseek", "gemini", "gemma", "gpt", "grok",
    "kimi", "llama", "mistral", "moonshot", "openai", "qwen", "smollm", "xai",
)  # fmt: skip
# A shorter model name, such as "m", would also match ordinary words.
SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Swap:
    """Swaps two players' names as whole words; `among` lists all names, since names may overlap."""

    one: str
    other: str
    among: tuple[str, ...]

    def name(self, player_id: str) -> str:
        """Return the name of a player after the swap."""
        if player_id == self.one:
            return self.other
        return self.one if player_id == self.other else player_id

    def text(self, text: str) -> str:
        """Return `text` with the two names swapped, except inside longer player names."""
        names = names_in_text(self.among)
        return names.sub(lambda match: self.name(match[0]), text)

    def names(self, player_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the names of several players after the swap."""
        return tuple(self.name(player_id) for player_id in player_ids)


@cache
def names_in_text(names: tuple[str, ...]) -> Pattern[str]:
    """Return a pattern for any of `names` as whole words, the longest first."""
    return re.compile(rf"(?<!\w)(?:{either_of(names)})(?!\w)")


@cache
def models_in(names: tuple[str, ...]) -> Pattern[str]:
    """Return a case-insensitive pattern for any model in `names`, with or without a version."""
    return re.compile(rf"(?<!\w)(?:{either_of(names)})\d*(?!\w)", re.IGNORECASE)


def either_of(names: Iterable[str]) -> str:
    """Return a regular expression that matches any of the names, longest first."""
    longest_first = sorted(names, key=len, reverse=True)
    return "|".join(map(re.escape, longest_first))


def relabel(history: History, swap: Swap) -> History:
    """Return a copy of a log with the two names swapped in all text that players read."""
    rounds = []
    for log in history.rounds:
        relabelled = replace(
            log,
            active_player_ids=swap.names(log.active_player_ids),
            eliminated_player_ids=swap.names(log.eliminated_player_ids),
            events=[
                replace(
                    event,
                    player_id=event.player_id and swap.name(event.player_id),
                    content=swap.text(event.content),
                    visibility=swap.names(event.visibility),
                )
                for event in log.events
            ],
        )
        rounds.append(relabelled)
    return replace(history, rounds=rounds)


def tells_model(history: History, player_id: str) -> bool:
    """Return whether `player_id` remembers a player's words that name a model or its maker.

    Players' names do not count.
    """
    labels = names_in_text(tuple(history.player_ids))
    names = list(KNOWN)
    for seat in history.players:
        if seat_kind(seat.provider).asks == "model" and len(seat.model) >= SHORTEST:
            names.append(seat.model)
    models = models_in(tuple(names))
    words = (event.content for event in history.remembered_by(player_id) if event.player_id)
    return any(models.search(labels.sub("", text)) for text in words)
