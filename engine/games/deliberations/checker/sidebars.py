"""The rules of sidebars, checked on a log: who begins them, who pairs up, who speaks when."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from engine.checks import breach_at, breach_in, events_of
from engine.games.deliberations.checker.reading import (
    SeededDraw,
    agreement_of,
    answers_invitation,
    bare_name,
    begins_sidebar,
    invitation_of,
    is_message,
    others_in_game,
    pairing_of,
    preferences_of,
    ranks_partners,
    setting_in,
    tells_pairing,
)
from engine.history import Event, History, RoundLog, payload_of
from engine.rng import stream
from engine.round_payloads import Whisper
from protocol.answer import last_object

Message = tuple[str | None, str | None]  # who speaks, and to whom
Members = tuple[str, ...]
Cost = tuple[int, int]  # the sum of both ranks, and the worse of them
NOBODY = "nobody"


def check_sidebars(history: History) -> Iterator[str]:
    """Check that each player begins as many sidebars as set, and that pairs speak in turn."""
    for log in history.rounds:
        events = events_of(log, "sidebar")
        if not events:
            continue
        exchanges = setting_in(history, "exchanges", log.round_index)
        messages = setting_in(history, "messages", log.round_index)
        active = sorted(log.active_player_ids)
        found = []
        for part in by_exchange(log):
            hosts = [str(event.player_id) for event in part if opens_exchange(event)]
            found.append(hosts)
            if is_by_rank(history, log):
                yield from check_pairs(log, part)
        in_order = [sorted(hosts) for hosts in found]
        if in_order != [active] * exchanges:
            yield breach_in(log, f"each of {active} to begin sidebars: got {found}")
        yield from check_lines(history, log)
        yield from check_turns(history, events, messages)


def check_lines(history: History, log: RoundLog) -> Iterator[str]:
    """Check who is picked or ranked, and how all that is no message is told."""
    for event in events_of(log, "sidebar"):
        if is_message(event):
            continue
        if opens_exchange(event):
            yield from check_choice(history, log, event)
        line = line_due(history, event)
        if event.content != line:
            yield breach_at(event, f"{line!r}: got {event.content!r}")


def is_by_rank(history: History, log: RoundLog) -> bool:
    """Return whether pairs are made by ranking in a round; finalists who see jurors pick."""
    by_rank = setting_in(history, "pairing") == "ranking"
    return by_rank and not sees_jurors(history, log)


def sees_jurors(history: History, log: RoundLog) -> bool:
    """Return whether jurors may be taken aside in a round."""
    return log.final_round and setting_in(history, "jurors_aside")


def opens_exchange(event: Event) -> bool:
    """Return whether an event is one player's pick or ranking."""
    return begins_sidebar(event) or ranks_partners(event)


def by_exchange(log: RoundLog) -> list[list[Event]]:
    """Return the sidebars of a round by exchange: in each, every active player has one opening."""
    size = max(1, len(log.active_player_ids))
    parts: list[list[Event]] = []
    begun = 0
    for event in events_of(log, "sidebar"):
        if opens_exchange(event):
            if begun % size == 0:
                parts.append([])
            begun += 1
        if parts:
            parts[-1].append(event)
    return parts


def company_for(history: History, log: RoundLog, player_id: str) -> list[str]:
    """Return whom a player may take aside: the others in the game, and jurors where that is set."""
    others = others_in_game(log, player_id)
    if sees_jurors(history, log):
        return [*others, *log.eliminated_player_ids]
    return others


def check_choice(history: History, log: RoundLog, event: Event) -> Iterator[str]:
    """Check that a player picks or ranks, as is set, others who are on offer, each once."""
    by_rank = is_by_rank(history, log)
    if ranks_partners(event) != by_rank:
        way = "a ranking" if by_rank else "a pick"
        yield breach_at(event, f"{way} of partners: got {event.content!r}")
        return
    legal = company_for(history, log, str(event.player_id))
    names = partners_in(event)
    if len({*names}) < len(names) or not {*names} <= {*legal}:
        yield breach_at(event, f"each of {legal} once at most: got {names}")
    if by_rank:
        yield from check_written(event, names)


