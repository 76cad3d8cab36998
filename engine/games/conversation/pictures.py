"""Charts of a conversation: its score over time, and the subjects by speaker."""

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from engine.games.conversation.payloads import SetupData, SpeechData
from engine.games.conversation.rules import subject_names
from engine.games.conversation.scoring import SHARED_PARTS
from engine.history import History, payload_of
from engine.report.charts import Chart, Heat, Lines
from engine.report.turning_points import TurningPoint, changes_of_lead


def conversation_charts(history: History) -> dict[str, Chart]:
    """Return the charts by name, or an empty dict before the first turn."""
    turns = turns_in(history)
    if not turns:
        return {}
    charts: dict[str, Chart] = {"score": score_curves(turns)}
    if any(turns):
        charts["subjects"] = subjects_by_speaker(history, turns)
    return charts


def turning_points(history: History) -> Iterator[TurningPoint]:
    """Yield the largest change of lead in private points; all players share the other points."""
    private = {seat.player_id: 0.0 for seat in history.players}
    standings = []
    for event in history.events:
        if event.kind == "speech":
            private[str(event.player_id)] += payload_of(event, SpeechData).private
            standings.append((event.index, dict(private)))
    return changes_of_lead(standings, "private points")


def turns_in(history: History) -> list[SpeechData | None]:
    """Return the data of each turn's speech, or None for a pause."""
    turns: list[SpeechData | None] = []
    for event in history.events:
        if event.kind == "speech":
            turns.append(payload_of(event, SpeechData))
        elif event.kind == "pause":
            turns.append(None)
    return turns


def score_curves(turns: list[SpeechData | None]) -> Lines:
    """Return curves of the shared score and each of its parts after every turn."""
    curves: dict[str, list[float]] = {}
    for part in SHARED_PARTS:
        changes = [0.0 if turn is None else getattr(turn.score, part) for turn in turns]
        curves[part] = [*accumulate(changes)]
    shared = [sum(points) for points in zip(*curves.values(), strict=True)]
    return Lines(
        title="The shared score, part by part",
        x_label="turn",
        y_label="points so far",
        x=range(1, len(turns) + 1),
        series={"shared": shared, **curves},
    )


def subjects_by_speaker(history: History, turns: list[SpeechData | None]) -> Heat:
    """Return a heat map of how often each player spoke of each subject, most frequent first."""
    names = subject_names(history.config["game"]["subjects"])
    spoken = count_subjects(history, turns)
    together = sum(spoken.values(), Counter[int]())
    columns = [subject for subject, _ in together.most_common()]
    cells = []
    for speaker_turns in spoken.values():
        cells.append([float(speaker_turns[subject]) or None for subject in columns])
    return Heat(
        title="Who spoke about what",
        rows=[*spoken],
        columns=[names[subject] for subject in columns],
        cells=cells,
        label="items spoken",
    )


def count_subjects(history: History, turns: list[SpeechData | None]) -> dict[str, Counter[int]]:
    """Return how often each player spoke of each subject."""
    spoken = {seat.player_id: Counter[int]() for seat in history.players}
    items = {}
    for event in history.events:
        if event.kind == "setup":
            for item in payload_of(event, SetupData).bank:
                items[item.id] = (item.player_id, item.subjects)
    for turn in turns:
        if turn is not None:
            speaker, subjects = items[turn.item]
            spoken[speaker].update(subjects)
    return spoken
