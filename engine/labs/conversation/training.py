"""How the weights of `foresight` are learned: an evolution strategy over conversations of its own kind.

Each generation tries weights drawn around the best so far, all on the same deals and lots, and
moves toward those that scored most (CMA-ES: N. Hansen and A. Ostermeier, 2001). `compiled` makes
the game some fifty times as fast.
"""

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.games.conversation.strategies.foresight import beliefs as listening
from engine.games.conversation.strategies.foresight import groups as kinds
from engine.games.conversation.strategies.foresight import thresholds as turntaking
from engine.games.conversation.strategies.foresight import value as prospects
from engine.labs.conversation import selfplay
from engine.labs.conversation.selfplay import Setting

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

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
POPULATION, TURNS, VARIETY = 32, 3200, 8
SPREAD, LEAST_SPREAD, MOST_SPREAD = 0.12, 0.02, 0.3


class Trained(NamedTuple):
    """Weights for a setting, or for all, and their mean score a turn on fresh deals with its standard error."""

    setting: Setting | None
    weights: tuple[float, ...]
    mean: float
    error: float


def train(
    setting: Setting | None,
    *,
    generations: int,
    seed: int,
    start: Sequence[float] = START,
    games: int = 1000,
) -> Trained:
    """Return weights for a setting, learned in so many generations; the same seed gives the same weights.

    It begins with `start`. Without a setting, each generation plays `VARIETY` others, which all
    count alike. Raises RuntimeError if numba is not installed.
    """
    play = compiled()

    def fitness(candidates: Floats, generation: int) -> Floats:
        total = np.zeros(len(candidates))
        settings = [setting] if setting else varied(np.random.default_rng([seed, generation, 1]))
        for number, one in enumerate(settings):
            many = max(8, TURNS // len(settings) // one.length)
            deals = drawn(one, many, (seed, generation, 2, number))
            scores = np.array([sum(play(weights, one, 0, deals, many)) for weights in candidates])
            total += (scores - scores.mean()) / (scores.std() + 1e-9)
        return total

    weights = np.round(
        evolve(fitness, np.array(start), generations, np.random.default_rng([seed, 0])), 3
    )
    scores = []
    for number, one in enumerate(
        [setting] if setting else varied(np.random.default_rng([seed, 3]))
    ):
        many = games if setting else games // VARIETY
        scores += play(weights, one, 0, drawn(one, many, (seed, 4, number)), many)
    error = float(np.std(scores, ddof=1) / len(scores) ** 0.5)
    return Trained(setting, tuple(map(float, weights)), float(np.mean(scores)), error)


def varied(rng: np.random.Generator) -> list[Setting]:
    """Return some settings, each number drawn evenly on a logarithmic scale."""
    numbers = np.exp(rng.uniform(np.log([2, 4, 4, 10]), np.log([20, 40, 40, 150]), (VARIETY, 4)))
    return [Setting(*[int(number) for number in row]) for row in numbers]


def drawn(setting: Setting, games: int, seed: Sequence[int]) -> Floats:
    """Return all that is left to chance in so many conversations."""
    return np.random.default_rng(list(seed)).random(games * selfplay.draws_needed(setting))


def evolve(
    fitness: Callable[[Floats, int], Floats],
    start: Floats,
    generations: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the mean of the last third of generations of weights, which is less noisy than any of them.

    `fitness` takes the candidates of a generation, one a row, and its number. Names follow N.
    Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), with each step drawn in both
    directions.
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
        ranked = np.argsort(-fitness(mean + sigma * steps, generation), kind="stable")
        chosen = steps[ranked[:parents]]
        step = shares @ chosen
        mean = mean + sigma * step
        sigma_path = (1 - c_sigma) * sigma_path + (c_sigma * (2 - c_sigma) * effective) ** 0.5 * (
            axes @ ((axes.T @ step) / scales)
        )
        norm = float(np.linalg.norm(sigma_path))
        calm = (
            norm
            < (1.4 + 2 / (size + 1)) * length * (1 - (1 - c_sigma) ** (2 * (generation + 1))) ** 0.5
        )
        path = (1 - c_path) * path + calm * (c_path * (2 - c_path) * effective) ** 0.5 * step
        covariance = (1 - c_one - c_rank) * covariance + c_one * np.outer(path, path)
        covariance += c_rank * (chosen.T * shares) @ chosen
        sigma = min(
            MOST_SPREAD,
            max(
                LEAST_SPREAD,
                sigma * float(np.exp(min(0.3, c_sigma / damping * (norm / length - 1)))),
            ),
        )
        if generation >= generations * 2 // 3:
            kept.append(mean)
    return np.mean(kept, axis=0) if kept else mean


def compiled() -> Callable[..., list[float]]:
    """Return `selfplay.rehearse_all`, compiled together with all that it calls: the very functions that also decide.

    Raises RuntimeError if numba is not installed, or if what it made plays anything else than the
    interpreter.
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
        names[function.__name__] = numba.njit(
            FunctionType(function.__code__, names, function.__name__)
        )
    play: Callable[..., list[float]] = names["rehearse_all"]
    setting = Setting(4, 7, 9, 30)
    draws = drawn(setting, 2, (0,))
    expected = selfplay.rehearse_all(START, setting, 1, [*draws], 2)
    if not np.allclose(play(np.array(START), setting, 1, draws, 2), expected):
        raise RuntimeError(
            f"numba {numba.__version__} plays other games than Python; try another version of it"
        )
    return play


def module_text(
    for_all: Sequence[float], trained: Mapping[tuple[int, int, int, int], Sequence[float]]
) -> str:
    """Return the module `learned.py`: the weights for all settings, and those for some."""
    lines = [
        '"""The weights of `foresight` by P, B, S and L, written by `uv run studies.py conversation train --write`."""',
        "",
        "# fmt: off",
        f"FOR_ALL = {table_text(for_all, '')}",
        "TRAINED: dict[tuple[int, int, int, int], tuple[float, ...]] = {",
        *[
            f"    {setting}: {table_text(weights, '    ')},"
            for setting, weights in sorted(trained.items())
        ],
        "}",
    ]
    return "\n".join([*lines, ""])


def table_text(weights: Sequence[float], indent: str) -> str:
    """Return the weights as a tuple, ten a line."""
    words = [repr(float(weight)) for weight in weights]
    rows = [", ".join(words[begin : begin + 10]) for begin in range(0, len(words), 10)]
    return "(\n" + "".join(f"{indent}    {row},\n" for row in rows) + f"{indent})"
