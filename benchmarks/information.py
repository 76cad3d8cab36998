"""Look for prompts that reveal more than a seat observed, in OpenSpiel and TextArena games.

`uv run --group dev --all-extras benchmarks/information.py [openspiel] [textarena]`. Random players
play many games. Whenever a seat has the same observations and actions, its prompt must be the same.
"""

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, main, none_of, row
from tests.support.reading import ReadingEngine

TEXT_GAMES = ("KuhnPoker-v0", "LiarsDice-v0-small", "ThreePlayerIPD-v0", "PublicGoodsGame-v0")
Read = tuple[Hashable, str]


def openspiel(short: bool) -> Iterator[Row]:
    """Play games with hidden information; OpenSpiel's own observations define what a seat knows."""
    import pyspiel  # noqa: F401 - a part whose package is missing is skipped

    from tests.engine.games.openspiel.test_information import HIDDEN, decisions_in, read

    for game, games in HIDDEN:
        found: list[Read] = []
        for seed in range(games if short else 5 * games):
            engine = read(game, seed)
            decided = decisions_in(engine.run())
            for (who, seen, _), (_, text) in zip(decided, engine.asked, strict=True):
                found.append(((who, seen), text))
        yield from rows_for(game, found)


def textarena(short: bool) -> Iterator[Row]:
    """Play word games; the text that TextArena showed a seat defines what it knows."""
    import textarena  # noqa: F401 - a part whose package is missing is skipped

    from tests.engine.games.textarena.test_game import config_of

    for game in TEXT_GAMES:
        found: list[Read] = []
        for seed in range(20 if short else 100):
            engine = ReadingEngine(config_of(game, seed=seed, most_moves=30))
            found += shown_and_read(engine)
        yield from rows_for(game, found)


def shown_and_read(engine: ReadingEngine) -> Iterator[Read]:
    """Play a game; for each move, yield the seat with the events it has seen, and the prompt."""
    asked = iter(engine.asked)
    seen: dict[str, list[str]] = defaultdict(list)
    for event in engine.run().events:
        if event.kind == "move":
            who, text = next(asked)
            yield (who, tuple(seen[who])), text
        for player_id in {*event.visibility}:
            seen[player_id].append(event.content)


def rows_for(game: str, found: Iterable[Read]) -> Iterator[Row]:
    """Yield one row for how often information recurred, and one for prompts that then differed."""
    prompts: dict[Hashable, list[str]] = defaultdict(list)
    for information, text in found:
        prompts[information].append(text)
    again = sum(len(texts) - 1 for texts in prompts.values())
    bad = [texts[0] for texts in prompts.values() if len(set(texts)) > 1]
    yield row("information that came again", again, "times", game, least=1)
    yield none_of("prompts that differ for equal information", bad, len(prompts), game)


if __name__ == "__main__":
    main(str(__doc__), {"openspiel": openspiel, "textarena": textarena})
