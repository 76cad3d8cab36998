"""Check whether a machine can play a tournament's games, and which game files it already has."""

import socket
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from secrets import token_hex

from client_factory import ClientConfig
from engine import ROOT, own_folder
from engine.history import history_from_json
from engine.record.files import read_regular, read_text, write_whole, writing
from engine.record.journal import utc_now
from engine.spending.budget import Limits, Meter
from engine.spending.costs import costs, total_cost
from engine.tournaments.course.restore import count_journal
from engine.tournaments.row_cache import log_of
from engine.tournaments.settings import TournamentSettings

CODE = ("player.py", "client_factory.py", "engine/**/*.py", "protocol/*.py", "providers/*.py")


@dataclass(frozen=True)
class NodeReport:
    """One machine's report; `node` is its name in the cluster, and `host` its hostname.

    `nonce` is the word that the machine read in the tournament's folder, or "" if it read none.
    `code` is the fingerprint of its copy of the project, and `faults` says why it cannot ask some
    entrants. `held` maps the number of each game with a log or journal there to its spending.
    """

    node: str
    host: str
    nonce: str
    code: str
    faults: tuple[str, ...]
    held: Mapping[int, Meter]


def look_around(
    node: str,
    settings: TournamentSettings,
    folder: Path,
    nonce: Path | None,
    wanted: Iterable[int],
) -> NodeReport:
    """Return a report on this machine, and on its files of the `wanted` games in `folder`."""
    word = ""
    # Without a shared folder this file does not exist here.
    with suppress(OSError):
        word = "" if nonce is None else read_text(nonce)
    spent = {number: spent_by(log_of(folder, settings, number)) for number in wanted}
    return NodeReport(
        node=node,
        host=socket.gethostname(),
        nonce=word,
        code=code_sha256(),
        faults=missing_keys(settings),
        held={number: each for number, each in spent.items() if each is not None},
    )


def refuse_unfit(reports: Collection[NodeReport], nonce: str) -> None:
    """Raise ValueError for a machine that cannot play, or that did not read `nonce`."""
    our_code = code_sha256()
    for report in reports:
        if report.code != our_code:
            raise ValueError(
                "expected the same version of the project on all machines: the one on "
                f"{report.host} is different; copy this version there, and restart Ray in its "
                "folder"
            )
        if report.nonce != nonce:
            raise ValueError(
                f"expected a folder that all machines can see: {report.host} cannot see this one; "
                "name a shared folder with --logs-dir, or use --collect"
            )
        if report.faults:
            raise ValueError(f"{report.host} cannot ask all entrants: {'; '.join(report.faults)}")


@contextmanager
def nonce_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """Write an unguessable word to a file in `folder`, and remove the file afterwards."""
    nonce = token_hex(16)
    path = folder / f".nonce-{nonce}"
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, nonce)
    try:
        yield path, nonce
    finally:
        path.unlink(missing_ok=True)


def missing_keys(settings: TournamentSettings) -> tuple[str, ...]:
    """Return a sentence for each distinct fault that keeps this machine from asking an entrant."""
    faults: dict[str, str] = {}
    for name, seat in settings.entrants.items():
        if seat.kind.asks == "model":
            try:
                ClientConfig.for_player(seat.provider, seat.model, seat.api_key, seat.client_kwargs)
            except ValueError as error:
                faults.setdefault(str(error), name)
    return tuple(f"{name}: {sentence}" for sentence, name in faults.items())


def refuse_secrets(settings: TournamentSettings) -> None:
    """Raise ValueError if the settings, which other machines receive, contain a secret."""
    sent = TournamentSettings.model_validate(settings.public())
    for name, entrant in settings.entrants.items():
        if entrant != sent.entrants[name]:
            raise ValueError(
                f"expected no key or other secret in the settings of {name}, because they are sent "
                "to other machines: set it in the environment or .env of each, and name its "
                "variable as client_kwargs: {api_key_env: NAME}"
            )


def code_sha256() -> str:
    """Return the fingerprint of this machine's copy of the project's code and templates."""
    code = chain.from_iterable(map(ROOT.glob, CODE))
    files = sorted((*own_folder("prompts").rglob("*.j2"), *code))
    return sha256(b"".join(map(read_regular, files))).hexdigest()


def spent_by(log: Path) -> Meter | None:
    """Return a game's spending, from its log or its journal; None if neither exists."""
    meter = Meter(Limits(), utc_now)
    # The journal may become a log in the meantime, so check for the log last.
    with suppress(FileNotFoundError):
        count_journal(meter, log.with_suffix(".jsonl"))
    if log.exists():
        history = history_from_json(read_regular(log))
        usage = history.usage.values()
        counts = [each.tokens.prompt_tokens + each.tokens.completion_tokens for each in usage]
        cost = total_cost(costs(history).values())
        calls = sum(each.attempts for each in usage)
        return Meter(Limits(), utc_now, calls=calls, tokens=sum(counts), cost=cost)
    return meter if meter.calls else None
