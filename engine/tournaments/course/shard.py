"""Divides a tournament's games among machines that play independently."""

import re
from dataclasses import dataclass
from pathlib import Path

from engine.spending.budget import Limits
from engine.tournaments.ledger import LEDGER, ledgers_in, shards_in
from engine.tournaments.settings import TournamentSettings

MOST_SHARDS = 1000


@dataclass(frozen=True)
class Shard:
    """Shard `number` (from 1) of `of`, with the games whose numbers equal `number` modulo `of`.

    So 3/8 plays games 3, 11, 19, ... and 8/8 plays 8, 16, 24, ...; 1/1 is the whole tournament.
    """

    number: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def ledger(self) -> str:
        """The name of the shard's ledger."""
        return LEDGER if self.of == 1 else f"ledger-{self.number}of{self.of}.jsonl"

    @property
    def rows(self) -> str:
        """The name of the file with the rows of the shard's games."""
        return self.ledger.replace("ledger", "rows")

    def plays(self, number: int) -> bool:
        """Return whether a game belongs to this shard."""
        return number % self.of == self.number % self.of

    def share(self, limits: Limits) -> Limits:
        """Return this shard's part of the tournament's budgets; limits on time are not divided."""
        parts: dict[str, float | None] = {}
        if limits.max_cost is not None:
            parts["max_cost"] = limits.max_cost / self.of
        if limits.max_tokens is not None:
            parts["max_tokens"] = max(1, limits.max_tokens // self.of)
        if limits.max_calls is not None:
            parts["max_calls"] = limits.max_calls // self.of
        return limits.model_copy(update=parts)


WHOLE = Shard()


def read_shard(text: str) -> Shard:
    """Return the shard that `text` names, such as 3/8; raise ValueError if it is invalid."""
    match = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    number, of = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= of <= MOST_SHARDS:
        raise ValueError(
            f"expected a shard from 1/N to N/N, N at most {MOST_SHARDS}, such as 3/8: got {text!r}"
        )
    return Shard(number, of)


def refuse_shards_that_wait(settings: TournamentSettings, shard: Shard) -> None:
    """Raise ValueError for a shard of a tournament whose next games depend on all results."""
    what = settings.schedule.chosen.waits or ("a stop rule" if settings.stop else "")
    if what and shard.of > 1:
        raise ValueError(
            f"expected no --shard with {what}, which needs the results of all games: play it in "
            "one process, or with --ray"
        )


def refuse_other_shards(folder: Path, shard: Shard) -> None:
    """Raise ValueError if the tournament in `folder` is divided differently."""
    for of in map(shards_in, ledgers_in(folder)):
        if of != shard.of:
            begun, again = "as a whole", "without --shard"
            if of > 1:
                begun, again = f"in {of} shards", f"with --shard i/{of}"
            raise ValueError(
                f"expected the tournament in {folder} to continue as it began, {begun}: "
                f"play it {again}, or give it another name"
            )
