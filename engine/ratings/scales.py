"""The scales on which ratings are shown: Elo for logits, and payoffs unchanged."""

from dataclasses import dataclass
from math import isnan, log


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How fitted skills are shown: `centre + factor * skill`, rounded to `decimals`.

    `name` is used in files, `unit` after a gap, `fitted_unit` after a covariate's effect, `column`
    above ratings, and `axis` next to a chart. A table states how many games would show a
    gap of `telling_gap` or, if that is None, the measured gap.
    """

    name: str
    unit: str
    fitted_unit: str
    column: str
    axis: str
    centre: float = 0.0
    factor: float = 1.0
    decimals: int = 2
    telling_gap: float | None = None

    def rating(self, skill: float) -> float:
        """Convert a skill to a rating on this scale."""
        return self.centre + self.factor * skill

    def gap(self, difference: float) -> float:
        """Convert a difference between two skills to this scale."""
        return self.factor * difference

    def text(self, value: float | None) -> str:
        """Return a rating or a gap on this scale as text, or "" for None and nan.

        >>> ELO.text(1499.6), PAYOFF.text(-0.001), ELO.text(None)
        ('1500', '0.00', '')
        """
        if value is None or isnan(value):
            return ""
        # Adding 0 turns -0 into 0.
        return f"{round(value, self.decimals) + 0:.{self.decimals}f}"


ELO = Scale(
    name="Elo",
    unit="Elo",
    fitted_unit="logits",
    column="Rating",
    axis="rating, Elo",
    centre=1500.0,
    factor=400 / log(10),
    decimals=0,
    telling_gap=100,
)
PAYOFF = Scale(
    name="payoff",
    unit="points",
    fitted_unit="points",
    column="Mean payoff",
    axis="mean payoff",
)
