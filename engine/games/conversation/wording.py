"""Texts, other than the transcript, that show a player the state of a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games.conversation.points import private_bonus, private_bonuses
from engine.games.conversation.record import Item
from engine.games.conversation.rules import item_name
from engine.games.conversation.scoring import Outlook, Score
from engine.games.conversation.state import ConversationState
from engine.prompting import render


def setup_text(state: ConversationState, player_id: str) -> str:
    """Return the text that shows a player its own items and ranking."""
    bonuses = private_bonuses(state.rankings[player_id])
    items = []
    # In the template sandbox, `loop.last` takes as long as all other work for an item.
    between = ""
    for item in state.banks[player_id]:
        bonus = private_bonus(item.subjects, bonuses)
        items.append((between, item_name(item), f"{item.importance:.2f}", f"{bonus:.2f}"))
        between = "; "
    ranking = [state.subject_names[subject] for subject in state.rankings[player_id]]
    return render("conversation/setup.j2", items=items, ranking=ranking)


def item_notes(state: ConversationState, player_id: str) -> dict[str, str]:
    """Return a note on each of a person's items: importance, bonus, and whether already spoken."""
    bonuses = private_bonuses(state.rankings[player_id])
    spoken = names_spoken(state, player_id)
    notes = {}
    for item in state.banks[player_id]:
        name = item_name(item)
        bonus = private_bonus(item.subjects, bonuses)
        again = "; spoken before" if name in spoken else ""
        notes[name] = f"importance {item.importance:.2f}, your own bonus {bonus:.2f}{again}"
    return notes


def names_spoken(state: ConversationState, player_id: str) -> set[str]:
    """Return the names of the items that a player has spoken."""
    return {item_name(item) for item in state.turns if item and item.player_id == player_id}


def state_facts(state: ConversationState, player_id: str, length: int) -> dict[str, object]:
    """Return the progress of a conversation of `length` turns, as shown to a player."""
    facts: dict[str, object] = {
        "turn": len(state.turns) + 1,
        "of": length,
        "times_spoken": dict(state.contributions),
    }
    names = names_spoken(state, player_id)
    if names:
        facts["you_said"] = sorted(names)
    return facts


def score_so_far(result: Score, player_id: str) -> str:
    """Return text with a player's score so far, split into shared and private points."""
    bonus = result.private[player_id]
    total = result.total[player_id]
    return f"{total:.3f} ({result.shared:.2f} shared points, {bonus:.2f} of your own)"


def why_unspoken(state: ConversationState, player_id: str, proposal: str | None) -> str:
    """Return why a player's last `proposal` was not spoken, or "" if it was spoken or is None."""
    spoken = state.turns[-1] if state.turns else None
    if proposal is None or spoken is None or spoken.player_id == player_id:
        return ""
    item = proposal.removeprefix(f"{player_id}: ")
    reason = _why_chosen(state, spoken.player_id, player_id)
    return f"Your proposal {item} was not spoken: {reason}"


def _why_chosen(state: ConversationState, speaker: str, player_id: str) -> str:
    """Return why the last turn went to `speaker` and not to `player_id`."""
    earlier = [item.player_id for item in state.turns[:-1] if item is not None]
    if earlier[-1:] == [speaker]:
        return f"{speaker}, who had spoken last, was drawn to speak again."
    if state.contributions[speaker] <= state.contributions[player_id]:
        return f"{speaker} had spoken less often than you."
    return f"{speaker} had spoken as often as you, and was drawn at random."


def points_now(
    outlook: Outlook,
    bank: Sequence[Item],
    names: Sequence[str],
) -> Mapping[str, Any]:
    """Return how much each item of `bank` named in `names` would change the shared score now."""
    points = {}
    for item in bank:
        # Adding zero turns -0.0 into 0.0.
        change = outlook.delta(item)
        points[item_name(item)] = round(change.shared, 2) + 0.0
    return {name: points[name] for name in names if name in points}
