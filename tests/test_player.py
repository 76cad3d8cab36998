"""Players: models that learn why they were wrong, scripts with faults, people who type anything."""

import copy
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from pydantic import BaseModel, Field, ValidationError

from player import (
    Console,
    HumanPlayer,
    LLMPlayer,
    Player,
    PlayerConfig,
    Reply,
    ScriptedPlayer,
    Turn,
    Untaped,
)
from providers import Completion, CompletionRequest, FatalError, ProviderError, RequestError, Usage
from tests.support.consoles import typed
from tests.support.turns import PROMPT, Choice, turn


@dataclass
class Scripted:
    """A model that gives prepared answers and keeps what it was asked."""

    answers: Sequence[str | ProviderError]
    asked: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest) -> Completion:
        answer = self.answers[len(self.asked)]
        self.asked.append(request)
        if isinstance(answer, ProviderError):
            raise answer
        return Completion(answer, usage=Usage(prompt_tokens=10, completion_tokens=5))


async def asked(*answers: str | ProviderError) -> tuple[Reply[Choice], Scripted]:
    client = Scripted(answers)
    reply = await LLMPlayer(PlayerConfig(player_id="Ada"), client).decide(turn(), Untaped())
    return reply, client


async def test_a_model_is_asked_once_when_it_answers_well() -> None:
    reply, client = await asked('{"rationale": "r", "item": "jazz"}')
    assert (reply.answer.item, reply.fell_back, len(reply.attempts)) == ("jazz", False, 1)
    request = client.asked[0]
    assert request.system == PROMPT.system
    assert request.messages[0].text == PROMPT.transcript + PROMPT.question
    assert request.schema is not None
    assert request.schema["properties"]["item"]["enum"] == ["moss", "jazz"]


async def test_a_model_is_told_why_it_was_wrong() -> None:
    reply, client = await asked('{"item": "grass"}', '{"item": "jazz"}')
    assert (reply.answer.item, reply.fell_back) == ("jazz", False)
    assert [attempt.fault is None for attempt in reply.attempts] == [False, True]
    assert client.asked[1].messages[1].text == '{"item": "grass"}'
    sentence = 'expected item to be one of ["moss", "jazz"]: got \'grass\''
    assert sentence in client.asked[1].messages[2].text


async def test_after_three_tries_the_fallback_stands_and_every_raw_text_is_kept() -> None:
    reply, _ = await asked("a", "b", "c")
    assert (reply.answer.item, reply.fell_back) == ("moss", True)
    assert [attempt.text for attempt in reply.attempts] == ["a", "b", "c"]
    assert {attempt.usage for attempt in reply.attempts} == {Usage(10, completion_tokens=5)}


async def test_a_failed_call_is_a_fallback_and_a_fatal_one_is_raised() -> None:
    reply, _ = await asked(RequestError("too long"))
    assert (reply.fell_back, reply.attempts[0].fault) == (True, "too long")
    with pytest.raises(FatalError, match="bad key"):
        await asked(FatalError("bad key"))


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        (
            lambda turn, rng: Choice(item="grass"),
            "ValueError: expected item to be one of moss, jazz: got 'grass'",
        ),
        (lambda turn, rng: "moss", "TypeError: expected a Choice: got 'moss'"),
    ],
)
async def test_a_scripts_fault_is_kept(script: Callable[..., Choice], fault: str) -> None:
    player = ScriptedPlayer(PlayerConfig(player_id="Ada"), script, random.Random(0))
    reply = await player.decide(turn(), Untaped())
    assert (reply.answer.item, reply.fell_back, reply.attempts[0].fault) == ("moss", True, fault)


async def test_a_scripts_bug_ends_the_game() -> None:
    def buggy(turn: object, rng: object) -> Choice:
        raise ZeroDivisionError("division by zero")

    player = ScriptedPlayer(PlayerConfig(player_id="Ada"), buggy, random.Random(0))
    with pytest.raises(FatalError, match=r"ZeroDivisionError: division by zero in .*test_player"):
        await player.decide(turn(), Untaped())


def person(*lines: str) -> tuple[HumanPlayer, list[str]]:
    """Return a person who types `lines` and then ends the input, and the list of what is shown."""
    console, shown = typed(*lines)
    return HumanPlayer(PlayerConfig(player_id="Ada", provider="human"), console), shown


@pytest.mark.parametrize("line", ["2", "jazz", " JAZZ "])
async def test_a_person_picks_by_number_or_words(line: str) -> None:
    player, shown = person(line)
    assert (await player.decide(turn(), Untaped())).answer.item == "jazz"
    assert shown[:5] == ["You are Ada.\n", "Ben: moss", "\nWhich item?", "  1  moss", "  2  jazz"]


class Spoken(Choice):
    sentence: str = Field(description="one sentence")


SILENT = Spoken(item="jazz", sentence="")


@pytest.mark.parametrize(
    ("lines", "answer", "questions"),
    [
        (("1", "Moss is soft."), Spoken(item="moss", sentence="Moss is soft."), 1),
        (("2",), SILENT, 0),
    ],
)
async def test_a_person_who_stays_silent_is_asked_for_no_words(
    lines: tuple[str, ...], answer: Spoken, questions: int
) -> None:
    player, shown = person(*lines)
    asked = turn()._replace(answer=Spoken, fallback=SILENT, silence="jazz")
    reply = await player.decide(asked, Untaped())
    assert (reply.answer, reply.fell_back) == (answer, False)
    assert shown.count("one sentence: ") == questions


