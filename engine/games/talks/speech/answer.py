"""The form in which a participant answers, tidied on its way in."""

from functools import cache
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, create_model

from engine.games.talks.settings import Aspect, Position
from engine.games.talks.speech.utterance import LETTERS, tidy
from protocol.text import clean

ASPECTS = ("aspect_1", "aspect_2", "aspect_3")
TEXT = "your words to the others, 2 to 4 sentences"


class Utterance(BaseModel):
    """What a participant says; the aspects are short labels, empty where there is none."""

    text: str = Field(description=TEXT)
    position: Position = Field(default="", description="your position in one sentence")
    aspect_1: Aspect = Field(
        default="", description="an aspect of the topic that you touch, a short noun phrase"
    )
    aspect_2: Aspect = Field(default="", description="another one, or nothing")
    aspect_3: Aspect = Field(default="", description="another one, or nothing")

    @property
    def aspects(self) -> tuple[str, ...]:
        """The aspects that were named."""
        labels = [getattr(self, name) for name in ASPECTS]
        return tuple(filter(None, labels))


@cache
def utterance_of(name: str, words: int) -> type[Utterance]:
    """Return the form of an utterance by `name`, at most `words` words long.

    Its text is tidied on the way in, and refused where that is impossible.
    """

    def tidy_text(text: object) -> object:
        return tidy(str(clean(text)), name, words) if isinstance(text, str) else text

    limits = Field(max_length=words * LETTERS, description=TEXT)
    text = Annotated[str, BeforeValidator(tidy_text), limits]
    return create_model("Utterance", __base__=Utterance, text=(text, ...))
