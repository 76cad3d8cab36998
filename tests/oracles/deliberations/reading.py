"""What the checks read in the log of an island."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.games.deliberations.settings import MOST_ROUNDS, IslandSettings
from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot
from tests.oracles.reading import events_of, ids_of

MARKS = str.maketrans(dict.fromkeys("[]{}()<>\"'`*.,:\\", " "))
# What JSON may write for other characters; two in a row may be one character.
ESCAPES = re.compile(r'(?:\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))+')


@dataclass(frozen=True, slots=True)
class SeededDraw:
    """A draw by the seed: what it decides, what the log has, the pool, its stream's labels."""

    what: str
    found: list[str]
    pool: list[str]
    labels: tuple[str | int, ...]


def begins_sidebar(event: Event) -> bool:
    """Return whether an event is the invitation that begins a sidebar."""
    return "partner" in event.data


def answers_invitation(event: Event) -> bool:
    """Return whether a player accepts or declines a sidebar in an event."""
    return "accepts" in event.data


def ranks_partners(event: Event) -> bool:
    """Return whether an event is a ranking of the partners its player wants."""
    return "ranking" in event.data


def tells_pairing(event: Event) -> bool:
    """Return whether an event tells two players that they talk, or one that it stays alone."""
    return "members" in event.data


def is_message(event: Event) -> bool:
    """Return whether an event of a sidebar holds a player's own words."""
    return {"partner", "accepts", "ranking", "members"}.isdisjoint(event.data)


def setting_in(history: History, name: str, round_index: int | None = None) -> Any:
    """Return a setting of the game, or of one of its rounds; its default in a log without it."""
    settings = history.config["game"]
    if round_index is not None:
        own = rounds_by_number(settings.get("rounds", {})).get(round_index, {})
        if name in own:
            return own[name]
    default = IslandSettings.model_fields[name].get_default(call_default_factory=True)
    return settings.get(name, default)


def rounds_by_number(rounds: Mapping[str, Any]) -> dict[int, Any]:
    """Return values by round number; in a log these numbers are strings."""
    return {int(number): held for number, held in rounds.items()}


def phases_in(history: History, round_index: int) -> list[str]:
    """Return the phases of a round by the settings; the last of all ends with votes."""
    found = setting_in(history, "phases", round_index)
    if isinstance(found, Mapping):
        phases = rounds_by_number(found)
        begun = [begin for begin in phases if begin <= round_index]
        found = phases[max(begun)]
    names = [*found]
    if "votes" not in names and round_index == setting_in(history, "num_rounds"):
        names.append("votes")
    return names


def has_vote(history: History, log: RoundLog) -> bool:
    """Return whether a round has a vote by the settings."""
    return "votes" in phases_in(history, log.round_index)


def rounds_due(history: History) -> int:
    """Return how many rounds there must be, counted by hand where the settings do not tell.

    Each round with a vote takes one player out; the first vote between the finalists is the final.
    0: there is none.
    """
    told = setting_in(history, "num_rounds")
    if told is not None:
        return int(told)

    finalists = setting_in(history, "finalists")
    left = len(history.players)
    for number in range(1, MOST_ROUNDS + left):
        vote = "votes" in phases_in(history, number)
        if vote and left == finalists:
            return number
        left -= vote
    return 0


def asks_questions(history: History) -> bool:
    """Return whether jurors question the finalists."""
    return setting_in(history, "questions") is True


def debrief_questions(history: History) -> list[dict[str, str]]:
    """Return what is asked after the game."""
    return [*setting_in(history, "debrief")]


def writers_in(history: History, log: RoundLog) -> list[str]:
    """Return who must sum up a round."""
    if log.final_round:
        return []
    memory = setting_in(history, "memory")
    if memory == "summary":
        return ids_of(history)
    if isinstance(memory, str):
        return []

    names = setting_in(history, "names")
    memories = {one: memory.get(names.get(one, one)) for one in ids_of(history)}
    return [player_id for player_id, kind in memories.items() if kind == "summary"]


def voters_in(log: RoundLog) -> list[str]:
    """Return who votes: the active players, or in the final the eliminated ones."""
    return [*(log.eliminated_player_ids if log.final_round else log.active_player_ids)]


def others_in_game(log: RoundLog, player_id: str | None) -> list[str]:
    """Return the active players except one."""
    return [other for other in log.active_player_ids if other != player_id]


def standing_in(log: RoundLog) -> list[str]:
    """Return who can be voted for: the active players except an immune one."""
    standing = [*log.active_player_ids]
    for event in events_of(log, "narration"):
        immune = event.data.get("immune")
        if immune in standing:
            standing.remove(immune)
    return standing


def candidates_for(log: RoundLog, voter: str | None, *, revote: bool = False) -> list[str]:
    """Return whom `voter` may vote for: all eligible (in a revote, tied) players but itself."""
    standing = tied_first(log) if revote else standing_in(log)
    return [player_id for player_id in standing if player_id != voter]


def votes_in(log: RoundLog, *, revote: bool = False) -> list[Event]:
    """Return the first ballots of a round, or those of its revote."""
    return [event for event in events_of(log, "vote") if payload_of(event, Ballot).revote is revote]


def tally_of(log: RoundLog) -> dict[str, int]:
    """Return the votes of each candidate, counted from the first ballots."""
    return count_again(votes_in(log), standing_in(log))


def revote_of(log: RoundLog) -> dict[str, int]:
    """Return the votes of each tied player, counted from the ballots of the revote."""
    return count_again(votes_in(log, revote=True), tied_first(log))


def count_again(events: list[Event], standing: list[str]) -> dict[str, int]:
    """Return the votes of each of those standing, counted from ballots."""
    votes = [payload_of(event, Ballot).vote for event in events]
    return {player_id: votes.count(player_id) for player_id in standing}


def tied_first(log: RoundLog) -> list[str]:
    """Return who has the most votes by the first ballots."""
    return with_most(tally_of(log))


def with_most(tally: Mapping[str, int]) -> list[str]:
    """Return who has the most votes of a tally."""
    most = max(tally.values(), default=0)
    return [player_id for player_id in tally if tally[player_id] == most]


def votes_again(history: History, log: RoundLog) -> bool:
    """Return whether a round must have a revote: the settings want one, and several are tied."""
    if setting_in(history, "ties") != "revote" or not has_vote(history, log):
        return False
    return len(tied_first(log)) > 1


def has_last_words(history: History, log: RoundLog) -> bool:
    """Return whether the player leaving in a round must speak once more."""
    last_words: bool = setting_in(history, "last_words")
    return last_words and not log.final_round


def decode_escapes(text: str) -> str:
    r"""Return raw JSON text with escapes replaced by the characters they represent.

    >>> decode_escapes(r'"\u5929 O\/Neil\u00e9"')
    '"天 O/Neilé"'
    """
    return ESCAPES.sub(lambda match: str(json.loads(f'"{match[0]}"')), text)


def bare_name(text: str) -> str:
    """Return a name without marks, case and the word "player" before it."""
    words = text.translate(MARKS).casefold().split()
    if len(words) > 1 and words[0] == "player":
        words = words[1:]
    return " ".join(words)
