"""Data files are read once, as YAML or JSON, and a broken one is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import prompting
from engine.prompting import (
    PROMPTS,
    READERS,
    environment,
    plain_words,
    read_data,
    render,
    template_hashes,
)


def test_a_data_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "phrases.yaml"
    path.write_text("again: ['As I said: {p}.', 'Ja, näh.']", encoding="utf-8")
    found = read_data(path)
    assert found == {"again": ["As I said: {p}.", "Ja, näh."]}
    path.unlink()
    assert read_data(path) is found


def test_json_keeps_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text('{"bias": 1e-05}', encoding="utf-8")
    assert read_data(path) == {"bias": 0.00001}  # YAML would read a text: it asks for "1.0e-05"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("ideas.yaml", b"1: [a, b", "ideas.yaml cannot be read: while parsing a flow sequence"),
        ("weights.json", b'{"bias": }', "weights.json cannot be read: Expecting value: line 1"),
        ("ideas.yaml", b"\xff", "ideas.yaml cannot be read: 'utf-8' codec"),
        ("ideas.yaml", None, r"ideas.yaml cannot be read: .*No such file"),
    ],
)
def test_a_broken_data_file_is_named(
    tmp_path: Path, name: str, text: bytes | None, sentence: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(ValueError, match=sentence):
        read_data(path)


@pytest.fixture
def own_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of templates in place of `prompts/`."""
    for name, text in {
        "game/ask.j2": "What do you do in this round?",
        "game/rules.j2": "The rules.",
        "small/game/ask.j2": "What now?",
        "small/other/ask.j2": "Other?",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(prompting, "PROMPTS", tmp_path)
    environment.cache_clear()
    template_hashes.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    environment.cache_clear()
    template_hashes.cache_clear()


@pytest.mark.usefixtures("own_prompts")
def test_a_small_seat_reads_its_own_template_where_there_is_one() -> None:
    assert render("game/ask.j2") == "What do you do in this round?"
    assert render("game/ask.j2", reader="small") == "What now?"
    assert render("game/rules.j2", reader="small") == "The rules."


def test_templates_of_small_seats_are_hashed_with_the_others(own_prompts: Path) -> None:
    before = template_hashes("game")
    assert {*before} == {"game/ask.j2", "game/rules.j2", "small/game/ask.j2"}
    (own_prompts / "small/game/ask.j2").write_text("And now?")
    template_hashes.cache_clear()
    changed = {name for name, found in template_hashes("game").items() if found != before[name]}
    assert changed == {"small/game/ask.j2"}


@pytest.mark.parametrize("reader", READERS)
def test_every_template_of_a_reader_stands_for_one_of_all_others(reader: str) -> None:
    paths = [*(PROMPTS / reader).rglob("*.j2")]
    assert paths
    for path in paths:
        assert (PROMPTS / path.relative_to(PROMPTS / reader)).is_file()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"round": 2, "in_the_game": ["Ada", "Ben"]}, "Round: 2. In the game: Ada, Ben."),
        ({"spoken": {"Ada": 1, "Ben": 0}}, "Spoken: Ada 1, Ben 0."),
        ({"eliminated": [], "speaker": None}, "Eliminated: none. Speaker: none."),
        ({"energy": 0.30000000001, "late": True}, "Energy: 0.3. Late: yes."),
        ("No <b>!", "\u201cNo <b>!\u201d"),
        (["love", "war"], "love, war"),
    ],
)
def test_people_read_facts_in_words(value: object, words: str) -> None:
    assert plain_words(value) == words
