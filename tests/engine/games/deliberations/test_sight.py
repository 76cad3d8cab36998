"""What models, people and players with a short memory see: never another player's ballot."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.history import Event, History
from engine.prompting import plain_words
from player import Console
from providers import Completion, CompletionRequest
from tests.oracles.judge import broken_rules
from tests.support.consoles import typist
from tests.support.histories import of_kind
from tests.support.island import Model, fields_in, island, model_of, on_form
from tests.support.narrowing import not_none

EVERYTHING = ["sidebars", "confessionals", "pitches", "votes"]


def asked(history: History) -> Iterator[tuple[Event, list[dict[str, str]], str]]:
    """Yield each event that answers a prompt, with the prompt's transcript and its whole text."""
    for event in history.events:
        prompt = history.prompt_of(event)
        if prompt is not None:
            assert prompt.sha256 == not_none(event.prompt).sha256
            yield event, [json.loads(line) for line in prompt.transcript.splitlines()], prompt.text


def test_nobody_reads_another_ballot_explanation_or_reasoning() -> None:
    """Every explanation, confession and reasoning is unique text, so a leak is found anywhere."""
    engine = island(*["model"] * 6, phases=EVERYTHING)
    history = engine.run()
    secrets = {e.content.partition(": ")[2]: e.player_id for e in of_kind(history, "vote")}
    secrets |= {e.content: e.player_id for e in of_kind(history, "confessional")}
    assert len(secrets) == 6 + 5 + 4 + 3 + 4 + 20
    for request in model_of(engine).asked:
        text = request.system + "".join(message.text for message in request.messages)
        assert not [
            secret
            for secret, owner in secrets.items()
            if secret in text and owner != request.session
        ]
        assert " thinks of " not in text


@pytest.mark.parametrize("memory", ["summary", {"Ada": "summary", "Cleo": "summary"}])
def test_a_summary_stands_for_its_round_in_every_later_prompt(memory: Any) -> None:
    history = island("model", "model", "model", "model", "random", memory=memory).run()
    assert broken_rules(history) == {}
    writers = {*["Ada", "Ben", "Cleo", "Dan", "Eva"]} if memory == "summary" else {*memory}
    for event, transcript, _ in asked(history):
        now = next(log.round_index for log in history.rounds if event in log.events)
        past = [line for line in transcript if "summary" in line]
        written = [e.content for e in of_kind(history, "summary") if e.player_id == event.player_id]
        if event.player_id not in writers:
            assert not past
            assert sum("result" in line for line in transcript) == now - 1
            continue
        assert [line["summary"] for line in past] == written[: now - 1]
        assert transcript[: now - 1] == past
        assert sum("result" in line for line in transcript) == (event.kind == "summary")
    assert {str(event.player_id) for event in of_kind(history, "summary")} == writers
    assert not [event for event in history.rounds[-1].events if event.kind == "summary"]


def test_a_summary_that_did_not_come_leaves_the_round_as_it_was() -> None:
    players = ("model", "model", "random", "random")
    answer = on_form("Summary", lambda _: "nothing of use")
    history = island(*players, answer=answer, memory={"Ada": "summary"}).run()
    assert broken_rules(history) == {}
    for event, transcript, _ in asked(history):
        now = next(log.round_index for log in history.rounds if event in log.events)
        assert sum("result" in line for line in transcript) == now - (event.kind != "summary")
    assert [event.data for event in of_kind(history, "summary")] == [{}, {}]


def person(*words: str) -> tuple[Console, list[str]]:
    """Return a console that votes for the first name and else says `words`, and what it shows."""
    said = iter(words)
    return typist(lambda question: "1" if question.startswith("vote") else next(said))


def test_a_person_sees_what_a_model_in_that_seat_would_see() -> None:
    """Ada, as a person and as a model, says the same, knows the same and is shown all of it.

    What stands as JSON before a model's question stands in words before a person's.
    """
    pitches = ("Keep me.", "Keep me again.", "Let me win.")
    console, shown = person(*pitches)

    def answer(request: CompletionRequest) -> str:
        fields = fields_in(request)
        if "vote" in fields:
            return json.dumps({"explanation": "", "vote": fields["vote"]["enum"][0]})
        spoken = request.messages[0].text.count('"by":"Ada","pitch"')
        return json.dumps({"plan": "", "text": pitches[spoken]})

    rest = ("loyal", "grudge", "random")
    played = island("human", *rest, console=console, seed=8).run()
    model = island("model", *rest, answer=answer, seed=8).run()
    pairs = zip(asked(played), asked(model), strict=True)
    for (event, transcript, _), (other, as_read, _) in pairs:
        assert transcript == as_read
        assert event.prompt is not None
        facts = json.loads(not_none(other.prompt).question.splitlines()[0])
        assert event.prompt.question.splitlines()[0] == plain_words(facts)
    assert [event.content for event in played.events] == [event.content for event in model.events]
    assert not any(event.fell_back for event in played.events)
    *_, (last, transcript, _) = asked(played)
    assert last.prompt is not None
    told = [f"{line['by']}: {[*line.values()][-1]}" for line in transcript]
    questions = [event.prompt.question for event, _, _ in asked(played) if event.prompt]
    shown = [" ".join(line.split()) for line in shown]
    questions = [" ".join(question.split()) for question in questions]
    assert [line for line in shown if line in told] == told
    assert [line for line in shown if line in questions] == questions
    assert shown[0] == " ".join(played.seat("Ada").system.split())
    others = {line for line in shown[1:] if line not in (*told, *questions)}
    assert {line.split()[0] for line in others} == {"1", "2", "3", "vote", "your"}


def test_a_person_with_a_short_memory_is_shown_all_that_is_new() -> None:
    console, shown = person(*["Keep me."] * 12)
    players = ("human", "loyal", "grudge", "random")
    history = island(*players, console=console, memory={"Ada": "summary"}).run()
    assert {" ".join(line.split()) for line in shown} >= {
        f"{line['by']}: {[*line.values()][-1]}"
        for _, transcript, _ in asked(history)
        for line in transcript
    }


@dataclass
class Slow(Model):
    """A model that takes a moment, and counts how many questions it has at once."""

    under_way: int = 0
    most: dict[str, int] = field(default_factory=dict)

    async def complete(self, request: CompletionRequest) -> Completion:
        self.under_way += 1
        await asyncio.sleep(0.01)
        self.most[request.schema_name] = max(self.most.get(request.schema_name, 0), self.under_way)
        self.under_way -= 1
        return await super().complete(request)


def test_what_is_private_is_asked_at_once_and_pitches_one_by_one() -> None:
    model = Slow()
    island(*["model"] * 5, model=model, phases=EVERYTHING, memory="summary").run()
    assert model.most == {
        "Partner": 5,
        "Sidebar": 1,
        "Confessional": 5,
        "Pitch": 1,
        "Vote": 5,
        "Summary": 5,
    }
