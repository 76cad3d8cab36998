"""An agent's info; the text of its question is rendered only when a caller reads the text."""

from collections.abc import Iterator
from typing import Any

from player import Turn

QUESTION = "question"
Info = dict[str, Any]


def _with_question(name: str) -> Any:
    """Return a version of the dict method `name` that first renders the question of each info."""
    method = getattr(dict, name)

    def read(*values: Any) -> Any:
        for value in values:
            if isinstance(value, AskedInfo):
                value.get(QUESTION)
        return method(*values)

    return read


class AskedInfo(Info):  # noqa: PLW1641 - no dict can be hashed
    """An agent's info at a question; the question's text is rendered when first read or copied.

    Few policies read the text, and rendering takes longer than playing the move.
    """

    def __init__(self, turn: Turn[Any], events: tuple[str, ...]) -> None:
        # Until a caller reads the question, the function that renders the text is stored instead.
        super().__init__(name=turn.player_id, kind=turn.kind, events=events, question=turn.prompt)

    def __getitem__(self, key: str) -> Any:
        part = super().__getitem__(key)
        if key == QUESTION and callable(part):
            part = self[key] = part().question
        return part

    def __iter__(self) -> Iterator[str]:
        # Because this method is overridden, dict(info) calls __getitem__.
        return super().__iter__()

    def get(self, key: str, default: Any = None) -> Any:
        """Return a part of the info, such as the question, or `default` if the part is missing."""
        return self[key] if key in self else default  # noqa: SIM401 - it would call itself

    def __reduce__(self) -> tuple[type[Info], tuple[Info]]:
        """Return how to copy or pickle the info: as a plain dict with the rendered text."""
        return dict, (dict(self),)

    items = _with_question("items")
    values = _with_question("values")
    copy = _with_question("copy")
    pop = _with_question("pop")
    popitem = _with_question("popitem")
    setdefault = _with_question("setdefault")
    __eq__ = _with_question("__eq__")
    __ne__ = _with_question("__ne__")
    __or__ = _with_question("__or__")
    __repr__ = _with_question("__repr__")
