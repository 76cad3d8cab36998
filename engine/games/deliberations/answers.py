"""The answers in a log, read back from its events."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from engine.games.deliberations.settings import MOST_WORDS
from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import (
    Agreement,
    Ballot,
    Debriefing,
    Expectation,
    Invitation,
    Preferences,
)
from engine.round_phases import ACCEPT, DECLINE, NOBODY, RANKS
from engine.round_phases.asking import without
from engine.round_phases.debrief import ROUND
from engine.round_phases.probes import guesses_of
from engine.round_phases.questionnaire import DebriefQuestion, entries_of
from engine.round_phases.voting import ballot_in_words
from protocol.text import SILENT, text_before_cut

Fields = Mapping[str, Any]
QUESTIONS = TypeAdapter(tuple[DebriefQuestion, ...])
SPOKEN = {
    "pitch",
    "statement",
    "last_words",
    "confessional",
    "summary",
    "question",
    "answer",
    "sidebar",
}


def island_answers(history: History) -> Iterator[tuple[Event, Fields]]:
    """Yield each event that records an answer, with its fields, in the order of the questions."""
    for log in history.rounds:
        for event in in_order_asked(log):
            if event.kind == "debrief":
                yield event, debrief_fields(history, event)
            elif event.kind == "probe":
                yield event, probe_fields(event, final_round=log.final_round)
            elif event.kind == "vote":
                yield event, vote_fields(event, final_round=log.final_round)
            elif event.kind in SPOKEN and "members" not in event.data:
                yield event, sidebar_fields(event) or text_fields(event)


def in_order_asked(log: RoundLog) -> Iterator[Event]:
    """Yield a round's events in order, except that an exchange's picks of partners come first."""
    picks = [event for event in log.events if "partner" in event.data]
    size = len(log.active_player_ids)
    for event in log.events:
        if "partner" not in event.data:
            yield event
            continue
        place = picks.index(event)
        if place % size == 0:
            yield from picks[place : place + size]


def text_fields(event: Event) -> Fields:
    """Return an answer's free text and its plan; the text is "" if the player said nothing."""
    text = event.content
    if text == SILENT and event.data.get("replaces") is None:
        text = ""
    elif event.data.get("cut"):
        text = text_before_cut(text, MOST_WORDS)
    return {"plan": event.data.get("plan", ""), "text": text}


def sidebar_fields(event: Event) -> Fields:
    """Return the fields of an answer about a sidebar partner, or {} for a sidebar message."""
    if "partner" in event.data:
        invitation = payload_of(event, Invitation)
        partner = invitation.partner or (None if event.fell_back else NOBODY)
        return {"partner": partner, "explanation": invitation.explanation}
    if "accepts" in event.data:
        agreement = payload_of(event, Agreement)
        answer = ACCEPT if agreement.accepts else DECLINE
        return {"answer": answer, "explanation": agreement.explanation}
    if "ranking" in event.data:
        return ranking_fields(payload_of(event, Preferences))
    return {}


def ranking_fields(preferences: Preferences) -> Fields:
    """Return a ranking of sidebar partners; "nobody" takes the rank after the last named player."""
    names = (*preferences.ranking, NOBODY)
    ranked = zip(RANKS[: len(preferences.candidates)], names, strict=False)
    return {**dict(ranked), "explanation": preferences.explanation}


def vote_fields(event: Event, *, final_round: bool) -> Fields:
    """Return a ballot's vote, and the explanation that follows it in the event's text."""
    ballot = payload_of(event, Ballot)
    sentence = ballot_in_words(ballot.vote, final_round=final_round, revote=ballot.revote)
    explanation = event.content.removeprefix(sentence).removeprefix(": ")
    return {"vote": ballot.vote, "explanation": explanation}


def probe_fields(event: Event, *, final_round: bool) -> Fields:
    """Return a player's predictions, keyed by the field names of `guesses_of`."""
    expectation = payload_of(event, Expectation)
    chances, against = expectation.chances, expectation.against
    guesses = guesses_of(chances, against, str(event.player_id), final_round=final_round)
    return {
        field: (against if guess.against else chances)[guess.name]
        for field, guess in guesses.items()
    }


def debrief_fields(history: History, event: Event) -> Fields:
    """Return a debrief's answers, keyed by the field names of `entries_of`."""
    debriefing = payload_of(event, Debriefing)
    questions = QUESTIONS.validate_python(history.config["game"]["debrief"])
    others = without(history.player_ids, event.player_id)
    fields: dict[str, Any] = {}
    for field, entry in entries_of(questions, others, debriefing.choices).items():
        value = debriefing.answers[entry.question.name]
        if isinstance(value, Mapping):
            value = value[str(entry.about)]
        if value is None:
            fields[field] = None if event.fell_back else ""
        else:
            fields[field] = f"{ROUND}{value}" if isinstance(value, int) else value
    return fields