def partners_in(event: Event) -> list[str]:
    """Return whom a player picks or ranks."""
    if ranks_partners(event):
        return [*preferences_of(event).ranking]
    partner = invitation_of(event).partner
    return [partner] if partner else []


def line_due(history: History, event: Event) -> str:
    """Return how an event of a sidebar must be told that holds no player's own words."""
    if tells_pairing(event):
        first, *others = pairing_of(event).members
        if not others:
            return f"{first} stays alone this time."
        return f"{first} and {others[0]} talk aside; {first} begins."
    if answers_invitation(event):
        agreement = agreement_of(event)
        answer = "accepts" if agreement.accepts else "declines"
        return f"{answer} the talk with {agreement.to}"
    names = ", ".join(partners_in(event)) or NOBODY
    if ranks_partners(event):
        return f"ranks {names}"
    asks = setting_in(history, "decline")
    return f"{'asks' if asks else 'takes'} {names} aside"


def check_written(event: Event, names: list[str]) -> Iterator[str]:
    """Check that a ranking is the one that was answered."""
    if event.fell_back and names:
        yield breach_at(event, f"nobody to be ranked where nothing legal came: got {names}")
    if not event.attempts or event.fell_back:
        return
    answer = last_object(event.attempts[-1].text) or {}
    written = [bare_name(str(name)) for field, name in answer.items() if field != "explanation"]
    if NOBODY in written:
        written = written[: written.index(NOBODY)]
    same = len(written) == len(names)
    for name, words in zip(names, written, strict=False):
        same = same and words.startswith(bare_name(name))
    if not same:
        yield breach_at(event, f"the ranking answered, {written}: got {names}")


def check_pairs(log: RoundLog, part: list[Event]) -> Iterator[str]:
    """Check that "the one with the smallest sum of ranks" is paired, "taken out, and again".

    Whoever is left must be told so, and nobody may be left who could be paired.
    """
    rankings = rankings_in(part)
    costs = costs_of(rankings)
    free = [*rankings]
    alone: list[str] = []
    for members in members_in(part):
        if len(members) == 1:
            alone += members
            continue
        cost = costs.get(members)
        if cost is None or cost != min(costs.values()):
            yield breach_in(log, f"a pair that costs least of {costs}: got {members}")
        free = [player_id for player_id in free if player_id not in members]
        costs = without_members(costs, members)
    if costs:
        yield breach_in(log, f"no pair to be left over: got {[*costs]}")
    if alone != free:
        yield breach_in(log, f"{free} to be told that they stay alone: got {alone}")


def rankings_in(part: list[Event]) -> dict[str, Members]:
    """Return the rankings of an exchange by player, in the order in which they were told."""
    rankings = {}
    for event in part:
        if ranks_partners(event):
            rankings[str(event.player_id)] = preferences_of(event).ranking
    return rankings


def members_in(part: list[Event]) -> list[Members]:
    """Return the pairs of an exchange, and who stayed alone, in the order in which it is told."""
    return [pairing_of(event).members for event in part if tells_pairing(event)]


def costs_of(rankings: Mapping[str, Sequence[str]]) -> dict[Members, Cost]:
    """Return the sum and the worse of the two ranks of each pair that rank each other."""
    places = {}
    for player_id, ranking in rankings.items():
        for place, other in enumerate(ranking, 1):
            places[player_id, other] = place
    costs: dict[Members, Cost] = {}
    for one, other in combinations(rankings, 2):
        here, there = places.get((one, other)), places.get((other, one))
        if here is not None and there is not None:
            costs[one, other] = (here + there, max(here, there))
    return costs


