"""The answers that a talk's log records, read back from its events."""

from collections.abc import Iterator, Mapping

from engine.games.talks.log.payloads import ThesisData, UtteranceData
from engine.games.talks.speech.answer import ASPECTS
from engine.history import Event, History, payload_of
from protocol.text import SILENT, before_cut

Fields = Mapping[str, str]
# Words that break off: they are cut off again behind the last sentence.
CUT_OFF = " and so on,"


def talk_answers(history: History) -> Iterator[tuple[Event, Fields]]:
    """Yield each event that records an answer, with its fields, in the order of the questions."""
    for event in history.events:
        if event.kind == "thesis":
            yield event, {"position": before_cut(payload_of(event, ThesisData).position)}
        elif event.kind == "host":
            yield event, reply_fields(event)
        elif event.kind == "utterance":
            yield event, utterance_fields(event)


def reply_fields(event: Event) -> dict[str, str]:
    """Return the words of an answer: empty if the player said nothing."""
    if event.content == SILENT:
        return {"reply": ""}
    return {"reply": event.content + CUT_OFF if event.data.get("cut") else event.content}


def utterance_fields(event: Event) -> Fields:
    """Return an utterance with its labels.

    A participant's name is no aspect, so it stands where words have no aspects: without any label
    they would be searched for key phrases.
    """
    said = payload_of(event, UtteranceData)
    fields = reply_fields(event)
    fields["position"] = before_cut(said.position)
    for name, label in zip(ASPECTS, said.aspects or (said.speaker,), strict=False):
        fields[name] = before_cut(label)
    return fields
