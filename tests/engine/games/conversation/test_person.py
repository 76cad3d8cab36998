"""A person in a conversation reads why it did not speak, and what it has."""

import random

import pytest

from engine.games.conversation.game import ConversationGame
from engine.games.conversation.scoring import score
from engine.games.conversation.state import after_turn, conversation_of
from engine.games.conversation.wording import score_so_far, why_unspoken

PLAYERS = ("Ada", "Ben", "Cleo")


@pytest.mark.parametrize(
    ("speakers", "why"),
    [
        ("Ben", "Ben had spoken as often as you, and was drawn at random."),
        ("Ben Ben", "Ben, who had spoken last, was drawn to speak again."),
        ("Ada Ben", "Ben had spoken less often than you."),
        ("Ben Ada Cleo", "Cleo had spoken less often than you."),
        ("Ben Ada", ""),
        ("Ben -", ""),
    ],
)
def test_a_person_reads_why_its_proposal_was_not_spoken(speakers: str, why: str) -> None:
    state = ConversationGame(length=9).start(PLAYERS, random.Random(1)).state
    for speaker in speakers.split():
        state = after_turn(state, None if speaker == "-" else state.banks[speaker][0])
    own = state.banks["Ada"][1].id
    name = own.removeprefix("Ada: ")
    told = f"Your proposal {name} was not spoken: {why}" if why else ""
    assert why_unspoken(state, "Ada", own) == told
    assert why_unspoken(state, "Ada", None) == ""
    total = score(conversation_of(state)).total["Ada"]
    table = ConversationGame(length=9).start(PLAYERS, random.Random(1))
    for item in state.turns:
        table = table.after(item, {})
    assert score_so_far(table.score, "Ada").startswith(f"{total:.3f} (")
    assert table.score is table.score, "it is computed once for all players that read it"


def test_the_reason_tells_nothing_of_what_others_proposed() -> None:
    game = ConversationGame(length=9)
    table = game.start(PLAYERS, random.Random(1))
    spoken = table.state.banks["Ben"][0]
    own = {"Ada": table.state.banks["Ada"][0].id, "Ben": spoken.id}
    told = set()
    for other in (None, table.state.banks["Cleo"][2].id):
        after = table.after(spoken, {**own, "Cleo": other})
        told.add(game.question_values(after, "Ada", ())["why_unspoken"]())
    assert len(told) == 1
