"""A conversation as one task of a study, with its players, terms and measurements."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from engine.games.conversation.playout import play_out
from engine.games.conversation.scoring import score
from engine.games.conversation.strategies import STRATEGIES
from engine.report.statistics import Estimate, estimate_of, mean
from labs.conversation.patterns import Patterns, patterns_of
from labs.conversation.selfplay import Setting
from labs.study import MOST, split_values
from protocol.suggest import one_of

T = TypeVar("T")

COMPARED = ("foresight", "patient", "neighbourly", "greedy", "weave", "random")
# A study with seed n plays the conversations with seeds n million, n million + 1, and so on.
SEEDS = 1_000_000


def check_strategies(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names without repeats; raise ValueError with a suggestion if one is unknown."""
    checked = [one_of(name, STRATEGIES, "strategy") for name in names]
    return tuple(dict.fromkeys(checked))


def read_settings(value: object) -> object:
    """Return settings from text such as "5/10/20/20,10/10/20/50", or from lists."""
    values = split_values(value)
    if not isinstance(values, tuple):
        return values
    settings = []
    for number in values:
        settings.append(read_setting(number) if isinstance(number, str) else Setting(*number))
    return tuple(settings)


def read_setting(text: str) -> Setting:
    """Return P, B, S and L from text such as "10/10/20/50"; raise ValueError for any other form."""
    numbers = text.split("/")
    whole = all(number.isdigit() for number in numbers)
    if len(numbers) != 4 or not whole:
        raise ValueError(f"expected settings as P/B/S/L, for example 10/10/20/50: got {text!r}")
    if max(map(len, numbers)) > len(str(MOST)) or max(map(int, numbers)) > MOST:
        raise ValueError(f"expected P, B, S and L to be at most {MOST}: got {text!r:.80}")
    return Setting(*map(int, numbers))


StrategyNames = Annotated[
    tuple[str, ...],
    BeforeValidator(split_values),
    AfterValidator(check_strategies),
    Field(min_length=1, description="strategies by name, separated by commas"),
]
Games = Annotated[
    int,
    Field(ge=1, le=MOST, description="conversations of each kind, on the same seeds for all"),
]
WholeNumbers = Annotated[
    tuple[Annotated[int, Field(le=MOST)], ...], BeforeValidator(split_values), Field(min_length=1)
]
Settings = Annotated[tuple[Setting, ...], BeforeValidator(read_settings)]


class Trial(NamedTuple):
    """One conversation to be played, with the strategy of each seat."""

    seats: tuple[str, ...]
    setting: Setting
    seed: int


class TrialResult(NamedTuple):
    """A conversation's shared score per turn, first seat's total, mean totals and patterns.

    `totals` contains the mean total of each strategy.
    """

    shared: float
    first: float
    totals: dict[str, float]
    patterns: Patterns


def play_trial(trial: Trial) -> TrialResult:
    """Play a conversation and measure it."""
    names = {f"p{seat}": name for seat, name in enumerate(trial.seats)}
    strategies = {player_id: STRATEGIES[name] for player_id, name in names.items()}
    _, bank_size, subjects, length = trial.setting
    played = play_out(
        strategies, bank_size=bank_size, subjects=subjects, length=length, seed=trial.seed
    )
    result = score(played.conversation)
    return TrialResult(
        result.shared / max(1, length),
        result.total["p0"],
        mean_totals(names, result.total),
        patterns_of(played.conversation),
    )


def mean_totals(names: Mapping[str, str], totals: Mapping[str, float]) -> dict[str, float]:
    """Return the mean total of each strategy; `names` maps players to strategies."""
    by_name: dict[str, list[float]] = {}
    for player_id, name in names.items():
        by_name.setdefault(name, []).append(totals[player_id])
    return {name: mean(numbers) for name, numbers in by_name.items()}


def trials_of(seats: tuple[str, ...], setting: Setting, games: int, seed: int) -> list[Trial]:
    """Return `games` conversations of these seats, with consecutive seeds derived from `seed`."""
    return [Trial(seats, setting, seed * SEEDS + game) for game in range(games)]


def shared_estimate(results: Sequence[TrialResult]) -> Estimate:
    """Return the mean shared score per turn and its standard error."""
    return estimate_of([result.shared for result in results])


def in_parts(values: Sequence[T], size: int) -> list[Sequence[T]]:
    """Split the values, in order, into parts of `size`; the last part may be shorter."""
    return [values[begin : begin + size] for begin in range(0, len(values), size)]


def setting_name(setting: Setting) -> str:
    """Return a setting in command-line form, such as "10/10/20/50"."""
    return "/".join(map(str, setting))
