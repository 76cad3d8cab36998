"""Resume a tournament where it stopped, with the same settings, logs and spending."""

from datetime import datetime
from pathlib import Path

from engine.record.journal import Journal, utc_now
from engine.spending.budget import Limits, Meter
from engine.spending.costs import plus
from engine.tournaments.course.shard import Shard
from engine.tournaments.ledger import OVER, Ledger, LedgerState
from engine.tournaments.play_game import GAMES, Done, is_begun, take_in_log
from engine.tournaments.row_cache import LostLog, log_of, match_log
from engine.tournaments.settings import TournamentSettings, changes_between
from engine.tournaments.table import check_entrant_prices


async def settle_header(
    ledger: Ledger, settings: TournamentSettings, shard: Shard, *, allow_changed: bool
) -> None:
    """Write the settings of a new tournament, or check those of a resumed one.

    Raise ValueError if they differ. A shard must not add entrants, because the other shards would
    lack them.
    """
    state = ledger.state
    if state.header is None:
        await ledger.begin(settings, str(shard))
        return
    before = state.settings
    changes = changes_between(before, settings, allow_changed=allow_changed and shard.of == 1)
    if changes:
        raise ValueError(
            f"{settings.name} was started with other settings: {'; '.join(changes)}; continue with "
            "the original settings, or give the new tournament another name (entrants may be "
            "added with --allow-changed, but not to shards)"
        )
    if before.public() != settings.public():
        await ledger.begin(settings, str(shard))


async def check_logs(
    ledger: Ledger, settings: TournamentSettings, folder: Path, *, replay_lost: bool
) -> None:
    """Raise LostLog if the log of a finished game is missing or has changed.

    With `replay_lost`, such games are queued again, and any changed logs are moved aside.
    """
    for number in ledger.state.games_over():
        try:
            match_log(folder, ledger.state, settings, number)
        except LostLog:
            if not replay_lost:
                raise
            log = log_of(folder, settings, number)
            if log.exists():
                log.replace(log.with_suffix(".json.other"))
            await ledger.void(number)


def spent_so_far(
    settings: TournamentSettings, limits: Limits, state: LedgerState, folder: Path
) -> Meter:
    """Return a meter with the spending of all games so far, including lost and unfinished ones.

    Raise ValueError if there is a budget in dollars but an entrant's price is unknown.
    """
    check_entrant_prices(settings, limits)
    whole = Meter(limits, utc_now)
    for done in (*state.done.values(), *state.lost):
        if done.status in OVER:
            add_spent(whole, done)
    for number in state.open_games():
        count_journal(whole, log_of(folder, settings, number).with_suffix(".jsonl"))
    return whole


def count_journal(whole: Meter, path: Path) -> None:
    """Add the spending in a game's journal, if it exists; raise JournalError if it is damaged."""
    if not is_begun(path):
        return
    journal = Journal.load(path)
    seats = journal.header["made_from"]["config"]["player_configs"]
    game = Meter(Limits(), utc_now)
    game.resume(journal.recorded, {seat["player_id"]: seat for seat in seats})
    add_spent(whole, game)


def add_spent(whole: Meter, game: Done | Meter) -> None:
    """Add a game's spending to `whole`."""
    whole.calls += game.calls
    whole.tokens += game.tokens
    whole.cost = plus(whole.cost, game.cost)
    if isinstance(game, Meter):
        whole.uncounted = whole.uncounted or game.uncounted


async def take_in_logs(ledger: Ledger, settings: TournamentSettings, folder: Path) -> None:
    """Record games that have a log but no outcome; raise ValueError if a log's replay differs."""
    for number in ledger.state.open_games():
        log = log_of(folder, settings, number)
        if log.exists():
            await ledger.done(await take_in_log(log, ledger.state.draws[number], settings))


def idle_seconds(state: LedgerState, folder: Path) -> float | None:
    """Return a lower bound on the seconds since the last call, or None if the ledger is empty."""
    if not state.ended:
        return None
    if any((folder / GAMES).glob("*.jsonl")):
        return 0.0
    since = utc_now() - datetime.fromisoformat(state.ended)
    return max(0.0, since.total_seconds())
