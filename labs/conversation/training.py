"""An evolution strategy that learns the weights of `foresight` in self-play.

Each generation tries weights drawn around the current mean, all on the same deals and draws. The
mean then moves toward the weights that scored best (CMA-ES, from the package `cmaes`). Compiled
games are about fifty times as fast.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.games.conversation.strategies.foresight.weights import Learned, Weights, read_weights
from engine.report.statistics import estimate_of
from labs.conversation import selfplay
from labs.conversation.selfplay import Setting
from labs.study import StudyError

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Fitness: TypeAlias = Callable[[Floats, int], Floats]
Play: TypeAlias = Callable[..., list[float]]

# The weights that training starts from; they come from an earlier training.
START = Path(__file__).with_name("start.json")

POPULATION = 24
SPREAD = 0.08
# The number of turns that each candidate plays in a generation.
TURNS = 3200
# The number of fresh games after a lesson; JUDGED and SHOWN are seeds that no generation uses.
GAMES = 1000
JUDGED = 3_000_000
SHOWN = 4_000_000
# The number of settings in each generation of a lesson for many settings.
VARIETY = 8
# The smallest and largest P, B, S and L of these settings, for many and for few items.
MANY = ((2, 4, 4, 10), (20, 40, 40, 150))
FEW = ((1, 1, 4, 10), (12, 8, 30, 100))

INSTALL = "install its dependencies with `uv sync --extra compiled --extra training`"


class Lesson(NamedTuple):
    """One training task: weights for `setting`, or for many settings if it is None.

    `few` is True if the settings have at most as many items as turns. `start` contains the weights
    before training.
    """

    setting: Setting | None
    few: bool
    start: Weights
    generations: int
    seed: int


class Trained(NamedTuple):
    """The weights of a lesson, with their shared score per turn in self-play on fresh deals."""

    lesson: Lesson
    weights: Weights
    mean: float
    error: float


def learn_weights(lesson: Lesson) -> Trained:
    """Return the weights learned in a lesson; equal lessons produce equal weights.

    Without a setting, each generation plays `VARIETY` new settings with equal weight. The initial
    weights are kept unless the result beats them on fresh deals. Raises StudyError if numba or
    cmaes is not installed.
    """
    # Compiling takes half a minute, so a missing package is reported first.
    _load_cma()
    play = compile_games()

    fitness = partial(_fitness, play, lesson)
    start = np.array(lesson.start)
    learned = np.round(evolve(fitness, start, lesson.generations, lesson.seed), 3)
    before = _scores(play, start, lesson, JUDGED)
    after = _scores(play, learned, lesson, JUDGED)
    weights = learned if sum(after) > sum(before) else start
    shown = _scores(play, weights, lesson, SHOWN)
    return Trained(lesson, tuple(weights.tolist()), *estimate_of(shown))


def _scores(
    play: Play,
    weights: Floats,
    lesson: Lesson,
    purpose: int,
) -> list[float]:
    """Return the scores per turn in `GAMES` conversations on deals that no generation played."""
    settings = settings_of(lesson, (lesson.seed, purpose))
    many = GAMES // len(settings)
    scores: list[float] = []
    for number, setting in enumerate(settings):
        draws = draw_chances(setting, many, (lesson.seed, purpose, number))
        scores += play(weights, setting, 0, draws, many)
    return scores


def _fitness(
    play: Play,
    lesson: Lesson,
    candidates: Floats,
    generation: int,
) -> Floats:
    """Return each candidate's score in standard deviations, summed over the settings."""
    settings = settings_of(lesson, (lesson.seed, generation))
    total = np.zeros(len(candidates))
    for number, setting in enumerate(settings):
        many = max(8, TURNS // len(settings) // setting.length)
        draws = draw_chances(setting, many, (lesson.seed, generation, number))
        sums = [sum(play(weights, setting, 0, draws, many)) for weights in candidates]
        total += _standard_scores(np.array(sums))
    return total


def _standard_scores(scores: Floats) -> Floats:
    standard: Floats = (scores - scores.mean()) / (scores.std() + 1e-9)
    return standard


def settings_of(lesson: Lesson, seed: Sequence[int]) -> list[Setting]:
    """Return the setting of a lesson, or `VARIETY` settings of its kind drawn from `seed`."""
    if lesson.setting is not None:
        return [lesson.setting]
    return draw_settings(lesson.few, np.random.default_rng(list(seed)))


def draw_settings(few: bool, rng: np.random.Generator) -> list[Setting]:
    """Return `VARIETY` log-uniform settings; if `few`, with at most as many items as turns."""
    least, most = np.log(FEW if few else MANY)
    settings: list[Setting] = []
    while len(settings) < VARIETY:
        row = np.exp(rng.uniform(least, most)).astype(int)
        setting = Setting(*map(int, row))
        if not few or has_few_items(setting):
            settings.append(setting)
    return settings


def has_few_items(setting: Setting) -> bool:
    """Return whether there are at most as many items as turns."""
    return setting.players * setting.bank_size <= setting.length


def draw_chances(setting: Setting, games: int, seed: Sequence[int]) -> Floats:
    """Return all random draws of `games` conversations, as numbers in [0, 1)."""
    needed = games * selfplay.draws_needed(setting)
    return np.random.default_rng(list(seed)).random(needed)


def evolve(
    fitness: Fitness,
    start: Floats,
    generations: int,
    seed: int,
) -> Floats:
    """Return the weights averaged over the last third of generations; one generation is noisy.

    `fitness` takes a generation's candidates, one per row, and its number, counted from 0. Each
    candidate is tried with its mirror image, so half of the sampling noise cancels out. Raises
    StudyError if cmaes is not installed.
    """
    optimizer_class = _load_cma()
    optimizer = optimizer_class(start.astype(float), SPREAD, population_size=POPULATION, seed=seed)
    last = []
    for generation in range(generations):
        candidates = _mirrored_draws(optimizer)
        losses = -fitness(candidates, generation)
        optimizer.tell([*zip(candidates, losses.tolist(), strict=True)])
        if generation >= generations * 2 // 3:
            last.append(optimizer.mean.copy())
    mean_weights: Floats = np.mean(last or [start], axis=0)
    return mean_weights


def _mirrored_draws(optimizer: Any) -> Floats:
    """Return a generation's candidates: half of them drawn, the others their mirror images."""
    centre = optimizer.mean.copy()
    half = np.array([optimizer.ask() for _ in range(POPULATION // 2)])
    return np.vstack([half, 2 * centre - half])


def _load_cma() -> Any:
    try:
        from cmaes import CMA
    except ImportError as error:
        raise StudyError(f"training evolves weights; {INSTALL}") from error
    return CMA


def _compiled_play(njit: Callable[..., Any]) -> Play:
    compiled: dict[str, Any] = {}
    for kernel in kernels_of(selfplay.play_games):
        names = {**kernel.__globals__, **compiled}
        copy = FunctionType(kernel.__code__, names, kernel.__name__, kernel.__defaults__)
        compiled[kernel.__name__] = njit(copy, error_model="numpy")
    play: Play = compiled["play_games"]
    return play


@cache
def compile_games() -> Play:
    """Compile `selfplay.play_games`; raise StudyError if numba is missing or its scores differ."""
    try:
        import numba
    except ImportError as error:
        raise StudyError(f"training compiles its games; {INSTALL}") from error

    play = _compiled_play(numba.njit)
    setting = Setting(4, 7, 9, 30)
    draws = draw_chances(setting, 2, (0,))
    weights = read_weights(START).for_many
    expected = selfplay.play_games(weights, setting, 1, [*draws], 2)
    if not np.allclose(play(np.array(weights), setting, 1, draws, 2), expected):
        raise StudyError(
            f"numba {numba.__version__} plays different games than Python; try another numba "
            "version"
        )
    return play


@cache
def kernels_of(function: Callable[..., Any]) -> tuple[FunctionType, ...]:
    """Return a function and all functions that it needs, each after the functions that it calls."""
    assert isinstance(function, FunctionType)
    kernels: dict[FunctionType, None] = {}
    names = names_used(function.__code__)
    for name in sorted(names & function.__globals__.keys()):
        called = function.__globals__[name]
        if isinstance(called, FunctionType):
            kernels |= dict.fromkeys(kernels_of(called))
    return (*kernels, function)


def names_used(code: CodeType) -> set[str]:
    """Return the global and attribute names in a piece of code and in all code nested in it."""
    inner = [names_used(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def weights_text(weights: Learned) -> str:
    """Return the text of a weights file, with one set of weights per line."""
    rows = []
    for setting, setting_weights in sorted(weights.by_setting.items()):
        name = "/".join(map(str, setting))
        rows.append(f'    "{name}": {json.dumps(setting_weights)}')
    lines = [
        "{",
        f'  "record": {json.dumps(weights.record)},',
        f'  "many": {json.dumps(weights.for_many)},',
        f'  "few": {json.dumps(weights.for_few)},',
        '  "settings": {',
        ",\n".join(rows),
        "  }",
        "}",
    ]
    return "\n".join([*lines, ""])
