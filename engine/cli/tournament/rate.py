"""`tournament.py rate`: rate a tournament, logs or rows; show tables and write files."""

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.main import CommandFailed, ExitCode, suggest_next
from engine.cli.parser import (
    Parser,
    add_logs_dir,
    given_values,
    join_words,
    logs_dir_option,
    words_given,
)

if TYPE_CHECKING:
    from engine.tournaments.anchors import Scales
    from engine.tournaments.sources.source import Source
    from engine.tournaments.standings.method import Method
    from engine.tournaments.standings.standings import Standings

ABOUT = "Rate a tournament, a folder of logs or a file of rows; write its tables and a report."
EXAMPLES = """examples:
  uv run tournament.py rate spring-cup                        its tables, and ratings.json
  uv run tournament.py rate spring-cup --html --png           the report and the pictures too
  uv run tournament.py rate spring-cup --verify               replay every log before
  uv run tournament.py rate spring-cup --target places --against haiku
  uv run tournament.py rate logs                              all games of a folder, by model
  uv run tournament.py rate data/seats.jsonl.gz --out tables  an exported or imported data set
"""
# The targets that are rated for a foreign game.
FOREIGN_TARGETS = ("wins", "places")


def add_rate_options(parser: Parser) -> None:
    """Add the options of `rate`; the default terms of a rating are the tournament's."""
    parser.add_argument(
        "what", metavar="NAME|FOLDER|FILE", help="a tournament, a folder of logs, or rows"
    )
    parser.add_argument(
        "--target",
        action="append",
        help="what is rated: wins, places, points or pairs; may be repeated",
    )
    parser.add_argument(
        "--direction",
        choices=("top", "bottom", "auto"),
        help="how an order is read: from the best down, from the worst up, or whichever predicts "
        "better",
    )
    parser.add_value(
        "--covariates",
        "LIST",
        "separated by commas: seat, seats, same_provider, name, words; or none",
    )
    parser.add_value("--against", "ENTRANT", "compare all entrants with this one")
    parser.add_number(
        "--min-games",
        "blocks needed for a rank; without mirroring, each game is a block (default: 20)",
    )
    parser.add_value(
        "--rated-from",
        "SHARE",
        "share of its questions that an entrant must answer to be rated (default: 0.9)",
        float,
    )
    parser.add_value(
        "--anchor",
        "ENTRANT|FILE",
        "the entrant rated 1500, or the ratings.json of a tournament whose scale is used",
    )
    parser.add_argument(
        "--prior", choices=("normal", "none"), default="normal", help="none: no prior on skills"
    )
    parser.add_argument(
        "--lots", choices=("played", "tie"), help="tie: a final decided at random is a tie"
    )
    parser.add_flag("--bias", "measure what may have affected votes")
    add_outputs(parser)


def add_outputs(parser: Parser) -> None:
    """Add the options for the files to write and their folder."""
    parser.add_flag("--json", "print all numbers as JSON")
    parser.add_flag("--html", "write report.html")
    parser.add_flag("--png", "draw the pictures, as PNG and SVG")
    parser.add_flag("--csv", "print ratings.csv")
    parser.add_value("--out", "DIR", "where files go (default: next to the input)", Path)
    parser.add_flag(
        "--verify",
        "replay all logs of a tournament, rebuild all rows, and write a SHA-256 into card.md",
    )
    add_logs_dir(parser, "where tournaments are")


def run_rate(options: Namespace) -> ExitCode:
    """Rate the source that the options name, show the tables, and write the files."""
    source = rated_source(options)
    if options.verify:
        verify_source(source)
        source = rated_source(options)
    standings, missing = rate_source(source, options)
    show(standings, options)
    stream = sys.stderr if options.json or options.csv else sys.stdout
    for sentence in missing:
        print(f"Not measured: {sentence}", file=stream)
    print(_written_files(standings, source, options), file=stream)
    if not standings.targets:
        raise CommandFailed(standings.sentence)
    return suggest_next(command_to_try(source, options))


