"""The parts of all prompts in a conversation, once each: what each player read, and when."""

from typing import NamedTuple

from engine.history import History
from tests.oracles.reading import each_event


class Passage(NamedTuple):
    """A part of a prompt: who read it, where it is, and before which event it was read."""

    reader: str
    where: str
    text: str
    upto: int


def passages_of(history: History) -> list[Passage]:
    """Return all parts of prompts: system texts, questions, and what each player saw.

    A speech in a player's own words is left out: what a player says about itself is not secret.
    """
    passages = []
    for seat in history.players:
        where = f"the system text of {seat.player_id}"
        passages.append(Passage(seat.player_id, where, seat.system, 0))

    own_words = speeches_in_own_words(history)
    for event in history.events:
        asked = event.prompt
        if asked is not None and event.player_id is not None:
            where = f"event {event.index}, the question to {event.player_id}"
            passages.append(Passage(event.player_id, where, asked.question, asked.upto))
        if event.index in own_words:
            continue
        for reader in event.visibility:
            where = f"event {event.index}, which {reader} sees"
            passages.append(Passage(reader, where, event.content, event.index))
    return passages


def speeches_in_own_words(history: History) -> set[int]:
    """Return the indices of the speeches that contain a sentence by the speaker."""
    has_voice = history.config["game"].get("voice", False)
    return {event.index for _, event in each_event(history, "speech") if has_voice}


def joined_text(passages: list[Passage]) -> str:
    """Return everything that was read as one text, for a quick search for secrets."""
    return "\0".join(dict.fromkeys([passage.text for passage in passages]))
