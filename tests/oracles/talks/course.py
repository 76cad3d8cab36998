"""The course of a talk, checked on its log: its events, introductions, and who sees what."""

import re
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from engine.games.talks.archetypes import Move
from engine.games.talks.log.payloads import Introduction
from engine.history import Event, History, RoundLog, payload_of
from tests.oracles.reading import breach_at, breach_in, events_but_faults, events_of, ids_of
from tests.oracles.talks.minds import Mind, circle_at_start, moments_of
from tests.oracles.talks.reading import (
    host_of,
    logged_exchanges,
    settings_of_talk,
    talkers_of,
    terms_of,
)

FIGURE = re.compile(r"\d+(?:\.\d+)?")
# The log rounds to six digits; the ending rounds to two.
TWO_DIGITS = 0.00501
SECRET = {"selection", "check", "fault"}
OWN = {"setup"}
LEVELS_AT_START = {
    "confidence_level": "confidence",
    "curiosity_level": "curiosity",
    "engagement_level": "engagement",
}


def check_exchange_events(history: History) -> Iterator[str]:
    """Check that each round is one exchange of all: selection, utterance, check, at last a stop."""
    ids = ids_of(history)
    cap = terms_of(history).cap
    for log in history.rounds:
        kinds = [event.kind for event in events_but_faults(log)]
        due = kinds_of_exchange(history, log, kinds)
        if kinds != due:
            yield breach_in(log, f"the events {due}: got {kinds}")
        active = [*log.active_player_ids]
        if active != ids or log.eliminated_player_ids:
            yield breach_in(log, f"{ids} to take part: got {active}")
        last = log.round_index == cap
        if log.final_round != last:
            yield breach_in(log, f"final_round {last} of {cap} exchanges: got {log.final_round}")


def kinds_of_exchange(history: History, log: RoundLog, kinds: list[str]) -> list[str]:
    """Return the kinds of events of a round; by its own `kinds` a host interjects, or it is last.

    A host speaks before the first exchange, and twice after the last.
    """
    host = [] if host_of(history) is None else ["host"]
    before = host if kinds[:1] == ["host"] else []
    if log.round_index == 1:
        before = [*kinds_before_talk(history), *host]
    after = ["stop", *host, *host] if "stop" in kinds else []
    return [*before, "selection", "utterance", "check", *after]


def kinds_before_talk(history: History) -> list[str]:
    """Return the kinds of events that tell who is there, and what each holds if that is asked."""
    count = len(talkers_of(history))
    asks = settings_of_talk(history).get("theses", "none") == "ask"
    return ["narration", *["setup"] * count, *["thesis"] * (count * asks)]


def check_introductions(history: History) -> Iterator[str]:
    """Check that all begin as their personality says, strangers to one another."""
    if not history.rounds:
        return
    minds = circle_at_start(history, terms_of(history).numbers).minds
    events = events_of(history.rounds[0], "setup")
    owners = [event.player_id for event in events]
    if owners != [*minds]:
        yield f"introductions: expected one of each of {[*minds]}: got those of {owners}"
    for event in events:
        yield from check_introduction(event, minds[str(event.player_id)])


def check_introduction(event: Event, mind: Mind) -> Iterator[str]:
    """Check one participant before the talk."""
    told = payload_of(event, Introduction).participant
    if (got := told["personality"]) != mind.personality:
        yield breach_at(event, f"{event.player_id} to be {mind.personality}: got {got}")
    for name, level in LEVELS_AT_START.items():
        due = getattr(mind, level)
        if not isclose(told[name], due):
            yield breach_at(event, f"{name} {due} of {event.player_id}: got {told[name]}")
    yield from check_first_feelings(event, told, mind)


def check_first_feelings(event: Event, told: Mapping[str, Any], mind: Mind) -> Iterator[str]:
    """Check what a participant feels for the others before the talk."""
    feelings = {
        "relationships": [*mind.affinity.values()],
        "respect_levels": [*mind.respect.values()],
    }
    for name, values in feelings.items():
        found = [*told[name].values()]
        if found != values:
            yield breach_at(event, f"{name} {values} of {event.player_id}: got {found}")


def check_exchanges_made(history: History) -> Iterator[str]:
    """Check that the selected participant speaks, with the move, target and depth due."""
    for moment in moments_of(history):
        exchange = moment.exchange
        chosen, said = exchange.selection, exchange.utterance
        deeper = chosen.move is Move.DEEPEN
        values = {
            "turn": (said.turn, exchange.turn),
            "speaker": (said.speaker, chosen.speaker),
            "speaking player": (exchange.spoken.player_id, chosen.speaker),
            "move": (said.move, chosen.move),
            "target": (said.target, chosen.target),
            "depth": (said.depth, min(moment.terms.target, moment.before.depth + deeper)),
        }
        for name, (found, due) in values.items():
            if found != due:
                told = f"the {name} {due} in turn {exchange.turn}"
                yield breach_at(exchange.spoken, f"{told}: got {found}")


def check_sight(history: History) -> Iterator[str]:
    """Check that all hear what is said, and nobody what the choice of it rests on.

    Only a participant itself may be told who it is, in an event or in its system text. Only it
    reads its thesis from before the talk.
    """
    everybody = sorted(ids_of(history))
    for event in history.events:
        due = everybody
        if event.kind in SECRET | OWN:
            due = []
        seen = sorted(event.visibility)
        if event.kind == "thesis" or (event.kind in OWN and seen):
            due = [str(event.player_id)]
        if seen != due:
            yield breach_at(event, f"a {event.kind} that {due} see: {seen} see it")


def check_heard_before(history: History) -> Iterator[str]:
    """Check that a speaker was asked right after its selection, with everything before shown."""
    for exchange in logged_exchanges(history):
        asked = exchange.spoken.prompt
        due = exchange.chosen.index + 1
        if asked is not None and asked.upto != due:
            told = f"{exchange.spoken.player_id} to be asked before event {due}"
            yield breach_at(exchange.spoken, f"{told}: it was before event {asked.upto}")


def check_figures_told(history: History) -> Iterator[str]:
    """Check that the end is told with how many exchanges and aspects there were, and agreement."""
    for exchange in logged_exchanges(history):
        check = exchange.check
        for stop in events_of(exchange.log, "stop"):
            told = [float(figure) for figure in FIGURE.findall(stop.content)]
            for figure in (check.exchanges, check.aspects, check.convergence):
                if not any(isclose(one, figure, abs_tol=TWO_DIGITS) for one in told):
                    yield breach_at(stop, f"{figure:g} to be told: got {stop.content!r}")
