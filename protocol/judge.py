"""What comes back from a player, judged: the answer that counts, or what was wrong with it and how to say so."""

from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from protocol.answer import AnswerError, read_answer
from protocol.text import clean, split_thoughts
from protocol.turn import Attempt, Turn
from providers import Completion, Message

A = TypeVar("A", bound=BaseModel)
SAID_AGAIN = 2000
LONGEST_MODEL = 100


def judge(
    turn: Turn[A], completion: Completion, seconds: float, model: str = ""
) -> tuple[A | None, Attempt]:
    """Return the answer that a completion holds (None: none usable) and the attempt to be kept of it.

    `model` is the one that was asked, if another may have answered.
    """
    text = completion.text.encode("utf-8", "replace").decode()
    said, thoughts = split_thoughts(text)
    reasoning = joined(str(clean(completion.reasoning)), str(clean(thoughts)))
    served = str(clean(completion.raw.get("model") or "", LONGEST_MODEL))
    served = "" if model in ("", served) else served
    attempt = Attempt(
        text, reasoning, completion.usage, seconds, finish=completion.finish, served=served
    )
    try:
        if completion.finish == "refusal":
            raise AnswerError("expected an answer: got a refusal")
        return read_answer(said, turn.answer, turn.choices), attempt
    except AnswerError as error:
        cut = (
            " (the answer was cut at its length limit: be shorter)"
            if completion.finish == "length"
            else ""
        )
        return None, replace(attempt, fault=str(clean(f"{error}{cut}")))


def joined(shown: str, thoughts: str) -> str:
    """Return both kinds of reasoning as one; what is already joined, as a log holds it, stays as it is."""
    return shown if shown.endswith(thoughts) else f"{shown}\n{thoughts}".strip()


def ask_again(attempt: Attempt) -> tuple[Message, Message]:
    """Return the two messages that follow an unusable attempt: what was said, cut if long, and why it is no answer."""
    why = f"That answer cannot be used: {attempt.fault}. Answer the same question again, with one JSON object."
    said = str(clean(attempt.text[:SAID_AGAIN])) or "(nothing)"
    return Message("assistant", (said,)), Message("user", (why,))


def legal_answer(answer: object, turn: Turn[A]) -> A:
    """Return `answer`; raise TypeError or ValueError unless it is of the turn's form and its choices are legal."""
    if not isinstance(answer, turn.answer):
        raise TypeError(f"expected a {turn.answer.__name__}: got {answer!r:.80}")
    for name, legal in turn.choices.items():
        if (value := getattr(answer, name)) not in legal:
            raise ValueError(f"expected {name} to be one of {', '.join(legal)}: got {value!r:.80}")
    return answer
