"""The debrief: a questionnaire that each player fills in after the game, stored only in the log."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from engine.history.social import Debriefing
from engine.round_phases.asking import Context, turn_of, without
from engine.round_phases.forms import WORDS, type_of_text
from engine.round_phases.questionnaire import DebriefQuestion, Entry, count_right, entries_of
from player import Reply, Turn
from protocol.text import fit_words

Answers = dict[str, Any]
ROUND = "round "


class Debrief(BaseModel):
    """A player's comments after the game; `entries` are the form's fields, by name."""

    model_config = ConfigDict(protected_namespaces=())
    entries: ClassVar[Mapping[str, Entry]] = {}


async def phase_debrief(
    context: Context,
    *,
    questions: Sequence[DebriefQuestion],
    words: int = WORDS,
) -> None:
    """Ask all players at once when the game is over; each player sees only its own answers."""
    order = context.permuted(context.player_ids, "debrief")
    turns = [debrief_turn(context, name, questions, words) for name in order]
    for turn, reply in zip(turns, await context.ask_all(turns), strict=True):
        tell_debrief(context, turn, reply, words)


def debrief_turn(
    context: Context,
    player_id: str,
    questions: Sequence[DebriefQuestion],
    words: int,
) -> Turn[Debrief]:
    """Return the questions to one player; players and models are listed in random order."""
    others = without(context.player_ids, player_id)
    choices = {
        question.name: choices_of_question(context, player_id, question) for question in questions
    }
    entries = entries_of(questions, others, choices)
    nothing = debrief_form(entries, words).model_construct(**dict.fromkeys(entries))
    turn = turn_of(
        context,
        player_id,
        nothing,
        others,
        questions=questions,
        choices=choices,
    )
    offered = {name: entry.choices for name, entry in entries.items() if entry.choices}
    return turn._replace(choices=offered)


def choices_of_question(
    context: Context,
    player_id: str,
    question: DebriefQuestion,
) -> tuple[str, ...]:
    """Return a question's choices for a player, with rounds in order, or () for free text."""
    legal: list[str] = []
    match question.answer:
        case "round":
            return tuple(f"{ROUND}{number}" for number in range(1, context.round_index + 1))
        case "player":
            legal = without(context.player_ids, player_id)
        case "models":
            legal = sorted({*models_of(context).values()})
    return tuple(context.permuted(legal, "debrief", player_id, question.name))


def models_of(context: Context) -> dict[str, str]:
    """Return the model, script or person in each player's seat, as named in the log."""
    return {name: context.history.seat(name).who for name in context.player_ids}


def debrief_form(entries: Mapping[str, Entry], words: int) -> type[Debrief]:
    """Return the form with these fields; texts are limited to `words` words."""
    fields: dict[str, Any] = {}
    for name, entry in entries.items():
        about = meaning_of_entry(entry, words)
        title = f"Model of {entry.about}" if entry.about else entry.question.ask
        if entry.choices:
            fields[name] = (str, Field(title=title, description=about))
        else:
            fields[name] = (type_of_text(about, words, title), ...)
    form = create_model("Debrief", __base__=Debrief, **fields)
    form.entries = entries
    return form


def meaning_of_entry(entry: Entry, words: int) -> str:
    """Return the description of a field, as the player reads it."""
    if entry.about is not None:
        return f"which model {entry.about} is"
    if entry.question.answer == "text":
        return f"{entry.question.ask} In {words} words at most"
    if entry.question.answer == "round":
        return "a round of the game"
    return "the name of a player"


def tell_debrief(
    context: Context,
    turn: Turn[Debrief],
    reply: Reply[Debrief],
    words: int,
) -> None:
    """Log one player's answers and how many of its model guesses are right."""
    entries = turn.answer.entries
    answers = debrief_answers(reply.answer, entries, words)
    choices = {entry.question.name: entry.choices for entry in entries.values()}
    models = models_of(context)
    guesses = {name: answer for name, answer in answers.items() if isinstance(answer, dict)}
    right = {name: count_right(by_player, models) for name, by_player in guesses.items()}
    context.record(
        "debrief",
        f"{turn.player_id} looks back",
        "gives no usable answers" if reply.fell_back else line_of_answers(answers),
        player_id=turn.player_id,
        visibility=(turn.player_id,),
        data=Debriefing(answers, choices, right),
        reply=reply,
    )


def debrief_answers(
    answer: Debrief,
    entries: Mapping[str, Entry],
    words: int,
) -> Answers:
    """Return the answers by question; rounds become numbers, and texts are cut to `words` words."""
    answers: Answers = {}
    for field, entry in entries.items():
        name = entry.question.name
        value = getattr(answer, field)
        if entry.about is not None:
            answers.setdefault(name, {})[entry.about] = value
        else:
            answers[name] = plain_answer(entry.question, value, words)
    return answers


def plain_answer(question: DebriefQuestion, value: str | None, words: int) -> int | str | None:
    """Return the number of a round, a text of at most `words` words, or the answer itself."""
    if value and question.answer == "round":
        return int(value.removeprefix(ROUND))
    if value and question.answer == "text":
        return fit_words(value, words)[0]
    return value or None


def line_of_answers(answers: Answers) -> str:
    """Return the answers as shown in the event's line.

    >>> line_of_answers({"trust": "Ada", "decided": 3, "who": {"Ada": "x:1"}, "why": None})
    'trust: Ada; decided: round 3; who: Ada is x:1; why: no answer'
    """
    parts = []
    for name, answer in answers.items():
        text = answer
        if answer is None:
            text = "no answer"
        elif isinstance(answer, int):
            text = f"{ROUND}{answer}"
        elif isinstance(answer, dict):
            text = ", ".join(f"{player_id} is {model}" for player_id, model in answer.items())
        parts.append(f"{name}: {text}")
    return "; ".join(parts)
