"""Votes as choices between options: the conditional logit, and the share of a marked option.

A voter chooses option m with a probability proportional to exp(appeal[m] + b1 same_provider +
b2 listed_first + b3 words), the conditional logit (McFadden 1974). This is a one-stage
Plackett-Luce game, so it uses the likelihood, prior and Newton steps of the ratings.

A vote is a mapping with `game`, `chosen` and `options` (or `candidates`) in their listed order. If
known, it also has `voter_provider`, and a value for each option in `providers` and `words`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.ratings.columns import Bools, Floats, Ints, number_names
from engine.ratings.likelihood import Likelihood
from engine.ratings.orders import Orders
from engine.ratings.posterior import posterior_of
from labs.bias.estimators.clusters import (
    Effect,
    chance_effect,
    cluster_share,
    effect_of,
    student,
)

PRIOR_SD = 3.0  # of appeals, in logits; coefficients have the prior of the ratings' covariates
FACTS = ("voter", "chosen", "voter_provider", "providers", "words")

SourceVote = Mapping[str, Any]
Choice = tuple[SourceVote, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Choices:
    """Votes between two or more options, with the options of all votes in flat columns.

    `games` and `size` (the number of options) have one entry per vote. `vote` (the vote's number),
    `names`, `chosen` and each of `marks` have one entry per option. A mark is, for example, 1 for
    an option from the voter's provider. If it is unknown for any option of a vote, it is 0 for all
    options of that vote. `left_out` counts unused votes.
    """

    games: tuple[str, ...]
    size: Ints
    vote: Ints
    names: tuple[str, ...]
    chosen: Bools
    marks: Mapping[str, Floats]
    left_out: int

    def games_of(self, options: Ints) -> list[str]:
        """Return the game of each option in `options`."""
        return [self.games[vote] for vote in self.vote[options].tolist()]

    def alone_with(self, mark: str) -> Ints:
        """Return the index of each vote's option with the greatest `mark`; omit votes with ties."""
        values = self.marks[mark]
        votes = len(self.size)
        greatest = np.full(votes, -np.inf)
        np.maximum.at(greatest, self.vote, values)
        top = values == greatest[self.vote]
        equal = np.bincount(self.vote[top], minlength=votes)
        alone = equal[self.vote] == 1
        return np.flatnonzero(top & alone)


def first_named(votes: Iterable[SourceVote]) -> Effect:
    """Return how much more often than by chance (1/k) the first of k options is chosen."""
    choices = read_votes(votes)
    first = choices.marks["listed_first"] > 0
    effect = chance_effect(choices.chosen[first], 1 / choices.size, choices.games)
    return replace(effect, left_out=choices.left_out)


def choice_effects(votes: Iterable[SourceVote]) -> dict[str, Effect]:
    """Return the effects of `same_provider`, `listed_first` and `words` on the votes.

    Each is a coefficient of one conditional logit, with errors clustered by game. `words` is in
    standard deviations over all options. The share is how often the marked option (for `words`, the
    option with the most words) is chosen in votes with exactly one such option. Effects without
    such votes in at least two games are left out.
    """
    choices = read_votes(votes)
    marked: dict[str, Ints] = {}
    for mark in choices.marks:
        alone = choices.alone_with(mark)
        if len({*choices.games_of(alone)}) > 1:
            marked[mark] = alone
    if not marked:
        return {}
    effects = _coefficients(choices, [*marked])
    return {mark: _with_share(effects[mark], choices, alone) for mark, alone in marked.items()}


def read_votes(votes: Iterable[SourceVote]) -> Choices:
    """Return votes as columns.

    A vote is left out, and counted, if `chosen` is not among its options, if it has fewer than two
    options, or if an option occurs twice. Raises ValueError for a vote without a game or options,
    or if the number of its providers or words differs from that of its options.
    """
    informative, left_out = _real_choices(votes)
    names, chosen, marks = _columns_of(informative)
    size = np.array([len(options) for _, options in informative], dtype=np.int64)
    return Choices(
        games=tuple(str(vote["game"]) for vote, _ in informative),
        size=size,
        vote=np.repeat(np.arange(len(size)), size),
        names=tuple(names),
        chosen=np.array(chosen, dtype=np.bool_),
        marks=marks,
        left_out=left_out,
    )


def _real_choices(votes: Iterable[SourceVote]) -> tuple[list[Choice], int]:
    """Return the votes that are real choices between options, and the number of other votes."""
    informative: list[Choice] = []
    left_out = 0
    for number, vote in enumerate(votes, 1):
        options = _options_of(vote, number)
        if 1 < len({*options}) == len(options) and vote.get("chosen") in options:
            informative.append((vote, options))
        else:
            left_out += 1
    # Sort, so that sums do not depend on the order of the votes.
    informative.sort(key=_sort_key)
    return informative, left_out


def _columns_of(choices: Sequence[Choice]) -> tuple[list[str], list[bool], dict[str, Floats]]:
    """Return all votes' options, whether each was chosen, and its value for each mark."""
    names: list[str] = []
    chosen: list[bool] = []
    is_own: list[bool] = []
    first: list[bool] = []
    words: list[float] = []
    for vote, options in choices:
        names += options
        chosen += [option == vote["chosen"] for option in options]
        is_own += _shares_provider(vote, options)
        first += [place == 0 for place in range(len(options))]
        words += _whole(vote, "words") or [np.nan] * len(options)
    marks = {
        "same_provider": np.array(is_own, np.float64),
        "listed_first": np.array(first, np.float64),
        "words": _standardise(np.array(words, np.float64)),
    }
    return names, chosen, marks


def _shares_provider(vote: SourceVote, options: Sequence[str]) -> list[bool]:
    """Return whether each option has the voter's provider, or all False if any is unknown."""
    voter = vote.get("voter_provider")
    providers = _whole(vote, "providers")
    known = None not in (voter, providers)
    return [known and provider == voter for provider in providers or options]


def _coefficients(
    choices: Choices,
    marks: Sequence[str],
) -> dict[str, Effect]:
    """Return the coefficient of each mark, with each game's contribution to it.

    A game contributes V times the sum of its votes' scores, where V is the inverse of the Hessian
    plus the prior precision. The error is therefore the sandwich V B V, clustered by game.
    """
    games, game_of_vote = number_names(choices.games)
    game = game_of_vote[choices.vote]
    likelihood = _likelihood_of(choices, marks)
    posterior = posterior_of(likelihood, PRIOR_SD)
    residuals = likelihood.residuals(posterior.parameters)
    effects: dict[str, Effect] = {}
    names = likelihood.entrants
    for place, mark in enumerate(marks, names):
        line = posterior.hessian[place]
        # The coefficient's sensitivity to each option's residual; `line` is its row of V.
        pull = line[likelihood.entrant] + likelihood.design @ line[names:]
        added = np.asarray(np.bincount(game, residuals * pull), np.float64)
        estimate = float(posterior.parameters[place])
        effects[mark] = effect_of(estimate, games, added, len(choices.size))
    return effects


def _likelihood_of(choices: Choices, marks: Sequence[str]) -> Likelihood:
    """Return the conditional logit with a parameter for each option and for each mark."""
    names, option = number_names(choices.names)
    return Likelihood(
        orders=_orders_of(choices),
        entrant=option,
        design=np.column_stack([choices.marks[mark] for mark in marks]),
        entrants=len(names),
    )


def _with_share(
    effect: Effect,
    choices: Choices,
    alone: Ints,
) -> Effect:
    """Return an effect with its share: the fraction of the options in `alone` that were chosen."""
    games = choices.games_of(alone)
    share, ends = cluster_share(choices.chosen[alone], games)
    # Student's t counts only the games that show the effect, which may be few.
    games_count = len({*games})
    margin = student(games_count) * effect.error
    return replace(
        effect,
        share=share,
        share_interval=ends,
        votes=len(alone),
        games=games_count,
        interval=(effect.estimate - margin, effect.estimate + margin),
        left_out=choices.left_out,
    )


def _orders_of(choices: Choices) -> list[Orders]:
    """Return the votes, grouped by size, as one-stage orders with the chosen option first."""
    later = ~choices.chosen
    order = np.lexsort((later, choices.vote))
    sizes = choices.size[choices.vote]
    orders = []
    for size in np.unique(choices.size).tolist():
        rows = order[sizes == size].reshape(-1, size)
        one_stage = np.ones((len(rows), 1), dtype=np.bool_)
        orders.append(Orders(rows, np.ones(len(rows)), one_stage))
    return orders


def _sort_key(choice: Choice) -> tuple[str, str]:
    vote, options = choice
    return str(vote["game"]), repr((options, [vote.get(key) for key in FACTS]))


def _options_of(
    vote: SourceVote,
    number: int,
) -> Sequence[str]:
    options: Any = vote.get("options")
    if options is None:
        options = vote.get("candidates")
    listed = options is not None and not isinstance(options, str) and len(options) > 0
    if not listed or vote.get("game") is None:
        raise ValueError(
            f"expected vote {number} to have a 'game' and a list of 'options': {dict(vote)!r}"
        )
    _refuse_other_length(vote, number, len(options))
    return tuple(options)


def _refuse_other_length(vote: SourceVote, number: int, options: int) -> None:
    for key in ("providers", "words"):
        marks = vote.get(key)
        if marks is not None and len(marks) != options:
            raise ValueError(
                f"expected {key!r} of vote {number} to have one value for each of its {options} "
                f"options: {marks!r}"
            )


def _whole(vote: SourceVote, key: str) -> list[Any] | None:
    """Return a vote's `key` values, one per option, or None if any of them is missing or nan."""
    values = vote.get(key)
    # Only nan differs from itself.
    if values is None or any(value is None or value != value for value in values):  # noqa: PLR0124
        return None
    return [*values]


def _standardise(values: Floats) -> Floats:
    """Return how many standard deviations each value is from the mean, or 0 if it is unknown."""
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros_like(values)
    known_values = values[known]
    spread = known_values.std() or 1.0
    apart = (values - known_values.mean()) / spread
    return np.where(known, apart, 0.0)
