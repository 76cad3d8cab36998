"""How often players broke the rules, counted from the attempts in a log."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.history.log import History
from engine.report.tables import Table


@dataclass(frozen=True, slots=True)
class MoveCounts:
    """How a player answered its questions; only questions to models and people are counted.

    `illegal` counts the illegal and unreadable answers, `retried` the questions with at least one
    such answer, and `replaced` the questions without a legal answer.
    """

    questions: int = 0
    illegal: int = 0
    retried: int = 0
    replaced: int = 0

    @property
    def per_question(self) -> float:
        """Illegal answers per question; 0 if there were no questions."""
        return self.illegal / self.questions if self.questions else 0.0

    def plus(self, illegal: int, *, fell_back: bool) -> "MoveCounts":
        """Return the counts after one more question, which received `illegal` illegal answers."""
        return MoveCounts(
            self.questions + 1,
            self.illegal + illegal,
            self.retried + (illegal > 0),
            self.replaced + fell_back,
        )


def move_counts(history: History) -> dict[str, MoveCounts]:
    """Return the counts of each player asked to move; failed calls do not count as illegal."""
    counts: dict[str, MoveCounts] = {}
    for event in history.events:
        if event.kind != "move" or event.player_id is None or event.prompt is None:
            continue
        wrong = [each for each in event.attempts if each.fault and each.finish != "none"]
        before = counts.get(event.player_id, MoveCounts())
        counts[event.player_id] = before.plus(len(wrong), fell_back=event.fell_back)
    return counts


def report_legality(history: History) -> Iterator[Table]:
    """Yield a table of each player's illegal moves if the game did not list the legal moves."""
    settings = history.config.get("game")
    if not isinstance(settings, dict) or settings.get("moves") != "unlisted":
        return
    rows = []
    for player_id, count in move_counts(history).items():
        shown = f"{count.per_question:.2f}"
        rows.append(
            (player_id, count.questions, count.illegal, shown, count.retried, count.replaced)
        )
    columns = ("player", "questions", "illegal", "illegal a question", "retried", "replaced")
    yield Table("Illegal moves", columns, tuple(rows))
