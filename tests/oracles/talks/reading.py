"""What the checks read in a talk's log: its settings, and each exchange with its reasons."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engine.games.talks.archetypes import Move
from engine.games.talks.constants import CONSTANTS, Constants
from engine.games.talks.log.payloads import CheckData, Selection, UtteranceData
from engine.history import Event, History, RoundLog, payload_of
from protocol.text import SILENT
from tests.oracles.reading import events_of, ids_of

# "{1: 2, 2: 3, 3: 4, 4: 4, 5: 5}", and the most exchanges of each depth.
ASPECTS = {1: 2, 2: 3, 3: 4, 4: 4, 5: 5}
MOST_EXCHANGES = {1: 4, 2: 8, 3: 12, 4: 16, 5: 25}
EXCHANGES_PER_LEVEL = 3
UNSPEAKABLE = re.compile(r"[\[\](){}<>:\"'`\s]+")
# Sums of shares may be off by a rounding error.
HAIR = 1e-9


@dataclass(frozen=True, slots=True)
class TalkTerms:
    """The settings of a talk as its log has them; `cap` is how many exchanges there are at most."""

    target: int
    needed_aspects: int
    needed_exchanges: int
    cap: int
    min_novelty: float
    min_convergence: float
    mode: str
    circles: str
    conclude: str
    numbers: Constants


class LoggedExchange(NamedTuple):
    """One exchange: who was chosen and why, what was said, and how the group stood after it.

    `turn` counts from 1. `words` is what was said, "" for silence.
    """

    turn: int
    log: RoundLog
    chosen: Event
    spoken: Event
    checked: Event
    selection: Selection
    utterance: UtteranceData
    check: CheckData

    @property
    def words(self) -> str:
        """What was said, "" for silence."""
        return "" if self.spoken.content == SILENT else self.spoken.content


def terms_of(history: History) -> TalkTerms:
    """Return when the talk ends and by which constants it is held."""
    settings = settings_of_talk(history)
    target = settings["depth"]
    ending = settings["termination"]
    share = ASPECTS[target] * ending["depth_threshold"]
    needed = 0
    while needed < share - HAIR:
        needed += 1
    return TalkTerms(
        target=target,
        needed_aspects=needed,
        needed_exchanges=EXCHANGES_PER_LEVEL * target,
        cap=settings["max_iterations"] or MOST_EXCHANGES[target],
        min_novelty=ending["min_novelty"],
        min_convergence=ending["min_convergence"],
        mode=ending["mode"],
        circles=ending["circles"],
        conclude=ending["conclude"],
        numbers=numbers_of(settings["constants"]),
    )


def numbers_of(changes: Mapping[str, float]) -> Constants:
    """Return the design's constants with the settings' own; "CHALLENGE.respect" is a weight."""
    payoffs = {move: dict(weights) for move, weights in CONSTANTS.payoffs.items()}
    plain: dict[str, Any] = {}
    for name, value in changes.items():
        move, _, factor = name.partition(".")
        if factor:
            payoffs[Move(move)][factor] = value
        else:
            plain[name] = value
    return replace(CONSTANTS, payoffs=payoffs, **plain)


def settings_of_talk(history: History) -> Mapping[str, Any]:
    """Return the settings of the game."""
    settings: Mapping[str, Any] = history.config["game"]
    return settings


def seated_as(name: str) -> str:
    """Return the player's id of somebody's name: at most 40 characters, no brackets or quotes."""
    return UNSPEAKABLE.sub(" ", name).strip()[:40].strip()


def host_of(history: History) -> str | None:
    """Return the player that hosts a talk, None if there is no host.

    A host without a name has the seat that is no described participant's, or else the last one.
    """
    settings = settings_of_talk(history)
    host = settings.get("host")
    if host is None:
        return None
    called = seated_as(host["name"]).casefold()
    described = {seated_as(one["name"]) for one in settings["participants"]}
    ids = ids_of(history)
    for one in ids:
        if one.casefold() == called if called else described and one not in described:
            return one
    return ids[-1]


def talkers_of(history: History) -> list[str]:
    """Return the players who take turns, in seat order: all but the host."""
    host = host_of(history)
    return [one for one in ids_of(history) if one != host]


def logged_exchanges(history: History) -> list[LoggedExchange]:
    """Return the exchanges of a log; ValueError if a round is not an exchange."""
    return [exchange_in(log) for log in history.rounds]


def exchange_in(log: RoundLog) -> LoggedExchange:
    """Return the exchange of a round; ValueError unless it has one of each of its events."""
    chosen = only_event(log, "selection")
    spoken = only_event(log, "utterance")
    checked = only_event(log, "check")
    return LoggedExchange(
        turn=log.round_index,
        log=log,
        chosen=chosen,
        spoken=spoken,
        checked=checked,
        selection=payload_of(chosen, Selection),
        utterance=payload_of(spoken, UtteranceData),
        check=payload_of(checked, CheckData),
    )


def only_event(log: RoundLog, kind: str) -> Event:
    """Return the one event of a kind in a round; ValueError if there is none, or more."""
    found = events_of(log, kind)
    if len(found) != 1:
        raise ValueError(f"round {log.round_index}: expected one {kind}: got {len(found)}")
    return found[0]
