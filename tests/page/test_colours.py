"""The page's colours can be read: the style sheet's contrasts, computed as WCAG 2.2 says."""

import re

import pytest

from tests.support.paths import ROOT

CSS = (ROOT / "page" / "arena.css").read_text(encoding="utf-8")
PAIRS: dict[str, str] = dict(re.findall(r"--(\w+): light-dark\((#\w{6}, #\w{6})\)", CSS))
THEMES = ("light", "dark")
GROUNDS = ("paper", "card", "wash")
TEXTS = ("ink", "soft", "accent", "good", "bad", *(f"t{place}" for place in range(10)))
FILLS = tuple(f"p{place}" for place in range(10))


def colour(name: str, theme: str) -> str:
    return PAIRS[name].split(", ")[THEMES.index(theme)]


def luminance(code: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    total = 0.0
    for place, weight in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        part = int(code[place : place + 2], 16) / 255
        total += weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
    return total


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    # 0.2159 is the luminance of #808080: (1 + 0.05) / (0.2159 + 0.05) = 3.95.
    assert contrast("#808080", "#ffffff") == pytest.approx(3.95, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_text_can_be_read(text: str, ground: str, theme: str) -> None:
    assert contrast(colour(text, theme), colour(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("fill", FILLS)
def test_shapes_and_their_letters_can_be_seen(fill: str, theme: str) -> None:
    assert contrast(colour(fill, theme), colour("on", theme)) >= 4.5
    for ground in GROUNDS:
        assert contrast(colour(fill, theme), colour(ground, theme)) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_borders_of_controls_can_be_seen(theme: str) -> None:
    for ground in GROUNDS:
        assert contrast(colour("edge", theme), colour(ground, theme)) >= 3
    assert contrast(colour("accent", theme), colour("on", theme)) >= 4.5
