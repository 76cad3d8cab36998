"""On whose scale a table is, and how sure that is, in words."""

from collections.abc import Iterator

from engine.ratings import TARGETS, Fit
from engine.ratings.intervals import NORMAL
from engine.ratings.linking import Link
from engine.tournaments.anchors import AnchorScale
from engine.views.naming import phrase_of_names

# Below this chance the anchors did not keep their distances.
LEVEL = 0.05


def scale_sentences(fitted: Fit, anchors: AnchorScale | None) -> Iterator[str]:
    """Yield how a fit is joined to the scale of anchors; nothing without any."""
    link = fitted.link
    if link is not None:
        names = phrase_of_names(link.anchors)
        verb = "sets" if len(link.anchors) == 1 else "set"
        yield (
            f"What {names} had in {link.source} {verb} the scale."
            if link.source
            else (f"The given rating of {names} {verb} the scale.")
        )
        yield from distance_sentences(link, TARGETS[fitted.target].scale.factor)
    elif anchors is not None:
        why = f"No ranked entrant of {anchors.source} is rated here"
        if anchors.direction not in {"", fitted.direction}:
            why = f"{anchors.source} reads places from the {anchors.direction}"
        yield f"{why}, so the two tournaments share no scale."


def distance_sentences(link: Link, factor: float) -> Iterator[str]:
    """Yield the linking error, whether the anchors kept their distances, and which moved most.

    `factor` is a logit in Elo.
    """
    if link.source:
        error = f"{factor * link.error:.0f} Elo"
        yield f"On it the mean rating has a standard error of {error}, part of every interval."
    if not link.freedom:
        return
    degrees = "1 degree" if link.freedom == 1 else f"{link.freedom} degrees"
    test = f"(chi-square {link.squares:.1f} on {degrees} of freedom, p = {link.chance:.3f})"
    kept = "did not keep" if link.chance < LEVEL else "kept"
    yield f"The anchors {kept} their distances {test}."
    low, by, high = (factor * (link.by + errors * link.by_error) for errors in (-NORMAL, 0, NORMAL))
    yield f"Against the others {link.moved} moved most, by {by:+.0f} Elo [{low:+.0f}, {high:+.0f}]."
