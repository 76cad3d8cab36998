"""The content score: a floor, held to talks graded by hand before it was written."""

from pathlib import Path
from statistics import correlation, median
from typing import Any

import pytest

from engine.games.talks.game import TalksGame
from engine.games.talks.log.content import Content, own_words_in, score_content, word_runs
from engine.games.talks.log.report import structure_sentence
from engine.games.talks.memory.embeddings import WordLlamaEmbedder
from engine.prompting import read_data
from engine.report.tables import Facts, Sentence
from tests.support.histories import of_kind
from tests.support.tables import run_game

GRADED: list[dict[str, Any]] = read_data(Path(__file__).parents[3] / "data" / "graded_talks.yaml")
EMBEDDER = WordLlamaEmbedder()


def score_of(topic: str, *texts: str) -> Content:
    return score_content(topic, texts, EMBEDDER)


def scores() -> list[float]:
    return [score_of(one["topic"], *(text for _, text in one["turns"])).score for one in GRADED]


def mean_ranks(values: list[float]) -> list[float]:
    """Return the rank of each value from 1; equals share the mean of theirs."""
    ranks = []
    for value in values:
        ranks.append(sum(other < value for other in values) + (values.count(value) + 1) / 2)
    return ranks


def rank_correlation(ones: list[float], others: list[float]) -> float:
    """Return Spearman's rank correlation."""
    return correlation(mean_ranks(ones), mean_ranks(others))


def test_the_rank_correlation_by_hand() -> None:
    assert mean_ranks([0.0, 5.0, 5.0, 9.0]) == [1.0, 2.5, 2.5, 4.0]
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    # Ranks 1 2 3 and 1 3 2: 1 - 6 * (0 + 1 + 1) / (3 * 8) = .5
    assert rank_correlation([1, 2, 3], [10, 30, 20]) == pytest.approx(0.5)


def test_scores_go_with_the_grades() -> None:
    grades = [one["grade"] for one in GRADED]
    assert [grades.count(grade) for grade in range(5)] == [4] * 5
    assert rank_correlation(grades, scores()) >= 0.7


def test_what_says_nothing_stays_below_20() -> None:
    found = {one["why"]: score for one, score in zip(GRADED, scores(), strict=True)}
    assert max(found[one["why"]] for one in GRADED if one["grade"] <= 1) <= 20 + 1e-9
    assert found["polite echo, each adds a crumb"] < 40


def test_scripts_in_character_say_something() -> None:
    found = []
    for seed in range(8):
        seats = "scripted:in_character,scripted:in_character,scripted:in_character"
        history = run_game("talks", seats, seed=seed, settings={"depth": 3})
        texts = [event.content for event in of_kind(history, "utterance")]
        found.append(score_of(TalksGame().topic, *texts).score)
    assert median(found) >= 50


def test_factors_by_hand() -> None:
    assert word_runs("One two, three FOUR five") == [
        ("one", "two", "three", "four"),
        ("two", "three", "four", "five"),
    ]
    assert word_runs("Only three words") == []
    # The second says one of its two runs anew; the third has none, so it repeats nothing.
    texts = ["one two three four", "one two three four five", "yes"]
    assert own_words_in(texts).tolist() == [1.0, 0.5, 1.0]
    again = score_of("love", "Love is a promise.", "Love is a promise.")
    assert (again.score, again.new, again.own_words) == (0.0, 0.0, 0.0)
    assert again.answers == 1.0
    assert score_of("love", "Love is a promise.").score > 0  # an opening that stands alone
    assert score_of("love", "", "").score == 0.0


def test_what_it_cannot_see() -> None:
    """The vectors have no order of words: the right ones in a heap pass."""
    best = next(one for one in GRADED if one["grade"] == 4)
    texts = [text for _, text in best["turns"]]
    heaps = [" ".join(reversed(text.split())) for text in texts]
    assert score_of(best["topic"], *heaps).score >= 50


@pytest.mark.parametrize(
    ("quality", "content", "stars"),
    [
        (86.7, None, 4),  # the design's sample, which has no text
        (86.7, 40.0, 4),
        (86.7, 90.0, 4),
        (86.7, 20.0, 2),  # 86.7 * 20/40 = 43.35
        (59.0, 0.0, 0),
    ],
)
def test_stars_fall_where_the_words_say_little(
    quality: float, content: float | None, stars: int
) -> None:
    given = () if content is None else (content,)
    sentence = structure_sentence(quality, *given).text
    expected = f"Structure (Quality Score): {quality:.0f}/100 " + "★" * stars + "☆" * (5 - stars)
    assert sentence == expected


def test_the_content_score_leads_and_the_structure_is_under_it() -> None:
    parts = [*TalksGame.report(run_game("talks", settings={"depth": 1}))]
    (content,) = [part for part in parts if isinstance(part, Facts) and part.heading == "Content"]
    names = [name for name, _ in content.facts]
    assert names == ["On Topic", "On the Thread", "New", "Answers", "Own Words"]
    _, leads, follows, *rest = parts
    assert isinstance(leads, Sentence)
    assert isinstance(follows, Sentence)
    assert leads.text.startswith("Content Score: ")
    assert follows.text.startswith("Structure (Quality Score): ")
    assert not any(isinstance(part, Sentence) for part in rest)
