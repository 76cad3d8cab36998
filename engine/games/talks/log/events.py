"""A talk's log entries, and the facts in the text of its events."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from engine.games.talks.archetypes import ARCHETYPES, Move, Role
from engine.games.talks.constants import DIGITS
from engine.games.talks.host.parts import HostTurn, host_heading
from engine.games.talks.log.payloads import (
    CheckData,
    HostData,
    Introduction,
    Numbers,
    Selection,
    Stop,
    TalkOpening,
    ThesisData,
    UtteranceData,
)
from engine.games.talks.settings import Participant
from engine.games.talks.speech.answer import ASPECTS, Utterance
from engine.games.talks.speech.asking import as_sentences, plain_name
from engine.games.talks.state import ParticipantState, plain_data
from engine.games.talks.talk_state import TalkState
from engine.games.talks.termination import SENTENCES, Check, conclude_votes
from engine.games.talks.theory.choosing import Choice, is_circling
from engine.games.talks.theory.turn_taking import Wish
from engine.history import Event, History, Outcome, payload_of
from engine.prompting import render
from engine.round import RoundContext
from player import Reply
from protocol.answer import plan_in
from protocol.text import SILENT

Fields = Mapping[str, str]
# An unfinished ending. On replay, it is cut off again after the last complete sentence.
CUT_OFF = " and so on,"
Context = RoundContext[TalkState]


def present(state: TalkState) -> str:
    """Return a line that presents the participants, their characters, and the host."""
    people = []
    for participant in state.talk.order:
        person = state.talk.participants[participant]
        facts = [person.gender.pronouns, person.personality, plain_name(person.expertise_area)]
        people.append(f"{state.names[participant]} ({', '.join(filter(None, facts))})")
    line = f"The participants: {'; '.join(people)}."
    if state.host is None:
        return line
    return f"{line} The host: {state.host.player_id} ({state.host.who.gender.pronouns})."


def record_opening(context: Context, embedder: str) -> None:
    """Log the participants, the topic, and the `embedder` that compares utterances."""
    talk, host = context.state.talk, context.state.host
    leader = host.player_id if host else ""
    data = TalkOpening(talk.topic, talk.target_depth, embedder, leader)
    context.narrate(present(context.state), data=data)


def persona_of(own: ParticipantState) -> str:
    """Return the description of a participant's character for its system text."""
    role = Role(own.name, own.gender, own.personality, own.expertise_area)
    return _persona_in(role, tuple(own.core_beliefs))


@lru_cache(maxsize=256)
def _persona_in(role: Role, beliefs: tuple[str, ...]) -> str:
    return render(
        "talks/setup.j2",
        who=role,
        style=ARCHETYPES[role.personality].style,
        expertise=plain_name(role.expertise),
        beliefs=as_sentences(beliefs),
    )


def persona_of_host(player_id: str, who: Participant) -> str:
    """Return the description of a host's character for its system text."""
    expertise = plain_name(who.expertise)
    return render("talks/host_setup.j2", name=player_id, who=who, expertise=expertise)


def record_introduction(context: Context, player_id: str, own: ParticipantState) -> None:
    """Log a participant's character; only that participant reads it, in its system text."""
    context.record(
        "setup",
        f"Who {player_id} is",
        persona_of(own),
        player_id=player_id,
        visibility=(),
        data=Introduction(plain_data(own)),
    )


def record_thesis(context: Context, player_id: str, reply: Reply[Any]) -> None:
    """Log the opinion of a participant before the talk; only that participant reads it."""
    position = reply.answer.position
    context.record(
        "thesis",
        "Thesis",
        position or SILENT,
        player_id=player_id,
        visibility=(player_id,),
        data=ThesisData(position),
        reply=reply,
    )


def record_host(
    context: Context, player_id: str, said: HostTurn, reply: Reply[Any], *, cut: bool
) -> None:
    """Log one part of a host's words, visible to all."""
    why, about = (said.loss.why, said.loss.about) if said.loss else (None, None)
    context.record(
        "host",
        host_heading(said.part, why),
        said.text or SILENT,
        player_id=player_id,
        data=HostData(said.part, said.turn, why, about, cut),
        reply=reply,
    )


