"""The card of training data: what its lines are, which were taken, and what they do not say."""

from engine.exchange.dataset.card import front_matter
from engine.exchange.dataset.chat import DECISIONS, ChatCount, ChatFilter
from engine.tournaments.report.card import escape

LINES = """Each line is one answer of a model to one question of a game, in the order in which they
came: `prompt` (the system text and what was asked, with earlier answers to the same question that
could not be used) and `completion` (the answer as it came). Beside them stand `game`, `game_id`,
`seed`, `seat`, `model`, `question`, `attempt`, `score`, `place`, `advantage` (the seat's score less
the mean of its table), `valid` (false: the answer could not be used) and `settings` (JSON text)."""
NOT_SAID = """A good place is no proof that each decision was good: chance and the other seats
decided too. Scores of different games, settings or tables are not on one scale. Texts are the words
of models and of other seats at the table; nobody has read them all. Keys are never in it."""


def chat_card(name: str, count: ChatCount, wanted: ChatFilter, license_id: str) -> str:
    """Return the card of training data called `name`."""
    files = {"decisions": DECISIONS}
    parts = [
        front_matter(name, license_id, "conversational", count.decisions, files),
        f"# {escape(name)}: decisions",
        LINES,
        "## What was taken",
        "\n".join(f"- {line}" for line in sentences_of(count, wanted)),
        "## What it does not say",
        NOT_SAID,
    ]
    return "\n\n".join(parts) + "\n"


def sentences_of(count: ChatCount, wanted: ChatFilter) -> list[str]:
    """Return in sentences which decisions were taken, and how many."""
    lines = [
        f"{count.decisions:,} decisions of {count.games:,} games; {count.valid:,} are valid",
        f"{count.left_out:,} games had none that was wanted",
    ]
    if wanted.min_place is not None:
        lines.append(f"only seats that ended on place {wanted.min_place} or better")
    for what in ("models", "games"):
        named = getattr(wanted, what)
        if named:
            lines.append(f"only {what}: {escape(', '.join(named))}")
    return lines
