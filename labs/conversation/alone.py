"""How strategies do among their own kind, from one setting of the conversation to another."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from engine.report.charts import Heat
from engine.statistics import mean, standard_error
from labs.conversation.studies import table_of_rows
from labs.conversation.substitution import SETTINGS
from labs.conversation.trials import (
    COMPARED,
    SEEDS,
    Settings,
    StrategyNames,
    Trial,
    TrialResult,
    in_parts,
    play_trial,
    setting_name,
    shared_scores,
)
from labs.study import MOST, Report, Study


class SelfPlay(Study[Trial, TrialResult]):
    """Ask how tables of one strategy do, from one setting to another."""

    name: ClassVar[str] = "selfplay"
    strategies: StrategyNames = Field(
        default=COMPARED, description="strategies by name, with commas"
    )
    settings: Settings = Field(
        default=SETTINGS[:6], min_length=1, description="P/B/S/L of each setting, with commas"
    )
    games: int = Field(
        default=50,
        ge=1,
        le=MOST,
        description="conversations of each kind, on the same seeds for all",
    )

    def tasks(self) -> Sequence[Trial]:
        """Return all conversations: by setting, then by strategy."""
        tasks = []
        for players, bank_size, subjects, length in self.settings:
            for name in self.strategies:
                seats = (name,) * players
                for game in range(self.games):
                    trial = Trial(
                        seats,
                        bank_size,
                        subjects,
                        length,
                        seed=self.seed * SEEDS + game,
                    )
                    tasks.append(trial)
        return tasks

    @staticmethod
    def work(task: Trial) -> TrialResult:
        """Play a conversation and measure it."""
        return play_trial(task)

    def report(self, results: Sequence[TrialResult]) -> Report:
        """Return mean and standard error of the shared score a turn, by setting and strategy."""
        names = [*map(setting_name, self.settings)]
        means = []
        errors = []
        for row in in_parts(in_parts(results, self.games), len(self.strategies)):
            scores = [*map(shared_scores, row)]
            means.append([*map(mean, scores)])
            errors.append([*map(standard_error, scores)])

        title = "Shared score a turn in self-play"
        columns = ("setting", *self.strategies)
        return Report(
            f"{title}, by players/bank/subjects/length: {self.games} conversations each",
            tables=(
                table_of_rows(title, columns, names, means),
                table_of_rows("Standard errors", columns, names, errors),
            ),
            charts=(Heat(title, names, self.strategies, means, "shared score a turn"),),
            findings=self._leaders(names, means),
        )

    def _leaders(self, names: Sequence[str], means: Sequence[Sequence[float]]) -> tuple[str, ...]:
        """Return the best strategy in each setting, in sentences."""
        sentences = []
        for name, row in zip(names, means, strict=True):
            best, leader = max(zip(row, self.strategies, strict=True))
            sentences.append(f"{name}: {leader} leads with {best:.2f}.")
        return tuple(sentences)
