"""How the weights of `foresight` are learned: an evolution strategy over conversations of its own kind.

Each generation tries weights drawn around the best so far, all on the same deals and lots, and moves toward those that
scored most (CMA-ES: N. Hansen and A. Ostermeier, 2001). `compiled` makes the game some fifty times as fast.
"""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from engine.games.conversation import kinds, listening, prospects, selfplay, turntaking
from engine.games.conversation.selfplay import Setting

# Set by hand: help is worth most to the newest item, a subject in a row little.
START = (
    0.36,
    0.18,
    0.54,
    0.36,
    0.18,
    0.27,
    0.135,
    0.405,
    0.27,
    0.135,
    0.15,
    0.075,
    0.225,
    0.15,
    0.075,
    0.1,
    0.0,
    0.0,
    0.1,
    0.2,
    0.1,
    -0.3,
    0.3,
    0.3,
    0.3,
    0.1,
    0.1,
    0.0,
    0.05,
    0.0,
    0.0,
    0.6,
    0.6,
    0.4,
    0.3,
    0.0,
    0.1,
    0.1,
    0.5,
    0.8,
    0.0,
)
POPULATION, TURNS = 32, 3200
SPREAD, LEAST_SPREAD, MOST_SPREAD = 0.12, 0.02, 0.3


class Trained(NamedTuple):
    """Weights for a setting, and the mean shared score a turn and its standard error on deals not trained on."""

    setting: Setting
    weights: tuple[float, ...]
    mean: float
    error: float


def train(
    setting: Setting, *, generations: int, seed: int, start: Sequence[float] = START, games: int = 1000
) -> Trained:
    """Return weights learned in so many generations; the same seed gives the same weights.

    Raises RuntimeError if numba is not installed.
    """
    play = compiled()
    games_each = max(24, TURNS // setting.length)

    def fitness(candidates: np.ndarray[Any, Any], generation: int) -> list[float]:
        deals = drawn(setting, games_each, (seed, generation + 1))
        return [sum(play(weights, setting, 0, deals, games_each)) / games_each for weights in candidates]

    weights = evolve(fitness, np.array(start), generations, np.random.default_rng([seed, 0]))
    rounded = tuple(round(float(weight), 3) for weight in weights)
    scores = np.array(play(np.array(rounded), setting, 0, drawn(setting, games, (seed, 0, 0)), games))
    return Trained(setting, rounded, float(scores.mean()), float(scores.std(ddof=1) / games**0.5))


def drawn(setting: Setting, games: int, seed: Sequence[int]) -> np.ndarray[Any, Any]:
    """Return all that is left to chance in so many conversations."""
    return np.random.default_rng(list(seed)).random(games * selfplay.draws_needed(setting))


def evolve(
    fitness: Callable[[np.ndarray[Any, Any], int], Sequence[float]],
    start: np.ndarray[Any, Any],
    generations: int,
    rng: np.random.Generator,
) -> np.ndarray[Any, Any]:
    """Return the mean of the last third of generations of weights, which is less noisy than any of them.

    `fitness` takes the candidates of a generation, one a row, and its number. Names follow N. Hansen, "The CMA
    Evolution Strategy: A Tutorial" (2016), with each step drawn in both directions.
    """
    size, parents = len(start), POPULATION // 2
    shares = np.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
    shares /= shares.sum()
    effective = 1 / (shares**2).sum()
    c_path = (4 + effective / size) / (size + 4 + 2 * effective / size)
    c_sigma = (effective + 2) / (size + effective + 5)
    c_one = 2 / ((size + 1.3) ** 2 + effective)
    c_rank = min(1 - c_one, 2 * (effective - 2 + 1 / effective) / ((size + 2) ** 2 + effective))
    damping = 1 + c_sigma + 2 * max(0.0, ((effective - 1) / (size + 1)) ** 0.5 - 1)
    length = size**0.5 * (1 - 1 / (4 * size) + 1 / (21 * size**2))
    mean, sigma, covariance = start.astype(float), SPREAD, np.eye(size)
    path, sigma_path, kept = np.zeros(size), np.zeros(size), []
    for generation in range(generations):
        values, axes = np.linalg.eigh(covariance)
        scales = np.sqrt(np.maximum(values, 1e-12))
        half = rng.standard_normal((POPULATION // 2, size))
        steps = (np.vstack([half, -half]) * scales) @ axes.T
        ranked = np.argsort(-np.array(fitness(mean + sigma * steps, generation)), kind="stable")
        chosen = steps[ranked[:parents]]
        step = shares @ chosen
        mean = mean + sigma * step
        sigma_path = (1 - c_sigma) * sigma_path + (c_sigma * (2 - c_sigma) * effective) ** 0.5 * (
            axes @ ((axes.T @ step) / scales)
        )
        norm = float(np.linalg.norm(sigma_path))
        calm = norm < (1.4 + 2 / (size + 1)) * length * (1 - (1 - c_sigma) ** (2 * (generation + 1))) ** 0.5
        path = (1 - c_path) * path + calm * (c_path * (2 - c_path) * effective) ** 0.5 * step
        covariance = (1 - c_one - c_rank) * covariance + c_one * np.outer(path, path)
        covariance += c_rank * (chosen.T * shares) @ chosen
        sigma = min(
            MOST_SPREAD, max(LEAST_SPREAD, sigma * float(np.exp(min(0.3, c_sigma / damping * (norm / length - 1)))))
        )
        if generation >= generations * 2 // 3:
            kept.append(mean)
    return np.mean(kept, axis=0) if kept else mean


def compiled() -> Callable[..., list[float]]:
    """Return `selfplay.rehearse_all`, compiled together with all that it calls: the very functions that also decide.

    Raises RuntimeError if numba is not installed.
    """
    try:
        import numba
    except ImportError as error:
        raise RuntimeError(
            "training compiles its games; install what it needs with `uv sync --extra compiled`"
        ) from error
    names: dict[str, Any] = {"__builtins__": __builtins__}
    functions: list[FunctionType] = []
    for module in (prospects, kinds, listening, turntaking, selfplay):
        for name, value in vars(module).items():
            if isinstance(value, FunctionType):
                functions.append(value)
            elif not name.startswith("__"):
                names[name] = value
    for function in functions:
        names[function.__name__] = numba.njit(FunctionType(function.__code__, names, function.__name__))
    play: Callable[..., list[float]] = names["rehearse_all"]
    return play


def module_text(results: Sequence[Trained], for_all: Sequence[float]) -> str:
    """Return the module `trained.py`: weights by setting, and those for all settings."""
    lines = [
        '"""The weights of `foresight`, by P, B, S and L, as `uv run studies.py conversation train` learned them."""',
        "",
        f"FOR_ALL = {table_text(for_all, '')}",
        "TRAINED: dict[tuple[int, int, int, int], tuple[float, ...]] = {",
    ]
    for one in sorted(results):
        lines += [f"    # shared score a turn in self-play {one.mean:.3f} ± {one.error:.3f}"]
        lines += [f"    {(*one.setting,)}: {table_text(one.weights, '    ')},"]
    return "\n".join([*lines, "}", ""])


def table_text(weights: Sequence[float], indent: str) -> str:
    """Return the weights as a tuple of ten a line."""
    rows = [", ".join(f"{weight:g}" for weight in weights[begin : begin + 10]) for begin in range(0, len(weights), 10)]
    return "(\n" + "".join(f"{indent}    {row},\n" for row in rows) + f"{indent})"
