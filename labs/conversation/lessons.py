"""The study that learns weights for the strategy `foresight`."""

from collections.abc import Sequence
from hashlib import sha256
from typing import ClassVar

from pydantic import Field

from engine.games.conversation.strategies.foresight.weights import (
    WEIGHTS,
    Learned,
    Weights,
    read_weights,
)
from labs.conversation import training
from labs.conversation.selfplay import Setting
from labs.conversation.training import (
    START,
    Lesson,
    Trained,
    has_few_items,
    learn_weights,
    weights_text,
)
from labs.conversation.trials import Settings, setting_name
from labs.study import Count, Report, Study, spread_bars, table_of_rows

# Games with at most this many players are faster and vary more, so their lessons are longer.
FEW_PLAYERS = 5
COMMAND = "uv run studies.py conversation train --write"


class Train(Study[Lesson, Trained]):
    """Learn the weights of foresight, by an evolution strategy over self-play."""

    name = "train"
    work: ClassVar = staticmethod(learn_weights)
    settings: Settings = Field(
        default=tuple(Setting(*known) for known in read_weights(START).by_setting),
        description="P/B/S/L of each setting, separated by commas",
    )
    generations: Count = Field(
        default=40, description="generations of each lesson; twice as many for up to five players"
    )
    write: bool = Field(
        default=False, description="write the weights to the file that foresight reads"
    )

    def tasks(self) -> Sequence[Lesson]:
        """Return the lessons: one for each setting, and one for each kind of setting."""
        start = read_weights(START)
        lessons = []
        for setting in dict.fromkeys(self.settings):
            few = has_few_items(setting)
            for_kind = start.for_few if few else start.for_many
            lessons.append(self._lesson(setting, few, start.by_setting.get(setting, for_kind)))
        lessons.append(self._lesson(None, False, start.for_many))
        lessons.append(self._lesson(None, True, start.for_few))
        return lessons

    def _lesson(
        self,
        setting: Setting | None,
        few: bool,
        start: Weights,
    ) -> Lesson:
        generations = self.generations
        if setting is not None and setting.players <= FEW_PLAYERS:
            generations = 2 * generations
        return Lesson(setting, few, start, generations, self.seed)

    def record(self) -> dict[str, object]:
        """Return a record of how the weights are learned; equal records mean equal weights."""
        terms = (
            training.POPULATION,
            training.SPREAD,
            training.TURNS,
            training.GAMES,
            training.VARIETY,
            training.MANY,
            training.FEW,
        )
        lessons = repr((terms, self.tasks()))
        return {
            "command": COMMAND,
            "seed": self.seed,
            "generations": self.generations,
            "lessons": sha256(lessons.encode()).hexdigest(),
        }

    def report(self, results: Sequence[Trained]) -> Report:
        """Return the scores in self-play on fresh deals; write the weights if `write` is set."""
        scores = {_name_of(result.lesson): (result.mean, result.error) for result in results}
        heading = "Shared score a turn in self-play, on fresh deals"
        numbers = map(str, range(len(results[0].weights)))
        weights = {_name_of(result.lesson): result.weights for result in results}
        return Report(
            f"Weights of foresight after {self.generations} generations",
            tables=(table_of_rows(heading, ("setting", "mean", "±"), scores),),
            charts=(spread_bars("Self-play on fresh deals", "shared score a turn", scores),),
            findings=(self._write_weights(results),),
            sheets=(table_of_rows("Weights", ("setting", *numbers), weights),),
        )

    def _write_weights(self, results: Sequence[Trained]) -> str:
        """Write the weights if `write` is set; return where they are or how to write them."""
        if not self.write:
            return f"`--write` writes these weights to {WEIGHTS.name}."
        text = weights_text(weights_of(results, self.record()))
        WEIGHTS.write_text(text, encoding="utf-8")
        return f"{WEIGHTS.name} contains these weights now."


def _name_of(lesson: Lesson) -> str:
    if lesson.setting is not None:
        return setting_name(lesson.setting)
    return "few items" if lesson.few else "many items"


def weights_of(results: Sequence[Trained], record: dict[str, object]) -> Learned:
    """Return the learned weights, with the initial weights for settings without a lesson."""
    _, for_many, for_few, known = read_weights(START)
    by_setting = dict(known)
    for result in results:
        setting = result.lesson.setting
        if setting is not None:
            by_setting[*setting] = result.weights
        elif result.lesson.few:
            for_few = result.weights
        else:
            for_many = result.weights
    return Learned(record, for_many, for_few, by_setting)
