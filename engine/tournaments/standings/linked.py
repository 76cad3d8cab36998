"""How a table is joined to the scale of its anchors, in numbers and in words."""

from collections.abc import Iterator
from dataclasses import replace

from engine.ratings import TARGETS, Fit
from engine.ratings.intervals import NORMAL
from engine.tournaments.anchors import scale_of
from engine.tournaments.standings.method import Method
from engine.tournaments.standings.standings import LinkRow
from engine.views.naming import names_in_words

# Below this chance the anchors did not keep their distances.
LEVEL = 0.05
NO_SCALE = "so the two tournaments share no scale"


def link_row(fitted: Fit, method: Method) -> LinkRow | None:
    """Return how a fit is joined to the scale of the method's anchors; None if it has none."""
    anchors = scale_of(method.anchors, fitted.target)
    if anchors is None:
        return None
    link = fitted.link
    if link is None:
        why = f"No ranked entrant of {anchors.source} is rated here"
        if anchors.direction not in {"", fitted.direction}:
            why = f"{anchors.source} reads places from the {anchors.direction}"
        return LinkRow(anchors.source, (), sentence=f"{why}, {NO_SCALE}.")
    scale = TARGETS[fitted.target].scale
    row = LinkRow(
        source=link.source,
        anchors=link.anchors,
        error=scale.gap(link.error),
        squares=link.squares,
        freedom=link.freedom,
        chance=link.chance if link.freedom else None,
        moved=link.moved,
        by=scale.gap(link.by),
        by_error=scale.gap(link.by_error),
    )
    return replace(row, sentence=" ".join((scale_sentence(row), *distance_sentences(row))))


def scale_sentence(row: LinkRow) -> str:
    """Return what sets the scale, and how sure it is."""
    names = names_in_words(row.anchors)
    whose = "" if len(row.anchors) == 1 else "s"
    if not row.source:
        return f"The given rating{whose} of {names} set the scale."
    return (
        f"Ratings are on the scale of {row.source}, by the rating{whose} of {names} there. The "
        f"mean rating has a standard error of {row.error:.0f} Elo on it; every interval includes that."
    )


def distance_sentences(row: LinkRow) -> Iterator[str]:
    """Yield whether the anchors kept their distances, and which one moved most."""
    if row.chance is None:
        if row.source:
            yield "One anchor alone has no distance to keep: use two or more to test the link."
        return
    degrees = "1 degree" if row.freedom == 1 else f"{row.freedom} degrees"
    test = f"(chi-square {row.squares:.1f} on {degrees} of freedom, p = {row.chance:.3f})"
    if row.chance < LEVEL:
        yield f"The anchors did not keep their distances {test}: leave out the one that moved."
    else:
        yield f"The anchors kept their distances {test}."
    reach = NORMAL * row.by_error
    ends = f"[{row.by - reach:+.0f}, {row.by + reach:+.0f}]"
    yield f"Against the others {row.moved} moved most, by {row.by:+.0f} Elo {ends}."
