"""The studies of deliberation logs: their tables, questions, charts and limits."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from engine.games.deliberations.report import CALIBRATION, calibration
from engine.report.charts import Chart
from engine.report.tables import Table
from labs.bias.estimators import Effect, adjust, mean_effect
from labs.deliberations.appeals import appeal_effects
from labs.deliberations.counting import (
    FIRST_OUT,
    FLAGGED,
    KIND,
    LIST,
    PARTNER,
    PLANS,
    PROMISES,
    SPEAKING,
    SPOKEN_PLANS,
    SWINGS,
    WINS,
    VoteCounts,
)
from labs.deliberations.facts import GameFacts
from labs.deliberations.logs import (
    FileFacts,
    Reason,
    read_file,
    reasons_told,
    split_files,
    study_files,
)
from labs.deliberations.tables import (
    BELIEFS,
    Effects,
    OwnEffect,
    belief_table,
    beyond_chart,
    chance_table,
    list_chart,
    logit_table,
    measured_rows,
    own_table,
    place_table,
    share_table,
)
from labs.study import LogStudy, Report

PLACES = "Mean place by model"
APPEALS = "Votes, all else equal"
OWN = "By model of the voter"
# The question that each table answers, in display order.
QUESTIONS = {
    WINS: "which model wins more often than its seats would by chance",
    PLACES: "which model places better than the middle of its tables",
    FIRST_OUT: "which model is the first to be voted out",
    LIST: "whether a place in the list as the voter read it draws votes",
    SPEAKING: "whether those who pitched first, or last, draw votes",
    KIND: "whether voters spare, or crown, their own provider and model",
    PARTNER: "whether voters turn against those they talked with in private",
    PROMISES: "how often players vote as they said, by a crude word rule",
    APPEALS: "how words, providers and the list affect votes, each with the others held equal",
    SWINGS: "how many ballots could have changed or tied a verdict alone",
    FLAGGED: "how often votes and words differ, by model: rounds in which a player was flagged",
    BELIEFS: "how accurate the odds were that players gave before ballots, by model",
    CALIBRATION: "how often odds of each tenth came true",
}
PLAN_QUESTIONS = {
    PLANS: "whether voters choose the names in their plans, or in their words",
    SPOKEN_PLANS: "how often words repeat the names in a plan",
    PROMISES: QUESTIONS[PROMISES],
    FLAGGED: QUESTIONS[FLAGGED],
}
# With fewer games, a logit's errors are too small, and so is a p-value adjusted over many rows.
ENOUGH = 30
# Tables with several rows for one question; a chart shows these rows.
DRAWN = (LIST, SPEAKING, KIND, PARTNER, PLANS, PROMISES)
SHARES = (SWINGS, FLAGGED, SPOKEN_PLANS)
READING = (
    'Rows marked "out" contain votes to eliminate a player, rows marked "wins" the jurors\' votes '
    "in the final; first ballots count, those of a revote do not. By chance is the share if voters "
    "chose candidates at random; from and to are a 95 % interval clustered by game; p is adjusted "
    "for all {number} rows of 30 games or more together, because one test in twenty is significant "
    "by chance alone."
)
CRUDE = (
    "Promises are found by a fixed rule: it knows a few English forms in the first person, such "
    'as "I will not vote for Ann" or "I stand with you", misses other wording, and counts a '
    "conditional promise or a joke as a promise. A promise is kept if the first ballot of its "
    "round agrees."
)
UNTOLD = {
    FIRST_OUT: "fewer than two games had several models",
    WINS: "fewer than two games had several models",
    SPEAKING: "fewer than two games have pitches",
    KIND: "in fewer than two games a voter could choose its own kind or another",
    PARTNER: "in fewer than two games a voter could choose a partner of a private talk",
    PROMISES: "the rule finds promises in fewer than two games",
    APPEALS: f"fewer than {ENOUGH} games show it",
}
TOO_FEW = "fewer than two games show it"


class VoteReport:
    """The effects in all games, by table, and the report that shows them."""

    def __init__(
        self,
        games: Sequence[GameFacts],
        left_out: Counter[Reason],
        seed: int,
        questions: Iterable[str] = QUESTIONS,
    ) -> None:
        self.games = games
        self.questions = tuple(questions)
        self.left_out = left_out
        self.counts = VoteCounts(games)
        self.effects = {table: self.effects_in(table) for table in self.questions}
        self.p_adjusted = self.adjust_together(seed)

    def effects_in(self, table: str) -> Effects:
        """Return a table's effects, leaving out those from too few games."""
        if table != APPEALS:
            return measured_rows(self.counts.table(table))
        appeals = appeal_effects(self.games)
        return {name: effect for name, effect in appeals.items() if effect.games >= ENOUGH}

    def adjust_together(self, seed: int) -> dict[str, float]:
        """Return the p-values of all effects with enough games, adjusted for multiple tests."""
        together: dict[str, Effect] = {}
        for table, effects in self.effects.items():
            for name, effect in effects.items():
                if effect.games >= ENOUGH:
                    together[f"{table}: {name}"] = effect
        return adjust(together, seed)

    def report(self) -> Report:
        """Return tables, charts and findings; a table without rows becomes a sentence."""
        tables = [self.table(heading) for heading in self.questions]
        own = own_table(OWN, self.effects_by_model())
        return Report(
            f"{len(self.games)} deliberations, by their logs",
            tables=tuple(table for table in tables if table.rows),
            charts=tuple(self.charts()),
            findings=tuple(self.findings(tables)),
            sheets=(own,) if own.rows else (),
        )

    def effects_by_model(self) -> list[OwnEffect]:
        """Return the effects on the votes that each model cast, sorted by model and row."""
        effects = []
        for (table, name), rows in self.counts.voters.items():
            for entrant, effect in measured_rows(rows).items():
                effects.append((entrant, f"{table}: {name}", effect))
        return sorted(effects, key=lambda row: row[:2])

    def table(self, heading: str) -> Table:
        """Return the table that answers one question."""
        if heading == PLACES:
            return self.places()
        if heading == APPEALS:
            return logit_table(heading, self.effects[heading], self.p_adjusted)
        if heading in SHARES:
            return share_table(heading, measured_rows(self.counts.shares[heading]))
        if heading == BELIEFS:
            return belief_table(self.games)
        if heading == CALIBRATION:
            return calibration(belief for game in self.games for belief in game.beliefs)
        return chance_table(heading, self.effects[heading], self.p_adjusted)

    def places(self) -> Table:
        """Return the mean place of each model, best first."""
        means = {}
        beyond = {}
        for entrant, found in self.counts.places.items():
            games, places, middles = zip(*found, strict=True)
            if len({*games}) > 1:
                means[entrant] = mean_effect(places, games)
                beyond[entrant] = mean_effect(middles, games)
        ordered = sorted(means.items(), key=lambda item: (item[1].estimate, item[0]))
        return place_table(PLACES, dict(ordered), beyond)

    def charts(self) -> Iterator[Chart]:
        """Yield the charts: effects beyond chance, wins by model, and places in the list."""
        drawn: dict[str, Effect] = {}
        for heading in DRAWN:
            drawn.update(self.effects.get(heading, {}))
        if drawn:
            yield beyond_chart("Votes beyond chance", "share of votes beyond chance", drawn)
        if self.effects.get(WINS):
            title = "Wins beyond chance by model"
            yield beyond_chart(title, "share of games beyond chance", self.effects[WINS])
        places = list_chart(self.effects.get(LIST, {}))
        if places is not None:
            yield places

    def findings(self, tables: Sequence[Table]) -> Iterator[str]:
        """Yield sentences on the sources, on how to read the results, and on their limits."""
        read = f"Read {len(self.games)} games and {self.ballots_in_words()}"
        yield f"{read}; {reasons_told(self.left_out)}."
        yield READING.format(number=len(self.p_adjusted))
        if self.effects.get(PROMISES):
            yield CRUDE
        for table in tables:
            if not table.rows:
                why = UNTOLD.get(table.heading, TOO_FEW)
                yield f"{table.heading}: no result, because {why}."

    def ballots_in_words(self) -> str:
        """Return how many first ballots were read, and how many of them were cast by jurors."""
        rounds = [around for game in self.games for around in game.rounds]
        finals = sum(len(around.ballots) for around in rounds if around.final)
        number = sum(len(around.ballots) for around in rounds)
        return f"{number} first ballots, {finals} of them of jurors"


class VotesInLogs(LogStudy[FileFacts]):
    """Report winners, votes and their reasons in finished deliberations, without asking a model.

    A folder contains logs or belongs to a tournament; a file is a log. Imported games, unfinished
    games and games of other kinds are left out and counted. Only first ballots are used, not
    revotes.
    """

    name = "deliberations"
    questions = QUESTIONS
    work: ClassVar = staticmethod(read_file)

    def tasks(self) -> Sequence[str]:
        """Return the files of all folders; raise ValueError if there are none."""
        return study_files(self.folders)

    def report(self, results: Sequence[FileFacts]) -> Report:
        """Return tables, charts and findings; raise ValueError if there is no finished game."""
        games, left_out = split_files(results)
        if not games:
            raise ValueError(
                f"expected a finished game of deliberations in {', '.join(self.folders)}: got none "
                f"({reasons_told(left_out)}); uv run example.py deliberations --offline --games 20 "
                "plays some"
            )
        return VoteReport(games, left_out, self.seed, self.questions).report()


class PlansInLogs(VotesInLogs):
    """Compare players' plans with their words and actions in finished deliberations.

    Folders and files are as in the study `deliberations`. Games without plans are the control.
    """

    name = "plans"
    questions = PLAN_QUESTIONS
