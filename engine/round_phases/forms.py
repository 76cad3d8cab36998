"""The forms of players' answers in social games."""

from functools import cache
from itertools import takewhile
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
)

from protocol.answer import Reason, with_plan
from protocol.text import clean, room_for

W = TypeVar("W", bound="Words")
WORDS = 60
NOBODY = "nobody"
ACCEPT, DECLINE = "accept", "decline"
RANKS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth",
)  # fmt: skip
RANKED_TWICE = "a player who is not ranked above, or nobody, which ends the list"


class Words(BaseModel):
    """Free text, which `tell` cuts to `words`.

    `kind` names the text in the log and selects its template; if it is empty, the form's name
    is used. `heard` means that other players may hear the text, so its author may plan it first.
    """

    words: ClassVar[int] = WORDS
    kind: ClassVar[str] = ""
    heard: ClassVar[bool] = True

    text: Annotated[str, BeforeValidator(clean)] = Field(
        title="Your words", description="your words"
    )


class Pitch(Words):
    """A player's public words."""


class Sidebar(Words):
    """A player's words to its partner alone."""


class Statement(Words):
    """A tied player's public words before the second ballot."""


class LastWords(Words):
    """The public words of a player who was voted out."""

    kind: ClassVar[str] = "last_words"


class Confessional(Words):
    """A player's private statement, which no other player sees."""


class Summary(Words):
    """A player's notes on a round, written without a plan."""

    heard: ClassVar[bool] = False


class JurorQuestion(Words):
    """A juror's question to the finalists."""

    kind: ClassVar[str] = "question"


class FinalistAnswer(Words):
    """A finalist's answer to a juror."""

    kind: ClassVar[str] = "answer"


class Vote(BaseModel):
    """A ballot; `vote` is None for an abstention, recorded only if no legal candidate is named."""

    explanation: Reason = ""
    vote: str | None = Field(description="the name of the player you vote for")


class Partner(BaseModel):
    """The player chosen for a private talk, NOBODY, or None if the answer was not legal."""

    explanation: Reason = ""
    partner: str | None = Field(description="the name of the player you talk to, or nobody")


class Consent(BaseModel):
    """Whether a picked player agrees to talk with the player that picked it."""

    explanation: Reason = ""
    answer: str = Field(description="accept or decline")


class Partners(BaseModel):
    """The partners that a player wants, by rank; NOBODY ends the list.

    `rank_partners` adds the fields. With `once`, ranking a player twice is a fault; otherwise only
    the higher rank counts.
    """

    once: ClassVar[bool] = True

    explanation: Reason = ""

    @field_validator("*")
    @classmethod
    def _rank_once(cls, name: str, info: ValidationInfo) -> str:
        above = [info.data[rank] for rank in RANKS if rank in info.data]
        is_rank = cls.once and info.field_name in RANKS
        if is_rank and name in above and NOBODY not in above:
            raise ValueError(RANKED_TWICE)
        return name

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names ranked above the first NOBODY, without duplicates."""
        names = (getattr(self, rank, NOBODY) for rank in RANKS)
        ranked = takewhile(lambda name: name != NOBODY, names)
        return tuple(dict.fromkeys(ranked))


@cache
def rank_partners(others: int, *, once: bool = True) -> type[Partners]:
    """Return the form for ranking the other players: one field per rank, at most 19."""
    about = "the player you most want to talk to, or nobody"
    fields: dict[str, Any] = {"first": (str, Field(title="First choice", description=about))}
    for rank in RANKS[1:others]:
        fields[rank] = (str, Field(title=f"{rank.capitalize()} choice", default=NOBODY))
    form = create_model("Partners", __base__=Partners, **fields)
    form.once = once
    return form


def type_of_text(about: str, words: int, title: str = "Your words") -> Any:
    """Return the type of a text of at most `words` words, described to its author by `about`."""
    room: dict[str, Any] = {"maxLength": room_for(words)}
    field = Field(title=title, description=about, json_schema_extra=room)
    return Annotated[str, BeforeValidator(clean), field]


@cache
def limit_words(form: type[W], words: int, *, plans: bool = False) -> type[W]:
    """Return `form` limited to `words` words.

    With `plans`, a form whose text others hear also asks for a plan.
    """
    text = type_of_text(f"your words, {words} at most", words)
    limited = create_model(form.__name__, __base__=form, text=(text, ...))
    limited.words = words
    return with_plan(limited) if plans and form.heard else limited
