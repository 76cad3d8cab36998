"""The tensors of a model, read from the head of its GGUF file."""

from functools import cache
from math import prod
from pathlib import Path
from typing import BinaryIO, NamedTuple

MAGIC = b"GGUF"
# A model with fewer parameters reads the templates of small models.
SMALL = 1_500_000_000
# The size in bytes of a metadata value, by type; texts and arrays state their own length.
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
TEXT = 8
ARRAY = 9
VERSION = 4
# The maximum length of a tensor's name, in bytes.
LONGEST = 1024


class Tensor(NamedTuple):
    """A tensor as listed in a file's head; `offset` is in bytes from the first tensor's start."""

    name: bytes
    sides: tuple[int, ...]
    kind: int
    offset: int


def is_small_file(path: Path) -> bool:
    """Return whether a file has a model of under 1.5 billion parameters, or cannot be read."""
    try:
        # Opening a pipe would block.
        return not path.is_file() or parameters_in(path) < SMALL
    except (OSError, ValueError):
        return True


@cache
def parameters_in(path: Path) -> int:
    """Return a GGUF file's number of parameters; raise ValueError if the file is not GGUF."""
    with path.open("rb") as file:
        _, tensors = read_head(file)
    return sum(prod(tensor.sides) for tensor in tensors)


def read_head(file: BinaryIO) -> tuple[int, list[Tensor]]:
    """Return the tensor list's offset and the list; raise ValueError if the file is not GGUF."""
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError(f"expected {file.name} to contain weights in the GGUF format: it does not")
    try:
        file.seek(VERSION, 1)
        tensors, facts = _number(file, 8), _number(file, 8)
        for _ in range(facts):
            _skip_text(file)
            _skip_value(file, _number(file, 4))
        return file.tell(), [_read_tensor(file) for _ in range(tensors)]
    except (KeyError, ValueError, OverflowError, RecursionError, EOFError) as error:
        raise ValueError(f"expected {file.name} to be a whole GGUF file: {error!r}") from None


def _number(file: BinaryIO, size: int) -> int:
    return int.from_bytes(_bytes(file, size), "little")


def _bytes(file: BinaryIO, size: int) -> bytes:
    content = file.read(min(size, LONGEST))
    if len(content) < size:
        raise EOFError("it ends too early")
    return content


def _skip_text(file: BinaryIO) -> None:
    file.seek(_number(file, 8), 1)


def _skip_value(file: BinaryIO, kind: int) -> None:
    """Skip a value of the metadata; raise KeyError for a type that does not exist."""
    if kind == TEXT:
        _skip_text(file)
    elif kind == ARRAY:
        inner, count = _number(file, 4), _number(file, 8)
        if inner in SIZES:
            file.seek(SIZES[inner] * count, 1)
            return
        for _ in range(count):
            _skip_value(file, inner)
    else:
        file.seek(SIZES[kind], 1)


def _read_tensor(file: BinaryIO) -> Tensor:
    name = _bytes(file, _number(file, 8))
    sides = tuple(_number(file, 8) for _ in range(_number(file, 4)))
    return Tensor(name, sides, kind=_number(file, 4), offset=_number(file, 8))