def record_selection(context: Context, *, stale: bool) -> None:
    """Log, as a hidden event, the speaker, its move, and the reasons for both."""
    state, choice = context.state, context.state.choice
    assert choice is not None
    data = _selection_of(state, choice, stale=stale)
    made = f"{data.speaker}: {move_line(data.move, data.target)}"
    line = f"{made}; {_scores_and_payoffs(state, choice)}"
    context.narrate(line, kind="selection", visibility=(), data=data)


def _scores_and_payoffs(state: TalkState, choice: Choice) -> str:
    # The line needs the exact numbers; the numbers in the data are already rounded.
    scores = [f"{state.names[who]} {wish.score:.2f}" for who, wish in state.wishes.items()]
    payoffs = [f"{kind} {value:.2f}" for kind, value in choice.adjusted.items()]
    return f"scores {', '.join(scores)}; payoffs {', '.join(payoffs)}"


def _selection_of(state: TalkState, choice: Choice, *, stale: bool) -> Selection:
    move = choice.move
    return Selection(
        speaker=state.names[state.speaker],
        move=move.type,
        target=state.player_of(move.target),
        intensity=move.intensity,
        wishes={
            state.names[who]: Wish(**_round_facts(asdict(wish)))
            for who, wish in state.wishes.items()
        },
        payoffs=_round_facts(choice.payoffs),
        adjusted=_round_facts(choice.adjusted),
        orbit=is_circling(state.talk.exchanges, state.theory.constants),
        chances=_round_facts(choice.chances),
        stale=stale,
    )


def record_utterance(context: Context, reply: Reply[Utterance]) -> None:
    """Log an utterance, visible to all."""
    state = context.state
    assert state.exchange is not None
    exchange = state.with_players(state.exchange)
    words, cut = reply.answer.spoken()
    uncut = "" if words == exchange.content else words
    facts = {**vars(exchange), "novelty": round(exchange.novelty, DIGITS)}
    del facts["content"]
    context.record(
        "utterance",
        move_line(exchange.move, exchange.target),
        exchange.content or SILENT,
        player_id=exchange.speaker,
        data=UtteranceData(**facts, cut=cut, uncut=uncut, plan=plan_in(reply.answer)),
        reply=reply,
    )


def record_check(context: Context) -> None:
    """Log every criterion's value as a hidden event; if the talk is over, announce why."""
    state, check = context.state, context.state.check
    assert check is not None
    if not context.keeps_hidden and check.reason is None:
        return
    payoffs = dict(zip(state.names.values(), check.conclude_payoffs, strict=True))
    criteria = _round_facts({**vars(check), "conclude_payoffs": payoffs})
    if context.keeps_hidden:
        line = criteria_line(check, state.theory.constants.conclude_payoff)
        data = _check_data(state, criteria)
        context.narrate(line, kind="check", visibility=(), data=data)

    if check.reason is not None:
        stop = Stop(**criteria, sentence=SENTENCES[check.reason])
        context.narrate(end_sentence(check), kind="stop", heading="The end", data=stop)


def _check_data(state: TalkState, criteria: Mapping[str, Any]) -> CheckData:
    talk = state.talk
    return CheckData(
        **criteria,
        depth=talk.max_depth_reached,
        dominant_speaker=state.player_of(talk.dominant_speaker),
        active_disagreement=talk.active_disagreement,
        coalitions=state.allies,
        relationships=_round_facts(_feelings_by_name(state)),
    )


def _feelings_by_name(state: TalkState) -> dict[str, Numbers]:
    feelings = {}
    for participant, person in state.talk.participants.items():
        towards = {state.names[target]: value for target, value in person.relationships.items()}
        feelings[state.names[participant]] = towards
    return feelings


def move_line(move: Move, target: str | None) -> str:
    """Return a move and its target, if any, in words."""
    return f"{move} → {target}" if target else str(move)


