"""A moderated conversation as a picture and as text: energies, speaker, phonemes, inequality."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from engine.games.guest.rules import Agent, State, Terms, gini

WIDTH, HEIGHT = 640, 400
INK, PALE, PAPER = "#222222", "#e6e6e6", "#ffffff"
COLOURS = ("#0072b2", "#d55e00", "#009e73")
WORST = 2 / 3
BAR = 20
GRADES = (0.0, 0.2, 0.4, 0.6)
# The edges of the Gini coefficient's chart, in pixels.
LEFT, TOP = 52, 246
RIGHT, BOTTOM = WIDTH - 16, HEIGHT - 24

Pen = ImageDraw.ImageDraw


def describe_floor(state: State) -> str:
    """Return which agent speaks, in words."""
    speaker = state.current_speaker
    return f"agent {speaker} speaks" if speaker >= 0 else "nobody speaks"


def draw_text(
    state: State,
    terms: Terms,
    max_steps: int,
) -> str:
    """Return the state as four lines of text."""
    floor = describe_floor(state)
    lines = [f"step {state.step_counter}/{max_steps}   {floor}   gini {gini(state.phonemes):.3f}"]
    for place in range(3):
        lines.append(agent_line(place, state, terms))
    return "\n".join(lines)


def agent_line(
    place: int,
    state: State,
    terms: Terms,
) -> str:
    """Return a line about one agent, with a bar for its energy and ">" if it speaks."""
    agent = terms.agents[place]
    energy = state.energy[place]
    least = agent.min_energy_to_speak
    spoken = state.speaking_time[place]
    mark = ">" if place == state.current_speaker else " "
    parts = [
        f"{mark} agent {place}",
        f"energy {energy_bar(energy)} {energy:.2f} (speaks from {least:.2f})",
        f"turn {spoken}/{agent.max_speaking_time}",
        f"phonemes {state.phonemes[place]}",
    ]
    return "  ".join(parts)


def energy_bar(energy: float) -> str:
    """Return an energy, in [0, 1], as a bar of 20 characters."""
    filled = round(energy * BAR)
    return "#" * filled + "." * (BAR - filled)


def draw_picture(
    state: State,
    terms: Terms,
    ginis: Sequence[float],
    max_steps: int,
) -> NDArray[np.uint8]:
    """Return the state as a uint8 image of shape (400, 640, 3), with a curve of the `ginis`."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(image)
    pen.text((16, 10), f"step {state.step_counter} of {max_steps}", INK, font(16))
    pen.text(
        (WIDTH - 16, 10),
        describe_floor(state),
        INK,
        font(16),
        anchor="ra",
    )
    for place in range(3):
        draw_agent(pen, place, state, terms)
    draw_course(pen, ginis, max_steps)
    return np.asarray(image)


def draw_agent(
    pen: Pen,
    place: int,
    state: State,
    terms: Terms,
) -> None:
    """Draw one agent: a face, how long it has spoken, its energy, and its phonemes."""
    agent = terms.agents[place]
    left = 16 + place * 208
    draw_head(pen, left, place, state, agent)
    draw_bar(pen, left, 134, state.energy[place], COLOURS[place])
    draw_threshold(pen, left, state.energy[place], agent.min_energy_to_speak)
    draw_phonemes(pen, left, place, state)


def draw_phonemes(pen: Pen, left: int, place: int, state: State) -> None:
    """Draw an agent's number of phonemes, with a bar relative to the largest number."""
    phonemes = state.phonemes[place]
    most = max(1, *state.phonemes)
    draw_bar(pen, left, 178, phonemes / most, COLOURS[place])
    pen.text((left, 196), f"phonemes {phonemes}", INK, font(12))


def draw_threshold(pen: Pen, left: int, energy: float, least: float) -> None:
    """Mark the minimum energy to speak on the energy bar, and write both energies below it."""
    mark = left + 176 * least
    pen.line((mark, 130, mark, 152), fill=INK, width=2)
    pen.text((left, 152), f"energy {energy:.2f}, speaks from {least:.2f}", INK, font(12))


def draw_head(
    pen: Pen,
    left: int,
    place: int,
    state: State,
    agent: Agent,
) -> None:
    """Draw the face of an agent, its name, and how long it has spoken."""
    turn = "silent"
    if place == state.current_speaker:
        turn = f"turn {state.speaking_time[place]} of {agent.max_speaking_time}"
    draw_face(pen, left + 34, place, speaks=turn != "silent")
    pen.text((left + 82, 66), f"agent {place}", INK, font(15))
    pen.text((left + 82, 86), turn, INK, font(13))


def draw_face(
    pen: Pen,
    x: int,
    place: int,
    *,
    speaks: bool,
) -> None:
    """Draw an agent's number in a disc, with two rings around it while it speaks."""
    y = 84
    colour = COLOURS[place]
    fill, ink = PALE, INK
    if speaks:
        fill, ink = colour, PAPER
        pen.circle((x, y), 34, outline=colour, width=2)
        pen.circle((x, y), 29, outline=colour, width=2)
    pen.circle((x, y), 24, fill=fill)
    pen.text((x, y), str(place), ink, font(22), anchor="mm")


def draw_bar(
    pen: Pen,
    left: int,
    top: int,
    share: float,
    colour: str,
) -> None:
    """Draw a bar filled to `share`, in [0, 1]."""
    width, height = 176, 14
    bottom = top + height
    pen.rectangle((left, top, left + width, bottom), fill=PALE)
    pen.rectangle((left, top, left + width * share, bottom), fill=colour)


def draw_course(
    pen: Pen,
    ginis: Sequence[float],
    max_steps: int,
) -> None:
    """Draw the Gini coefficients of all steps so far, from 0 at the bottom to 2/3 at the top."""
    pen.text((16, 222), "gini of the phonemes", INK, font(13))
    for grade in GRADES:
        y = height_of(grade)
        pen.line((LEFT, y, RIGHT, y), fill=PALE)
        pen.text((LEFT - 6, y), f"{grade:.1f}", INK, font(11), anchor="rm")

    points = course_points(ginis, max_steps)
    if len(points) > 1:
        pen.line(points, fill=INK, width=2)


def course_points(ginis: Sequence[float], max_steps: int) -> list[tuple[float, float]]:
    """Return the (x, y) pixels of the Gini coefficient's curve."""
    width = RIGHT - LEFT
    # Drawing more points than pixels would only take time.
    every = max(1, math.ceil(len(ginis) / width))
    points = []
    for step, value in enumerate(ginis, 1):
        if step % every == 0 or step == len(ginis):
            x = LEFT + width * step / max_steps
            points.append((x, height_of(value)))
    return points


def height_of(value: float) -> float:
    """Return the y pixel of a Gini coefficient in [0, 2/3]."""
    return BOTTOM - (BOTTOM - TOP) * value / WORST


@cache
def font(size: int) -> Any:
    """Return Pillow's default font at a size in pixels."""
    return ImageFont.load_default(size)
