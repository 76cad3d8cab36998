"""The rules of the final and of what follows it, checked on a log: questions and debriefs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.checks import (
    breach_at,
    breach_in,
    each_event,
    events_but_faults,
    events_of,
    ids_of,
    setting_of,
)
from engine.games.deliberations.checker.reading import asks_questions, debrief_questions
from engine.history import Event, History, RoundLog, payload_of
from engine.round_payloads import AnswerTo, Debriefing
from protocol.text import SILENT

Question = Mapping[str, str]  # its name, what it asks, and the kind of answer


class Order(NamedTuple):
    """An order that the seed draws: of what, what the log has, the pool, its stream's labels."""

    what: str
    found: list[str]
    pool: list[str]
    labels: tuple[str | int, ...]


def question_kinds(log: RoundLog) -> list[str]:
    """Return the kinds of events that questions make: whoever asks nothing is not answered."""
    kinds = []
    for event in events_of(log, "question"):
        kinds.append("question")
        if event.content != SILENT:
            kinds.append("answer")
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
    juror: str | None = None
    owing: list[str] = []
    for event in events_but_faults(log):
        name = str(event.player_id)
        if event.kind == "answer":
            to = payload_of(event, AnswerTo).to
            if to != juror or name not in owing:
                yield breach_at(event, f"one of {owing} to answer {juror}: got {name} to {to}")
            owing = [one for one in owing if one != name]
            continue
        if owing:
            yield breach_at(event, f"{owing} to answer {juror} first")
            owing = []
        if event.kind == "question":
            juror = name
            owing = [] if event.content == SILENT else [*log.active_player_ids]


def question_heading(event: Event) -> str:
    """Return the heading of a juror's question."""
    return f"{event.player_id} asks the finalists"


def answer_heading(event: Event) -> str:
    """Return the heading of a finalist's answer."""
    return f"{event.player_id} answers {event.data.get('to')}"


def debrief_heading(event: Event) -> str:
    """Return the heading of a debrief."""
    return f"{event.player_id} looks back"


def check_debriefs(history: History) -> Iterator[str]:
    """Check that all answer what the settings ask, legally, and that right guesses are counted."""
    questions = debrief_questions(history)
    names = [question["name"] for question in questions]
    for log in history.rounds:
        found = [str(event.player_id) for event in events_of(log, "debrief")]
        due = ids_of(history) if questions and log.final_round else []
        if sorted(found) != sorted(due):
            yield breach_in(log, f"one debrief of each of {due}: got those of {found}")

    for log, event in each_event(history, "debrief"):
        said = payload_of(event, Debriefing)
        if [*said.answers] != names or [*said.choices] != names:
            yield breach_at(event, f"answers to {names}: got {[*said.answers]}")
            continue
        for question in questions:
            yield from check_debrief_answer(history, log, event, question)
        yield from check_right(history, event, questions)
        line = debrief_line(event, questions)
        if event.content != line:
            yield breach_at(event, f"{line!r}: got {event.content!r}")


def check_debrief_answer(
    history: History,
    log: RoundLog,
    event: Event,
    question: Question,
) -> Iterator[str]:
    """Check one answer against what was offered; none came if and only if the player fell back."""
    said = payload_of(event, Debriefing)
    name = question["name"]
    choices = [*said.choices[name]]
    legal = choices_due(history, log, event, question)
    if sorted(choices) != sorted(legal):
        yield breach_at(event, f"the choices {legal} for {name}: got {choices}")

    for answer in answers_given(said, name):
        told = f"round {answer}" if question["answer"] == "round" else answer
        is_text = question["answer"] == "text"
        is_missing = answer is None
        fits = is_missing or told in legal or (is_text and isinstance(answer, str))
        if not fits:
            yield breach_at(event, f"one of {legal} for {name}: got {answer!r}")
        if is_missing != event.fell_back and not (is_missing and is_text):
            due = "no answer if and only if nothing legal came"
            yield breach_at(event, f"{due}: got {answer!r} for {name}")
    yield from check_debrief_words(history, event, question)


