"""The forms in which social games' questions are answered."""

from functools import cache
from typing import Annotated, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from protocol.answer import Reason
from protocol.text import clean, room_for

W = TypeVar("W", bound="Words")
WORDS = 60
NOBODY = "nobody"


class Words(BaseModel):
    """Free words, which `tell` cuts to `words`.

    `kind` is what they are called in the log and among the templates, if not as their form is.
    """

    words: ClassVar[int] = WORDS
    kind: ClassVar[str] = ""

    text: Annotated[str, BeforeValidator(clean)] = Field(description="your words")


class Pitch(Words):
    """What a player says to everybody."""


class Sidebar(Words):
    """What a player says to its partner alone."""


class Statement(Words):
    """What a player who is tied with others says to everybody before all vote again."""


class LastWords(Words):
    """What a player who was voted out says to everybody."""

    kind: ClassVar[str] = "last_words"


class Confessional(Words):
    """What a player says to the log alone."""


class Summary(Words):
    """What a player wants to remember of a round."""


class JurorQuestion(Words):
    """What a juror asks the finalists."""

    kind: ClassVar[str] = "question"


class FinalistAnswer(Words):
    """What a finalist answers a juror."""

    kind: ClassVar[str] = "answer"


class Vote(BaseModel):
    """A ballot; None, an abstention, is never on offer: it stands where no legal name came."""

    explanation: Reason = ""
    vote: str | None = Field(description="the name of the player you vote for")


class Partner(BaseModel):
    """Whom a player takes aside: NOBODY by choice, None where nothing legal came."""

    explanation: Reason = ""
    partner: str | None = Field(description="the name of the player you talk to, or nobody")


@cache
def limit_words(form: type[W], words: int) -> type[W]:
    """Return `form` for a text of at most `words` words."""
    about = f"your words, {words} at most"
    field = Field(description=about, json_schema_extra={"maxLength": room_for(words)})
    text = Annotated[str, BeforeValidator(clean), field]
    limited = create_model(form.__name__, __base__=form, text=(text, ...))
    limited.words = words
    return limited
