"""How the weights of `foresight` are learned: an evolution strategy over games of its own kind.

Each generation tries weights drawn around the best so far, all on the same deals and lots, and
moves toward those that scored most (CMA-ES, by the package `cmaes`). Compiling makes the games some
fifty times as fast.
"""

import json
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.games.conversation.strategies.foresight import beliefs, groups, thresholds, value
from engine.games.conversation.strategies.foresight.weights import Learned, Weights, learned_weights
from engine.labs.conversation import selfplay
from engine.labs.conversation.selfplay import Setting
from engine.labs.study import StudyError
from engine.statistics import estimate_of

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Fitness: TypeAlias = Callable[[Floats, int], Floats]
Play: TypeAlias = Callable[..., list[float]]

POPULATION = 32
SPREAD = 0.12
# Turns that each candidate plays in a generation.
TURNS = 3200
# Settings in a generation where weights for all settings are learned.
VARIETY = 8

INSTALL = "install what it needs with `uv sync --extra compiled --extra training`"

# All that is compiled: what a game in numbers calls, each after the functions that it calls.
KERNELS = (
    value.known_after,
    value.scene_of,
    value.gain,
    value.need_value,
    value.place_of,
    value.outlook_value,
    value.worth_of,
    value.horizon,
    value.scarcity,
    value.stale_subjects,
    value.pause_value,
    value.importance_share,
    groups.groups_of,
    groups.fellow_values,
    groups.pair_values,
    groups.kinds_of,
    groups.worthy_kinds,
    beliefs.new_beliefs,
    beliefs.surprise,
    beliefs.update_doubt,
    beliefs.count_item,
    beliefs.age_lacks,
    beliefs.move_window,
    beliefs.was_silent,
    beliefs.forget,
    beliefs.hear,
    beliefs.expected_items,
    beliefs.count_subjects,
    beliefs.warmths,
    beliefs.mean_items,
    thresholds.randomness,
    thresholds.mean_value,
    thresholds.babble_value,
    thresholds.value_with_babble,
    thresholds.fair_threshold,
    thresholds.shared_threshold,
    thresholds.add_ramp,
    thresholds.mean_caps,
    thresholds.add_singles,
    thresholds.add_pairs,
    thresholds.add_items,
    thresholds.chances_above,
    thresholds.areas_above,
    thresholds.value_of_group,
    thresholds.expect_of_group,
    thresholds.expect,
    thresholds.valuation_of,
    thresholds.stakes_of,
    thresholds.adjust_threshold,
    thresholds.look_ahead,
    selfplay.draw_banks,
    selfplay.draw_items,
    selfplay.say,
    selfplay.points_of,
    selfplay.best_item,
    selfplay.draw_speaker,
    selfplay.play_game,
    selfplay.play_games,
)


class Trained(NamedTuple):
    """Weights for a setting, or for all (None), and how they score a turn on fresh deals.

    `mean` is the shared score a turn in self-play, `error` its standard error.
    """

    setting: Setting | None
    weights: Weights
    mean: float
    error: float


def learn_weights(
    setting: Setting | None,
    *,
    generations: int,
    seed: int,
    start: Sequence[float] | None = None,
    games: int = 1000,
) -> Trained:
    """Return weights for a setting, learned from `start` on; the same seed gives the same weights.

    By default it starts with weights set by hand. Without a setting, each generation plays
    `VARIETY` others, which all count alike. The result is judged on `games` fresh deals. Raises
    StudyError if numba or cmaes is not installed.
    """
    # Compiling takes half a minute: what is missing is said before.
    _load_cma()
    play = compile_games()
    begin = np.array(learned_weights().by_hand if start is None else start)

    def fitness(candidates: Floats, generation: int) -> Floats:
        return _fitness(play, candidates, setting, (seed, generation))

    weights = np.round(evolve(fitness, begin, generations, seed), 3)

    settings = [setting] if setting else draw_settings(np.random.default_rng([seed, 3]))
    many = games // len(settings)
    scores: list[float] = []
    for number, fresh in enumerate(settings):
        draws = draw_chances(fresh, many, (seed, 4, number))
        scores += play(weights, fresh, 0, draws, many)
    mean, error = estimate_of(scores)
    return Trained(setting, tuple(map(float, weights)), mean, error)


