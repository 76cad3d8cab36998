"""Findings from jurors' answers as tables and sentences: effects, and the data behind them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.ratings.planning import FIRST_ICC, finals_needed
from engine.report.statistics import mean
from engine.report.tables import Facts, Part, Sentence, Table, TableRow
from engine.tournaments.report.numbers import percent_text
from labs.bias.estimators import Effect, alikeness, jury_effects
from labs.jury.record import Gap, JuryResults, Opinion

# The report shows how many finals are needed for effects of these sizes, in percentage points.
SHOWN_POINTS = (5, 10)
SHOWN_REASONS = 3
NOTHING = "no valid vote"
MEANING = {
    "order": "votes for a finalist for being listed first",
    "label": "votes for a finalist for the name that sorts first",
    "order flips": "jurors who change with the order, beyond a placebo",
    "label flips": "jurors who change with the names, beyond a placebo",
    "both flips": "jurors who change with both, beyond a placebo",
    "order verdicts": "finals decided otherwise with the order, beyond a placebo",
    "label verdicts": "finals decided otherwise with the names, beyond a placebo",
    "both verdicts": "finals decided otherwise with both, beyond a placebo",
}
COLUMNS = ("effect", "points", "low", "high", "share", "answers", "finals", "what it counts")


@dataclass(frozen=True)
class JuryFindings:
    """The effects by name (see `labs.bias.estimators`), and the data behind them.

    `noise` is the share of jurors that choose another finalist when asked exactly the same question
    again, and `placebo` the share that do so when the prompt is only reworded. `icc` is the
    intraclass correlation of the votes in a final. Each of the three is None without data.
    """

    effects: Mapping[str, Effect]
    finals: int
    jurors: int
    answers: int
    noise: float | None
    placebo: float | None
    icc: float | None
    failures: Mapping[str, int]
    left_out: Mapping[str, int]

    def needed(self, points: int) -> int:
        """Return how many finals are needed to show an effect of `points` on the share of votes."""
        jurors = max(1, round(self.jurors / max(1, self.finals)))
        # A negative icc counts as 0: a plan must not rely on it.
        icc = FIRST_ICC if self.icc is None else max(0.0, self.icc)
        return finals_needed(points / 100, jurors, icc=icc)

    def data(self) -> dict[str, Any]:
        """Return the findings as plain data, with shares and their differences as fractions."""
        effects = {}
        for name, effect in self.effects.items():
            effects[name] = {
                "estimate": effect.estimate,
                "interval": [*effect.interval],
                "share": effect.share,
                "answers": effect.votes,
                "finals": effect.games,
            }
        needed = {f"{points} points": self.needed(points) for points in SHOWN_POINTS}
        return vars(self) | {"effects": effects, "finals_needed": needed}


def findings_of(results: JuryResults) -> JuryFindings:
    """Return the findings from a jury's answers, even if some answers are missing."""
    valid = [opinion for opinion in results.opinions if opinion.chosen is not None]
    faults = [opinion.fault or NOTHING for opinion in results.opinions if opinion.chosen is None]
    with_votes = [opinion for opinion in valid if opinion.voted is not None]
    again = [opinion for opinion in with_votes if opinion.change == "again"]
    return JuryFindings(
        effects=jury_effects(opinion.answer() for opinion in results.opinions),
        finals=len({opinion.game for opinion in valid}),
        jurors=len({(opinion.game, opinion.juror) for opinion in valid}),
        answers=len(valid),
        noise=moved_share(again),
        placebo=moved_share([opinion for opinion in with_votes if opinion.change == "placebo"]),
        icc=icc_in(again),
        failures=count_words(faults),
        left_out=count_words(map(words_of_gap, results.gaps)),
    )


def moved_share(opinions: Sequence[Opinion]) -> float | None:
    """Return the share of jurors that now choose another finalist, or None without opinions."""
    return mean([opinion.chosen != opinion.voted for opinion in opinions]) if opinions else None


def icc_in(opinions: Sequence[Opinion]) -> float | None:
    """Return the intraclass correlation of choices in the game by final, or None if unknown."""
    games = [str(opinion.game) for opinion in opinions]
    finals = len({*games})
    if finals < 2 or finals == len(games):
        return None
    return alikeness([opinion.voted == min(opinion.listed) for opinion in opinions], games)


def count_words(words: Iterable[str]) -> dict[str, int]:
    """Return how often each text occurs, the most frequent first."""
    return dict(Counter(sorted(words)).most_common())


def words_of_gap(gap: Gap) -> str:
    """Return an omission (of a final, a juror or a question) and its reason as text."""
    what = "a final"
    if gap.juror:
        what = f"the question {gap.change}" if gap.change else "a juror"
    return f"{what}: {gap.why}"


def findings_parts(findings: JuryFindings) -> Iterator[Part]:
    """Yield the table of effects, its basis, and how many finals are needed to show an effect."""
    rows = tuple(effect_row(name, effect) for name, effect in findings.effects.items())
    if rows:
        yield Table("The jury, asked again", COLUMNS, rows)
    yield Facts("", tuple(facts_of_jury(findings)))
    if not rows:
        yield Sentence(
            "There is no effect yet: at least two finals with the same jurors are needed."
        )


def effect_row(name: str, effect: Effect) -> TableRow:
    """Return an effect as a row of the table, in percentage points."""
    low, high = effect.interval
    return (
        name,
        points_text(effect.estimate),
        points_text(low),
        points_text(high),
        percent_text(effect.share) or None,
        effect.votes,
        effect.games,
        MEANING[name],
    )


def points_text(share: float) -> str:
    """Return a difference of shares in percentage points with its sign; 0 has no sign."""
    points = 100 * share
    return f"{points:+.1f}" if points else "0"


def facts_of_jury(findings: JuryFindings) -> Iterator[tuple[str, str]]:
    """Yield the data behind the effects as pairs of a label and a text."""
    jurors = f"{findings.jurors} jurors in {findings.finals} finals"
    yield "based on", f"{findings.answers} answers of {jurors}"
    changed = "choose another finalist when"
    if findings.noise is not None:
        yield "noise", f"{percent_text(findings.noise)} {changed} asked the same again"
    if findings.placebo is not None:
        yield "placebo", f"{percent_text(findings.placebo)} {changed} the prompt has other words"
    yield "intervals", "95 %, of 2,000 resamples of finals"
    yield "failures", told_counts(findings.failures)
    yield "left out", told_counts(findings.left_out)
    if findings.jurors:
        yield "to show", needed_text(findings)


def needed_text(findings: JuryFindings) -> str:
    """Return how many finals are needed to show effects of several sizes."""
    needed = [f"{findings.needed(points)} finals for {points} points" for points in SHOWN_POINTS]
    icc = findings.icc
    basis = f"icc {FIRST_ICC:.2f} assumed" if icc is None else f"icc {icc:.2f}, of these votes"
    return f"{', '.join(needed)} of a finalist's share of votes ({basis})"


def told_counts(counts: Mapping[str, int]) -> str:
    """Return counts by reason as text, in the given order, or "none" if there are none."""
    counts_text = [f"{count} ({why})" for why, count in counts.items()]
    more = len(counts_text) - SHOWN_REASONS
    if more > 0:
        counts_text[SHOWN_REASONS:] = [f"and {more} more kinds"]
    return ", ".join(counts_text) or "none"
