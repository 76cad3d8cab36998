"""Read a game out of its folder: its final log, or as far as its journal goes."""

import os
from pathlib import Path

from engine.history import History, history_from_json
from engine.record.files import read_regular


def stored_game(folder: Path, name: str) -> tuple[History, bool] | None:
    """Return the game `name`, and whether that is its final log; None if there is neither file.

    Without a final log the journal is replayed, with no call. ValueError if it cannot be read.
    """
    log = folder / f"{name}.json"
    journal = folder / f"{name}.jsonl"
    if os.path.lexists(log):
        try:
            return history_from_json(read_regular(log)), True
        except ValueError as error:
            raise ValueError(f"{log}: {error}") from None
    if os.path.lexists(journal):
        return replay_journal(journal), False
    return None


def replay_journal(journal: Path) -> History:
    """Return the game that a journal holds so far; ValueError if it is no journal of a game."""
    # A finished log is shown sooner without the engine.
    from pydantic import ValidationError

    from engine.engine import GameEngine
    from protocol.suggest import explain

    try:
        return GameEngine.replay(journal)
    except ValidationError as error:
        raise ValueError(f"{journal}: {explain(error, ())}") from None
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"expected {journal} to be the journal of a game: {error!r}") from None
