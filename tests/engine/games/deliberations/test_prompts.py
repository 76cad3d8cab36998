"""What a model must be told before it can play: each prompt is held to a checklist."""

import asyncio
from functools import cache
from typing import Any

import pytest

from engine.engine import GameEngine
from engine.games.deliberations.game import DeliberationsGame
from tests.support.fake_api import FakeApi, schema_in
from tests.support.tables import config_for

SETTINGS: dict[str, Any] = {
    "words": 41,
    "private_words": 23,
    "summary_words": 77,
    "exchanges": 2,
    "messages": 3,
    "memory": "summary",
    "reveal_tally": True,
    "phases": ["sidebars", "confessionals", "pitches", "votes"],
}
RULES = {
    "aim": "Your aim is to win; places behind the winner count little.",
    "players": "You are one of 5 players.",
    "rounds": "There are 4 rounds. In each of rounds 1 to 3, one player leaves. In round 4, the "
    "final, the 3 players who left choose which of the last two wins.",
    "order": "Each round, in this order: sidebars, confessionals, pitches, votes.",
    "sidebars": "2 times a round, each player in the game may take another player aside for "
    "a private talk of 3 messages, 23 words each at most, which no other player ever reads",
    "confessionals": "in at most 23 words, which no other player ever hears",
    "pitches": "one after the other in a random order, in at most 41 words",
    "votes": "vote at the same time to eliminate one of the others",
    "lots": "A random draw breaks ties, and all players learn of it.",
    "summaries": "what to remember of it, in at most 77 words. From then on it reads that instead",
    "tally": "with how many votes, and how many votes each of the others got",
    "secret": "Individual votes and their reasons are never revealed.",
    "bluffing": "You may promise, bluff and change your mind.",
    "inventing": "Refer only to the transcript below, and do not invent a talk or a vote.",
    "predicting": "Do not predict results that have not been announced.",
    "spoiled": "A vote that names no player on the ballot, even after a second request, counts "
    "for no player.",
    "twice": "Two players who choose each other talk twice.",
}
QUESTIONS = {
    "Partner": ("a talk of 3 messages, which no other player hears", "or nobody", "you begin"),
    "Sidebar": ("no other player ever reads it", " of 3", "23 at most"),
    "Confessional": ("no other player ever sees it", "What is your plan", "23 at most"),
    "Pitch": ("to all players", "why should you ", "41 at most"),
    "Vote": (
        "Your vote is secret",
        "A random draw breaks ties",
        "First your reason in one to three sentences (only you and the log see it), then the name.",
    ),
    "Summary": (
        "No other player reads it",
        "who left and why you think so, what you promised and were promised, whom you trust",
        "77 at most",
    ),
}


Asked = tuple[str, str, str, list[str]]


@cache
def all_asked(*, small: bool = False) -> list[Asked]:
    """Return of each question of a game its form, the system text, the rest, and its fields."""
    return asyncio.run(play(small=small))


async def play(*, small: bool) -> list[Asked]:
    async with FakeApi() as api:
        seats = ",".join(["compatible:m"] * 5)
        config = config_for("deliberations", seats, at=api.url, settings=SETTINGS, seed=3)
        players = [one.model_copy(update={"small": small}) for one in config.player_configs]
        await GameEngine(config.model_copy(update={"player_configs": players})).play()
    asked = []
    for request in api.requests:
        system, question = (message["content"] for message in request.body["messages"])
        form = request.body["response_format"]["json_schema"]["name"]
        asked.append((form, system, question, [*schema_in(request.body)["properties"]]))
    return asked


def test_every_question_is_held_to_the_checklist() -> None:
    asked = all_asked()
    assert {form for form, *_ in asked} == {*QUESTIONS}
    for form, system, question, fields in asked:
        for what, words in RULES.items():
            assert words in system, what
        for words in QUESTIONS[form]:
            assert words in question
        assert all(f'"{name}" (' in question for name in fields)
        *_, head = question.partition('{"round": ')
        assert head
        if form != "Summary":
            assert '"in_the_game": [' in question
            assert "of 4" in question


def test_a_sidebar_tells_who_begins_and_who_cannot_answer() -> None:
    asked = [question for form, _, question, _ in all_asked() if form == "Sidebar"]
    begun = [question for question in asked if "This is message 1 of 3; you begin." in question]
    ended = [question for question in asked if "This is message 3 of 3, the last one: " in question]
    between = [question for question in asked if "This is message 2 of 3." in question]
    assert len(begun) == len(between) == len(ended) == len(asked) / 3
    assert all("cannot answer." in question for question in ended)


def test_a_small_seat_is_told_in_plainer_words() -> None:
    pitches = [question for form, _, question, _ in all_asked(small=True) if form == "Pitch"]
    assert all("use new words of your own" in question for question in pitches)
    large = [question for _, _, question, _ in all_asked()]
    assert not any("new words of your own" in question for question in large)


@pytest.mark.parametrize("phase", ["sidebars", "confessionals", "pitches"])
def test_the_rules_tell_only_the_phases_that_are_played(phase: str) -> None:
    rules = DeliberationsGame.model_validate({"phases": [phase, "votes"]}).rules(players=5)
    told = [name for name in ("Sidebars", "Confessionals", "Pitches") if f"- {name}: " in rules]
    assert told == [phase.capitalize()]
    assert "Summaries" not in rules
