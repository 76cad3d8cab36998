"""One contract for every corpus: in memory, in ChromaDB in this process, and in a folder."""

import re
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from engine.games.talks.memory.chroma import ChromaCorpus, collection_name
from engine.games.talks.memory.corpus import Corpus, Facts, MemoryCorpus, Record
from engine.games.talks.memory.embeddings import (
    Embedder,
    HashingEmbedder,
    Vectors,
    WordLlamaEmbedder,
)
from tests.support.utterances import CASES

FACTS: Facts = {"speaker": "sophia", "turn": 1, "move": "CHALLENGE", "target": "marcus", "depth": 2}
KINDS = ("memory", "chroma", "chroma in a folder")


class Plane(Embedder):
    """Angles as vectors: "60" is 60 degrees from "0", so that cosines are known by heart."""

    name = "plane"
    scale = (0.0, 1.0)

    def embed(self, texts: Sequence[str]) -> Vectors:
        angles = np.radians([float(text) for text in texts])
        return np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)


@pytest.fixture(params=KINDS)
def corpus_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Embedder], Corpus]:
    numbers = count()

    def made(embedder: Embedder) -> Corpus:
        if request.param == "memory":
            return MemoryCorpus(embedder)
        pytest.importorskip("chromadb")
        if request.param == "chroma":
            return ChromaCorpus(embedder)
        return ChromaCorpus(embedder, f"s{next(numbers)}", tmp_path)

    return made


def test_the_most_similar_come_first_on_the_embedders_scale(
    corpus_of: Callable[[Embedder], Corpus],
) -> None:
    corpus = corpus_of(Plane())
    for angle in ("90", "0", "60", "180"):
        corpus.add(Record(angle, angle, FACTS))
    found = corpus.most_similar("0", 3)
    # cos 0 = 1, cos 60 = 1/2, cos 90 = 0; 180 would be -1, clipped to 0, and is left out by k.
    assert [(record.id, round(similarity, 5)) for record, similarity in found] == [
        ("0", 1.0),
        ("60", 0.5),
        ("90", 0.0),
    ]
    assert len(corpus.most_similar("0", 10)) == 4
    assert corpus.most_similar("0", 10)[-1][1] == 0.0


def test_records_come_back_as_they_were(corpus_of: Callable[[Embedder], Corpus]) -> None:
    corpus = corpus_of(HashingEmbedder())
    record = Record("marcus_turn_7", "He said: \"{}' \\ \n <|x|> é🎭", FACTS)
    corpus.add(record)
    [(found, similarity)] = corpus.most_similar(record.text, 5)
    assert (found, round(similarity, 5)) == (record, 1.0)


def test_an_empty_corpus_finds_nothing(corpus_of: Callable[[Embedder], Corpus]) -> None:
    corpus = corpus_of(HashingEmbedder())
    assert corpus.most_similar("anything", 3) == []
    corpus.add(Record("a", "love"))
    assert corpus.most_similar("love", 0) == []


def test_equals_come_oldest_first(corpus_of: Callable[[Embedder], Corpus]) -> None:
    corpus = corpus_of(Plane())
    for number in (3, 1, 2):
        corpus.add(Record(f"r{number}", "45"))
    assert [record.id for record, _ in corpus.most_similar("45", 3)] == ["r3", "r1", "r2"]


def test_an_id_is_taken_once(corpus_of: Callable[[Embedder], Corpus]) -> None:
    corpus = corpus_of(HashingEmbedder())
    corpus.add(Record("a_turn_1", "love"))
    with pytest.raises(ValueError, match="expected a record with a new id: got 'a_turn_1'"):
        corpus.add(Record("a_turn_1", "hate"))
    assert [record.text for record, _ in corpus.most_similar("love", 5)] == ["love"]


def test_two_corpora_of_one_process_share_nothing(corpus_of: Callable[[Embedder], Corpus]) -> None:
    one, other = corpus_of(HashingEmbedder()), corpus_of(HashingEmbedder())
    one.add(Record("a_turn_1", "love"))
    assert other.most_similar("love", 3) == []


def test_a_text_without_words_is_like_nothing(corpus_of: Callable[[Embedder], Corpus]) -> None:
    corpus = corpus_of(HashingEmbedder())
    corpus.add(Record("a", ""))
    corpus.add(Record("b", "love and friendship"))
    assert corpus.most_similar("", 2) == [
        (Record("a", ""), 0.0),
        (Record("b", "love and friendship"), 0.0),
    ]
    assert [record.id for record, _ in corpus.most_similar("friendship", 2)] == ["b", "a"]


def test_utterances_find_what_restates_them(corpus_of: Callable[[Embedder], Corpus]) -> None:
    corpus = corpus_of(WordLlamaEmbedder())
    for turn, case in enumerate(CASES):
        corpus.add(Record(f"p_turn_{turn}", case.said, {**FACTS, "turn": turn}))
        corpus.add(Record(f"q_turn_{turn}", case.new, {**FACTS, "turn": turn}))
    nearest = [corpus.most_similar(case.restated, 1)[0][0].id for case in CASES]
    assert nearest == [f"p_turn_{turn}" for turn in range(len(CASES))]


def test_chroma_agrees_with_memory() -> None:
    pytest.importorskip("chromadb")
    corpora = (MemoryCorpus(WordLlamaEmbedder()), ChromaCorpus(WordLlamaEmbedder()))
    for corpus in corpora:
        for turn, case in enumerate(CASES):
            corpus.add(Record(f"p_turn_{turn}", case.said))
    for case in CASES:
        one, other = (corpus.most_similar(case.new, 5) for corpus in corpora)
        assert [record.id for record, _ in one] == [record.id for record, _ in other]
        assert [s for _, s in one] == pytest.approx([s for _, s in other], abs=1e-5)


def test_a_folder_keeps_what_a_session_said(tmp_path: Path) -> None:
    pytest.importorskip("chromadb")
    session = uuid4().hex
    ChromaCorpus(HashingEmbedder(), session, tmp_path).add(Record("a_turn_1", "love", FACTS))
    again = ChromaCorpus(HashingEmbedder(), session, tmp_path)
    found = [record for record, _ in again.most_similar("love", 3)]
    assert found == [Record("a_turn_1", "love", FACTS)]


def test_each_collection_keeps_its_own_embedder(tmp_path: Path) -> None:
    pytest.importorskip("chromadb")
    for embedder in (HashingEmbedder(), WordLlamaEmbedder()):
        corpus = ChromaCorpus(embedder, embedder.name, tmp_path)
        stored = corpus._collection.configuration_json["embedding_function"]
        assert stored["config"] == {"embedder": embedder.name}


def test_a_collection_is_named_after_its_session() -> None:
    assert collection_name("ab12") == "talks_ab12_corpus"
    for hostile in ("", "../../etc/passwd", "ein Gespräch über\nalles", "x" * 1000):
        assert re.fullmatch(
            r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]", collection_name(hostile)
        )


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.raises(
        ValueError, match=r"needs the package chromadb: install it with uv sync --extra chroma"
    ):
        ChromaCorpus(HashingEmbedder())
