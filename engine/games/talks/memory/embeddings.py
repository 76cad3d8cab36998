"""Texts as vectors, and the similarity of two texts on one scale for all embedders."""

import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

DIMENSIONS = 4096
# Larger batches contain new texts, which are faster to embed together.
FEW = 16
GRAM = 4
GRAM_WEIGHT = 0.35
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
# Words that do not show what a sentence is about; words of one or two letters never count.
STOP_WORDS = """
about after again all also although always am and any anything are aren't as at away be because
been before being between both but can can't cannot could did didn't do does doesn't doing don't
down each either else enough even ever every everything few for from further get gets give given
gives go goes good got had has have having he her here hers him his how however if in into is
isn't it it's its itself just know less let like made make makes many matter may maybe me mean
means might mine more most much must my neither never no none nor not nothing now of off often on
once one only or other others our ours out over own perhaps quite rather really same say says see
seems shall she should since so some someone something still such take takes than that that's the
their theirs them then there these they thing things think this those though through thus to too
under until up upon us very was way we well were what when where whether which while who whole
whom whose why will with within without won't would yet you your yours
"""
STOP = frozenset(STOP_WORDS.split())


class Embedder(ABC):
    """Turns texts into vectors, and puts their cosines on a scale that all embedders share.

    `name` appears in the log; `scale` contains the cosines of unrelated and of equivalent texts.
    """

    name: ClassVar[str]
    scale: ClassVar[tuple[float, float]]

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an (n, d) array of unit rows; a text without words is a row of zeros."""

    def scaled(self, cosines: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return cosines as similarities from 0 to 1: clip((cos - lo) / (hi - lo), 0, 1)."""
        low, high = self.scale
        shares = (cosines.astype(np.float64) - low) / (high - low)
        # For a few numbers, np.clip takes twice as long.
        return np.minimum(np.maximum(shares, 0.0), 1.0)

    def similarities(self, text: str, texts: Sequence[str]) -> list[float]:
        """Return how similar `text` is to each of `texts`, from 0 (unrelated) to 1 (the same)."""
        if not texts:
            return []
        vectors = self.embed([text, *texts])
        similarities: list[float] = self.scaled(vectors[1:] @ vectors[0]).tolist()
        return similarities


class WordLlamaEmbedder(Embedder):
    """Static 256-dimensional word vectors from wordllama's wheel; they need no network."""

    name = "wordllama"
    scale = (0.0, 0.64)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an (n, 256) array of unit rows; a text without words is a row of zeros."""
        if not texts:
            return unit(np.zeros((0, 256)))
        if len(texts) > FEW:
            return unit(wordllama().embed([*texts], norm=False))
        return np.array([*map(wordllama_row, texts)])


@lru_cache(maxsize=4096)
def wordllama_row(text: str) -> NDArray[np.float32]:
    """Return a text's row, cached because a talk compares each text often."""
    row: NDArray[np.float32] = unit(wordllama().embed([text], norm=False))[0]
    row.flags.writeable = False
    return row


class HashingEmbedder(Embedder):
    """Vectors of hashed words and four-letter runs, which capture spelling, not meaning.

    The hash is crc32, which is not salted, so vectors are the same in every process.
    """

    name = "hashing"
    scale = (0.0, 0.28)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an (n, 4096) array of unit rows; a text without words is a row of zeros."""
        rows = np.zeros((len(texts), DIMENSIONS))
        for row, text in zip(rows, texts, strict=True):
            for word in content_words(text):
                row[place(word)] += 1.0
                for gram in grams(word):
                    row[place(gram)] += GRAM_WEIGHT
        return unit(rows)


def content_words(text: str) -> list[str]:
    """Return the words that show a text's meaning, in lower case.

    >>> content_words("Is love really what we owe to one another?")
    ['love', 'owe', 'another']
    """
    words = WORD.findall(text.casefold().replace("\u2019", "'"))
    return [word for word in words if len(word) > 2 and word not in STOP]


def grams(word: str) -> list[str]:
    """Return the runs of four letters in `word`, with the word's ends marked.

    >>> grams("moral")
    ['<mor', 'mora', 'oral', 'ral>']
    """
    marked = f"<{word}>"
    return [marked[start : start + GRAM] for start in range(len(marked) - GRAM + 1)]


def place(feature: str) -> int:
    """Return the position of a feature in the vector."""
    return crc32(feature.encode()) % DIMENSIONS


def unit(rows: NDArray[Any]) -> Vectors:
    """Return the rows scaled to length 1; a row of zeros is unchanged."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)


@cache
def wordllama() -> Any:
    """Load the vectors from the package; raise ImportError or OSError if they are missing."""
    # By default, the tokenizer starts threads and prints a warning at each later fork.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with logging_left_alone():
        import wordllama as package

    folder = Path(package.__file__).parent
    return package.WordLlama.load(cache_dir=folder, disable_download=True)


@contextmanager
def logging_left_alone() -> Iterator[None]:
    """Add a handler during an import, so that basicConfig does nothing and logs stay off."""
    held = logging.NullHandler()
    logging.root.addHandler(held)
    try:
        yield
    finally:
        logging.root.removeHandler(held)


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "wordllama": WordLlamaEmbedder,
    "hashing": HashingEmbedder,
}


@cache
def default_embedder() -> Embedder:
    """Return wordllama, or hashing if wordllama cannot be loaded; loading is tried only once."""
    try:
        wordllama()
    except (ImportError, OSError):
        return HashingEmbedder()
    return WordLlamaEmbedder()
