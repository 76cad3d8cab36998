"""The content of charts as plain data; `engine/views/plots.py` draws them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves over a common x; `spreads` are half-heights of bands, and `marks` are named levels."""

    title: str
    x_label: str
    y_label: str
    x: Sequence[float]
    series: Mapping[str, Sequence[float]]
    spreads: Mapping[str, Sequence[float]] = field(default_factory=dict)
    marks: Mapping[str, float] = field(default_factory=dict)
    log_x: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """One horizontal bar per name, the first on top; `spreads` are half-lengths of error bars."""

    title: str
    x_label: str
    names: Sequence[str]
    values: Sequence[float]
    spreads: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Ranges:
    """One interval (low, value, high) per name, the first on top; `marks` are named values."""

    title: str
    x_label: str
    names: Sequence[str]
    ranges: Sequence[tuple[float, float, float]]
    marks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stacks:
    """Stacked shares over a common x, with the first series at the bottom."""

    title: str
    x_label: str
    y_label: str
    x: Sequence[float]
    series: Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Heat:
    """A coloured matrix that also shows its numbers if they fit; a cell is empty if it is None.

    `centre`, if set, is the middle of the colour scale.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float | None]]
    label: str
    centre: float | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """Names on a circle with sizes from 0 to 1, and edges with weights from -1 to 1."""

    title: str
    nodes: Mapping[str, float]
    edges: Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points with their names next to them."""

    title: str
    x_label: str
    y_label: str
    points: Mapping[str, tuple[float, float]]


Chart = Lines | Bars | Ranges | Stacks | Heat | Network | Scatter
