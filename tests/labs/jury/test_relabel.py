"""Two players get each other's names, as whole words, wherever they stand."""

import json

import pytest

from engine.history import history_from_json
from labs.jury.relabel import Swap, relabel, tells_model
from providers import CompletionRequest
from tests.support.fake_api import first_legal
from tests.support.island import fields_in, island

CASES = [
    ("Ann", "Ben", "Ann likes Ben's hat; Anna does not.", "Ben likes Ann's hat; Anna does not."),
    ("Player 1", "Player 2", "Player 1, Player 10, Player 2.", "Player 2, Player 10, Player 1."),
    ("Player 1", "Player 10", "Player 1: Player 10? Player 100", "Player 10: Player 1? Player 100"),
    ("Ann", "Ann Lee", "Ann Lee beat Ann.", "Ann beat Ann Lee."),
    ("Ann", "Ben", "Ann Lee is not Ann.", "Ann Lee is not Ben."),
    ("A.B", "C+*?", "A.B, AxB, C+*?!", "C+*?, AxB, A.B!"),
    ("a\\1", "$^|", "a\\1 or $^|: \\1", "$^| or a\\1: \\1"),
    ("I", "Will", "I will, said Will; I'm sure", "Will will, said I; Will'm sure"),
    ("Ännchen", "日本", "Ännchen 日本 日本語", "日本 Ännchen 日本語"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "text", "swapped"), CASES)
def test_names_are_swapped_as_whole_words(one: str, other: str, text: str, swapped: str) -> None:
    swap = Swap(one, other, (one, other, "Player 10", "Ann Lee"))
    assert swap.text(text) == swapped
    assert swap.text(swapped) == text


def test_a_log_is_swapped_in_all_that_players_read() -> None:
    log = island("loyal", "grudge", "random", "bandwagon", seed=5).run()
    before = log.to_json()
    swapped = relabel(log, Swap("Ada", "Ben", ("Ada", "Ben", "Cleo", "Dan")))
    assert log.to_json() == before
    for event, other in zip(log.events, swapped.events, strict=True):
        was = json.dumps([event.player_id, event.content]).replace("Ada", "*")
        now = json.dumps([other.player_id, other.content])
        assert was.replace("Ben", "Ada").replace("*", "Ben") == now
    assert relabel(swapped, Swap("Ben", "Ada", ("Ada", "Ben"))).to_json() == before


@pytest.mark.parametrize(
    ("words", "tells"),
    [
        ("I stand with Ada.", False),
        ("Trust me, I am Claude.", True),
        ("as a GPT4 I know", True),
        ("Made by OpenAI!", True),
        ("The adaptive claudette", False),
    ],
)
def test_words_that_name_a_model_are_found(words: str, tells: bool) -> None:
    def answer(request: CompletionRequest) -> str:
        fields = fields_in(request)
        return json.dumps({name: first_legal(form, words) for name, form in fields.items()})

    log = history_from_json(island("model", "loyal", "loyal", answer=answer).run().to_json())
    assert tells_model(log, log.rounds[-1].eliminated_player_ids[0]) is tells
