"""The rules of the debrief, checked on a log: who is asked, what is legal, what is right."""

from collections.abc import Iterator, Mapping, Sequence

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Debriefing
from tests.oracles.deliberations.reading import SeededDraw, debrief_questions, setting_in
from tests.oracles.reading import breach_at, breach_in, each_event, events_of, ids_of

Question = Mapping[str, str]  # its name, what it asks, and the kind of answer
Answer = str | int | None
MISSING = "no answer if and only if nothing legal came"


def check_debriefs(history: History) -> Iterator[str]:
    """Check that all answer the settings' questions legally, and that right guesses count."""
    for log in history.rounds:
        yield from check_asked_all(history, log)
    for log, event in each_event(history, "debrief"):
        yield from check_debrief(history, log, event)


def check_asked_all(history: History, log: RoundLog) -> Iterator[str]:
    """Check that all players look back once if they are asked, and only in the final."""
    due = ids_of(history) if log.final_round and debrief_questions(history) else []
    found = [str(event.player_id) for event in events_of(log, "debrief")]
    if sorted(found) != sorted(due):
        yield breach_in(log, f"one debrief of each of {due}: got those of {found}")


def check_debrief(history: History, log: RoundLog, event: Event) -> Iterator[str]:
    """Check one player's answers to each question, and how they are counted and shown."""
    questions = debrief_questions(history)
    names = [question["name"] for question in questions]
    said = payload_of(event, Debriefing)
    answered = [*said.answers]
    if answered != names or [*said.choices] != names:
        yield breach_at(event, f"answers to {names}: got {answered}")
        return

    for question in questions:
        yield from check_choices(history, log, event, question)
        yield from check_debrief_answers(history, log, event, question)
    yield from check_right(history, event, questions)
    yield from check_debrief_line(event, questions)


def check_choices(
    history: History,
    log: RoundLog,
    event: Event,
    question: Question,
) -> Iterator[str]:
    """Check that a question offered the required choices."""
    name = question["name"]
    legal = choices_due(history, log, event, question)
    found = [*payload_of(event, Debriefing).choices[name]]
    if sorted(found) != sorted(legal):
        yield breach_at(event, f"the choices {legal} for {name}: got {found}")


def check_debrief_answers(
    history: History,
    log: RoundLog,
    event: Event,
    question: Question,
) -> Iterator[str]:
    """Check that each answer to a question was on offer, or is of no more words than allowed."""
    legal = choices_due(history, log, event, question)
    takes_words = question["answer"] == "text"
    limit = setting_in(history, "private_words", log.round_index)
    for answer in answers_to(event, question):
        yield from check_missing(event, answer, may_be_empty=takes_words)
        told = answer_told(answer)
        if takes_words:
            if len(told.split()) > limit:
                yield breach_at(event, f"at most {limit} words: got {answer!r}")
        elif answer is not None and told not in legal:
            yield breach_at(event, f"one of {legal}: got {answer!r}")


def check_missing(event: Event, answer: Answer, *, may_be_empty: bool) -> Iterator[str]:
    """Check that an answer is missing if and only if the player fell back; texts may be empty."""
    is_missing = answer is None
    if is_missing != event.fell_back and not (is_missing and may_be_empty):
        yield breach_at(event, f"{MISSING}: got {answer!r}")


def answers_to(event: Event, question: Question) -> list[Answer]:
    """Return the answers to one question: one, or one per player for guesses of models."""
    answer = payload_of(event, Debriefing).answers[question["name"]]
    return [*answer.values()] if isinstance(answer, Mapping) else [answer]


def answer_told(answer: Answer) -> str:
    """Return an answer as its player reads it; a number is a round's."""
    if answer is None:
        return "no answer"
    return f"round {answer}" if isinstance(answer, int) else answer


def choices_due(history: History, log: RoundLog, event: Event, question: Question) -> list[str]:
    """Return the choices a question must offer, before their order is drawn."""
    match question["answer"]:
        case "player":
            return others_of(history, event)
        case "round":
            return [f"round {number}" for number in range(1, log.round_index + 1)]
        case "models":
            return sorted({seat.who for seat in history.players})
    return []


def others_of(history: History, event: Event) -> list[str]:
    """Return all players except the event's own, in seat order."""
    return [player_id for player_id in ids_of(history) if player_id != event.player_id]


def check_right(history: History, event: Event, questions: Sequence[Question]) -> Iterator[str]:
    """Check that guesses cover all others, and that those counted as right are right."""
    said = payload_of(event, Debriefing)
    others = others_of(history, event)
    right = {}
    for question in questions:
        name = question["name"]
        if question["answer"] != "models":
            continue
        guesses = said.answers[name]
        if not isinstance(guesses, Mapping) or [*guesses] != others:
            yield breach_at(event, f"a guess for each of {others}: got {guesses}")
            continue
        right[name] = right_due(history, guesses)

    if dict(said.right) != right:
        yield breach_at(event, f"the right guesses {right}: got {dict(said.right)}")


def right_due(history: History, guesses: Mapping[str, str | None]) -> int:
    """Return how many guesses name the model that played."""
    return sum(guess == history.seat(player_id).who for player_id, guess in guesses.items())


def check_debrief_line(event: Event, questions: Sequence[Question]) -> Iterator[str]:
    """Check that a player is shown its answers unchanged."""
    due = "gives no usable answers"
    if not event.fell_back:
        due = "; ".join(part_due(event, question) for question in questions)
    if event.content != due:
        yield breach_at(event, f"{due!r}: got {event.content!r}")


def part_due(event: Event, question: Question) -> str:
    """Return how the answer to one question must be shown."""
    name = question["name"]
    answer = payload_of(event, Debriefing).answers[name]
    if not isinstance(answer, Mapping):
        return f"{name}: {answer_told(answer)}"
    guesses = ", ".join(f"{one} is {model}" for one, model in answer.items())
    return f"{name}: {guesses}"


def debrief_orders(history: History, log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the orders in which players looked back, and in which each read its choices."""
    debriefs = events_of(log, "debrief")
    yield SeededDraw(
        what="the order of the debriefs",
        found=[str(event.player_id) for event in debriefs],
        pool=ids_of(history),
        labels=("permuted", "debrief"),
    )
    for event in debriefs:
        yield from choice_orders(history, log, event)


def choice_orders(history: History, log: RoundLog, event: Event) -> Iterator[SeededDraw]:
    """Yield the orders in which a player read its choices; rounds are not shuffled."""
    player_id = str(event.player_id)
    choices = payload_of(event, Debriefing).choices
    for question in debrief_questions(history):
        if question["answer"] not in ("player", "models"):
            continue
        name = question["name"]
        yield SeededDraw(
            what=f"the choices of {name} for {player_id}",
            found=[*choices[name]],
            pool=choices_due(history, log, event, question),
            labels=("permuted", "debrief", player_id, name),
        )
