"""The game Agent Island: Deliberations, with its phases and outcome."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from engine.games.deliberations.answers import island_answers
from engine.games.deliberations.facts import facts_of_island
from engine.games.deliberations.flags import Flag, flags_in
from engine.games.deliberations.report import (
    debrief_figures,
    many_debriefs,
    report_beliefs,
    report_debrief,
    report_flags,
    turns_of_island,
    vote_charts,
)
from engine.games.deliberations.rules import (
    Island,
    apply_verdict,
    end_without_vote,
    figures,
    head_of_round,
    land,
    placements,
    summarise,
)
from engine.games.deliberations.settings import IslandSettings, PhaseName
from engine.games.deliberations.strategies import STRATEGIES, script_for
from engine.history import History, Outcome, social
from engine.report.averages import Averages
from engine.report.tables import Part
from engine.round import Phase, RoundContext, RoundPlan
from engine.round_phases import (
    NOBODY,
    phase_confessionals,
    phase_debrief,
    phase_immunity,
    phase_last_words,
    phase_paired_sidebars,
    phase_pitches,
    phase_questions,
    phase_sidebars,
    phase_summaries,
    phase_votes,
)
from engine.round_phases.voting import sum_ballots
from engine.views.naming import NAMED
from player import Script
from protocol.names import look_of
from protocol.suggest import one_of
from protocol.text import list_names


@dataclass(frozen=True, slots=True)
class RoundHead:
    """The head of a round: the number of rounds, the active players, and whether a vote follows."""

    rounds: int
    in_the_game: tuple[str, ...]
    vote: bool = True


class DeliberationsGame(IslandSettings):
    """Players pitch and vote one another out; the eliminated choose a winner from the last two."""

    name = "deliberations"
    version = 7
    basic = ("phases", "num_rounds", "finalists", "words")
    lines = "kind"
    strategies: ClassVar[Mapping[str, Script]] = {
        name: script_for(strategy) for name, strategy in STRATEGIES.items()
    }
    payloads: ClassVar[Mapping[str, Any]] = {
        "narration": RoundHead | social.SpeakingOrder | social.Immunity,
        "pitch": social.Speech,
        "statement": social.Speech,
        "last_words": social.Speech,
        "confessional": social.Speech,
        "vote": social.Ballot,
        "result": social.Decision,
        "sidebar": social.Invitation
        | social.Agreement
        | social.Preferences
        | social.Pairing
        | social.SpeechTo,
        "summary": social.Recap,
        "question": social.Speech,
        "answer": social.SpeechTo,
        "debrief": social.Debriefing,
        "probe": social.Expectation,
        "flag": Flag,
    }
    watched = ("probe", "flag")
    # The weakest player leaves first, so the order of leaving decides the places.
    targets = ("wins", "places")
    direction = "bottom"
    turning_points: ClassVar = staticmethod(turns_of_island)
    answers_in: ClassVar = staticmethod(island_answers)
    facts_of: ClassVar = staticmethod(facts_of_island)
    batch_figures: ClassVar = staticmethod(debrief_figures)
    charts: ClassVar = staticmethod(vote_charts)

    def start(self, player_ids: Sequence[str], rng: random.Random) -> Island:
        """Return the island before its first round; nothing is drawn at random."""
        del rng
        for player_id in player_ids:
            if look_of(player_id) == look_of(NOBODY):
                raise ValueError(f"expected names of players at the table: got {player_id!r}")
        if self.anonymous and {*self.names} != {*player_ids}:
            raise ValueError(
                "expected an anonymous game to have dealt its names: "
                "call engine.runs.seating.neutral(config)"
            )
        if isinstance(self.memory, dict):
            known = [self.names.get(player_id, player_id) for player_id in player_ids]
            for name in self.memory:
                one_of(name, known, "player")
        island = land(player_ids, self.finalists)
        return replace(island, num_rounds=self.last_round(len(player_ids)))

    def plan(self, state: Island) -> RoundPlan[Island] | None:
        """Plan the next round: "rounds 1 to N - 2", and then the final, "round N - 1"."""
        if state.winner:
            return None
        return RoundPlan(
            tuple(self.phases_for(state)),
            state.active,
            state.eliminated,
            final_round=state.final,
        )

    def phases_for(self, state: Island) -> list[Phase[Island]]:
        """Return the phases of the next round, with that round's settings."""
        number = state.round_index
        vote = self.has_vote(number)
        game = self.in_round(number)
        phases: list[Phase[Island]] = [partial(phase_head, vote=vote)]
        for name in self.phases_of(number):
            if name != "immunity" or not state.final:
                phases.append(game.phase(name, vote=vote))
        if state.final:
            return game.final_phases(phases)
        return [*phases, *game.later_phases(state.player_ids, vote=vote)]

    def later_phases(self, player_ids: Sequence[str], *, vote: bool) -> Iterator[Phase[Island]]:
        """Yield the phases after those in the settings: an end without a vote, and summaries."""
        if not vote:
            yield phase_no_vote
        writers = [writer for writer in player_ids if self.memory_of(writer) == "summary"]
        if writers:
            words = self.summary_words
            yield partial(phase_summaries, player_ids=writers, words=words)

    def final_phases(self, phases: Sequence[Phase[Island]]) -> list[Phase[Island]]:
        """Return `phases` plus any questions before the vote, any debrief, and the flags."""
        final = [*phases]
        if self.questions:
            final.insert(-1, partial(phase_questions, words=self.words))
        if self.debrief:
            words = self.private_words
            final.append(partial(phase_debrief, questions=self.debrief, words=words))
        return [*final, phase_flags]

    def phase(self, name: PhaseName, *, vote: bool = True) -> Phase[Island]:
        """Return the phase `name` with this game's settings; `vote` says whether a vote follows."""
        phases: dict[PhaseName, Phase[Island]] = {
            "sidebars": self.phase_aside,
            "confessionals": partial(phase_confessionals, words=self.private_words),
            "immunity": self.phase_lot,
            "pitches": partial(phase_pitches, words=self.words, vote=vote),
            "votes": self.phase_verdict,
        }
        return phases[name]

    async def phase_aside(self, context: RoundContext[Island]) -> None:
        """Hold sidebars, paired by ranking or by pick; finals that include jurors use picks."""
        terms = {
            "exchanges": self.exchanges,
            "messages": self.messages,
            "words": self.private_words,
        }
        if self.pairing == "ranking" and not (self.jurors_aside and context.final_round):
            await phase_paired_sidebars(context, **terms)
        else:
            await phase_sidebars(
                context,
                **terms,
                jurors_aside=self.jurors_aside,
                decline=self.decline,
            )

    async def phase_verdict(self, context: RoundContext[Island]) -> None:
        """Hold the vote: the player with the most votes leaves, or wins the final."""
        island = context.state
        verdict = await phase_votes(
            context,
            reveal_tally=self.reveal_tally,
            ties=self.ties,
            immune=island.immune,
            before=sum_ballots(island.ballots),
            words=self.words,
            probes=self.probes == "votes",
        )
        context.state = apply_verdict(island, verdict.selected, verdict.tally, verdict.revote)
        if self.last_words and not context.final_round:
            await phase_last_words(context, verdict.selected, words=self.words)

    async def phase_lot(self, context: RoundContext[Island]) -> None:
        """Choose at random the player that cannot be voted out in this round."""
        immune = await phase_immunity(context)
        context.state = replace(context.state, immune=immune)

    @classmethod
    def title(cls, history: History) -> str:
        """Return a title that names the players."""
        names = history.player_ids
        return f"{list_names(names, NAMED)} deliberate"

    @classmethod
    def result(cls, outcome: Outcome) -> str:
        """Return the part of the summary that names the winner and its votes."""
        return outcome.summary.partition(";")[0]

    @classmethod
    def report(cls, history: History) -> Iterator[Part]:
        """Yield any flags, the quality of the players' beliefs, and the debriefs."""
        yield from report_flags(history)
        yield from report_beliefs(history)
        yield from report_debrief(history)

    @classmethod
    def batch_report(cls, history: History, averages: Averages) -> Iterator[Part]:
        """Yield the mean share of models guessed correctly over many games."""
        del history
        return many_debriefs(averages)

    def outcome(self, state: Island) -> Outcome:
        """Rank players by order of leaving; a score is the number of players minus the place."""
        places = placements(state)
        last = len(places)
        scores = {player_id: float(last - place) for player_id, place in places.items()}
        return Outcome(
            places,
            scores,
            figures(state),
            summary=summarise(state),
        )


async def phase_head(context: RoundContext[Island], *, vote: bool = True) -> None:
    """Announce the round, the remaining players, and the players that left."""
    island = context.state
    data = RoundHead(island.last_round, island.active, vote)
    context.narrate(head_of_round(island, vote=vote), data=data)


async def phase_flags(context: RoundContext[Island]) -> None:
    """Flag the events in which players' words and actions disagree; no player sees the flags.

    This phase is last, so that flags never change the index of another event.
    """
    flags = [*flags_in(context.history)] if context.keeps_hidden else []
    for event, flag, sentence in flags:
        context.record(
            "flag",
            flag.capitalize(),
            sentence,
            player_id=event.player_id,
            visibility=(),
            data=Flag(flag, event.index),
        )


async def phase_no_vote(context: RoundContext[Island]) -> None:
    """End a round without a vote: no player leaves."""
    context.state = end_without_vote(context.state)