def without_members(costs: Mapping[Members, Cost], members: Members) -> dict[Members, Cost]:
    """Return the pairs that are left once these two are taken out."""
    return {pair: cost for pair, cost in costs.items() if not {*pair} & {*members}}


def check_pair_lots(history: History, log: RoundLog) -> Iterator[str]:
    """Check by the seed which pair is taken out where several cost the same."""
    if not is_by_rank(history, log):
        return
    for exchange, part in enumerate(by_exchange(log), 1):
        rng = stream(history.seed, "round", log.round_index, "pairing", exchange)
        costs = costs_of(rankings_in(part))
        for members in members_in(part):
            if len(members) == 1 or not costs:
                break
            least = min(costs.values())
            due = rng.choice([pair for pair, cost in costs.items() if cost == least])
            if members != due:
                yield breach_in(log, f"the pair, as the seed draws, to be {due}: got {members}")
            costs = without_members(costs, members)


def sidebar_draws(history: History, log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the draws of the orders in which players begin sidebars and read their options."""
    for exchange, part in enumerate(by_exchange(log), 1):
        openings = [event for event in part if opens_exchange(event)]
        yield SeededDraw(
            what="the order of the sidebars",
            found=[str(event.player_id) for event in openings],
            pool=[*log.active_player_ids],
            labels=("permuted", "sidebars", exchange),
        )
        for event in openings:
            host = str(event.player_id)
            read = preferences_of if ranks_partners(event) else invitation_of
            yield SeededDraw(
                what=f"the partners of {host}",
                found=[*read(event).candidates],
                pool=company_for(history, log, host),
                labels=("permuted", "partners", exchange, host),
            )


def check_turns(history: History, events: list[Event], messages: int) -> Iterator[str]:
    """Check that the two of each sidebar speak in turn, `messages` times, if both want to."""
    for talk in talks_in(events):
        found = [(event.player_id, hearer_of(event)) for event in talk[1:]]
        due = turns_due(history, talk, messages)
        if found != due:
            expected = f"two players to speak in turn, {due}"
            yield breach_at(talk[0], f"{expected}: got {found}")
        for event in talk:
            if answers_invitation(event):
                agreement = agreement_of(event)
                line = (
                    f"{'accepts' if agreement.accepts else 'declines'} the talk with {agreement.to}"
                )
                if event.content != line:
                    yield breach_at(event, f"{line!r}: got {event.content!r}")


def talks_in(events: list[Event]) -> list[list[Event]]:
    """Return each opening, ranking or pairing with the events that follow it, up to the next."""
    talks: list[list[Event]] = [[]]
    for event in events:
        if opens_exchange(event) or tells_pairing(event):
            talks.append([])
        talks[-1].append(event)
    return [talk for talk in talks if talk]


def turns_due(history: History, talk: list[Event], messages: int) -> list[Message]:
    """Return who must speak to whom in a talk: first whoever may decline, then two in turn."""
    opening, *answers = talk
    pair = pair_begun(opening)
    if len(pair) < 2:
        return []
    first, second = pair
    both: list[Message] = [(first, second), (second, first)]
    turns = (both * messages)[:messages]
    if not begins_sidebar(opening) or not setting_in(history, "decline"):
        return turns
    accepts = bool(answers) and agreement_of(answers[0]).accepts
    return [(second, first), *turns] if accepts else [(second, first)]


def pair_begun(event: Event) -> Members:
    """Return who is to talk after an event, the first to speak first; less than two: nobody."""
    if tells_pairing(event):
        return pairing_of(event).members
    if begins_sidebar(event):
        partner = invitation_of(event).partner
        return (str(event.player_id), partner) if partner else ()
    return ()


def hearer_of(event: Event) -> str | None:
    """Return the other player of a sidebar; of a ranking there is none."""
    if begins_sidebar(event):
        return invitation_of(event).partner
    if answers_invitation(event):
        return agreement_of(event).to
    if ranks_partners(event):
        return None
    return payload_of(event, Whisper).to
