"""The bias instruments: influences other than skill on places and votes, with their errors.

They are measured from a tournament's rows, logs and any `jury.jsonl`; missing files are reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.history import History, history_from_json
from engine.ratings import Results, fit
from engine.record.files import read_regular
from engine.tournaments.report.numbers import interval_text
from engine.tournaments.sources.source import Source
from engine.tournaments.standings.entrants import rated_results
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.standings import EffectRow
from labs.ballots import CastVote, votes_of
from labs.bias.estimators import (
    Effect,
    adjust,
    choice_effects,
    covariate_effects,
    first_named,
    jury_effects,
)
from labs.bias.estimators.choices import SourceVote
from labs.jury.findings import MEANING
from labs.jury.record import FILE, read_jury

AGAIN = "jury again: "
# Counts of changes are never negative, so they have no sign.
UNSIGNED = ("flips", "verdicts")
# With fewer finals, the conditional logit underestimates its errors: 16 % false alarms at 15.
LEAST_FINALS = 30
UNITS = {
    "places by seat": "logits from the first seat to the last",
    "places by words": "logits for speeches a standard deviation longer than the table's",
    "votes by list": "share of votes for the first of k candidates, beyond 1/k",
    "jury by provider": "logits for a finalist of the juror's own provider",
    "jury by list": "logits for the finalist who is listed first",
    "jury by words": "logits for a last pitch a standard deviation longer",
}
MARKS = {
    "same_provider": "jury by provider",
    "listed_first": "jury by list",
    "words": "jury by words",
}


# A vote as it was cast, and the same vote in the form that estimators read.
HeardVote = tuple[CastVote, SourceVote]


@dataclass
class Instruments:
    """Effects by name, and sentences about those that cannot be measured."""

    effects: dict[str, Effect] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def rows(self, seed: int = 0) -> tuple[EffectRow, ...]:
        """Return each effect as a row; p-values are adjusted by max-t over all tested effects."""
        judged = {name: effect for name, effect in self.effects.items() if has_p(name, effect)}
        p_adjusted = adjust(judged, seed)
        effects = self.effects.items()
        return tuple(_row_of(name, effect, p_adjusted.get(name)) for name, effect in effects)


def _row_of(name: str, effect: Effect, p_adjusted: float | None) -> EffectRow:
    low, high = effect.interval
    return EffectRow(
        name=name,
        estimate=effect.estimate,
        low=low,
        high=high,
        p_adjusted=p_adjusted,
        sentence=basis_of(name, effect),
        unit=unit_of(name).partition(" ")[0],
        share=effect.share,
        share_interval=effect.share_interval,
    )


def has_p(name: str, effect: Effect) -> bool:
    """Return whether an effect is tested: it must have a sign and, for juries, enough finals."""
    few = name in MARKS.values() and effect.games < LEAST_FINALS
    return not few and not name.endswith(UNSIGNED)


def instruments_of(source: Source, method: Method) -> Instruments:
    """Measure all instruments on rated data; raise ValueError for a damaged log or jury.jsonl."""
    instruments = Instruments()
    votes = votes_beside(source)
    measure_places(
        instruments, rated_results(Results.from_rows(source.rows), method.rated_from), method
    )
    measure_votes(instruments, votes)
    measure_jury(instruments, source, votes)
    return instruments


def measure_places(found: Instruments, results: Results, method: Method) -> None:
    """Add the effects of seats, speech length and names on places."""
    covariates = covariates_in(results)
    try:
        rated = fit(results, "places", method.direction, covariates, min_games=method.min_games)
    except ValueError as error:
        found.missing.append(f"Places by seat, words and name: {error}.")
        return
    measured = covariate_effects(rated).items()
    found.effects |= {f"places by {name}": effect for name, effect in measured}
    if "words" not in covariates:
        found.missing.append("Places by words: the rows have no public words.")
    if "name" not in covariates:
        found.missing.append("Places by name: no entrant played under several names.")


def covariates_in(results: Results) -> list[str]:
    """Return the covariates: `seat`, `words` if there are any, `name` if an entrant has several."""
    covariates = ["seat"]
    if np.nan_to_num(results.columns["words"]).any():
        covariates.append("words")
    names = {*zip(results.entrant.tolist(), results.text("name"), strict=True)}
    if len(names) > len(results.entrants):
        covariates.append("name")
    return covariates


def measure_votes(found: Instruments, votes: Sequence[HeardVote]) -> None:
    """Add the effects of list order, providers and words on the votes cast in the games."""
    if not votes:
        found.missing.append("Votes: no log contains any.")
        return
    listed = [choice for cast, choice in votes if cast.ordered]
    games = {choice["game"] for choice in listed if choice["chosen"] is not None}
    if len(games) > 1:
        found.effects["votes by list"] = first_named(listed)
    else:
        found.missing.append("Votes by list: fewer than two games have the order of candidates.")
    marks = choice_effects([choice for cast, choice in votes if cast.jury])
    if not listed:
        marks.pop("listed_first", None)
    found.effects |= {MARKS[mark]: effect for mark, effect in marks.items()}
    if "same_provider" not in marks:
        found.missing.append(
            "Jury by provider: in fewer than two games did only one finalist share a juror's "
            "provider."
        )


def measure_jury(found: Instruments, source: Source, votes: Sequence[HeardVote]) -> None:
    """Add the effects on jurors that were asked again, as `tournament.py jury` shows them."""
    answers = [opinion.answer() for opinion in read_jury(source.folder).opinions]
    effects = jury_effects(answers)
    found.effects |= {AGAIN + name: effect for name, effect in effects.items()}
    if effects:
        return
    why = "only a tournament with finals has jurors to ask."
    if source.settings is not None and any(cast.jury for cast, _ in votes):
        why = f"too few answers are in {FILE}" if answers else f"there is no {FILE}"
        why += f"; uv run tournament.py jury {source.name} asks it."
    found.missing.append(f"Jury again: {why}")


def unit_of(name: str) -> str:
    """Return a description of an effect's unit: logits or a share, and what it refers to."""
    again = name.removeprefix(AGAIN)
    if again in MEANING:
        return f"share of {MEANING[again]}"
    return UNITS.get(name, "logits")


