"""The rules of questions in the final, checked on a log: who asks, who answers, in which order."""

from collections.abc import Iterator

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import SpeechTo
from protocol.text import SILENT
from tests.oracles.deliberations.reading import SeededDraw, asks_questions
from tests.oracles.reading import breach_at, breach_in, events_but_faults, events_of


def question_kinds(log: RoundLog) -> list[str]:
    """Return the kinds of events that questions cause; a juror that asks nothing gets no answer."""
    kinds = []
    for event in events_of(log, "question"):
        kinds += ["question"] if event.content == SILENT else ["question", "answer"]
    return kinds


def check_questions(history: History) -> Iterator[str]:
    """Check that each juror asks once, and that every finalist then answers it before all else."""
    for log in history.rounds:
        asks = log.final_round and asks_questions(history)
        due = [*log.eliminated_player_ids] if asks else []
        found = [str(event.player_id) for event in events_of(log, "question")]
        if sorted(found) != sorted(due):
            yield breach_in(log, f"one question of each of {due}: got those of {found}")
        yield from check_replies(log)


def check_replies(log: RoundLog) -> Iterator[str]:
    """Check that each question is answered by all finalists, once each, and nothing else is."""
    juror = ""
    owing: list[str] = []
    for event in events_but_faults(log):
        if event.kind == "answer":
            yield from check_reply(event, juror, owing)
            owing = [one for one in owing if one != event.player_id]
            continue
        if owing:
            yield breach_at(event, f"{owing} to answer {juror} first")
            owing = []
        if event.kind == "question" and event.content != SILENT:
            juror = str(event.player_id)
            owing = [*log.active_player_ids]


def check_reply(event: Event, juror: str, owing: list[str]) -> Iterator[str]:
    """Check that an answer is to the juror that asked last, by a finalist that still owes it."""
    name = event.player_id
    to = payload_of(event, SpeechTo).to
    if to != juror or name not in owing:
        yield breach_at(event, f"one of {owing} to answer {juror}: got {name} to {to}")


def question_orders(log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the orders that are drawn for questions, and for the answers to each."""
    jurors = [str(event.player_id) for event in events_of(log, "question")]
    yield SeededDraw(
        what="the order of the questions",
        found=jurors,
        pool=[*log.eliminated_player_ids],
        labels=("permuted", "questions"),
    )
    for juror in jurors:
        yield SeededDraw(
            what=f"the order of the answers to {juror}",
            found=answerers_of(log, juror),
            pool=[*log.active_player_ids],
            labels=("permuted", "answers", juror),
        )


def answerers_of(log: RoundLog, juror: str) -> list[str]:
    """Return who answered a juror, in order."""
    answers = [one for one in events_of(log, "answer") if payload_of(one, SpeechTo).to == juror]
    return [str(event.player_id) for event in answers]
