"""A person's terminal as an Answerer."""

import json
import re
import shutil
import textwrap
import threading
from asyncio import Future, get_running_loop
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.answer import AnswerError
from protocol.person import Blank, blanks_of, clash_in, option_meant, resolve, row_meant, silence_in
from protocol.text import clean
from protocol.turn import Prompt, Released, Turn
from providers import Completion

# The errors raised when input is closed, lost with its terminal, or not text.
NO_INPUT = (OSError, ValueError, RuntimeError)
# The longest line that is easy to read.
MOST = 100
# How many characters of a wrong answer are quoted.
QUOTED = 80
LIST_MARK = re.compile(r" *(?:- |\d+  )")


@dataclass(frozen=True)
class Console:
    """A person's terminal.

    The person sees the same information as a model in that seat, and picks from numbered choices.
    `read` prompts for a line; an EOFError means that the person leaves. `write` shows text wrapped
    to the terminal's width, at most MOST characters. Set `news` to False if a live view already
    shows the events since the last question. Seats that share a console are asked one at a time.
    """

    read: Callable[[str], str] = input
    write: Callable[[str], None] = print
    news: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)
    shown: dict[str, Prompt] = field(default_factory=dict, repr=False, compare=False)
    waiting: set[Future[Completion]] = field(default_factory=set, repr=False, compare=False)

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Ask in a thread, so that other players can think and Ctrl-C works before any input."""
        done: Future[Completion] = get_running_loop().create_future()

        def hold() -> None:
            with self.lock:
                if done.done():
                    return
                outcome: Completion | Exception
                try:
                    outcome = Completion(self._dialogue(turn, prompt))
                except Exception as error:
                    # The error is raised where the answer is awaited, which ends the program.
                    outcome = error
            resolve(done, outcome)

        self.waiting.add(done)
        try:
            threading.Thread(target=hold, daemon=True).start()
            return await done
        finally:
            self.waiting.discard(done)

    def release(self) -> None:
        """End every pending `ask` with Released; a line typed later is ignored."""
        for done in tuple(self.waiting):
            resolve(done, Released())

    def _dialogue(self, turn: Turn[Any], prompt: Prompt) -> str:
        """Return the person's answer as JSON, or "" if the person leaves."""
        self._show(turn.player_id, prompt)
        try:
            return json.dumps(self._fields(turn))
        except EOFError:
            self._tell(f"{turn.player_id} leaves; the seat plays on with fallbacks.")
            return ""

    def _show(self, player_id: str, prompt: Prompt) -> None:
        """Show the rules once per game, then the news, then the question."""
        last = self.shown.get(player_id)
        # A new game has different rules or fewer events so far.
        if last is None or prompt.system != last.system or prompt.upto < last.upto:
            self._tell(f"{prompt.system.strip()}\n")
            last = None
        known = last.transcript.splitlines() if last else []
        lines = prompt.transcript.splitlines()
        self.shown[player_id] = prompt
        if self.news:
            while lines and lines[:1] == known[:1]:
                del lines[0], known[0]
            for line in lines:
                self._tell(_told_in(line))
        self._tell(f"\n{prompt.question.strip()}")

    def _fields(self, turn: Turn[Any]) -> dict[str, str]:
        """Ask for each choice and required text, except those that a choice of silence settles."""
        values: dict[str, str] = {}
        listed: Sequence[str] = ()
        blanks = [*blanks_of(turn)]
        for place, blank in enumerate(blanks):
            if blank.name in values:
                continue
            silence = silence_in(turn, values, blank)
            legal = blank.choices
            if silence is not None:
                values[blank.name] = silence
            elif legal is None:
                values[blank.name] = self._line(f"{blank.about}: ")
            else:
                if legal != listed:
                    self._list(legal, turn.notes())
                listed = legal
                alike = [later for later in blanks[place:] if later.choices == legal]
                values |= self._choose(turn, values, alike)
        return values

    def _list(self, legal: Sequence[str], notes: Mapping[str, str]) -> None:
        """Show the numbered choices with their notes."""
        widest = max(map(len, legal), default=0)
        for number, option in enumerate(legal, 1):
            note = notes.get(option, "")
            self._tell(f"{number:>3}  {option.ljust(widest) if note else option}  {note}".rstrip())

    def _choose(
        self, turn: Turn[Any], said: Mapping[str, str], alike: Sequence[Blank]
    ) -> dict[str, str]:
        """Ask until the person picks an option for the first field of `alike` or for all of them.

        Returns the options by field.
        """
        blank = alike[0]
        legal = blank.choices or ()
        numbers = f"a number from 1 to {len(legal)}"
        words = "the words"
        if len(alike) > 1 and max(map(len, legal)) == 1:
            words = f"all {len(alike)} in one line, such as {legal[0] * len(alike)}"
        question = f"{blank.name} ({numbers}, or {words}; Ctrl-D leaves): "
        while True:
            line = self._line(question).strip()
            try:
                choices = row_meant(line, alike) or {blank.name: option_meant(line, blank)}
            except AnswerError:
                self._tell(f"{line!r:.{QUOTED}} is not a choice here: type {numbers}.")
                continue
            clash = clash_in(turn, {**said, **choices})
            if not clash:
                return choices
            choice = ", ".join(choices.values())
            self._tell(f"{choice!r:.{QUOTED}} does not fit here: choose {clash}.")

    def _tell(self, text: str) -> None:
        """Show text wrapped at words, without characters that could control the terminal.

        The continuation lines of a list item are indented.
        """
        width = min(shutil.get_terminal_size().columns, MOST)
        lines = []
        for line in text.split("\n"):
            indent = " " * (len(line) - len(line.lstrip(" ")))
            shown = f"{indent}{clean(line)}"
            mark = LIST_MARK.match(shown)
            hanging = " " * mark.end() if mark else ""
            wrapped = textwrap.wrap(shown, width, subsequent_indent=hanging, break_on_hyphens=False)
            lines += wrapped or [""]
        self.write("\n".join(lines))

    def _line(self, question: str) -> str:
        """Return the line that the person types; raise EOFError when input ends for any reason."""
        try:
            return self.read(question)
        except BrokenPipeError:
            # The question could not be shown: the output is closed.
            raise
        except NO_INPUT:
            raise EOFError from None


def _told_in(line: str) -> str:
    """Return a transcript line as a person reads it: the speaker and the words."""
    if line.startswith("{"):
        event = json.loads(line)
        *_, words = event.values()
        return f"{event['by']}: {words}"
    # No name contains a colon.
    who, _, words = line.partition(": ")
    return f"{who}: {json.loads(words)}"
