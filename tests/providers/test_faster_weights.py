"""Weights in Q8_0 made from Q4_1: the numbers stay, and a copy is made once."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from providers.faster_weights import faster_copy, in_q8_0, q4_1_numbers, q8_0
from providers.gguf import parameters_in, read_head
from providers.local import BUNDLED, weights_file

START = 96


def two_tensors(folder: Path) -> Path:
    """Write a file with a tensor of one block in Q4_1, and one of 3 numbers in 32 bits."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 2, 0)
    head += struct.pack("<Q1sIQIQ", 1, b"a", 1, 32, 3, 0)
    head += struct.pack("<Q1sIQIQ", 1, b"b", 1, 3, 0, 32)
    path = folder / "two.gguf"
    path.write_bytes(head.ljust(START, b"\0") + block().ljust(32, b"\0") + three())
    return path


def block() -> bytes:
    """Return a block with scale 0.5 and least number -2, whose numbers are mostly the least."""
    return struct.pack("<ee", 0.5, -2.0) + bytes([0x10, 0x32, *[0] * 13, 0xFE])


def three() -> bytes:
    return struct.pack("<fff", 1.0, 2.0, 3.0)


def test_a_block_of_q4_1_is_read_in_halves() -> None:
    (numbers,) = q4_1_numbers(block())
    # Halves 0, 2 and 14 below, 1, 3 and 15 above; times 0.5, less 2.
    assert numbers[[0, 1, 15]].tolist() == [-2.0, -1.0, 5.0]
    assert numbers[[16, 17, 31]].tolist() == [-1.5, -0.5, 5.5]
    assert set(numbers[2:15]) == {-2.0}


def test_a_block_of_q8_0_has_a_scale_and_signed_bytes() -> None:
    rows = np.zeros((2, 32), np.float32)
    rows[0, :3] = [127.0, -127.0, 2.4]
    content = q8_0(rows)
    assert content[:34] == struct.pack("<e32b", 1.0, 127, -127, 2, *[0] * 29)
    assert content[34:] == bytes(34)


def test_only_q4_1_changes_and_every_tensor_is_found_again(tmp_path: Path) -> None:
    path = two_tensors(tmp_path)
    path.write_bytes(content := in_q8_0(path))
    with path.open("rb") as file:
        _, tensors = read_head(file)
    assert [(tensor.name, tensor.sides, tensor.kind) for tensor in tensors] == [
        (b"a", (32,), 8),
        (b"b", (3,), 0),
    ]
    first, second = (START + tensor.offset for tensor in tensors)
    assert content[first : first + 34] == q8_0(q4_1_numbers(block()))
    assert second % 32 == 0
    assert content[second : second + 12] == three()


def test_a_copy_is_made_once_for_each_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = two_tensors(tmp_path)
    copy = faster_copy(path)
    assert copy.read_bytes() == in_q8_0(path)
    assert list(copy.parent.iterdir()) == [copy]
    copy.write_bytes(b"kept")
    assert faster_copy(path).read_bytes() == b"kept"
    os.utime(copy, (0, 0))
    assert faster_copy(path).read_bytes() == b"kept"
    # Other weights of the same name and size, and of an earlier time.
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, (0, 0))
    assert faster_copy(path).read_bytes() == in_q8_0(path)
    assert len([*copy.parent.iterdir()]) == 2


def test_without_a_place_for_the_copy_the_file_itself_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = two_tensors(tmp_path)
    assert faster_copy(path) == path


def test_the_bundled_weights_keep_their_size_in_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = weights_file(BUNDLED)
    assert parameters_in(faster_copy(path)) == parameters_in(path)
