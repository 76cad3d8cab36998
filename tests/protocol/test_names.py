"""Names: one spelling of each at every door, and no two that look the same."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.config import GameEngineConfig, Handover
from engine.exchange.foreign import foreign_name
from engine.record.yaml import read_yaml
from engine.runs.seating import read_players
from engine.tournaments.settings import TournamentSettings
from player import PlayerConfig
from protocol.answer import match_choice
from protocol.names import UNNAMEABLE, confusable_letters, look_of, refuse_lookalikes
from protocol.suggest import one_of
from protocol.text import clean

COMPOSED = "Zo\u00eb"
APART = "Zoe\u0308"
ACCENTED = "\u00e9\u00eb\u00f1\u00fc\u0151\u1e69\uac01\u212b"
NAMES = st.text(st.sampled_from(f"{ACCENTED}abzAZ 7"), min_size=1, max_size=12)
DOORS: dict[str, Callable[[str], str]] = {
    "config": lambda name: PlayerConfig(player_id=name).player_id,
    "players": lambda name: read_players(f"{name}=scripted:greedy")[0].player_id,
    "yaml": lambda name: str(read_yaml(f"{name}: 1").popitem()[0]),
    "import": lambda name: foreign_name(name, "a name"),
    "words": lambda name: str(clean(name)),
    "option": lambda name: one_of(name, ["Ada", COMPOSED], "player"),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_name_has_one_spelling_behind_every_door(door: str) -> None:
    assert {DOORS[door](COMPOSED), DOORS[door](APART)} == {COMPOSED}


@given(name=NAMES)
def test_a_model_may_spell_a_name_in_any_form_and_case(name: str) -> None:
    player_id = PlayerConfig(player_id=f"P{name.strip()}").player_id
    for form in ("NFC", "NFD"):
        for word in (player_id, player_id.upper(), player_id.casefold()):
            said = unicodedata.normalize(form, word)
            assert match_choice(said, (player_id, "Qo"), "vote") == player_id


TWINS = [
    ("Ada", "\u0410da"),
    ("Ada", "ADA"),
    ("Al", "AI"),
    ("Kern", "Kem"),
    ("Bot 10", "Bot lO"),
    (COMPOSED, APART),
    ("Ben", "\uff22en"),
]


@pytest.mark.parametrize(("name", "twin"), TWINS)
def test_two_names_that_look_the_same_are_refused(name: str, twin: str) -> None:
    with pytest.raises(ValueError, match=r"looks like|appears twice"):
        GameEngineConfig(player_configs=[PlayerConfig(player_id=one) for one in (name, twin)])
    seats = {name: {"provider": "scripted"}, twin: {"provider": "human"}}
    game = {"name": "dilemma"}
    with pytest.raises(ValueError, match="looks like"):
        TournamentSettings.model_validate(
            {"name": "cup", "game": game, "table": 2, "entrants": seats, "games": 1}
        )


def test_every_letter_that_unicode_calls_confusable_makes_a_twin() -> None:
    pairs = [(letter, other) for letter, others in confusable_letters().items() for other in others]
    # The standard takes letters apart first, so what it lists beside whole ones does not count.
    pairs = [pair for pair in pairs if unicodedata.is_normalized("NFD", "".join(pair))]
    assert len(pairs) > 10_000
    assert [pair for pair in pairs if look_of(pair[0]) != look_of(pair[1])] == []


@given(st.lists(NAMES, unique=True, max_size=5))
def test_names_pass_unless_two_look_the_same(names: list[str]) -> None:
    refused = False
    try:
        refuse_lookalikes(names)
    except ValueError:
        refused = True
    assert refused == (len({look_of(name) for name in names}) < len(names))


@given(st.sampled_from(["narrator", "NARRATOR", "Narrator"]), st.data())
@example("narrator", None)
def test_nobody_is_called_like_the_narrator(name: str, data: st.DataObject | None) -> None:
    if data is not None:
        place = data.draw(st.integers(0, len(name) - 1))
        table = confusable_letters()
        twins = [name[place], *(one for one in table if table[one] == [name[place]])]
        twin = data.draw(st.sampled_from(sorted(twins)))
        mark = data.draw(st.sampled_from(["", ".", "-", "_", " "]))
        name = f"{name[:place]}{twin}{mark}{name[place + 1 :]}"
    if set(name) & UNNAMEABLE or not name.strip():
        return
    with pytest.raises(ValueError, match=r"the game itself uses the name|1 to 40 characters"):
        PlayerConfig(player_id=name)


def test_an_heir_is_found_by_either_spelling() -> None:
    config = GameEngineConfig(
        player_configs=[PlayerConfig(player_id=COMPOSED), PlayerConfig(player_id="Ada")],
        handovers=[Handover(after=0, player=PlayerConfig(player_id=APART, provider="human"))],
    )
    assert config.handovers[0].player.player_id == COMPOSED