def _written_files(standings: "Standings", source: "Source", options: Namespace) -> str:
    from engine.cli.tournament.tables import write_rated_files

    # A report and pictures are written only if requested.
    kinds = ["json", "csv", "card", *(kind for kind in ("html", "png") if getattr(options, kind))]
    terms = (command_of(options), options.out or source.out, kinds)
    return write_rated_files(standings, source, *terms, verified=options.verify)


def rated_source(options: Namespace) -> "Source":
    """Return the source that the options name; raise CommandFailed if rows or logs are missing."""
    from engine.tournaments.report.numbers import counts_text
    from engine.tournaments.report.sentences import reason_texts
    from engine.tournaments.row_cache import LostLog
    from engine.tournaments.sources.find import read_source

    try:
        source = read_source(options.what, options.logs_dir)
    except LostLog as error:
        raise CommandFailed(str(error)) from None
    if not source.rows:
        counts = counts_text(source.counts)
        nothing = f"{source.name} has no finished game to rate: {counts}; play some first"
        why = " ".join(reason_texts(source.counts))
        raise CommandFailed(f"{nothing}. {why}" if why else nothing)
    return source


def verify_source(source: "Source") -> None:
    """Replay all logs of a tournament; raise CommandFailed if a log breaks the rules."""
    from engine.tournaments.verify import verify_tournament

    if source.settings is None:
        raise ValueError(
            "expected a tournament with --verify, which has a ledger and logs: check single games "
            "with uv run logs.py --filename NAME --check"
        )
    breaches = verify_tournament(source.folder)
    if breaches:
        raise CommandFailed(
            f"{len(breaches)} logs break their rules, the first: {breaches[0]}; restore copies of "
            "these logs, or move them away and play them again with --replay-lost"
        )


def rate_source(source: "Source", options: Namespace) -> "tuple[Standings, Sequence[str]]":
    """Return the requested standings, and a note on each bias instrument that had no data."""
    from engine.ratings import Results
    from engine.tournaments.plan.promise import method_with_plan
    from engine.tournaments.standings.rate import rated_standings

    results = Results.from_rows(source.rows)
    method = method_with_plan(source, method_of(source, options))
    if not options.bias:
        return rated_standings(method, results, source.counts), ()
    from labs.bias.instruments import instruments_of

    bias = instruments_of(source, method)
    standings = rated_standings(method, results, source.counts, bias.rows(method.seed))
    # A report also names the instruments that had no data.
    return replace(standings, notes=(*standings.notes, *bias.missing)), bias.missing


def method_of(source: "Source", options: Namespace) -> "Method":
    """Return the tournament's rating method, with the changes that the options make."""
    from engine.tournaments.settings import refuse_targets
    from engine.tournaments.standings.method import Method

    if source.settings is not None:
        method = Method.of(source.settings)
    else:
        method = source.method or foreign_method(source)
    check_rate_options(source, options)
    changed = replace(method, **changes_in(options))
    if options.anchor is not None:
        changed = replace(changed, anchors=scales_asked_for(source, options.anchor, changed))
    refuse_targets(changed.game, changed.targets, by_payoff=True)
    refuse_targets(changed.game, options.target or (), by_payoff=False)
    return changed


def check_rate_options(source: "Source", options: Namespace) -> None:
    """Raise ValueError for options that are out of range, or name an unknown entrant."""
    from protocol.suggest import one_of

    if options.min_games is not None and options.min_games < 1:
        raise ValueError(f"expected --min-games to be at least 1: got {options.min_games}")
    if options.rated_from is not None and not 0 <= options.rated_from <= 1:
        raise ValueError(f"expected --rated-from to be from 0 to 1: got {options.rated_from:g}")
    if options.against is not None:
        options.against = one_of(options.against, source.entrants, "entrant")


def scales_asked_for(source: "Source", word: str, method: "Method") -> "Scales":
    """Return the anchors in the file `word`, or the entrant `word` as the only anchor.

    Raises ValueError if `word` is neither a file nor an entrant.
    """
    from engine.tournaments.anchors import one_anchor, read_scales
    from protocol.suggest import one_of

    entrants, path = source.entrants, Path(word)
    if word not in entrants and path.exists():
        return read_scales(path, entrants, method.game, method.targets, method.settings)
    return one_anchor(one_of(word, entrants, "entrant"))