def _fitness(
    play: Play,
    candidates: Floats,
    setting: Setting | None,
    seed: tuple[int, int],
) -> Floats:
    """Return how each candidate does in a generation, in standard deviations summed by setting."""
    settings = [setting] if setting else draw_settings(np.random.default_rng([*seed, 1]))
    total = np.zeros(len(candidates))
    for number, one in enumerate(settings):
        many = max(8, TURNS // len(settings) // one.length)
        draws = draw_chances(one, many, (*seed, 2, number))
        sums = [sum(play(weights, one, 0, draws, many)) for weights in candidates]
        scores = np.array(sums)
        total += (scores - scores.mean()) / (scores.std() + 1e-9)
    return total


def draw_settings(rng: np.random.Generator) -> list[Setting]:
    """Return `VARIETY` settings, each number drawn evenly on a logarithmic scale."""
    least, most = np.log([2, 4, 4, 10]), np.log([20, 40, 40, 150])
    rows = np.exp(rng.uniform(least, most, (VARIETY, 4))).astype(int)
    return [Setting(*map(int, row)) for row in rows]


def draw_chances(setting: Setting, games: int, seed: Sequence[int]) -> Floats:
    """Return all that is left to chance in `games` conversations, numbers in [0, 1)."""
    needed = games * selfplay.draws_needed(setting)
    return np.random.default_rng(list(seed)).random(needed)


def evolve(
    fitness: Fitness,
    start: Floats,
    generations: int,
    seed: int,
) -> Floats:
    """Return the mean of the last third of the generations, which is less noisy than each of them.

    `fitness` takes the candidates of a generation, one a row, and its number from 0. Each candidate
    is tried with its mirror image, so that half of the noise of the draw cancels out. Raises
    StudyError if cmaes is not installed.
    """
    optimizer_class = _load_cma()
    optimizer = optimizer_class(start.astype(float), SPREAD, population_size=POPULATION, seed=seed)
    kept = [start]
    for generation in range(generations):
        centre = optimizer.mean.copy()
        half = np.array([optimizer.ask() for _ in range(POPULATION // 2)])
        candidates = np.vstack([half, 2 * centre - half])
        losses = -fitness(candidates, generation)
        optimizer.tell(list(zip(candidates, map(float, losses), strict=True)))
        if generation >= generations * 2 // 3:
            kept.append(optimizer.mean.copy())
    found: Floats = np.mean(kept[1:] or kept, axis=0)
    return found


def _load_cma() -> Any:
    try:
        from cmaes import CMA
    except ImportError as error:
        raise StudyError(f"training evolves weights; {INSTALL}") from error
    return CMA


def compile_games() -> Play:
    """Return `selfplay.play_games`, compiled from the very functions that `foresight` decides with.

    Raises StudyError if numba is not installed, or if the compiled games differ from those of the
    interpreter.
    """
    try:
        import numba
    except ImportError as error:
        raise StudyError(f"training compiles its games; {INSTALL}") from error

    compiled: dict[str, Any] = {}
    for kernel in KERNELS:
        assert isinstance(kernel, FunctionType)
        names = {**kernel.__globals__, **compiled}
        copy = FunctionType(kernel.__code__, names, kernel.__name__)
        compiled[kernel.__name__] = numba.njit(copy)
    play: Play = compiled["play_games"]

    setting = Setting(4, 7, 9, 30)
    draws = draw_chances(setting, 2, (0,))
    weights = learned_weights().by_hand
    expected = selfplay.play_games(weights, setting, 1, [*draws], 2)
    if not np.allclose(play(np.array(weights), setting, 1, draws, 2), expected):
        raise StudyError(
            f"numba {numba.__version__} plays other games than Python; try another version of it"
        )
    return play


def weights_text(weights: Learned) -> str:
    """Return the text of `weights.json`, one set of weights a line."""
    rows = []
    for setting, own in sorted(weights.by_setting.items()):
        name = "/".join(map(str, setting))
        rows.append(f'    "{name}": {json.dumps(own)}')
    lines = [
        "{",
        f'  "by hand": {json.dumps(weights.by_hand)},',
        f'  "all": {json.dumps(weights.for_all)},',
        '  "settings": {',
        ",\n".join(rows),
        "  }",
        "}",
    ]
    return "\n".join([*lines, ""])