async def test_a_person_is_asked_again_after_bad_input() -> None:
    player, shown = person("0", "3", "grass", "", "1")
    reply = await player.decide(turn(), Untaped())
    assert (reply.answer.item, reply.fell_back) == ("moss", False)
    assert sum("is not a choice here: type a number from 1 to 2" in line for line in shown) == 4


@pytest.mark.parametrize("line", ["9" * 5000, "{" * 50_000, "x" * 50_000])
async def test_a_line_of_any_length_is_quoted_in_short(line: str) -> None:
    player, shown = person(line, "1")
    reply = await player.decide(turn(), Untaped())
    assert (reply.answer.item, reply.fell_back) == ("moss", False)
    assert max(map(len, shown)) < 200


async def test_the_end_of_input_leaves_the_seat_to_the_fallback_for_good() -> None:
    player, shown = person()
    for _ in range(2):
        reply = await player.decide(turn(), Untaped())
        assert (reply.answer.item, reply.fell_back) == ("moss", True)
    assert sum(line.startswith("Ada leaves") for line in shown) == 1


async def test_what_was_shown_is_not_shown_again() -> None:
    player, shown = person("1", "1")
    await player.decide(turn(), Untaped())
    await player.decide(turn(), Untaped())
    assert shown.count("Ben: moss") == 1
    assert shown.count("\nWhich item?") == 2


async def test_choices_are_listed_once_with_their_notes() -> None:
    class Pair(BaseModel):
        first: str
        second: str

    both = ("C", "D")
    choices, fallback = {"first": both, "second": both}, Pair(first="C", second="C")
    asked = Turn("Ada", "pair", None, lambda: PROMPT, Pair, choices, fallback)
    asked = asked._replace(notes=lambda: {"D": "defect"})
    player, shown = person("2", "1")
    assert (await player.decide(asked, Untaped())).answer == Pair(first="D", second="C")
    assert [line for line in shown if line.startswith("  ")] == ["  1  C", "  2  D  defect"]


async def test_what_a_person_reads_is_wrapped_and_inert(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    player, shown = person("1")
    told = "- a rule that goes on for longer than thirty characters\n  indented \x1b[31mred\x07"
    long = replace(PROMPT, system=told)
    await player.decide(turn()._replace(prompt=lambda: long), Untaped())
    rule = "- a rule that goes on for\n  longer than thirty\n  characters\n"
    assert shown[0] == f"{rule}  indented [31mred\n"


@pytest.mark.parametrize("player_id", ["", " ", "a:b", "[x]", "a\nb", "x" * 41, "<b>", "Narrator"])
def test_player_ids_are_plain(player_id: str) -> None:
    with pytest.raises(ValidationError):
        PlayerConfig(player_id=player_id)


def test_a_key_is_in_no_dump() -> None:
    config = PlayerConfig(player_id="Ada", api_key="sk-canary")
    assert "canary" not in repr(config) + config.model_dump_json() + str(config.model_dump())


class Stubborn(Player):
    """A player of one's own, made from other things than the rest."""

    def __init__(self, *, name: str) -> None:
        super().__init__(PlayerConfig(player_id=name))


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_player_of_any_class_can_be_made_and_copied(again: Callable[[Player], Player]) -> None:
    made = again(Stubborn(name="Ada"))
    assert (type(made), made.config) == (Stubborn, PlayerConfig(player_id="Ada"))


def test_a_player_needs_a_config() -> None:
    with pytest.raises(TypeError, match="config"):
        Player()  # type: ignore[call-arg]


async def test_a_terminal_shows_the_rules_of_each_game() -> None:
    """In a second game, with the same rules or others, what was shown in the first is nothing."""
    shown: list[str] = []
    console = Console(lambda _: "1", shown.append)
    games = [PROMPT, replace(PROMPT, upto=1), PROMPT, replace(PROMPT, system="You are Cy.")]
    for prompt in games:
        await console.ask(turn(), prompt)
    assert shown.count("Ben: moss") == 3
    rules = [line for line in shown if line.startswith("You are")]
    assert rules == ["You are Ada.\n", "You are Ada.\n", "You are Cy.\n"]


class Moves(BaseModel):
    first: str
    second: str
    third: str


MOVES = Turn(
    "Ada",
    "block",
    None,
    lambda: PROMPT,
    Moves,
    dict.fromkeys(("first", "second", "third"), ("C", "D")),
    Moves(first="D", second="D", third="D"),
)


@pytest.mark.parametrize(
    ("lines", "moves"),
    [
        (("CDC",), "CDC"),
        (("c d c",), "CDC"),
        (("121",), "CDC"),
        (("C", "DC"), "CDC"),
        (("C", "D", "C"), "CDC"),
        (("CXC", "CDCD", "D", "CC"), "DCC"),
    ],
)
async def test_a_block_of_moves_may_be_typed_in_a_line(lines: tuple[str, ...], moves: str) -> None:
    player, _ = person(*lines)
    reply = await player.decide(MOVES, Untaped())
    assert "".join(reply.answer.model_dump().values()) == moves
    assert not reply.fell_back


async def test_words_are_no_row_of_moves() -> None:
    player, shown = person("moss jazz", "1")
    assert (await player.decide(turn(), Untaped())).answer.item == "moss"
    assert any("not a choice here" in line for line in shown)
