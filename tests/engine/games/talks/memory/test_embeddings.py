"""Texts as vectors: the scale, unit rows, the fallback, and the same in every process."""

import subprocess
import sys
from collections.abc import Iterator
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.talks.memory import embeddings
from engine.games.talks.memory.embeddings import (
    DIMENSIONS,
    EMBEDDERS,
    FEW,
    Embedder,
    HashingEmbedder,
    WordLlamaEmbedder,
    default_embedder,
    grams,
    place,
)
from tests.support.paths import ROOT
from tests.support.utterances import CASES


@pytest.fixture(params=sorted(EMBEDDERS))
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return EMBEDDERS[request.param]()


@pytest.fixture
def fresh_default() -> Iterator[None]:
    default_embedder.cache_clear()
    yield
    default_embedder.cache_clear()


def test_there_are_enough_utterances_of_three_sentences() -> None:
    assert len(CASES) >= 20
    for text in (text for case in CASES for text in case):
        assert sum(text.count(mark) for mark in ".?!") == 3, text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.said[:30])
def test_every_restated_utterance_is_alike_and_every_new_argument_is_not(
    case: tuple[str, str, str],
) -> None:
    said, restated, new = case
    alike, unlike = WordLlamaEmbedder().similarities(said, [restated, new])
    assert alike > 0.7
    assert unlike < 0.45


def test_a_text_has_the_same_row_alone_and_in_any_batch() -> None:
    texts = ["", *(text for case in CASES for text in case)]
    assert len(texts) > FEW
    together = WordLlamaEmbedder().embed(texts)
    one_by_one = np.vstack([WordLlamaEmbedder().embed([text]) for text in texts])
    assert (together == one_by_one).all()
    one_by_one[1] = 0.0
    kept = WordLlamaEmbedder().embed(texts[1:3])
    kept[:] = 0.0
    assert (WordLlamaEmbedder().embed(texts[1:3]) == together[1:3]).all(), "rows are copies"


def test_restated_utterances_score_above_new_arguments_on_average(embedder: Embedder) -> None:
    scores = [embedder.similarities(case.said, [case.restated, case.new]) for case in CASES]
    assert fmean(alike for alike, _ in scores) > 0.7
    assert fmean(unlike for _, unlike in scores) < 0.45
    assert all(alike > unlike for alike, unlike in scores)


def test_the_scale_is_clipped_at_both_ends(embedder: Embedder) -> None:
    low, high = {"wordllama": (0.0, 0.64), "hashing": (0.0, 0.28)}[embedder.name]
    cosines = np.array([low - 0.1, low, (low + high) / 2, high, high + 0.1])
    assert embedder.scaled(cosines).tolist() == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


@given(st.lists(st.text(max_size=60), max_size=5))
@pytest.mark.parametrize("name", sorted(EMBEDDERS))
def test_rows_have_length_one_or_are_of_zeros_whatever_the_text(
    name: str, texts: list[str]
) -> None:
    rows = EMBEDDERS[name]().embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape[0] == len(texts)
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all(np.isclose(lengths, 1.0, atol=1e-5) | (lengths == 0.0))


def test_a_text_is_like_itself_and_like_nothing_empty(embedder: Embedder) -> None:
    text = CASES[0].said
    assert embedder.similarities(text, []) == []
    assert embedder.similarities(text, [text, ""]) == [1.0, 0.0]
    expected = pytest.approx(embedder.similarities(CASES[0].new, [text]))
    assert embedder.similarities(text, [CASES[0].new]) == expected


def test_hashing_by_hand() -> None:
    # One word of five letters is itself once and four runs of four letters, .35 each: 1 and four
    # times .35, over the root of 1 + 4 * .35 * .35 = 1.49.
    row = HashingEmbedder().embed(["The moral"])[0]
    places = {place("moral"): 1.0} | {place(gram): 0.35 for gram in grams("moral")}
    assert len(places) == 5
    expected = np.zeros(DIMENSIONS)
    for where, weight in places.items():
        expected[where] = weight / np.sqrt(1.49)
    assert row == pytest.approx(expected, abs=1e-6)


def test_hashing_is_the_same_in_a_process_with_another_hash_seed() -> None:
    text = CASES[3].said
    code = (
        "from engine.games.talks.memory.embeddings import *; "
        f"print(HashingEmbedder().embed([{text!r}]).tobytes().hex())"
    )
    assert {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    } == {HashingEmbedder().embed([text]).tobytes().hex().encode()}


@pytest.mark.usefixtures("fresh_default")
def test_wordllama_is_the_default_and_is_loaded_once() -> None:
    assert default_embedder().name == "wordllama"
    assert default_embedder() is default_embedder()


@pytest.mark.usefixtures("fresh_default")
@pytest.mark.parametrize("fault", [ImportError("no wordllama"), FileNotFoundError("no weights")])
def test_hashing_stands_in_where_wordllama_is_missing(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def broken() -> None:
        raise fault

    monkeypatch.setattr(embeddings, "wordllama", broken)
    assert default_embedder().name == "hashing"


def test_importing_loads_no_wordllama_and_loading_it_leaves_logging_as_it_was() -> None:
    code = (
        "import logging, sys, engine.games.talks.memory.embeddings as e; "
        "assert 'wordllama' not in sys.modules; "
        "before = (logging.root.handlers[:], logging.root.level); "
        "e.wordllama(); after = (logging.root.handlers, logging.root.level); "
        "assert after == before, after"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
