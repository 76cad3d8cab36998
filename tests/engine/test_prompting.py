"""Data files are read once, as YAML or JSON, and a broken one is named."""

from pathlib import Path

import pytest

from engine.prompting import read_data


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