def criteria_line(check: Check, wanted: float) -> str:
    """Return the criteria and bounds as text; a payoff above `wanted` is a vote to conclude."""
    votes = conclude_votes(check.conclude_payoffs, wanted)
    explored = "explored" if check.depth_complete else "not explored"
    bound = f"stops below {check.min_novelty:g}"
    if check.stale is not None:
        bound = f"below {check.min_novelty:g} in {check.stale} of the last turns"
    return (
        f"aspects {check.aspects}/{check.needed_aspects}, "
        f"exchanges {check.exchanges}/{check.needed_exchanges} (depth {explored}), "
        f"novelty {check.novelty:.2f} ({bound}), "
        f"{votes} of {len(check.conclude_payoffs)} want to conclude, "
        f"convergence {check.convergence:.2f} (stops above {check.min_convergence:g}), "
        f"cap {check.cap}"
    )


def end_sentence(check: Check) -> str:
    """Return the sentence that says why a talk is over and gives its figures."""
    assert check.reason is not None
    return (
        f"Discussion Complete: {SENTENCES[check.reason]}. {check.exchanges} exchanges, "
        f"{check.aspects} aspects explored, convergence: {check.convergence:.2f}"
    )


def result_of_talk(outcome: Outcome) -> str:
    """Return why a talk ended and after how many exchanges, read from its end sentence."""
    _, _, sentence = outcome.summary.partition(": ")
    return sentence.partition(",")[0].replace(". ", " after ", 1)


def _round_facts(value: Any) -> Any:
    """Return a value with every float in it rounded, to keep a log readable."""
    if isinstance(value, dict):
        return {str(name): _round_facts(fact) for name, fact in value.items()}
    return round(value, DIGITS) if isinstance(value, float) else value


FIGURES = ("exchanges", "aspects", "convergence")


def facts_of_talk(event: Event) -> dict[str, Any]:
    """Return the facts in an event's text or heading, without those that only its data contains.

    - the opening: the `host`, if there is one
    - a host's words: the `part`
    - a thesis: the `position`
    - an utterance: its `move`, and its `target` if it has one
    - the end: the `exchanges`, the `aspects`, and the `convergence`, 0 to 1
    """
    data: Any = event.data
    match event.kind:
        case "stop":
            return {name: _shown_figure(data.get(name)) for name in FIGURES}
        case "thesis":
            return {"position": event.content}
        case "utterance" if event.heading == move_line(data.get("move"), data.get("target")):
            return {name: data[name] for name in ("move", "target") if data.get(name)}
        case "host":
            return _fact_in_text("part", event)
        case "narration":
            return _fact_in_text("host", event)
    return {}


def _fact_in_text(name: str, event: Event) -> dict[str, Any]:
    value = event.data.get(name)
    return {name: value} if value and str(value) in f"{event.heading} {event.content}" else {}


def _shown_figure(figure: object) -> float:
    return round(figure, 2) if isinstance(figure, int | float) else 0


def talk_answers(history: History) -> Iterator[tuple[Event, Fields]]:
    """Yield each event that records an answer, with the answer's fields, in question order."""
    for event in history.events:
        if event.kind == "thesis":
            yield event, {"position": payload_of(event, ThesisData).position}
        elif event.kind == "host":
            yield event, reply_fields(event)
        elif event.kind == "utterance":
            yield event, utterance_fields(event)


def reply_fields(event: Event) -> dict[str, str]:
    """Return the field `reply` with the words of an answer, or "" if the player said nothing."""
    if event.content == SILENT:
        return {"reply": ""}
    words = event.data.get("uncut") or event.content
    return {"reply": words + CUT_OFF if event.data.get("cut") else words}


def utterance_fields(event: Event) -> Fields:
    """Return the fields of an utterance, with at least one label.

    The default label is the speaker's name, which is never an aspect. If there is a label, the
    words are not searched for key phrases.
    """
    utterance = payload_of(event, UtteranceData)
    fields = reply_fields(event)
    fields["plan"] = utterance.plan
    fields["position"] = utterance.position
    for name, label in zip(ASPECTS, utterance.aspects or (utterance.speaker,), strict=False):
        fields[name] = label
    return fields
