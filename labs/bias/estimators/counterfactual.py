"""The effects of changes to a jury's question, measured by asking each juror again.

The five changes are `order` (the two finalists are listed in reverse), `label` (their names are
swapped in everything the juror reads), `both`, `again` (no change: the juror's own noise) and
`placebo` (the same prompt reworded: the effect of any new wording). An answer is a mapping with
`game`, `juror`, `permutation` (the change), `chosen` (the finalist, by its name in the game),
`place_chosen` (its place in the list as shown, 1 or 2) and `original` (the choice in the game).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.ratings.columns import Floats
from engine.round_phases.voting import most_in
from labs.bias.estimators.clusters import (
    Effect,
    Numbers,
    cluster_share,
    mean_effect,
    resampled_interval,
)

CHANGES = ("order", "label", "both")
NOISE = "again"
PLACEBO = "placebo"

SourceAnswer = Mapping[str, Any]


@dataclass(frozen=True)
class AskedJuror:
    """A juror's choice in the game and, by change, its new choice and where that was listed."""

    game: str
    original: str
    chosen: dict[str, str] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)


def jury_effects(answers: Iterable[SourceAnswer]) -> dict[str, Effect]:
    """Return the effect of each change on jurors, compared with `again` or `placebo`.

    - `order`: how much more often a finalist is chosen because it is listed first. The share is the
      fraction of all choices that name the first. A juror counts 1 if it chooses the first in both
      orders, -1 if it chooses the second in both, and 0 if it chooses the same finalist twice.
    - `label`: how much more often a finalist is chosen because its name sorts first. Names are
      swapped, so a juror that follows the name chooses the other finalist. It counts 1 if the name
      sorts first, else -1; other jurors count 0. `order` and `label` are relative to `again`.
    - `order flips`, `label flips`, `both flips`: how many more jurors than under the placebo choose
      a different finalist than in the game. The share is the fraction of jurors that do so.
    - `order verdicts` and so on: the same for finals whose majority changed. Players tied for the
      most votes form the majority together.

    All jurors have equal weight. Finals are the clusters, and intervals come from 2,000 seeded
    resamples of finals. Effects with fewer than two finals are left out, and so are answers that
    lack `chosen` or `original`. Raises ValueError for an unknown change, or if a juror has two
    answers to one change.
    """
    jurors = _jurors(answers)
    effects: dict[str, Effect] = {}
    for change in CHANGES:
        for control, measure in ((NOISE, _lean_effects), (PLACEBO, _flip_effects)):
            asked = [juror for juror in jurors if juror.chosen.keys() >= {change, control}]
            if len({juror.game for juror in asked}) > 1:
                effects |= measure(asked, change)
    return effects


def _lean_effects(jurors: Sequence[AskedJuror], change: str) -> dict[str, Effect]:
    """Return the effect of a change (`order` or `label`) on jurors that answered it and `again`."""
    games = [juror.game for juror in jurors]
    effects = {}
    if change == "order":
        first = np.array(
            [[juror.place[change_name] == 1 for change_name in (change, NOISE)] for juror in jurors]
        )
        values = first.sum(axis=1) - 1.0
        effects["order"] = _effect(values, games, "order", first.mean(axis=1))
    if change == "label":
        sides = [_side(juror.chosen[NOISE], juror.chosen[change]) for juror in jurors]
        effects["label"] = _effect(sides, games, "label")
    return effects


def _flip_effects(jurors: Sequence[AskedJuror], change: str) -> dict[str, Effect]:
    """Return how many more jurors, and more finals, a change flips than the placebo does."""
    effects = {}
    finals: dict[str, list[AskedJuror]] = {}
    for juror in jurors:
        finals.setdefault(juror.game, []).append(juror)
    juries = {"flips": [[juror] for juror in jurors], "verdicts": [*finals.values()]}
    for what, groups in juries.items():
        name = f"{change} {what}"
        games = [jury[0].game for jury in groups]
        moved = _moves_of(groups, change)
        effects[name] = _effect(moved - _moves_of(groups, PLACEBO), games, name, moved)
    return effects


def _moves_of(juries: Sequence[Sequence[AskedJuror]], change: str) -> Floats:
    """Return 1 for each jury whose majority under a change differs from the game's, else 0."""
    moved = []
    for jury in juries:
        before = most_in(Counter(juror.original for juror in jury))
        after = most_in(Counter(juror.chosen[change] for juror in jury))
        moved.append({*after} != {*before})
    return np.array(moved, np.float64)


def _effect(
    values: Numbers, games: Sequence[str], name: str, hits: Numbers | None = None
) -> Effect:
    """Return the mean of values with a bootstrap interval, and the share of `hits`, if given."""
    ends = resampled_interval(values, games, name)
    effect = replace(mean_effect(values, games), interval=ends)
    if hits is None:
        return effect
    share, share_ends = cluster_share(hits, games)
    return replace(effect, share=share, share_interval=share_ends)


def _jurors(answers: Iterable[SourceAnswer]) -> list[AskedJuror]:
    """Return the jurors, each with its answers that name a finalist."""
    jurors: dict[tuple[str, str], AskedJuror] = {}
    seen: set[tuple[str, str, str]] = set()
    for answer in answers:
        change = _change_of(answer)
        game = str(answer["game"])
        juror = str(answer["juror"])
        if (game, juror, change) in seen:
            raise ValueError(
                f"expected one answer per juror and change: {juror!r} of {game!r} has two for "
                f"{change!r}"
            )
        seen.add((game, juror, change))
        if answer.get("original") is not None and answer.get("chosen") is not None:
            asked = jurors.setdefault((game, juror), AskedJuror(game, answer["original"]))
            asked.chosen[change] = answer["chosen"]
            asked.place[change] = answer["place_chosen"]
    return [jurors[key] for key in sorted(jurors)]


def _change_of(answer: SourceAnswer) -> str:
    named = answer["permutation"]
    change = str(named).removesuffix("s")
    known = (*CHANGES, NOISE, PLACEBO)
    if change not in known:
        raise ValueError(f"expected a permutation out of {', '.join(known)}: {named!r}")
    return change


def _side(
    name: str,
    other: str,
) -> float:
    """Return 1 if `name` sorts before `other`, -1 if after it, and 0 if the two are the same."""
    if name == other:
        return 0.0
    return 1.0 if natural_order(name) < natural_order(other) else -1.0


def natural_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts "Player 9" before "Player 10"."""
    parts = re.findall(r"\d+|\D+", name)
    return [(int(part) if part.isdecimal() else -1, part) for part in parts]
