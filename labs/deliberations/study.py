"""The study of logs of deliberations: which files it reads, and what it asks of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from labs.deliberations.findings import QUESTIONS, VoteReport
from labs.deliberations.logs import (
    FileFacts,
    Reason,
    read_file,
    reasons_told,
    split_files,
    study_files,
)
from labs.study import LogStudy, Report


class VotesInLogs(LogStudy[FileFacts]):
    """Read finished deliberations: who wins, who votes for whom and why; no model is asked.

    A folder is one of logs, or a tournament's; a file is a log. Games of other kinds, unfinished
    and imported ones are left out and counted. First ballots count, those of a revote do not.
    """

    name: ClassVar[str] = "deliberations"
    questions: ClassVar[Mapping[str, str]] = QUESTIONS

    def tasks(self) -> Sequence[str]:
        """Return the files of all folders; ValueError if there are none."""
        return study_files(self.folders)

    @staticmethod
    def work(task: str) -> FileFacts:
        """Read one file."""
        return read_file(task)

    def report(self, results: Sequence[FileFacts]) -> Report:
        """Return tables, pictures and findings; ValueError if there is no finished game."""
        games, left_out = split_files(results)
        if not games:
            raise ValueError(self.nothing_told(left_out))
        return VoteReport(games, left_out, self.seed).report()

    def nothing_told(self, left_out: Counter[Reason]) -> str:
        """Return why there is nothing to report, and what to do."""
        return (
            f"expected a finished game of deliberations in {', '.join(self.folders)}: "
            f"there is none ({reasons_told(left_out)}); "
            "uv run example.py deliberations --offline --games 20 plays some"
        )
