"""The facts in the texts of a game's events, which are used to draw the game's board."""

from collections.abc import Callable, Iterable
from typing import Any

from engine.history import Event
from engine.round_phases.probes import odds_in_words
from engine.round_phases.voting import most_first

Facts = dict[str, Any]
# For each form of a sidebar's line, the data field that names the player, and the fact's name.
ASIDES = (
    ("takes {} aside", "partner", "partner"),
    ("asks {} aside", "partner", "asks"),
    ("accepts the talk with {}", "to", "accepts"),
    ("declines the talk with {}", "to", "declines"),
)
FATES = {"eliminated": "is eliminated", "winner": "wins the game"}
# How the line of a ballot begins.
OPENINGS = {"vote": "", "revote": "in the revote "}
WITHOUT = "without a vote"


def facts_of_island(event: Event) -> Facts:
    """Return the facts that an event's line shows, without those that only its data contains.

    - the head of a round: the number of `rounds`, and what the round `lacks` (a vote), if anything
    - a narration that opens the pitches: their `order`
    - a narration that names the `immune` player
    - the beginning of a sidebar: the `partner`, or the player that the inviter `asks`
    - an answer to an invitation: the player whose invitation it `accepts` or `declines`
    - a ranking: its names, best first, as `ranking`
    - the result of rankings: the `pair` that talks, or the player that is `alone`
    - an answer: its recipient, as `answers`
    - a debrief: the players named in answer to a question, as `named`
    - a probe: the percentages that it `expects`, by player
    - a vote: the player named in it, as `vote` or, after a tie, as `revote`
    - a result: the `eliminated` player or the `winner`, its `votes` in the last ballot, and the
      `tally` if the line shows it
    """
    if event.kind == "answer":
        to = event.data.get("to")
        is_told = event.heading == f"{event.player_id} answers {to}"
        return {"answers": to} if is_told else {}
    read = READERS.get(event.kind, facts_of_vote)
    return read(event.data, event.content)


def facts_of_vote(data: Facts, line: str) -> Facts:
    """Return the player that a ballot's line names, as a fact, or {} for any other event."""
    vote = data.get("vote")
    for key, opening in OPENINGS.items():
        ballots = (f"{opening}votes to eliminate {vote}", f"{opening}votes for {vote}")
        if vote and line.startswith(ballots):
            return {key: vote}
    return {}


def facts_of_debrief(data: Facts, line: str) -> Facts:
    """Return the players named in a debrief, each once, if its line shows them."""
    answers = data.get("answers")
    choices = data.get("choices")
    if not isinstance(answers, dict) or not isinstance(choices, dict):
        return {}
    parts = line.split("; ")
    named = []
    for question, answer in answers.items():
        # Only a question with a list of choices can ask for a player.
        offered = choices.get(question)
        if not isinstance(offered, list | tuple) or answer not in offered:
            continue
        if f"{question}: {answer}" in parts and answer not in named:
            named.append(answer)
    return {"named": named} if named else {}


def facts_of_probe(data: Facts, line: str) -> Facts:
    """Return the percentages that a player `expects`, by player, if the line shows them."""
    chances = data.get("chances")
    if not isinstance(chances, dict) or f": {odds_in_words(chances)}" not in line:
        return {}
    return {"expects": chances} if chances else {}


def facts_of_narration(data: Facts, line: str) -> Facts:
    """Return the number of rounds, the order of the pitches, or the immune player."""
    rounds = data.get("rounds")
    if isinstance(rounds, int) and line.startswith("Round ") and f" of {rounds}" in line:
        facts: Facts = {"rounds": rounds}
        if WITHOUT in line.partition(".")[0]:
            facts["lacks"] = WITHOUT
        return facts
    order = data.get("order")
    if isinstance(order, list | tuple) and order and ends_with(line, order):
        return {"order": order}
    immune = data.get("immune")
    if line == f"Drawn at random: {immune} cannot be voted out in this round.":
        return {"immune": immune}
    return {}


def facts_of_sidebar(data: Facts, line: str) -> Facts:
    """Return the partners, invitations, answers or rankings that a sidebar event's line shows."""
    for form, name, key in ASIDES:
        partner = data.get(name)
        if line == form.format(partner):
            return {key: partner}
    ranking = data.get("ranking")
    if isinstance(ranking, list | tuple):
        names = ranking or ["nobody"]
        return {"ranking": ranking} if ends_with(f"{line}.", names) else {}
    return facts_of_members(data, line)


def facts_of_members(data: Facts, line: str) -> Facts:
    """Return the pair that talks in private, or the player without a partner."""
    members = data.get("members")
    if isinstance(members, list | tuple):
        both = " and ".join(map(str, members))
        if len(members) == 1 and line.startswith(f"{both} has no talk"):
            return {"alone": members[0]}
        if line.startswith(f"{both} talk in private"):
            return {"pair": members}
    return {}


def facts_of_result(data: Facts, line: str) -> Facts:
    """Return the player that left or won, and the votes, if a result's line shows them."""
    selected = str(data.get("selected"))
    tally = tally_in(data)
    votes = tally.get(selected)
    facts: Facts = {}
    for name, fate in FATES.items():
        if f"{selected} {fate} with {votes} vote" in line:
            facts |= {name: selected, "votes": votes}
    counts = [f"{name}: {count}" for name, count in most_first(tally)]
    if ends_with(line, counts):
        facts["tally"] = tally
    return facts


def tally_in(data: Facts) -> dict[str, int]:
    """Return a result's votes in its last ballot, by candidate, or {} if `data` has no votes."""
    tally: Any = data.get("revote", data.get("tally"))
    valid = isinstance(tally, dict) and all(isinstance(votes, int) for votes in tally.values())
    return tally if valid else {}


def ends_with(line: str, parts: Iterable[object]) -> bool:
    """Return whether a line ends with `parts`, separated by commas."""
    listed = ", ".join(map(str, parts))
    return line.endswith(f" {listed}.")


READERS: dict[str, Callable[[Facts, str], Facts]] = {
    "result": facts_of_result,
    "narration": facts_of_narration,
    "sidebar": facts_of_sidebar,
    "debrief": facts_of_debrief,
    "probe": facts_of_probe,
}
