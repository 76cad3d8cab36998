"""The answer form of participants, whose words are tidied on input."""

from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field, create_model

from engine.games.talks.settings import Aspect, Position
from engine.games.talks.speech.utterance import WORDS, cut_to_say, fit_to_say
from protocol.answer import with_plan
from protocol.text import clean, room_for

ASPECTS = ("aspect_1", "aspect_2", "aspect_3")
SMALL_LETTERS = 5.8


def field_of_words(name: str, words: int, about: str, longest: int | None = None) -> Any:
    """Return the field type for the words of `name`, tidied on input and described by `about`.

    A provider's schema allows `longest` characters (None: derived from the word limit).
    """

    def tidy_words(text: object) -> object:
        return fit_to_say(str(clean(text)), name, words) if isinstance(text, str) else text

    field = Field(
        title="Your words",
        description=about,
        json_schema_extra={"maxLength": longest or room_for(words)},
    )
    return Annotated[str, BeforeValidator(tidy_words), field]


class Spoken(BaseModel):
    """The words of an answer."""

    reply: str


class Utterance(Spoken):
    """A participant's words to the others, with its position and the aspects it mentions.

    The reply has at most `words` words, and its schema allows `longest` characters. Unused aspects
    are empty.
    """

    words: ClassVar[int] = WORDS
    longest: ClassVar[int | None] = None

    position: Position = Field(default="", description="your position in one sentence")
    aspect_1: Aspect = Field(
        default="", description="an aspect of the topic that you touch, a short noun phrase"
    )
    aspect_2: Aspect = Field(default="", description="another one, or nothing")
    aspect_3: Aspect = Field(default="", description="another one, or nothing")

    @property
    def aspects(self) -> tuple[str, ...]:
        """The aspects named in the answer."""
        labels = [getattr(self, name) for name in ASPECTS]
        return tuple(filter(None, labels))

    def spoken(self) -> tuple[str, bool]:
        """Return the words to be said ("" if there are none), and whether they were cut short."""
        words = cut_to_say(self.reply, self.words, self.longest) if self.reply else ""
        return words, words != self.reply


@cache
def utterance_of(
    name: str,
    words: int,
    *,
    small: bool = False,
    plans: bool = False,
) -> type[Utterance]:
    """Return the answer form for an utterance by `name` of at most `words` words.

    A `small` model fills all the space that a schema allows, so its schema allows less. With
    `plans`, a plan precedes the words, except for a small model, which would continue the plan in
    its words.
    """
    about = f"your words to the others, 2 to 4 sentences, {words} words at most"
    longest = int(words * SMALL_LETTERS) if small else None
    reply = field_of_words(name, words, about, longest)
    limited: type[Utterance] = create_model("Utterance", __base__=Utterance, reply=(reply, ...))
    limited.words, limited.longest = words, longest
    return with_plan(limited) if plans and not small else limited


@cache
def silent_answer(form: type[Utterance]) -> Utterance:
    """Return the answer of a participant that says nothing."""
    return form.model_construct(reply="")
