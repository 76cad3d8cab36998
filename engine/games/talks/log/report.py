"""The evaluation report of a talk, from its log alone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from statistics import fmean

from engine.games.talks.archetypes import ARCHETYPES, DEPTHS, Move, PersonalityArchetype
from engine.games.talks.log.content import (
    EMBEDDER,
    FULL_STARS,
    LITTLE,
    content_facts,
    score_content,
)
from engine.games.talks.log.record import Evaluation, TalkRecord, evaluate, record_of
from engine.games.talks.memory.embeddings import Embedder, default_embedder
from engine.games.talks.metrics import stars
from engine.history import History
from engine.report.tables import Facts, Part, Sentence, Table, TableRow
from protocol.text import cut_at_word

BAR = 32
NOVELTY = ((0.6, "good variation"), (0.3, "some repetition"), (0.0, "going in circles"))
COMPARED = {
    "wordllama": "word vectors (wordllama)",
    "hashing": "hashed words, which capture spelling, not meaning: the extra talks has vectors",
}
AGREEMENT = ((0.7, "high agreement"), (0.4, "some agreement"), (0.0, "little agreement"))


def report(history: History, embedder: Embedder | None = None) -> Iterator[Part]:
    """Yield the report of the design's Appendix B, or nothing before the first exchange is over.

    `embedder` compares utterances with profiles. The content score requires EMBEDDER.
    Raises ValueError if the history is not a talk.
    """
    record = record_of(history)
    if record is None:
        return
    figures = evaluate(record)
    compare = embedder or default_embedder()

    yield heading_facts(record)
    yield from content_parts(record, figures, compare)
    yield turn_bars(record)
    yield Facts("Measures", tuple(measure_facts(record, figures, compare)))
    yield relationship_matrix(record)
    yield character_table(record, compare)
    yield portrait_table(record)
    yield from coalition_tables(record)


def content_parts(record: TalkRecord, figures: Evaluation, compare: Embedder) -> Iterator[Part]:
    """Yield the structure score and, if there are words to compare, the content score."""
    texts = [exchange.content for exchange in record.exchanges]
    if compare.name != EMBEDDER or not any(texts):
        yield structure_sentence(figures.quality)
        return
    content = score_content(record.opening.topic, texts, compare)
    worth = "says little" if content.score < LITTLE else "says enough"
    yield Sentence(
        f"Content Score: {content.score:.0f}/100 ({worth}; words in any order would pass)"
    )
    yield structure_sentence(figures.quality, content.score)
    yield Facts("Content", tuple(content_facts(content)))


def structure_sentence(quality: float, content: float = FULL_STARS) -> Sentence:
    """Return the design's quality, 0 to 100, with stars for "quality * min(1, content / 40)"."""
    shown = stars(quality * min(1.0, content / FULL_STARS))
    row = "★" * shown + "☆" * (5 - shown)
    return Sentence(f"Structure (Quality Score): {quality:.0f}/100 {row}")


def heading_facts(record: TalkRecord) -> Facts:
    """Return the topic, the length, the number of participants, and any host."""
    count = len(record.exchanges)
    exchanges = "exchange" if count == 1 else "exchanges"
    facts = [
        ("Topic", record.opening.topic),
        ("Duration", f"{count} {exchanges}"),
        ("Participants", str(len(record.names))),
    ]
    if record.opening.host:
        times = record.interjections
        interjections = "interjection" if times == 1 else "interjections"
        facts.append(("Host", f"{record.opening.host}, {times} {interjections}"))
    return Facts("Discussion Evaluation Report", tuple(facts))


def turn_bars(record: TalkRecord) -> Table:
    """Return each participant's number of turns, and its share of turns as a number and a bar."""
    count = len(record.exchanges)
    rows: list[TableRow] = []
    for name, turns in record.turns.items():
        bar = "█" * round(BAR * turns / count)
        rows.append((name, turns, f"{turns / count:.0%}", bar))
    return Table("Turn Distribution", ("player", "turns", "share", ""), tuple(rows))


def measure_facts(
    record: TalkRecord, figures: Evaluation, embedder: Embedder
) -> Iterator[tuple[str, str]]:
    """Yield each figure's name, value and meaning."""
    yield "Turn Fairness", f"{1 - figures.gini:.0%} (Gini {figures.gini:.2f})"
    yield from _depth_facts(record, figures)
    yield from _judged_facts(figures)
    similarity = last_positions(record, embedder)
    yield "Position Similarity", f"{similarity:.2f} (shown for information, without weight)"
    name = record.opening.embedder
    yield "Compared By", COMPARED.get(name, name)
    if groups := record.checks[-1].coalitions:
        yield "Coalitions", "; ".join(" + ".join(group) for group in groups)


