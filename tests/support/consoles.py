"""People at a console: what they type, and what they are shown."""

from collections.abc import Callable

from player import Console


def typist(answer: Callable[[str], str]) -> tuple[Console, list[str]]:
    """Return a console whose person types `answer` of each question, and what it shows."""
    shown: list[str] = []

    def read(question: str) -> str:
        shown.append(question)
        return answer(question)

    return Console(read, shown.append), shown


def typed(*lines: str) -> tuple[Console, list[str]]:
    """Return a console whose person types `lines` and then ends the input, and what it shows."""
    waiting = [*lines]

    def answer(_question: str) -> str:
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    return typist(answer)
