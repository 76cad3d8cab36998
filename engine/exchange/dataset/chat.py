"""Language models' decisions as training data: one JSON line per decision.

`prompt` and `completion` are lists of messages with role and content, which trainers call the
conversational prompt-completion format. All other fields are flat; LINES names them. `seat` is the
player, `model` is provider:model, `question` is the kind of event that the decision became, and
`attempt` counts from 1; the prompts of later attempts include the retry requests.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from engine.exchange.dataset.card import front_matter
from engine.exchange.dataset.tables import Line, packed_line, whole_file
from engine.history import Event, History, Outcome
from engine.report.statistics import mean
from engine.spending.costs import who_answered
from engine.tournaments.report.card import escape
from protocol.judge import ask_again
from protocol.seats import SEATS

DECISIONS = "decisions.jsonl"
LINES = """Each line is one answer of a model to one question of a game, in order: `prompt` (the
system text and the question, with earlier unusable answers to it) and `completion` (the raw
answer). The other fields are `game`, `game_id`, `seed`, `seat`, `model`, `question`, `attempt`,
`score`, `place`, `advantage` (the seat's score less the mean of its table), `valid` (false: the
answer was unusable) and `settings` (JSON text)."""
NOT_SAID = """A good place does not prove that each decision was good: chance and the other seats
decided too. Scores of different games, settings or tables are not on one scale. Texts are the words
of models and of other seats; no one has read them all. The data never contains keys."""


@dataclass(frozen=True, slots=True)
class ChatFilter:
    """Which decisions to include; an empty field includes all.

    `models` are patterns such as "openai:*".
    """

    min_place: int | None = None
    models: Collection[str] = ()
    games: Collection[str] = ()

    def wants(self, place: int, model: str) -> bool:
        """Return whether to include the decisions of `model` if its seat ended in this place."""
        if self.min_place is not None and place > self.min_place:
            return False
        return not self.models or any(fnmatchcase(model, pattern) for pattern in self.models)


@dataclass(slots=True)
class ChatCount:
    """Counts of the written decisions; `left_out` counts the games without a wanted decision."""

    decisions: int = 0
    valid: int = 0
    games: int = 0
    left_out: int = 0
    size: int = 0


def write_chat(histories: Iterable[History], folder: Path, wanted: ChatFilter) -> ChatCount:
    """Write the wanted decisions to DECISIONS in `folder`; raise DiskError if that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / DECISIONS
    count = ChatCount()
    with whole_file(path) as file:
        for history in histories:
            before = count.decisions
            for line in decision_lines(history, wanted):
                file.write(packed_line(line))
                count.decisions += 1
                count.valid += line["valid"]
            is_wanted = count.decisions > before
            count.games += is_wanted
            count.left_out += not is_wanted
    count.size = path.stat().st_size
    return count


def decision_lines(history: History, wanted: ChatFilter) -> Iterator[Line]:
    """Yield the wanted decisions of models in a finished game, in order."""
    if history.outcome is None or history.status != "finished":
        return
    if wanted.games and history.game not in wanted.games:
        return
    ends = final_figures(history.outcome)
    of_game = {"game": history.game, "game_id": history.game_id, "seed": history.seed}
    settings = json.dumps(history.config.get("game", {}), sort_keys=True)
    for event in history.events:
        end = ends.get(str(event.player_id))
        model = model_behind(history, event)
        if end is None or not model or not wanted.wants(end["place"], model):
            continue
        seat = {"seat": event.player_id, "model": model, "question": event.kind}
        for decision in attempts_at(history, event):
            yield decision | of_game | seat | end | {"settings": settings}


def model_behind(history: History, event: Event) -> str:
    """Return the model behind an event as provider:model, or "" if no model was asked."""
    if not event.attempts:
        return ""
    seat = who_answered(history, event)
    kind = SEATS.get(seat["provider"])
    if kind is None or kind.asks != "model":
        return ""
    return f"{seat['provider']}:{seat['model']}"


def final_figures(outcome: Outcome) -> dict[str, Line]:
    """Return each player's final score, place and advantage."""
    average = mean([*outcome.scores.values()])
    ends = {}
    for player_id, place in outcome.placements.items():
        score = float(outcome.scores[player_id])
        ends[player_id] = {"score": score, "place": place, "advantage": score - average}
    return ends


def attempts_at(history: History, event: Event) -> Iterator[Line]:
    """Yield each attempt at an answer, with the preceding chat; skip calls without an answer."""
    prompt = history.prompt_of(event)
    if prompt is None:
        return
    chat = [
        message("system", prompt.system),
        message("user", prompt.transcript + prompt.question),
    ]
    for number, attempt in enumerate(event.attempts, 1):
        if attempt.finish == "none" or not attempt.text:
            continue
        yield {
            "prompt": [*chat],
            "completion": [message("assistant", attempt.text)],
            "attempt": number,
            "valid": attempt.fault is None,
        }
        chat += [message(turn.role, turn.text) for turn in ask_again(attempt)]


def message(role: str, content: str) -> dict[str, str]:
    """Return a chat message."""
    return {"role": role, "content": content}


def chat_card(name: str, count: ChatCount, wanted: ChatFilter, license_id: str) -> str:
    """Return the card of training data called `name`."""
    parts = [
        front_matter(name, license_id, "conversational", count.decisions, {"decisions": DECISIONS}),
        f"# {escape(name)}: decisions",
        LINES,
        "## Selection",
        "\n".join(f"- {line}" for line in sentences_of(count, wanted)),
        "## What it does not say",
        NOT_SAID,
    ]
    return "\n\n".join(parts) + "\n"


def sentences_of(count: ChatCount, wanted: ChatFilter) -> list[str]:
    """Return sentences that say how many decisions there are and how they were selected."""
    lines = [
        f"{count.decisions:,} decisions of {count.games:,} games; {count.valid:,} are valid",
        f"{count.left_out:,} games had no matching decisions",
    ]
    if wanted.min_place is not None:
        lines.append(f"only seats that finished in place {wanted.min_place} or better")
    for what in ("models", "games"):
        named = getattr(wanted, what)
        if named:
            lines.append(f"only {what}: {escape(', '.join(named))}")
    return lines
