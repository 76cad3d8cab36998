"""How large a model is, by the head of its file; and which templates its seat reads by that."""

import struct
from pathlib import Path

import pytest

from engine.engine import GameEngine
from engine.history import history_from_json
from player import PlayerConfig
from providers.gguf import is_small_file, parameters_in
from providers.local import BUNDLED, weights_file
from tests.support.tables import config_for


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


def head(*shapes: tuple[int, ...]) -> bytes:
    """Return the head of a file with a text, a number, and arrays of both, before its tensors."""
    facts = [
        text("general.name") + struct.pack("<I", 8) + text("Tiny"),
        text("general.alignment") + struct.pack("<II", 4, 32),
        text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bread"),
        text("scores") + struct.pack("<IIQ", 9, 6, 3) + bytes(12),
    ]
    tensors = [
        text(f"t{place}") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, 0)
        for place, shape in enumerate(shapes)
    ]
    counts = struct.pack("<IQQ", 3, len(tensors), len(facts))
    return b"GGUF" + counts + b"".join(facts) + b"".join(tensors)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "x.gguf"
    path.write_bytes(content)
    return path


def test_the_parameters_are_those_of_all_tensors(tmp_path: Path) -> None:
    assert parameters_in(written(tmp_path, head((3, 4), (5,), (2, 2, 2)))) == 12 + 5 + 8


@pytest.mark.parametrize(("sides", "small"), [((2, 3), True), ((1_000_000, 1_500), False)])
def test_a_game_records_the_size_of_a_file(
    tmp_path: Path, sides: tuple[int, int], small: bool
) -> None:
    path = written(tmp_path, head(sides))
    config = config_for("conversation", f"local:{path},scripted:greedy", settings={"length": 2})
    engine = GameEngine(config)
    assert [seat.small for seat in engine.history.players] == [small, False]
    assert engine.sitting["Ada"].small is small
    assert history_from_json(engine.history.to_json()).players == engine.history.players


def test_the_bundled_model_has_135_million() -> None:
    assert parameters_in(weights_file(BUNDLED)) == 134_515_008


@pytest.mark.parametrize(
    ("sides", "small"), [((1_000_000, 1_499), True), ((1_000_000, 1_500), False)]
)
def test_a_file_by_path_is_small_by_its_size(
    tmp_path: Path, sides: tuple[int, int], small: bool
) -> None:
    path = written(tmp_path, head(sides))
    seat = PlayerConfig(player_id="Ada", model=str(path)).with_size()
    assert seat.small is small
    assert seat.reader == ("small" if small else "")
    given = PlayerConfig(player_id="Ada", model=str(path), small=not small)
    assert given.with_size().small is not small


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        b"GGUF",
        head((3, 4))[:-20],
        b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<I", 99),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<IIQ", 9, 9, 1) * 5000,
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**64 - 1),
    ],
)
def test_a_file_that_is_none_is_small_and_refused_later(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ValueError, match="GGUF"):
        parameters_in(path)
    assert is_small_file(path)


@pytest.mark.parametrize("model", ["smollm2", "~nobody/x.gguf", "/no/such.gguf", ""])
def test_a_model_without_a_file_is_small(model: str) -> None:
    assert PlayerConfig(player_id="Ada", model=model).with_size().small is True
