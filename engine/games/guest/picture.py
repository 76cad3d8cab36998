"""A moderated conversation as a picture and as text: energies, who has the floor, phonemes, and their inequality."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from engine.games.guest.rules import State, Terms, gini

WIDTH, HEIGHT = 640, 400
INK, PALE, PAPER = "#222222", "#e6e6e6", "#ffffff"
COLOURS = ("#0072b2", "#d55e00", "#009e73")
WORST = 2 / 3
BAR = 20


def text(state: State, terms: Terms, max_steps: int) -> str:
    """Return the state in four lines."""
    floor = (
        "nobody speaks" if state.current_speaker < 0 else f"agent {state.current_speaker} speaks"
    )
    lines = [f"step {state.step_counter}/{max_steps}   {floor}   gini {gini(state.phonemes):.3f}"]
    for place, agent in enumerate(terms.agents):
        filled = round(state.energy[place] * BAR)
        mark = ">" if place == state.current_speaker else " "
        bar = "#" * filled + "." * (BAR - filled)
        spoke = f"{state.speaking_time[place]}/{agent.max_speaking_time}"
        told = (
            f"energy {bar} {state.energy[place]:.2f} (speaks from {agent.min_energy_to_speak:.2f})"
        )
        lines.append(
            f"{mark} agent {place}  {told}  turn {spoke}  phonemes {state.phonemes[place]}"
        )
    return "\n".join(lines)


def picture(
    state: State, terms: Terms, ginis: Sequence[float], max_steps: int
) -> NDArray[np.uint8]:
    """Return the state as uint8 of shape (400, 640, 3): the agents above, the Gini coefficient over time below."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(image)
    floor = (
        "nobody speaks" if state.current_speaker < 0 else f"agent {state.current_speaker} speaks"
    )
    pen.text((16, 10), f"step {state.step_counter} of {max_steps}", INK, font(16))
    pen.text((WIDTH - 16, 10), floor, INK, font(16), anchor="ra")
    most = max(1, *state.phonemes)
    for place in range(3):
        draw_agent(pen, place, state, terms, most)
    draw_course(pen, ginis, max_steps)
    return np.asarray(image)


def draw_agent(pen: ImageDraw.ImageDraw, place: int, state: State, terms: Terms, most: int) -> None:
    """Draw one agent: a face that rings while it speaks, its energy with the least to speak, and its phonemes."""
    left, colour, agent = 16 + place * 208, COLOURS[place], terms.agents[place]
    x, y = left + 34, 84
    if speaks := place == state.current_speaker:
        for ring in (34, 29):
            pen.ellipse((x - ring, y - ring, x + ring, y + ring), outline=colour, width=2)
    pen.ellipse((x - 24, y - 24, x + 24, y + 24), fill=colour if speaks else PALE)
    pen.text((x, y), str(place), PAPER if speaks else INK, font(22), anchor="mm")
    turn = f"turn {state.speaking_time[place]} of {agent.max_speaking_time}" if speaks else "silent"
    pen.text((left + 82, 66), f"agent {place}", INK, font(15))
    pen.text((left + 82, 86), turn, INK, font(13))
    top, width = 134, 176
    pen.rectangle((left, top, left + width, top + 14), fill=PALE)
    pen.rectangle((left, top, left + width * state.energy[place], top + 14), fill=colour)
    least = left + width * agent.min_energy_to_speak
    pen.line((least, top - 4, least, top + 18), fill=INK, width=2)
    pen.text(
        (left, top + 18),
        f"energy {state.energy[place]:.2f}, speaks from {agent.min_energy_to_speak:.2f}",
        INK,
        font(12),
    )
    pen.rectangle((left, top + 44, left + width, top + 58), fill=PALE)
    pen.rectangle(
        (left, top + 44, left + width * state.phonemes[place] / most, top + 58), fill=colour
    )
    pen.text((left, top + 62), f"phonemes {state.phonemes[place]}", INK, font(12))


def draw_course(pen: ImageDraw.ImageDraw, ginis: Sequence[float], max_steps: int) -> None:
    """Draw the Gini coefficient of all steps so far, 0 below, 2/3 above."""
    left, top, right, bottom = 52, 246, WIDTH - 16, HEIGHT - 24
    pen.text((16, 222), "gini of the phonemes", INK, font(13))
    for level in (0.0, 0.2, 0.4, 0.6):
        y = bottom - (bottom - top) * level / WORST
        pen.line((left, y, right, y), fill=PALE)
        pen.text((left - 6, y), f"{level:.1f}", INK, font(11), anchor="rm")
    every = max(1, math.ceil(len(ginis) / (right - left)))
    points = [
        (left + (right - left) * step / max_steps, bottom - (bottom - top) * value / WORST)
        for step, value in enumerate(ginis, 1)
        if step % every == 0 or step == len(ginis)
    ]
    if len(points) > 1:
        pen.line(points, fill=INK, width=2)


@cache
def font(size: int) -> Any:
    """Return Pillow's own font at a size in pixels."""
    return ImageFont.load_default(size)