def _depth_facts(record: TalkRecord, figures: Evaluation) -> Iterator[tuple[str, str]]:
    target, reached = record.opening.depth, figures.reached
    depth = f"reached {reached}/{target}, {DEPTHS[reached].name}"
    yield "Depth Achievement", f"{figures.depth:.0%} ({depth})"
    aspects = f"{len(record.aspects)} aspects / {3 * target}"
    yield "Aspect Coverage", f"{figures.coverage:.0%} ({aspects})"


def _judged_facts(figures: Evaluation) -> Iterator[tuple[str, str]]:
    """Yield novelty and convergence, each with a verdict, and the rate of convergence."""
    novelty = verdict(figures.novelty, NOVELTY)
    yield "Novelty Score", f"{figures.novelty:.2f} ({novelty})"
    agreement = verdict(figures.convergence, AGREEMENT)
    yield "Final Convergence", f"{figures.convergence:.2f} ({agreement})"
    yield "Convergence Rate", f"{figures.rate:+.3f} a turn"


def verdict(value: float, bounds: tuple[tuple[float, str], ...]) -> str:
    """Return a figure's meaning: the words for the first bound that it reaches."""
    return next((words for bound, words in bounds if value >= bound), bounds[-1][1])


def last_positions(record: TalkRecord, embedder: Embedder) -> float:
    """Return the mean cosine of all pairs of last positions, or 0 if there are fewer than two."""
    last = {turn.speaker: turn.position for turn in record.exchanges if turn.position}
    pairs = combinations(embedder.embed([*last.values()]), 2)
    similarities = [float(first @ second) for first, second in pairs]
    return fmean(similarities) if similarities else 0.0


def relationship_matrix(record: TalkRecord) -> Table:
    """Return the signed affinity of each participant (row) for each other participant (column)."""
    rows: list[TableRow] = []
    for name in record.names:
        feelings = record.feelings_of(name)
        row = [feeling(feelings[target]) if target in feelings else "-" for target in record.names]
        rows.append((name, *row))
    return Table("Relationship Matrix", ("player", *record.names), tuple(rows))


def feeling(affinity: float) -> str:
    """Return an affinity with its sign, or a plain 0, so that other values stand out."""
    return f"{affinity:+.2f}" if round(affinity, 2) else "0"


def character_table(record: TalkRecord, embedder: Embedder) -> Table:
    """Return the "embedding similarity of utterances to personality profile".

    The similarity is the mean cosine of a participant's utterances with the profile of its
    archetype. It is left empty for silent participants.
    """
    rows: list[TableRow] = []
    for name, personality in record.personalities.items():
        likeness = ""
        texts = [exchange.content for exchange in record.exchanges_of(name) if exchange.content]
        if texts:
            profile = ARCHETYPES[PersonalityArchetype(personality)].profile
            cosines = embedder.embed(texts) @ embedder.embed([profile])[0]
            likeness = f"{fmean(cosines.tolist()):.2f}"
        rows.append((name, personality, likeness))

    return Table("Personality Consistency", ("player", "personality", "consistency"), tuple(rows))


PORTRAIT = ("player", "most often", "likes most", "at odds with", "held last")
GROUPS = ("coalition", "from exchange", "to exchange", "exchanges")
ROOM = 60


def portrait_table(record: TalkRecord) -> Table:
    """Return each participant's usual move, its best friend, its rival, and its last position."""
    rows: list[TableRow] = []
    for name in record.names:
        friend, rival = _friend_and_rival(record.feelings_of(name))
        exchanges = record.exchanges_of(name)
        usual = _usual_move(exchange.move for exchange in exchanges)
        views = [exchange.position for exchange in exchanges if exchange.position]
        last = cut_at_word(views[-1], ROOM) if views else ""
        rows.append((name, usual, friend, rival, last))
    return Table("Portraits", PORTRAIT, tuple(rows))


def _usual_move(moves: Iterable[Move]) -> str:
    """Return the most frequent move and its count, or "" if there are no moves."""
    counts = Counter(map(str, moves))
    usual = [f"{move}, {count} of {counts.total()}" for move, count in counts.most_common(1)]
    return "".join(usual)


def _friend_and_rival(feelings: Mapping[str, float]) -> tuple[str, str]:
    """Return the participants liked most and disliked most, each "" if there is none."""
    dearest = max(feelings, key=feelings.__getitem__)
    farthest = min(feelings, key=feelings.__getitem__)
    friend = dearest if feelings[dearest] > 0 else ""
    rival = farthest if feelings[farthest] < 0 else ""
    return friend, rival


def coalition_tables(record: TalkRecord) -> Iterator[Table]:
    """Yield a table of all coalitions and when they existed, if there were any."""
    times: dict[tuple[str, ...], list[int]] = {}
    for turn, check in enumerate(record.checks, 1):
        for group in check.coalitions:
            times.setdefault(group, []).append(turn)

    rows = [(" + ".join(group), at[0], at[-1], len(at)) for group, at in times.items()]
    if rows:
        yield Table("Coalitions over the Talk", GROUPS, tuple(rows))
