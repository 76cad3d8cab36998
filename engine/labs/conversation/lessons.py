"""The study that learns the weights of `foresight`."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from pydantic import Field

from engine.games.conversation.strategies.foresight.weights import (
    WEIGHTS,
    Learned,
    Weights,
    learned_weights,
    weights_for,
)
from engine.labs.conversation.selfplay import Setting
from engine.labs.conversation.studies import table_of_rows
from engine.labs.conversation.training import Trained, learn_weights, weights_text
from engine.labs.conversation.trials import Settings, setting_name
from engine.labs.study import Report, Study
from engine.report.charts import Bars


class Lesson(NamedTuple):
    """What to train: weights for one setting or, without one, for all, and what to begin with."""

    setting: Setting | None
    start: Weights
    generations: int
    seed: int


class Train(Study[Lesson, Trained]):
    """Learn the weights of foresight, by an evolution strategy over games of its own kind."""

    name: ClassVar[str] = "train"
    settings: Settings = Field(
        default=tuple(Setting(*known) for known in learned_weights().by_setting),
        description="P/B/S/L of each setting, with commas",
    )
    afresh: bool = Field(
        default=False,
        description="begin with weights set by hand, not with those in the repository",
    )
    generations: int = Field(default=90, ge=1, description="generations: 90 take minutes a setting")
    write: bool = Field(
        default=False, description="put the weights into the file that foresight reads"
    )

    def tasks(self) -> Sequence[Lesson]:
        """Return the lessons: one for all settings, and one for each."""
        lessons = [self._lesson(None, learned_weights().for_all)]
        for setting in dict.fromkeys(self.settings):
            lessons.append(self._lesson(setting, weights_for(*setting)))
        return lessons

    def _lesson(self, setting: Setting | None, weights: Weights) -> Lesson:
        start = learned_weights().by_hand if self.afresh else weights
        return Lesson(setting, start, self.generations, self.seed)

    @staticmethod
    def work(task: Lesson) -> Trained:
        """Learn the weights of one lesson."""
        return learn_weights(
            task.setting, generations=task.generations, seed=task.seed, start=task.start
        )

    def report(self, results: Sequence[Trained]) -> Report:
        """Return the scores in self-play on fresh deals; write the weights if asked to."""
        names = [_name_of(one.setting) for one in results]
        means = [one.mean for one in results]
        errors = [one.error for one in results]
        finding = f"`--write` puts these weights into {WEIGHTS.name}."
        if self.write:
            write_weights(results)
            finding = f"{WEIGHTS.name} has these weights now."

        rows = zip(means, errors, strict=True)
        heading = "Shared score a turn in self-play, on fresh deals"
        numbers = map(str, range(len(results[0].weights)))
        return Report(
            f"Weights of foresight after {self.generations} generations",
            tables=(table_of_rows(heading, ("setting", "mean", "±"), names, rows),),
            charts=(Bars("Self-play on fresh deals", "shared score a turn", names, means, errors),),
            findings=(finding,),
            sheets=(
                table_of_rows(
                    "Weights", ("setting", *numbers), names, [one.weights for one in results]
                ),
            ),
        )


def _name_of(setting: Setting | None) -> str:
    if setting is None:
        return "all"
    return setting_name(setting)


def write_weights(results: Sequence[Trained]) -> None:
    """Put the weights into the file that `foresight` reads, beside those of other settings."""
    by_hand, for_all, by_setting = learned_weights()
    found = dict(by_setting)
    for one in results:
        if one.setting is None:
            for_all = one.weights
        else:
            found[*one.setting] = one.weights
    WEIGHTS.write_text(weights_text(Learned(by_hand, for_all, found)), encoding="utf-8")
