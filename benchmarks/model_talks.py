"""Print what the words of talks that models held are worth, and how long their answers were.

uv run benchmarks/model_talks.py FOLDER [FOLDER ...]

Each folder has logs, such as those of the same talks on an older commit. Answers
are measured as they came, before anything was cut.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.games.talks.log.content import likeness_of_turns, score_content, word_runs
from engine.history import Event, History, history_from_json
from engine.memory.embeddings import Embedder, WordLlamaEmbedder
from protocol.text import SENTENCE_END, SILENT, room_for

FIGURES = {
    "turns": "turns",
    "topic": "likeness to the topic",
    "on_topic": "on topic (content score)",
    "novelty": "novelty: 1 - likeness to the nearest earlier turn",
    "new": "new (content score)",
    "thread": "on the thread (content score)",
    "answers": "answers (content score)",
    "own_words": "own words (content score)",
    "content": "content score",
    "quality": "quality",
    "echo": "echo: runs of four words that others have said, %",
    "whole": "answers whole within the words, %",
    "within": "answers of no more words than asked, %",
    "words": "words of an answer",
}


def main() -> None:
    """Print a row for each figure: the mean over the talks in each folder, and each of them."""
    folders = [Path(folder) for folder in sys.argv[1:]]
    columns = []
    for folder in folders:
        paths = sorted(folder.glob("*.json"))
        found = [figures_of(history_from_json(path.read_bytes())) for path in paths]
        columns.append(found)
        ids = ", ".join(str(round(one["seed"])) for one in found)
        print(f"{folder}: {len(found)} talks, seeds {ids}")
    for name, meaning in FIGURES.items():
        cells = ""
        for found in columns:
            values = [one[name] for one in found]
            cells += f"{fmean(values):9.2f}  (" + ", ".join(f"{x:.2f}" for x in values) + ")"
        print(f"{meaning:52}{cells}")


def figures_of(history: History) -> dict[str, float]:
    """Return the figures of a talk, by name."""
    topic, limit = history.config["game"]["topic"], history.config["game"]["words"]
    said = [event for event in history.events if event.kind == "utterance"]
    texts = [spoken_in(event) for event in said]
    embedder = WordLlamaEmbedder()
    content = score_content(topic, texts, embedder)
    letters = room_for(limit)
    answers = [raw for event in said for raw in raw_answers(event)]
    lengths = [len(raw.split()) for raw in answers]
    whole = [is_whole(raw, limit, letters) for raw in answers]
    assert history.outcome is not None
    return {
        "seed": history.seed,
        "turns": len(texts),
        "topic": fmean(embedder.similarities(topic, texts)),
        "on_topic": content.on_topic,
        "novelty": fmean(novelties(texts, embedder)),
        "new": content.new,
        "thread": content.thread,
        "answers": content.answers,
        "own_words": content.own_words,
        "content": content.score,
        "quality": history.outcome.shared["quality"],
        "echo": 100 * fmean(echoes(said)),
        "whole": 100 * fmean(whole),
        "within": 100 * fmean(length <= limit for length in lengths),
        "words": fmean(lengths),
    }


def spoken_in(event: Event) -> str:
    """Return the words of an utterance, "" for silence."""
    return "" if event.content == SILENT else event.content


def novelties(texts: Sequence[str], embedder: Embedder) -> Iterator[float]:
    """Yield how new each turn is that has words before it; silence is not new."""
    alike = likeness_of_turns(texts, embedder)
    for place in range(1, len(texts)):
        if not texts[place]:
            yield 0.0
        elif any(texts[:place]):
            yield 1 - float(alike[place].max())


def raw_answers(event: Event) -> Iterator[str]:
    """Yield the words of every attempt at an utterance, as they came."""
    for attempt in event.attempts:
        try:
            answer = json.loads(attempt.text)
        except ValueError:
            yield attempt.text
            continue
        yield str(answer.get("reply", answer.get("text", "")))


def is_whole(raw: str, words: int, letters: int) -> bool:
    """Return whether an answer kept to its words, and was not broken off by the letters allowed."""
    ended = SENTENCE_END.search(raw.rstrip()[-3:]) is not None
    return len(raw.split()) <= words and (ended or len(raw) < letters)


def echoes(said: Sequence[Event]) -> Iterator[float]:
    """Yield of each turn but the first the share of its runs that others have said before."""
    runs_by: dict[str, set[tuple[str, ...]]] = {}
    for turn, event in enumerate(said):
        name = str(event.player_id)
        runs = word_runs(spoken_in(event))
        others = {run for one, found in runs_by.items() if one != name for run in found}
        if turn:
            yield sum(run in others for run in runs) / max(1, len(runs))
        runs_by.setdefault(name, set()).update(runs)


if __name__ == "__main__":
    main()
