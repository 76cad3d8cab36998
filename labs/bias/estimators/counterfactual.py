"""What a changed question does to a jury: each juror asked again, held against itself.

Four changes: `order` (the two finalists are listed the other way round), `label` (their names are
swapped in all that the juror reads), `both`, and `again` (nothing: the juror's own noise). An
answer is a mapping: `game`, `juror`, `permutation` (the change), `place_chosen` (1 or 2 in the list
as it was shown), `chosen` (the finalist, by the name in the game), and `original` (whom the juror
chose in the game).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from engine.ratings.columns import Floats
from labs.bias.estimators.clusters import (
    Effect,
    Numbers,
    cluster_share,
    mean_effect,
    resampled_interval,
)

CHANGES = ("order", "label", "both")
NOISE = "again"

SourceAnswer: TypeAlias = Mapping[str, Any]
Leaders: TypeAlias = frozenset[str]
Asked: TypeAlias = tuple[str, str, str]  # game, juror, change


@dataclass(frozen=True)
class AskedJuror:
    """Whom a juror of a final chose in the game, and whom, and in which place, by change."""

    game: str
    original: str
    chosen: dict[str, str] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)

    def answers(self, change: str) -> bool:
        """Return whether the juror chose somebody under a change, and when asked again."""
        return change in self.chosen and NOISE in self.chosen

    def flips(self, change: str) -> bool:
        """Return whether the juror chose another finalist than in the game."""
        return self.chosen[change] != self.original


def jury_effects(
    answers: Iterable[SourceAnswer],
    seed: int = 0,
) -> dict[str, Effect]:
    """Return what each change does to a jury, against the same question asked again.

    - `order`: how much more often a finalist is chosen for being listed first; the share is of all
      choices of the first.
    - `label`: how much more often one is chosen for bearing the name that sorts first.
    - `order flips`, `label flips`, `both flips`: how many more jurors choose another finalist than
      in the game, beyond those who do when nothing is changed; the share is of all who do.
    - `order verdicts` and so on: the same of finals whose majority is another one. Who is equal
      first is a majority together.

    Jurors count alike; finals are the clusters; intervals are of 2,000 seeded resamples of finals.
    Left out is an effect that fewer than two finals tell, and an answer without a choice, there or
    in the game. ValueError for an unknown change, and for two answers of a juror to one change.
    """
    jurors = _jurors(answers)
    effects: dict[str, Effect] = {}
    for change in CHANGES:
        asked = [juror for juror in jurors if juror.answers(change)]
        games = {juror.game for juror in asked}
        if len(games) < 2:
            continue
        jury = _Jury(asked, change, seed)
        effects.update(jury.effects())
    return effects


@dataclass(frozen=True)
class _Jury:
    """The jurors of all finals who answered to one change and to none."""

    asked: Sequence[AskedJuror]
    change: str
    seed: int

    @property
    def games(self) -> list[str]:
        """The final of each juror."""
        return [juror.game for juror in self.asked]

    @property
    def finals(self) -> dict[str, list[AskedJuror]]:
        """The jurors of each final."""
        found: dict[str, list[AskedJuror]] = {}
        for juror in self.asked:
            jury = found.setdefault(juror.game, [])
            jury.append(juror)
        return found

    def effects(self) -> dict[str, Effect]:
        """Return what the change does, by name."""
        found: dict[str, Effect] = {}
        if self.change == "order":
            found["order"] = self.listing_effect()
        if self.change == "label":
            found["label"] = self.name_effect()
        found[f"{self.change} flips"] = self.flips()
        found[f"{self.change} verdicts"] = self.verdicts()
        return found

    def listing_effect(self) -> Effect:
        """Return P(chosen | listed first) - P(chosen | listed second) of a finalist.

        Of one juror it is 1 if the first is chosen in both orders, -1 if the second is, and 0 if it
        is the same finalist twice.
        """
        first: list[float] = []
        games: list[str] = []
        for juror in self.asked:
            for change in (self.change, NOISE):
                first.append(float(juror.place[change] == 1))
                games.append(juror.game)
        turned = np.array(first[0::2])
        plain = np.array(first[1::2])
        effect = self._effect(turned + plain - 1, self.games, "order")
        return _with_share(effect, first, games)

    def name_effect(self) -> Effect:
        """Return P(chosen | bears the first name) - P(chosen | bears the second) of a finalist.

        Names are swapped, so a juror that goes by the name chooses the other finalist: that is 1 if
        the name that it stays with sorts first, -1 if it sorts last.
        """
        values = [_side(juror.chosen[NOISE], juror.chosen[self.change]) for juror in self.asked]
        return self._effect(np.array(values), self.games, "label")

    def flips(self) -> Effect:
        """Return how many more jurors choose another finalist than by noise."""
        changed = [juror.flips(self.change) for juror in self.asked]
        noise = [juror.flips(NOISE) for juror in self.asked]
        return self._beyond_noise(changed, noise, self.games, "flips")

    def verdicts(self) -> Effect:
        """Return how many more finals have another majority than by noise."""
        changed = []
        noise = []
        finals = self.finals
        for jury in finals.values():
            verdict = _majority(juror.original for juror in jury)
            after = _majority(juror.chosen[self.change] for juror in jury)
            again = _majority(juror.chosen[NOISE] for juror in jury)
            changed.append(after != verdict)
            noise.append(again != verdict)
        return self._beyond_noise(changed, noise, [*finals], "verdicts")

    def _beyond_noise(
        self,
        changed: Sequence[bool],
        noise: Sequence[bool],
        games: Sequence[str],
        what: str,
    ) -> Effect:
        """Return how many more change than by noise; the share is of all that do."""
        values = np.array(changed, dtype=np.float64) - noise
        effect = self._effect(values, games, f"{self.change} {what}")
        return _with_share(effect, changed, games)

    def _effect(
        self,
        values: Floats,
        games: Sequence[str],
        name: str,
    ) -> Effect:
        effect = mean_effect(values, games)
        ends = resampled_interval(values, games, self.seed, name)
        return replace(effect, interval=ends)


def _jurors(answers: Iterable[SourceAnswer]) -> list[AskedJuror]:
    """Return who was asked, with the answers that chose somebody."""
    jurors: dict[tuple[str, str], AskedJuror] = {}
    seen: set[Asked] = set()
    for answer in answers:
        change = _change_of(answer)
        game = str(answer["game"])
        juror = str(answer["juror"])
        _check_new(seen, (game, juror, change))
        if answer.get("original") is None or answer.get("chosen") is None:
            continue
        new = AskedJuror(game, answer["original"])
        asked = jurors.setdefault((game, juror), new)
        asked.chosen[change] = answer["chosen"]
        asked.place[change] = answer["place_chosen"]
    return [jurors[key] for key in sorted(jurors)]


def _check_new(seen: set[Asked], asked: Asked) -> None:
    if asked in seen:
        game, juror, change = asked
        raise ValueError(
            f"expected one answer of a juror to each change: {juror!r} of {game!r} has two to "
            f"{change!r}"
        )
    seen.add(asked)


def _change_of(answer: SourceAnswer) -> str:
    named = answer["permutation"]
    change = str(named).removesuffix("s")
    if change in CHANGES or change == NOISE:
        return change
    known = ", ".join((*CHANGES, NOISE))
    raise ValueError(f"expected a permutation out of {known}: {named!r}")


def _with_share(
    effect: Effect,
    hits: Numbers,
    games: Sequence[str],
) -> Effect:
    share, ends = cluster_share(hits, games)
    return replace(effect, share=share, share_interval=ends)


def _majority(chosen: Iterable[str]) -> Leaders:
    """Return who has most votes."""
    counts = Counter(chosen)
    most = max(counts.values())
    return frozenset(name for name, count in counts.items() if count == most)


def _side(
    name: str,
    other: str,
) -> float:
    """Return 1 if a name sorts before another, -1 if after, 0 if it is the same."""
    if name == other:
        return 0.0
    return 1.0 if natural_order(name) < natural_order(other) else -1.0


def natural_order(name: str) -> list[tuple[int, str]]:
    """Return what sorts "Player 9" before "Player 10"."""
    parts = re.findall(r"\d+|\D+", name)
    return [(int(part) if part.isdecimal() else -1, part) for part in parts]