def basis_of(name: str, effect: Effect) -> str:
    """Return the unit of an effect, its share, and the data behind it."""
    what = "votes"
    if name.startswith("places"):
        what = "seats"
    if name.endswith("verdicts"):
        what = "finals"
    share = ""
    if effect.share is not None:
        share = f"; in all {interval_text(effect.share, effect.share_interval)}"
    untested = ""
    if name in MARKS.values() and not has_p(name, effect):
        untested = f"; no p below {LEAST_FINALS} finals"
    return f"{unit_of(name)}{share}; of {effect.votes} {what} in {effect.games} games{untested}"


def votes_beside(source: Source) -> list[HeardVote]:
    """Return the votes in the logs next to a source's rows; raise ValueError for a damaged log."""
    votes: list[HeardVote] = []
    rated = [row for row in source.rows if not row.get("void")]
    for game_id, seats in seats_by_game(rated).items():
        history = log_beside(source.folder, game_id)
        if history is None:
            continue
        entrants = {}
        for number, seat in enumerate(history.players, 1):
            entrants[seat.player_id] = seats.get(number, seat.player_id)
        votes += [(cast, cast.as_choice(entrants)) for cast in votes_of(history)]
    return votes


def seats_by_game(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[int, str]]:
    """Return the entrant in each seat of each game; seats are numbered from 1."""
    games: dict[str, dict[int, str]] = {}
    for row in rows:
        seats = games.setdefault(str(row["game_id"]), {})
        number = row.get("seat") or len(seats) + 1
        seats[int(number)] = str(row["entrant"])
    return games


def log_beside(folder: Path, game_id: str) -> History | None:
    """Return a game's log from a tournament's folder or a folder of logs, or None if missing."""
    name = f"{game_id}.json"
    for path in (folder / "games" / name, folder / name):
        if path.is_file():
            return history_from_json(read_regular(path))
    return None
