"""YAML of strangers: what is too deep, too long or explodes is refused before it is built."""

from pathlib import Path

import pytest

from engine.cli.main import run_command
from engine.record.yaml import DEEPEST, MOST_PARTS, read_yaml
from tests.support.terminal import Capture

LAUGHS = "a0: &a0 [x]\n" + "".join(
    f"a{place}: &a{place} [{', '.join([f'*a{place - 1}'] * 10)}]\n" for place in range(1, 12)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{place}: &a{place}\n  <<: [{', '.join([f'*a{place - 1}'] * 10)}]\n" for place in range(1, 12)
)
BAD = {
    "lists": "game: " + "[" * 3000 + "]" * 3000,
    "open": "{" * 5000,
    "mappings": "game: " + "{a: " * 3000 + "1" + "}" * 3000,
    "lines": "\n".join(" " * depth + "a:" for depth in range(300)),
    "laughs": LAUGHS,
    "merges": MERGES,
    "circle": "game: &a [*a]",
    "circle of merges": "game: &a\n  <<: *a",
    "digits": f"seed: {'9' * 5000}",
    "hexadecimal": f"seed: 0x{'f' * 6000}",
    "sixties": f"seed: {'1:' * 3000}1",
    "date": "seed: 2026-99-99",
    "length": "a" * 300_000,
}


@pytest.mark.parametrize("kind", sorted(BAD.keys() - {"hexadecimal", "sixties"}))
def test_what_no_game_is_made_from_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match=r"^it (is nested|expands|contains|has)"):
        read_yaml(BAD[kind])


@pytest.mark.parametrize(
    "text", ["games: 6\na: 1\ngames: 7\n", "entrants:\n  a: {x: 1, y: 2, x: 3}", "- b: 1\n  b: 1"]
)
def test_a_key_that_stands_twice_is_named_with_its_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line [123] has '(games|x|b)' twice"):
        read_yaml(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("{1: [pitches, votes]}", {1: ["pitches", "votes"]}),
        ("a: &x [1, 2]\nb: *x", {"a": [1, 2], "b": [1, 2]}),
        ("a: &x {n: 1}\nb: {<<: *x, m: 2}", {"a": {"n": 1}, "b": {"n": 1, "m": 2}}),
        ("[" * DEEPEST + "]" * DEEPEST, None),
        ("", None),
    ],
    ids=range(5),
)
def test_what_a_config_may_be_is_read(text: str, meant: object) -> None:
    assert meant is None or read_yaml(text) == meant


def test_a_list_and_its_items_are_parts_up_to_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_PARTS == 100_000
    monkeypatch.setattr("engine.record.yaml.MOST_PARTS", 100)
    assert read_yaml(f"[{'1,' * 99}]") == [1] * 99
    with pytest.raises(ValueError, match="it expands to more than 100 parts"):
        read_yaml(f"[{'1,' * 100}]")


@pytest.mark.parametrize("kind", BAD)
def test_a_command_refuses_it_in_a_sentence(kind: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(BAD[kind])
    commands = [
        ("example.py", ["--offline", "--config", str(path)]),
        ("talks.py", ["What is love?", "--offline", "--config", str(path)]),
        ("example.py", ["deliberations", "--offline", "--phases", BAD[kind]]),
        ("studies.py", ["conversation", "selfplay", "--settings", BAD[kind]]),
    ]
    for name, words in commands:
        assert run_command(name, words) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert len(told) < 700


@pytest.mark.parametrize(
    "words",
    [
        ["--games", "1000000000"],
        ["--games", "9" * 5000],
        ["--seed", "9" * 5000],
        ["--seed", "9" * 4000],
        ["--length", "9" * 5000],
    ],
)
def test_numbers_beyond_all_bounds_are_refused(words: list[str], capsys: Capture) -> None:
    assert run_command("example.py", ["--offline", *words]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert len(told) < 500
