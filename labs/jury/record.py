"""`jury.jsonl`: the questions that a tournament's jurors were asked again, and their choices.

It is a journal (`engine.record.journal`): each raw model answer is written to disk before it is
used, at the address (game number, question number in the final, attempt). Each choice and each
omission also has a line, so reading the results needs no log.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from engine.record.journal import Journal, JournalError
from engine.tournaments.play_game import is_begun

FILE = "jury.jsonl"
ChangeName = Literal["again", "order", "label", "both", "placebo"]
Question = tuple[int, str, str]  # number of the game, juror, change


@dataclass(frozen=True, slots=True)
class Opinion:
    """One juror's choice when it was asked again; the juror is named by its entrant.

    Finalists have their names in the game, even if the question swapped them. `listed` is the order
    in which the juror read them, `voted` its choice in the game, and `chosen` its choice now. None
    means no valid vote; for `chosen`, `fault` says why.
    """

    game: int
    juror: str
    change: ChangeName
    listed: tuple[str, str]
    voted: str | None
    chosen: str | None
    fault: str = ""

    @property
    def question(self) -> Question:
        """The question that the opinion answers: game, juror and change."""
        return self.game, self.juror, self.change

    def answer(self) -> dict[str, Any]:
        """Return the opinion in the form that `labs.bias.estimators` reads."""
        place = None if self.chosen is None else 1 + self.listed.index(self.chosen)
        return {
            "game": str(self.game),
            "juror": self.juror,
            "permutation": self.change,
            "place_chosen": place,
            "chosen": self.chosen,
            "original": self.voted,
        }


@dataclass(frozen=True, slots=True)
class Gap:
    """Omitted questions: one, all to a juror (no `change`), or all in a final (no `juror`)."""

    game: int
    why: str
    juror: str = ""
    change: str = ""


class JuryResults(NamedTuple):
    """The contents of a `jury.jsonl`, in the order of games, jurors and changes."""

    opinions: list[Opinion]
    gaps: list[Gap]


class JuryRecord:
    """A record to write to while jurors are asked; only one process can have it open."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        opinions, gaps = jury_results(journal)
        self.heard = {opinion.question for opinion in opinions}
        self.gaps = {*gaps}

    @classmethod
    def open(cls, folder: Path, name: str) -> "JuryRecord":
        """Begin or resume the record in a tournament's folder.

        Raises JournalError if it is damaged, JournalTaken if another process has it open, and
        DiskError if it cannot be written.
        """
        path = folder / FILE
        if is_begun(path):
            return cls(Journal.reopen(path))
        return cls(Journal.create(path, {"made_from": {"config": {"tournament": name}}}))

    def note(self, opinion: Opinion) -> None:
        """Write a juror's choice."""
        self.heard.add(opinion.question)
        self.journal.write({"kind": "opinion", **asdict(opinion)})

    def leave_out(self, gap: Gap) -> None:
        """Write an omission with its reason, unless it is already written."""
        if gap not in self.gaps:
            self.gaps.add(gap)
            self.journal.write({"kind": "gap", **asdict(gap)})


def read_jury(folder: Path) -> JuryResults:
    """Return any jurors' choices recorded in `folder`; raise JournalError for a damaged record."""
    path = folder / FILE
    return jury_results(Journal.load(path)) if path.exists() else JuryResults([], [])


def jury_results(journal: Journal) -> JuryResults:
    """Return the results in a record; raise JournalError for a line that no jury wrote."""
    opinions: dict[Question, Opinion] = {}
    gaps: set[Gap] = set()
    try:
        for entry in journal.notes:
            if entry["kind"] == "opinion":
                opinion = OPINION.validate_python(entry)
                opinions.setdefault(opinion.question, opinion)
            if entry["kind"] == "gap":
                gaps.add(GAP.validate_python(entry))
    except ValidationError as error:
        raise JournalError(f"expected {FILE} to be written by a jury: {error!s:.200}") from None
    return JuryResults(by_question(opinions.values()), by_question(gaps))


def by_question(found: Iterable[Any]) -> list[Any]:
    """Return opinions or gaps, which arrive in any order, sorted by game, juror and change."""
    return sorted(found, key=attrgetter("game", "juror", "change"))


OPINION = TypeAdapter(Opinion)
GAP = TypeAdapter(Gap)