def changes_in(options: Namespace) -> dict[str, Any]:
    """Return the changes that the options make to the rating method."""
    from engine.ratings import TARGETS
    from protocol.suggest import one_of

    changes = given_values(options, ("against", "direction", "lots", "min_games", "rated_from"))
    if options.target:
        targets = (one_of(word, TARGETS, "target") for word in dict.fromkeys(options.target))
        changes["targets"] = tuple(targets)
    if options.covariates is not None:
        changes["covariates"] = _covariates_in(options.covariates)
    if options.prior == "none":
        changes["prior_sd"] = None
    return changes


def _covariates_in(text: str) -> tuple[str, ...]:
    from engine.ratings.covariates import COVARIATES
    from protocol.suggest import one_of

    # "none" means no covariates.
    words = [] if text == "none" else text.split(",")
    return tuple(one_of(word.strip(), COVARIATES, "covariate") for word in dict.fromkeys(words))


def foreign_method(source: "Source") -> "Method":
    """Return the rating method for rows without a tournament: the default method of their game.

    For a foreign game, places are read from first to last or from last to first, whichever predicts
    held-out games better. Raises ValueError if the game has no winner.
    """
    from engine.games import GAMES
    from engine.ratings.covariates import seats_change
    from engine.tournaments.standings.method import Method

    name = only_game(source)
    known = GAMES.get(name)
    if known is not None and not known.targets:
        raise ValueError(f"expected games with a winner: {name} has none")
    if known is not None:
        targets, direction, has_seats = known.targets, known.direction, known.rotates
    else:
        targets = _foreign_targets(source.rows)
        direction, has_seats = "auto", seats_change(source.rows)
    covariates = ("seat",) if has_seats else ()
    return Method(source.name, name, targets, direction, covariates, models=source.models)


def _foreign_targets(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    # A foreign game with two seats per table is rated by pairs.
    seats = Counter(str(row.get("game_id")) for row in rows)
    return ("pairs",) if max(seats.values()) == 2 else FOREIGN_TARGETS


def only_game(source: "Source") -> str:
    """Return the game that all rows share; raise ValueError if there are several."""
    games = {str(row.get("game") or "") for row in source.rows}
    if len(games) > 1:
        raise ValueError(
            f"expected games of one kind, which share a scale: {source.name} has "
            f"{', '.join(sorted(games))}; rate each in its own folder"
        )
    return games.pop()


def show(found: "Standings", options: Namespace) -> None:
    """Print the tables, or all numbers as JSON or CSV."""
    from engine.cli.tournament.tables import print_parts
    from engine.tournaments.report.files import ratings_csv, ratings_json
    from engine.tournaments.report.tables import standings_parts

    if options.json:
        print(ratings_json(found), end="")
    elif options.csv:
        print(ratings_csv(found), end="")
    else:
        print_parts(standings_parts(found))


def command_of(options: Namespace) -> str:
    """Return the command that reproduces the report, without the option for the logs folder."""
    terms = ("direction", "covariates", "against", "min_games", "rated_from", "anchor", "lots")
    words = ["tournament.py", "rate", options.what, *words_given(options, "target", *terms)]
    if options.prior == "none":
        words += ["--prior", "none"]
    return join_words([*words, *words_given(options, "bias", "verify"), "--html"])


def command_to_try(source: "Source", options: Namespace) -> str:
    """Return the next command to try: for the report, the bias or the data set."""
    command = f"rate {join_words([options.what])}"
    if not options.html:
        command += " --html --png"
    elif source.settings is None:
        command += " --json"
    elif not options.bias:
        command += " --html --bias"
    else:
        command = f"export {join_words([options.what])} --to data/{source.name}"
    return f"tournament.py {command}{logs_dir_option(options.logs_dir)}"
