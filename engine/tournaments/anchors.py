"""Anchors: entrants whose ratings in another tournament set the scale of this one."""

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import compress
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from engine.config import differences
from engine.ratings import ELO, TARGETS
from engine.ratings.linking import Anchors
from engine.record.files import read_json, read_regular
from engine.tournaments.terms import SettingsPart
from protocol.suggest import one_of
from protocol.text import compose

RATINGS = "ratings.json"
LARGEST_RATINGS = 64 << 20
# The key of anchors that apply to every target rated in Elo.
EVERY_TARGET = "all"
MOST_ANCHORS = 1000
# Ratings are comparable only between games with the same values of these settings.
SAME_GAMES = ("game", "table", "names")
Elo = Annotated[float, Field(ge=-1e6, le=1e6)]


class AnchorScale(SettingsPart):
    """Ratings in Elo by entrant, and the covariance of their errors in squared Elo.

    Without a covariance, the ratings count as exact. `source` is the tournament that the ratings
    come from, and `direction` is the end ("top" or "bottom") from which its fit reads places. Both
    are "" for ratings set by hand.
    """

    ratings: dict[str, Elo] = Field(max_length=MOST_ANCHORS)
    covariance: tuple[tuple[FiniteFloat, ...], ...] = ()
    source: str = ""
    direction: str = ""

    @model_validator(mode="after")
    def _check_lines(self) -> Self:
        sizes = [len(line) for line in self.covariance]
        fits = sizes == [len(self.ratings)] * len(self.ratings)
        if sizes and not (fits and np.diag(self.covariance).min() >= 0):
            raise ValueError("expected one row of the covariance for each anchor")
        return self

    def among(self, names: Collection[str]) -> "AnchorScale":
        """Return the anchors with these names."""
        kept = [name in names for name in self.ratings]
        lines = compress(self.covariance, kept)
        return self.model_copy(
            update={
                "ratings": dict(compress(self.ratings.items(), kept)),
                "covariance": tuple(tuple(compress(line, kept)) for line in lines),
            }
        )

    def anchors(self) -> Anchors:
        """Return the anchors in logits, as the fit needs them."""
        number = len(self.ratings)
        spread = np.array(self.covariance or np.zeros((number, number))).reshape(number, number)
        skill = (np.array([*self.ratings.values()]) - ELO.centre) / ELO.factor
        return Anchors(tuple(self.ratings), skill, spread / ELO.factor**2, self.source)


Scales = Mapping[str, AnchorScale]


def scales_by_hand(value: object) -> object:
    """Turn a setting that maps entrants to ratings into a scale; return other values unchanged."""
    if not isinstance(value, dict):
        return value
    if any(isinstance(each, dict | AnchorScale) for each in value.values()):
        return value
    ratings = {compose(str(name)): rating for name, rating in value.items()}
    return {EVERY_TARGET: {"ratings": ratings}} if ratings else {}


def one_anchor(name: str) -> dict[str, AnchorScale]:
    """Return a scale on which the entrant `name` has Elo 1500 for every target."""
    return {EVERY_TARGET: AnchorScale(ratings={name: ELO.centre})}


def scale_of(scales: Scales, target: str) -> AnchorScale | None:
    """Return a target's anchors, or None if there are none or the target is not rated in Elo."""
    if TARGETS[target].scale is not ELO:
        return None
    return scales.get(target) or scales.get(EVERY_TARGET)


def check_anchors(
    anchor: str | None, scales: Scales, entrants: Collection[str], targets: Collection[str]
) -> None:
    """Raise ValueError for unknown or unusable anchors, or for both `anchor` and `scales`."""
    if anchor is not None:
        one_of(anchor, entrants, "entrant in anchor")
    for scale in scales.values():
        for name in scale.ratings:
            one_of(name, entrants, "entrant in anchors")
    if scales and anchor:
        raise ValueError("expected either anchor or anchors: got both")
    if scales and not any(TARGETS[target].scale is ELO for target in targets):
        raise ValueError(
            "expected a target in Elo for anchors, such as places: the targets are "
            f"{', '.join(targets)}"
        )


def read_scales(
    path: Path,
    entrants: Collection[str],
    game: str,
    targets: Collection[str],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, AnchorScale]:
    """Return each target's scale, from the `ratings.json` of another tournament of this game.

    `path` is the file or its folder. An entrant in `entrants` is an anchor if it belongs to the
    other tournament's largest connected part and its interval there has no open end. Raise
    ValueError if the file is of another kind or its game, targets or settings differ. Imported
    games have no settings to compare.
    """
    file = path / RATINGS if path.is_dir() else path
    try:
        content = read_json(read_regular(file, LARGEST_RATINGS))
        name, played = str(content["name"]), str(content["game"])
        tables = [table for table in content["targets"] if TARGETS[table["target"]].scale is ELO]
        scales = {table["target"]: _scale_in(table, name, entrants) for table in tables}
        other_settings = _comparable(content["settings"], entrants)
    except OSError as error:
        raise ValueError(f"expected anchors to be a file: {file} {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ValueError(
            f"expected anchors to be the ratings.json of a tournament: {file} is not; uv run "
            "tournament.py rate NAME writes one"
        ) from None
    if played != game:
        raise ValueError(
            f"expected anchors of the same game, {game}: {file} is from {played!r:.60}"
        )
    if not scales.keys() & set(targets):
        rated = ", ".join(scales) or "nothing in Elo"
        raise ValueError(
            f"expected anchors of the same target, {', '.join(targets)}: {file} rates {rated}"
        )
    _refuse_changes(file, other_settings, settings or {})
    return scales


def _refuse_changes(file: Path, other: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    mine = _comparable(settings, other.get("entrants", ()))
    changes = differences(other, mine) if mine and other else []
    if changes:
        raise ValueError(
            f"expected anchors with the same settings: in {file} {changes[0]}; use the same "
            "settings for both, or enter the anchors' ratings by hand"
        )


def _comparable(settings: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the settings that affect ratings, with the provider and model of each of `names`."""
    if "entrants" not in settings:
        return {}
    players = {}
    for name, seat in settings["entrants"].items():
        if name in names:
            players[name] = {"provider": seat["provider"], "model": seat["model"]}
    return {name: settings[name] for name in SAME_GAMES} | {"entrants": players}


def _scale_in(table: Mapping[str, Any], source: str, names: Collection[str]) -> AnchorScale:
    """Return the scale of the entrants in `names`, from one table of `ratings.json`."""
    rows = [row for row in table["rows"] if row["error"] is not None and not row["open_end"]]
    (largest, _), *_ = Counter(row["part"] for row in rows).most_common(1) or [(1, 0)]
    kept = [row for row in rows if row["part"] == largest and row["entrant"] in names]
    places = [table["entrants"].index(row["entrant"]) for row in kept]
    spread = np.array(table["covariance"], np.float64)[np.ix_(places, places)] * ELO.factor**2
    return AnchorScale(
        ratings={str(row["entrant"]): float(row["rating"]) for row in kept},
        covariance=tuple(map(tuple, spread.tolist())),
        source=source,
        direction=str(table["direction"]),
    )
