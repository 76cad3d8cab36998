"""Convert Q4_1 weights to Q8_0, so that llama.cpp reads prompts in two thirds of the time."""

import os
from hashlib import sha256
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from providers.gguf import read_head

Q4_1 = 3
Q8_0 = 8
# Both formats store 32 numbers in a block; a block of Q4_1 has 20 bytes.
BLOCK = 32
Q4_1_BYTES = 20
# A file's tensors begin at multiples of this.
ALIGNMENT = 32
# How many bytes of each end of a file are in its fingerprint.
SAMPLE = 1 << 20


def faster_copy(path: Path) -> Path:
    """Return the cached copy of a GGUF file with its Q4_1 tensors in Q8_0; create it if needed.

    Returns the file itself if no copy can be stored.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"
    try:
        copy = cache / f"{path.stem}-{sample_hash(path)}-as-Q8_0.gguf"
        if copy.is_file():
            return copy
        cache.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=cache) as folder:
            part = Path(folder, copy.name)
            part.write_bytes(in_q8_0(path))
            part.replace(copy)
    except OSError:
        return path
    return copy


def sample_hash(path: Path) -> str:
    """Return a short hash of a file's size and of its first and last SAMPLE bytes."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(SAMPLE)
        file.seek(max(0, size - SAMPLE))
        return sha256(b"%d" % size + head + file.read()).hexdigest()[:12]


def in_q8_0(path: Path) -> bytes:
    """Return the content of a GGUF file with its Q4_1 tensors in Q8_0."""
    with path.open("rb") as file:
        listed, tensors = read_head(file)
        start = next_start(file.tell())
        file.seek(0)
        content = file.read()
    head = bytearray(content[:listed])
    data = bytearray()
    ends = [tensor.offset for tensor in tensors[1:]] + [len(content) - start]
    for tensor, end in zip(tensors, ends, strict=True):
        kind = tensor.kind
        numbers = content[start + tensor.offset : start + end]
        if kind == Q4_1:
            kind = Q8_0
            numbers = q8_0(q4_1_numbers(numbers[: prod(tensor.sides) // BLOCK * Q4_1_BYTES]))
        sides = b"".join(side.to_bytes(8, "little") for side in tensor.sides)
        head += len(tensor.name).to_bytes(8, "little") + tensor.name
        head += len(tensor.sides).to_bytes(4, "little") + sides
        head += kind.to_bytes(4, "little") + len(data).to_bytes(8, "little")
        data += numbers
        data += bytes(next_start(len(data)) - len(data))
    head += bytes(next_start(len(head)) - len(head))
    return bytes(head + data)


def next_start(place: int) -> int:
    """Return the smallest multiple of ALIGNMENT that is not less than `place`."""
    return -(-place // ALIGNMENT) * ALIGNMENT


def q4_1_numbers(blocks: bytes) -> Any:
    """Return the numbers in blocks of Q4_1, one row per block.

    A block has a scale and a minimum of 16 bits each, followed by 16 bytes. Number k is the minimum
    plus the scale times the lower half of byte k; number 16 + k uses the upper half.
    """
    rows = np.frombuffer(blocks, np.uint8).reshape(-1, Q4_1_BYTES)
    scales, least = rows[:, :4].copy().view(np.float16).astype(np.float32).T[:, :, None]
    return scales * np.hstack([rows[:, 4:] & 15, rows[:, 4:] >> 4]) + least


def q8_0(numbers: Any) -> bytes:
    """Return rows of 32 numbers as blocks of Q8_0: a scale in 16 bits, then 32 signed bytes."""
    scales = np.abs(numbers).max(axis=1, keepdims=True) / 127
    steps = np.divide(numbers, scales, out=np.zeros_like(numbers), where=scales > 0)
    signed = np.round(steps).astype(np.int8)
    return np.hstack([scales.astype(np.float16).view(np.uint8), signed.view(np.uint8)]).tobytes()