def answers_given(said: Debriefing, name: str) -> list[str | int | None]:
    """Return the answers to one question: one, or of models one for each player."""
    answer = said.answers[name]
    if isinstance(answer, Mapping):
        return [*answer.values()]
    return [answer]


def check_debrief_words(history: History, event: Event, question: Question) -> Iterator[str]:
    """Check that a text has no more words than the settings allow."""
    answer = payload_of(event, Debriefing).answers[question["name"]]
    limit = setting_of(history, "private_words")
    if question["answer"] == "text" and len(str(answer).split()) > limit:
        yield breach_at(event, f"at most {limit} words: got {answer!r}")


def choices_due(
    history: History,
    log: RoundLog,
    event: Event,
    question: Question,
) -> list[str]:
    """Return what a question must offer, before its order is drawn."""
    match question["answer"]:
        case "player":
            return others_of(history, event)
        case "round":
            return [f"round {number}" for number in range(1, log.round_index + 1)]
        case "models":
            return sorted({seat.who for seat in history.players})
    return []


def others_of(history: History, event: Event) -> list[str]:
    """Return all players but the event's own, in seat order."""
    return [player_id for player_id in ids_of(history) if player_id != event.player_id]


def check_right(history: History, event: Event, questions: Sequence[Question]) -> Iterator[str]:
    """Check that guesses are of all others, and that those counted as right are."""
    said = payload_of(event, Debriefing)
    right = {}
    for question in questions:
        if question["answer"] != "models":
            continue
        guesses: Any = said.answers[question["name"]]
        others = others_of(history, event)
        if [*guesses] != others:
            yield breach_at(event, f"a guess for each of {others}: got {[*guesses]}")
        hits = [one for one in guesses if guesses[one] == history.seat(one).who]
        right[question["name"]] = len(hits)
    if dict(said.right) != right:
        yield breach_at(event, f"the right guesses {right}: got {dict(said.right)}")


def debrief_line(event: Event, questions: Sequence[Question]) -> str:
    """Return how the answers must be told to their player."""
    if event.fell_back:
        return "gives no usable answers"
    said = payload_of(event, Debriefing)
    parts = []
    for question in questions:
        answer = said.answers[question["name"]]
        if isinstance(answer, Mapping):
            told = ", ".join(f"{one} is {model}" for one, model in answer.items())
        elif question["answer"] == "round":
            told = f"round {answer}"
        else:
            told = "no answer" if answer is None else str(answer)
        parts.append(f"{question['name']}: {told}")
    return "; ".join(parts)


def final_orders(history: History, log: RoundLog) -> Iterator[Order]:
    """Yield the orders that are drawn for questions, answers and debriefs."""
    asked = [str(event.player_id) for event in events_of(log, "question")]
    jurors = [*log.eliminated_player_ids]
    yield Order("the order of the questions", asked, jurors, ("permuted", "questions"))
    for juror in asked:
        answered = []
        for event in events_of(log, "answer"):
            if payload_of(event, AnswerTo).to == juror:
                answered.append(str(event.player_id))
        what = f"the order of the answers to {juror}"
        yield Order(what, answered, [*log.active_player_ids], ("permuted", "answers", juror))
    debriefs = events_of(log, "debrief")
    found = [str(event.player_id) for event in debriefs]
    yield Order("the order of the debriefs", found, ids_of(history), ("permuted", "debrief"))
    for event in debriefs:
        yield from choice_orders(history, log, event)


def choice_orders(history: History, log: RoundLog, event: Event) -> Iterator[Order]:
    """Yield the orders in which a player read the choices of its debrief; rounds are in order."""
    choices = payload_of(event, Debriefing).choices
    for question in debrief_questions(history):
        name = question["name"]
        if question["answer"] in ("player", "models"):
            yield Order(
                what=f"the choices of {name} for {event.player_id}",
                found=[*choices[name]],
                pool=choices_due(history, log, event, question),
                labels=("permuted", "debrief", str(event.player_id), name),
            )
